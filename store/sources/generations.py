"""A file of opencode that may hold sessions of several generations: who speaks for each.

A session of session_message is spoken for by its rows there. Messages that only the old tables
have (an old version ran after the import of 2.x, or the import dropped them) are added where they
belong by time. A session without a row in session_message is read from the old tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import apsw

from store.model import Evidence, Flag, Part, Tool
from store.read_only import columns
from store.source import Bodies, Found, Outline, Place, Ref, SomePlaces
from store.sources import old_tables
from store.sources.event_log import has_log
from store.sources.evidence import Room
from store.sources.frozen_tables import FrozenTables, deleted, taken_over
from store.sources.heads import Columns, Head, as_ms, read_heads
from store.sources.numbers import number_at
from store.sources.old_messages import OldMessages
from store.sources.old_tables import OldTables
from store.sources.scans import Scans
from store.sources.tables import Heads, Later, Shape
from store.sources.v2_log import BothLogs, V2Log
from store.sources.v2_tables import NEEDED, PLACE, NewTables

COMPACTED: Flag = "compacted"


def generations(connection: apsw.Connection) -> Shape:
    """The tables of an open file of opencode."""
    found = columns(connection)
    newer = "session" in found and found.get("session_message", set()) >= NEEDED
    if "session_v2" in found or newer or _lost_its_rows(found):
        return Generations(connection, found)
    return OldTables(connection, found)


def _lost_its_rows(found: Columns) -> bool:
    """Whether input waits for a table that is not there; the two came together."""
    return "session_input" in found and "session_message" not in found


class Generations:
    """Both generations on one connection; the old tables may be missing."""

    def __init__(self, connection: apsw.Connection, found: dict[str, set[str]]) -> None:
        self._connection = connection
        self._found = found
        self._new = NewTables(connection, found)
        old = OldTables(connection, found)
        self._old = None if old.lacking() else old
        self._ended = taken_over(connection, found) if self._old else None
        tables = (self._new, self._old)
        self._olds = OldMessages(connection, found, tables, self._ended)

    def lacking(self) -> list[str]:
        """What the list of sessions lacks, and the old tables where there have to be any."""
        old = old_tables.NEEDED
        needed = {"session_message": NEEDED}
        if "session_v2" in self._found or self._lost_its_list():
            needed["session_v2"] = old["session"]
            is_upgraded = bool(old.keys() & self._found.keys())
        else:
            needed["session"] = old["session"]
            is_upgraded = bool({"message", "part"} & self._found.keys())
        if is_upgraded or not self._is_2():
            needed |= old
        return old_tables.lacking(self._found, needed)

    def _lost_its_list(self) -> bool:
        """Whether input waits as in 2.x, and neither list is one of 2.x."""
        waiting = {"session_inbox", "session_pending"} & self._found.keys()
        return bool(waiting) and not self._is_2()

    def _is_2(self) -> bool:
        """Whether 2.x made the file or took it over; what it makes has no old tables."""
        return "session_v2" in self._found or "fork_boundary" in self._found.get("session", ())

    # Sessions --------------------------------------------------------------------------------

    def heads(self, only: Sequence[str] | None = None) -> Heads:
        """All sessions or some; the newest list speaks for those that stand in several.

        One that 2.x deleted stands in the old list alone, and is lost.
        """
        read = self._old_heads(only)
        listed = {head.id: head for head in read.heads}
        newer, why = self._new_heads(only)
        ended = self._ended if only is None else None
        counts, more = self._new.counts(only)
        found = deleted(listed, newer, ended)
        lost = {ident for ident in found if not (why and ident in counts)}
        gone = [listed.pop(ident) for ident in found if ident in lost]
        for ident, head in newer.items():
            if before := listed.get(ident):
                head.updated = max(as_ms(head.updated), as_ms(before.updated))
        listed |= newer
        extras = self._olds.extras(list(counts))[0]
        alone = set(read.alone).intersection(listed).difference(newer)
        for ident, (messages, parts, updated) in counts.items():
            if ident in lost:
                continue
            if ident not in listed:
                listed[ident] = Head(ident, "", "", updated, updated)
                alone.add(ident)
            head = listed[ident]
            # 1.18 undoes what follows the message of a revert, 2.x the message too
            head.keeps_target = not (self._is_2() or head.messages)
            head.updated = max(as_ms(head.updated), updated)
            mine = self._olds.standing(ident, extras.get(ident, []))
            head.messages, head.parts = messages + len(mine), parts + self._count_parts(mine)
        reason = read.reason or why or more
        return Heads(listed.values(), (), reason, gone, () if reason else alone)

    def _old_heads(self, only: Sequence[str] | None) -> Heads:
        if self._old is not None:
            return self._old.heads(only)
        if "session" in self._found:
            rows, reason = read_heads(self._connection, self._found, "session", only)
            return Heads(rows.values(), (), reason)
        return Heads(())

    def _new_heads(self, only: Sequence[str] | None) -> tuple[dict[str, Head], str]:
        if "session_v2" in self._found:
            return read_heads(self._connection, self._found, "session_v2", only)
        return {}, ""

    def _count_parts(self, messages: Sequence[str]) -> int:
        if self._old is None or not messages:
            return 0
        return len(self._old.scans.rows("SELECT rowid FROM part", "message_id", messages)[0])

    def stamp(self, session: str) -> str:
        """Both generations together."""
        stamps = [self._old.stamp(session) if self._old else "", self._new.stamp(session)]
        return "|".join(stamp for stamp in stamps if stamp)

    # In order --------------------------------------------------------------------------------

    def outline(self, session: str) -> Outline:
        """The rows that speak for the session, and what only the old tables have."""
        new = self._new.outline(session)
        if self._old is None:
            return new
        anew = bool(new.messages) or self._olds.is_listed_anew(session)
        found, reason = self._olds.extras([session]) if anew else ({}, "")
        extras = frozenset(self._olds.standing(session, found.get(session, ())))
        if anew and not extras and not reason:
            return new
        old = self._old.outline(session)
        places = [Place(ref.seq, ref.time, ref.id) for ref in new.messages]
        messages = [
            ref._replace(seq=number_at(places, ref.time))
            for ref in old.messages
            if not anew or ref.id in extras
        ]
        names = {ref.id for ref in messages}
        messages += new.messages
        messages.sort(key=lambda ref: (ref.seq, ref.time, ref.id))
        parts = [ref for ref in old.parts if ref.parent in names or not anew]
        return Outline(
            session,
            tuple(messages),
            (*new.parts, *parts),
            new.complete and old.complete and not reason,
            new.faults + old.faults,
        )

    def ending(self, session: str, messages: int) -> Outline | None:
        """The last messages; None where messages of both generations stand between each other."""
        new = self._new.ending(session, messages)
        if self._old is None:
            return new
        if not new.messages:
            return (
                None if self._olds.is_listed_anew(session) else self._old.ending(session, messages)
            )
        return None if any(self._olds.extras([session])) else new

    def order(self, session: str) -> list[Place]:
        """All messages that speak for the session."""
        new = self._new.order(session)
        if self._old is None:
            return new
        if not new and not self._olds.is_listed_anew(session):
            return self._old.order(session)
        found, reason = self._olds.extras([session])
        extras = frozenset(self._olds.standing(session, found.get(session, ())))
        before = self._old.order(session) if extras or reason else []
        old = [
            place._replace(seq=number_at(new, place.time)) for place in before if place.id in extras
        ]
        places = sorted([*new, *old])
        whole = not (reason or isinstance(new, SomePlaces) or isinstance(before, SomePlaces))
        return places if whole else SomePlaces(places)

    # Rows ------------------------------------------------------------------------------------

    def bodies(self, session: str, messages: Sequence[Ref], parts: Sequence[Ref]) -> Later:
        """The rows of these refs, each from its own tables."""
        mine = [[ref for ref in refs if ref.place == PLACE] for refs in (messages, parts)]
        names = [ref.parent for ref in mine[1]]
        laters = [self._unpruned(self._new.bodies(session, *mine), names)]
        if self._old is not None:
            theirs = [[ref for ref in refs if ref.place != PLACE] for refs in (messages, parts)]
            laters.append(self._old.bodies(session, *theirs))
        return _together(laters)

    def window(self, session: str, messages: Sequence[str]) -> Later:
        """These messages with all their parts."""
        mine = self._new.among(messages)
        laters = [self._unpruned(self._new.window(session, mine), mine)]
        if self._old is not None and len(mine) < len(messages):
            names = set(mine)
            theirs = [ident for ident in messages if ident not in names]
            laters.append(self._old.window(session, theirs))
        return _together(laters)

    def _unpruned(self, later: Later, messages: Sequence[str]) -> Later:
        """Gives tools their output back that 1.x pruned and the import dropped."""
        if self._old is None or not messages:
            return later
        sane = f"octet_length(data) <= {old_tables.LARGEST_ROW} AND json_valid(data)"
        pruned = f"CASE WHEN {sane} THEN data ->> '$.state.time.compacted' END IS NOT NULL"
        select = (
            f"SELECT message_id, CASE WHEN {pruned} THEN data ->> '$.callID' END,"
            f" CASE WHEN {pruned} THEN data ->> '$.state.output' END FROM part"
        )
        tail = f" AND {pruned}"
        rows, _ = self._old.scans.rows(select, "message_id", messages, tail)
        outputs = {row[:2]: row[2] for row in rows if isinstance(row[2], str)}
        if not outputs:
            return later

        def restored() -> Bodies:
            bodies = later()
            return replace(bodies, parts=tuple(_restored(part, outputs) for part in bodies.parts))

        return restored

    # By id -----------------------------------------------------------------------------------

    def find(self, beginning: str, limit: int) -> list[Found]:
        """What begins so; of rows in both generations those of the newer one."""
        found = self._new.find(beginning, limit)
        for table in ("session_v2", "session"):
            if table in self._found:
                scans = Scans(self._connection)
                rows = scans.named(f"SELECT id FROM {table}", beginning, limit)
                found += [Found("session", row[0], "", row[0]) for row in rows]
        if self._old is not None:
            old = [one for one in self._old.find(beginning, limit) if one.kind != "session"]
            newer = set(self._new.among([one.message for one in old]))
            found += [one for one in old if one.message not in newer]
        return list(dict.fromkeys(found))

    def raw(self, found: Found) -> str | None:
        """The stored JSON, from the tables that speak for the message."""
        if self._new.among([found.message]):
            return self._new.raw(found)
        return self._old.raw(found) if self._old else None

    # What is gone ----------------------------------------------------------------------------

    def rooms(self) -> dict[Evidence, Room]:
        """Those of the old tables, the log, and after an upgrade the old tables themselves."""
        rooms = self._old.rooms() if self._old else {}
        if has_log(self._connection, self._found):
            log = V2Log(self._connection, self._found, self._new)
            mine = rooms.get("event_log")
            rooms["event_log"] = BothLogs(mine, log) if mine else log
        if self._old is not None and self._ended is not None:
            old = {head.id: head for head in self._old_heads(None).heads}
            newer, why = self._new_heads(None)
            listed = {*old, *newer}.difference(deleted(old, newer, self._ended))
            rooms["source"] = FrozenTables(
                self._old, listed, self._ended, self._olds.lost_to_reverts, whole=not why
            )
        return rooms


def _restored(part: Part, outputs: Mapping[tuple[str, str], str]) -> Part:
    held = part.content
    output = outputs.get((part.message, held.call)) if isinstance(held, Tool) else None
    if output is None or not isinstance(held, Tool):
        return part
    flags = part.flags if "compacted" in part.flags else (*part.flags, COMPACTED)
    return replace(part, content=replace(held, output=output), flags=flags)


def _together(laters: Sequence[Later]) -> Later:
    def later() -> Bodies:
        read = [one() for one in laters]
        return Bodies(
            tuple(message for one in read for message in one.messages),
            tuple(part for one in read for part in one.parts),
            tuple(fault for one in read for fault in one.faults),
        )

    return later
