"""The tables session, message and part, which opencode 1.2 to 1.18 and MiMo Code share.

Columns are asked for by name, since an upgraded store has them in another order and older ones
lack some. Order is (time_created, id) everywhere: ids alone wrapped on 2026-08-14.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import apsw

from store.model import Evidence, Fault, Message
from store.read_only import columns, fetch_readable
from store.source import Bodies, Found, Outline, Place, Ref, SomePlaces
from store.sources import event_log, heads, history_index
from store.sources.event_log import EventLog
from store.sources.evidence import Room
from store.sources.heads import Columns, Head, among, as_bytes, as_ms, as_text, named
from store.sources.history_index import HistoryIndex
from store.sources.old_rows import Row, decoded
from store.sources.scans import Scans
from store.sources.tables import Heads, Later

NEEDED = {
    "session": heads.NEEDED,
    "message": {"id", "session_id", "time_created", "time_updated", "data"},
    "part": {"id", "message_id", "session_id", "time_created", "time_updated", "data"},
}
LARGEST_ROW = 32 * 1024 * 1024
"""Bytes; a longer row is a fault instead of memory."""
LOST = -1
"""The place of a message that only its parts still name."""
PLAIN_MESSAGE = 65_536
"""Bytes; a longer message is read without the texts of whole files that it may carry."""

_MESSAGE_DATA = f"""CAST(CASE WHEN octet_length(data) <= {PLAIN_MESSAGE} THEN data
    WHEN octet_length(data) > {LARGEST_ROW} OR NOT json_valid(data) THEN NULL
    ELSE json_remove(data, '$.summary', '$.system', '$.tools', '$.format') END AS BLOB)"""
_REF_COLUMNS = "id, {}, time_created, time_updated, octet_length(data), rowid"
_PART_COLUMNS = (
    "SELECT id, message_id, time_created, time_updated, octet_length(data),"
    f" CAST(CASE WHEN octet_length(data) <= {LARGEST_ROW} THEN data END AS BLOB) FROM part"
)


class OldTables:
    """The three tables on one connection. `slices`: the column of a message's agent slice."""

    def __init__(self, connection: apsw.Connection, found: Columns | None = None) -> None:
        self.connection = connection
        self.found = columns(connection) if found is None else found
        sliced = "agent_id" in self.found.get("message", ())
        self.scans = Scans(connection)
        self.slice = as_bytes("agent_id") if sliced else "'main'"

    def lacking(self) -> list[str]:
        """Tables, or `table.column`."""
        return lacking(self.found, NEEDED)

    # Sessions --------------------------------------------------------------------------------

    def heads(self, only: Sequence[str] | None = None) -> Heads:
        """The rows of `session`, all or some, with the counts of their messages and parts."""
        rows, reason = heads.read_heads(self.connection, self.found, "session", only)
        counts = []
        for table in ("message", "part"):
            counted, more = self._counts(table, only)
            counts.append(counted)
            reason = reason or more
        alone = {*counts[0], *counts[1]} - set(rows)
        rows |= self._lost(alone)
        for ident, head in rows.items():
            head.messages, head.parts = counts[0].get(ident, 0), counts[1].get(ident, 0)
        lost = history_index.lost(self.connection, self.found, set(rows))
        return Heads(rows.values(), self._imported(), reason, lost, () if reason else alone)

    def _counts(self, table: str, only: Sequence[str] | None) -> tuple[dict[str, int], str]:
        rows, reason = fetch_readable(
            self.connection,
            f"SELECT session_id, count(*) FROM {table}{among('session_id', only)}"
            " GROUP BY session_id",
            named(only),
        )
        counts = {one: count for one, count in rows if isinstance(one, str) and one}
        if reason:
            for name, places in self.scans.by_value(table, "session_id").items():
                ident = as_text(name)
                if ident and (only is None or ident in only):
                    counts[ident] = max(len(places), counts.get(ident, 0))
        return counts, reason

    def _lost(self, idents: Iterable[str]) -> dict[str, Head]:
        """Sessions as far as their messages and parts tell: of those there is no row to be read."""
        found: dict[str, Head] = {}
        for ident in idents:
            times: list[int] = []
            for table in ("message", "part"):
                places = self.scans.places(table, "session_id", [ident])
                rows = self.scans.at(f"SELECT time_created FROM {table}", places)
                times += [as_ms(row[0]) for row in rows]
            times = [time for time in times if time] or [0]
            found[ident] = Head(ident, "", "", min(times), max(times))
        return found

    def _of(
        self, session: str, select: str, tail: str = "", *more: object
    ) -> tuple[list[Row], str]:
        return self.scans.rows(select, "session_id", [session], tail, *more)

    def _imported(self) -> set[str]:
        """Sessions that MiMo Code took over from another program."""
        sessions: set[str] = set()
        for table in ("external_import", "claude_import"):
            if "session_id" in self.found.get(table, ()):
                rows, _ = fetch_readable(self.connection, f"SELECT session_id FROM {table}")
                sessions |= {row[0] for row in rows}
        return sessions

    def stamp(self, session: str) -> str:
        """Count, sum and maximum of the times of change, over messages and over parts."""
        values: list[Any] = []
        for table in ("message", "part"):
            rows, reason = fetch_readable(
                self.connection,
                "SELECT count(*), sum(time_updated), max(time_updated)"
                f" FROM {table} WHERE session_id = ?",
                (session,),
            )
            values += rows[0] if rows else ["unreadable", reason]
        return ":".join(map(str, values))

    def outline(self, session: str) -> Outline:
        """Refs of all messages and parts, messages in reading order."""
        rows: list[list[Row]] = []
        reasons: list[str] = []
        nameless = 0
        stamps: list[str] = []
        for table, parent in (("message", "session_id"), ("part", "message_id")):
            read, reason = self._of(session, f"SELECT {_REF_COLUMNS.format(parent)} FROM {table}")
            once = {  # a damaged store may have an id twice
                row[:2]: row
                for row in read
                if row[0] and row[1] and type(row[0]) is type(row[1]) is str
            }
            rows.append(list(once.values()))
            stamps.append(_stamp([row[3] for row in read]))
            nameless += len(read) - len(once)
            if reason:
                reasons.append(reason)
        messages = [_ref(row, as_ms(row[2])) for row in rows[0]]
        here = {ref.id for ref in messages}
        for _, above, created, *_ in rows[1]:
            if above not in here:  # its message's row is lost; the part still has its place
                here.add(above)
                time = as_ms(created)
                messages.append(Ref(above, session, time, time, 0, 0, LOST))
        messages.sort(key=lambda ref: (ref.time, ref.id))
        spoken = {ref.id: ref.time for ref in messages}
        parts = [_ref(row, spoken[row[1]]) for row in rows[1]]
        faults = [
            Fault("CORRUPT_SESSION", session, f"not all of it can be read: {why}")
            for why in reasons
        ]
        if nameless:
            faults.append(
                Fault("CORRUPT_SESSION", session, f"{nameless} rows have no id of their own")
            )
        stamp = ":".join(stamps) if all(stamps) and not reasons else ""
        return Outline(
            session, tuple(messages), tuple(parts), not reasons, tuple(faults), stamp=stamp
        )

    def ending(self, session: str, messages: int) -> Outline:
        """Refs of the last messages and of their parts."""
        select = f"SELECT {_REF_COLUMNS.format('session_id')} FROM message"
        tail = " ORDER BY time_created DESC, id DESC LIMIT ?"
        head, _ = self._of(session, select, tail, messages)
        head = sorted((row for row in head if as_text(row[0])), key=_by_time)[-messages:]
        last = [_ref(row, as_ms(row[2])) for row in head]
        spoken = {ref.id: ref.time for ref in last}
        select = f"SELECT {_REF_COLUMNS.format('message_id')} FROM part"
        body, _ = self.scans.rows(select, "message_id", list(spoken))
        parts = {(row[1], row[0]): _ref(row, spoken[row[1]]) for row in body if as_text(row[0])}
        return Outline(session, tuple(last), tuple(parts.values()), complete=False)

    def order(self, session: str) -> list[Place]:
        """All messages in reading order."""
        select = f"SELECT time_created, id, {self.slice} FROM message"
        rows, reason = self._of(session, select, " ORDER BY time_created, id")
        places = [
            Place(0, as_ms(time), ident, as_text(part))
            for time, ident, part in rows
            if isinstance(ident, str) and ident
        ]
        return SomePlaces(sorted(places)) if reason else places

    # Rows ------------------------------------------------------------------------------------

    def _message_columns(self) -> str:
        return (
            f"SELECT id, session_id, time_created, time_updated, {self.slice}, {_MESSAGE_DATA}"
            " FROM message"
        )

    def bodies(self, session: str, messages: Sequence[Ref], parts: Sequence[Ref]) -> Later:
        """Messages and parts by their place."""
        faults: list[Fault] = []
        by_id = {ref.id for ref in (*messages, *parts)}
        head = self._by_place(self._message_columns(), messages, faults)
        body = self._by_place(_PART_COLUMNS, parts, faults)
        # a damaged store may give an id twice, at several places
        head = list({row[0]: row for row in head if row[0] in by_id}.values())
        body = list({row[:2]: row for row in body if row[0] in by_id}.values())
        times = {ref.id: ref.time for ref in parts}
        read = {row[0] for row in head}
        alone = [
            Message(ref.id, session, "", ref.time)
            for ref in messages
            if ref.place == LOST and ref.id not in read
        ]

        def later() -> Bodies:
            bodies = decoded(session, head, body, faults, times)
            return replace(bodies, messages=(*bodies.messages, *alone))

        return later

    def _by_place(self, select: str, refs: Sequence[Ref], faults: list[Fault]) -> list[Row]:
        if not refs:
            return []
        places = json.dumps([ref.place for ref in refs])
        sql = f"{select} WHERE rowid IN (SELECT value FROM json_each(?))"
        rows, reason = fetch_readable(self.connection, sql, (places,))
        if reason:  # one damaged row must not hide its neighbours
            rows = []
            for ref in refs:
                sql = f"{select} WHERE rowid = ?"
                row, why = fetch_readable(self.connection, sql, (ref.place,))
                rows += row
                if why:
                    faults.append(Fault("CORRUPT_PART", ref.id, f"the row cannot be read: {why}"))
        return rows

    def window(self, session: str, messages: Sequence[str]) -> Later:
        """These messages with their parts, in reading order."""
        faults: list[Fault] = []
        head, why = self.scans.rows(self._message_columns(), "id", messages)
        body, reason = self.scans.rows(_PART_COLUMNS, "message_id", messages)
        head.sort(key=_by_time)
        body.sort(key=_by_time)
        if why or reason:
            words = f"not all of it can be read: {why or reason}"
            faults.append(Fault("CORRUPT_SESSION", session, words))
        body = list({(row[1], row[0]): row for row in body if as_text(row[0])}.values())
        spoken = {row[0]: as_ms(row[2]) for row in head}
        times = {row[0]: spoken.get(row[1], as_ms(row[2])) for row in body}
        return lambda: decoded(session, head, body, faults, times)

    # By id -----------------------------------------------------------------------------------

    def find(self, beginning: str, limit: int) -> list[Found]:
        """Sessions, messages and parts whose id begins so, at most `limit` of each."""
        queries = (
            ("session", "SELECT id, '', id FROM session"),
            ("message", "SELECT id, id, session_id FROM message"),
            ("part", "SELECT id, message_id, session_id FROM part"),
        )
        found: list[Found] = []
        for kind, select in queries:
            rows = self.scans.named(select, beginning, limit)
            found += [Found(kind, *row) for row in rows if all(isinstance(one, str) for one in row)]
        return found

    def raw(self, found: Found) -> str | None:
        """The stored JSON of a message or part; None where it is too large to read."""
        size = f"octet_length(data) <= {LARGEST_ROW}"
        select = f"SELECT CASE WHEN {size} THEN CAST(data AS BLOB) END FROM {found.kind}"
        rows, _ = self.scans.rows(select, "id", [found.id])
        data = rows[0][0] if rows else None
        return None if data is None else bytes(data).decode("utf-8", "replace")

    def rooms(self) -> dict[Evidence, Room]:
        """The event log of opencode, the index of MiMo Code."""
        rooms: dict[Evidence, Room] = {}
        if event_log.has_log(self.connection, self.found):
            rooms["event_log"] = EventLog(self.connection)
        if history_index.has_index(self.found):
            rooms["history_fts"] = HistoryIndex(self.connection, self.found)
        return rooms


def lacking(found: Columns, needed: Mapping[str, set[str]]) -> list[str]:
    """Which of the tables, or of their columns, a file lacks."""
    missing: list[str] = []
    for table, names in needed.items():
        if table not in found:
            missing.append(table)
        else:
            missing += sorted(f"{table}.{name}" for name in names - found[table])
    return missing


def _stamp(times: list[Any]) -> str:
    """What `OldTables.stamp` says of a table with these times ("" where that is not certain)."""
    if not times:
        return "0:None:None"
    if not all(type(time) is int for time in times):
        return ""
    return f"{len(times)}:{sum(times)}:{max(times)}"


def _by_time(row: Row) -> tuple[int, str]:
    return (as_ms(row[2]), as_text(row[0]))


def _ref(row: Row, time: int) -> Ref:
    ident, above, created, updated, size, place = row
    return Ref(ident, above, time, as_ms(created), as_ms(updated), size or 0, place)
