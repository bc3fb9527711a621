"""opencode's event log (1.17 and 1.18): what was removed, and earlier texts of what was edited.

Every write of a message or part is an `event` row of its session with the whole object, and so is
every removal, with the id alone; the parts of a removed message have no removal of their own. A
committed revert is a run of removals between a `session.updated` with a revert and one without.
The log can be forty times as large as all parts: it is only read through its indexes by session,
and the rows of a session only where something was removed or edited since the last time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from time import time_ns

import apsw

from store.model import Cause
from store.read_only import fetch_readable
from store.source import Ref, Trace, Traced, Traces
from store.sources import content, json_session
from store.sources.content import as_object, moment
from store.sources.event_texts import Row, Texts, Written
from store.sources.heads import Columns, as_ms, as_text
from store.sources.id_times import time_of

LARGEST_ROW = 32 * 1024 * 1024
"""Bytes; a longer event is passed over."""
LATE_MS = 250
"""A part written so long after it ended was edited, or its machine was slow: the log tells."""
NEEDED = {"id", "aggregate_id", "seq", "type", "data"}

_MARK = re.compile(r"(-?\d+):(-?\d+)")
_SANE = f"octet_length(data) <= {LARGEST_ROW} AND json_valid(data)"
_ENDED = """
CASE {0} ->> '$.type'
    WHEN 'tool' THEN {0} ->> '$.state.status' IN ('completed', 'error')
    WHEN 'text' THEN {0} -> '$.time' IS NULL OR {0} ->> '$.time.end' IS NOT NULL
    WHEN 'reasoning' THEN {0} ->> '$.time.end' IS NOT NULL
    ELSE 0
END"""
_PART_ENDED = _ENDED.format("data")
_EVENT_ENDED = _ENDED.format("(data -> '$.part')")
_LATE = f"""
SELECT id FROM part WHERE session_id = ? AND time_updated > ?
    AND time_updated > time_created + {LATE_MS}
    AND CASE WHEN {_SANE} THEN {_PART_ENDED} AND time_updated > {LATE_MS} + max(
        coalesce(data ->> '$.time.end', 0), coalesce(data ->> '$.state.time.end', 0),
        coalesce(data ->> '$.state.time.compacted', 0)) END"""


def has_log(connection: apsw.Connection, found: Columns) -> bool:
    """Whether there are events at all; many versions have the table and keep none."""
    if not found.get("event", set()) >= NEEDED:
        return False
    rows, reason = fetch_readable(connection, "SELECT 1 FROM event LIMIT 1")
    return bool(rows or reason)  # one that cannot be read is no empty one


def since(connection: apsw.Connection) -> int | None:
    """When the first event that is still there was written, in ms."""
    rows, _ = fetch_readable(connection, "SELECT id FROM event ORDER BY rowid LIMIT 1")
    return time_of(as_text(rows[0][0]), time_ns() // 1_000_000) if rows else None


@dataclass(slots=True)
class _Removal:
    """A removal by its place in the log; `part` is "" for a message."""

    seq: int
    event: str
    message: str
    part: str
    cause: Cause = "unknown"
    time: int | None = None


class EventLog:
    """The log on one connection, beside the tables `message` and `part`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._texts = Texts(connection)

    def _rows(self, sql: str, *values: object) -> list[Row]:
        return fetch_readable(self._connection, sql, values)[0]

    def traces(self, session: str, mark: str) -> Traces | None:
        """Removals and edits since the mark: `seq:time` of the last event and the last change."""
        place = _MARK.fullmatch(mark)  # None: never looked at, or by another kind of log
        seq, changed_at = map(int, place.groups()) if place else (-1, -1)
        told = self._rows("SELECT max(seq) FROM event WHERE aggregate_id = ?", session)
        changed = self._rows("SELECT max(time_updated) FROM part WHERE session_id = ?", session)
        if not told or not changed:  # damaged
            return None
        last, latest = told[0][0], as_ms(changed[0][0])
        if last is None:
            return Traces(stale=("event_log",)) if mark else None
        if type(last) is not int:  # damaged
            return None
        if (last, latest) == (seq, changed_at):
            return None
        # the log began again, or the file is another
        anew = place is None or last < seq or latest < changed_at
        if anew:
            seq = changed_at = -1
        removals = self._removals(session, seq)
        late = [row[0] for row in self._rows(_LATE, session, changed_at) if as_text(row[0])]
        traces = self._fold(session, removals, late) if removals or late else []
        stale = ("event_log",) if anew and mark else ()
        return Traces(tuple(traces), f"{last}:{latest}", stale)  # type: ignore[arg-type]

    def since(self) -> int | None:
        """When the first event that is still there was written."""
        return since(self._connection)

    # Removals --------------------------------------------------------------------------------

    def _removals(self, session: str, seq: int) -> list[_Removal]:
        """What was removed behind this place and is not there now."""
        found: list[_Removal] = []
        for kind in ("message.removed", "message.part.removed"):
            rows = self._rows(
                "SELECT seq, id, data ->> '$.messageID', data ->> '$.partID' FROM event"
                " WHERE aggregate_id = ? AND type >= ? AND type < ? AND seq > ?"
                " AND json_valid(data)",
                session,
                f"{kind}.",
                f"{kind}/",
                seq,
            )
            found += [
                _Removal(seq, as_text(ident), message, as_text(part))
                for seq, ident, message, part in rows
                if type(seq) is int and type(message) is str
            ]
        if not found:
            return []
        here = self._present("message", [one.message for one in found])
        here |= self._present("part", [one.part for one in found])
        gone = [one for one in found if (one.part or one.message) not in here]
        return sorted(gone, key=lambda one: one.seq)

    def _present(self, table: str, idents: Iterable[str]) -> set[str]:
        """Which of these are there; all of them where that cannot be read."""
        some = f"SELECT id FROM {table} WHERE id IN (SELECT value FROM json_each(?))"
        wanted = list(idents)
        rows, reason = fetch_readable(self._connection, some, (json.dumps(wanted),))
        return set(wanted) if reason else {row[0] for row in rows}

    # Folding ---------------------------------------------------------------------------------

    def _fold(
        self, session: str, removals: Sequence[_Removal], late: Collection[str]
    ) -> list[Trace]:
        messages = {one.message: one for one in removals if not one.part}
        parts = {one.part: one for one in removals if one.part}
        heads = self._heads(session, messages, parts)
        self._judge(session, removals, heads)
        written = self._written(session, messages, [*parts, *late])
        traces: list[Trace] = []
        for ident, removal in messages.items():
            traces.append(_head_trace(session, ident, removal, heads.get(ident)))
        for ident, one in written.items():
            going = parts.get(ident) or messages.get(one.message)
            said = heads.get(one.message)
            time = said[2] if said else one.created
            if going is None and ident not in late:
                continue
            if going is not None:
                traces.append(_part_trace(ident, one, one.last, time, going))
            traces += self._texts.versions(session, ident, one, time, live=going is None)
        for ident, removal in parts.items():
            if ident not in written:
                ref = Ref(ident, removal.message, 0, 0, 0, 0, -1)
                traces.append(Trace(ref, True, removal.cause, "kept", removal.time))
        return traces

    def _heads(
        self, session: str, messages: dict[str, _Removal], parts: dict[str, _Removal]
    ) -> dict[str, Row]:
        """For messages (seq, size, time, updated) of their last write before they went."""
        wanted = json.dumps([*messages, *(one.message for one in parts.values())])
        rows = self._rows(
            "SELECT data ->> '$.info.id', seq, octet_length(data),"
            " data ->> '$.info.time.created', 0 FROM event"
            " WHERE aggregate_id = ? AND type >= 'message.updated.' AND type < 'message.updated/'"
            f" AND CASE WHEN {_SANE} THEN data ->> '$.info.id'"
            " IN (SELECT value FROM json_each(?)) END",
            session,
            wanted,
        )
        heads: dict[str, Row] = {}
        for ident, seq, size, time, _ in rows:
            if type(seq) is not int:
                continue
            going = messages.get(ident)
            if (going is None or seq < going.seq) and seq > heads.get(ident, (-1,))[0]:
                heads[ident] = (seq, size, as_ms(time))
        return heads

    def _judge(self, session: str, removals: Sequence[_Removal], heads: dict[str, Row]) -> None:
        """Tells a committed revert from a deletion, and when each was."""
        rows = self._rows(
            "SELECT seq, data ->> '$.info.revert.messageID', data ->> '$.info.time.updated'"
            " FROM event WHERE aggregate_id = ? AND type >= 'session.updated.'"
            f" AND type < 'session.updated/' AND {_SANE} ORDER BY seq",
            session,
        )
        rows = [row for row in rows if type(row[0]) is int]
        for one in removals:
            before = [row for row in rows if row[0] < one.seq]
            after = next((row for row in rows if row[0] > one.seq), None)
            target = before[-1][1] if before else None
            said = heads.get(one.message)
            near = said[2] if said else as_ms(before[-1][2]) if before else 0
            one.time = time_of(one.event, near) if near else None
            one.cause = "part_deleted" if one.part else "message_deleted"
            if target and self._hides(target, one, heads) and (after is None or not after[1]):
                one.cause = "revert_committed"
                one.time = (moment(after[2]) if after else None) or one.time

    def _hides(self, target: str, one: _Removal, heads: dict[str, Row]) -> bool:
        """Whether a revert to this message takes that one too: messages stand by (time, id)."""
        if target == one.message:
            return True
        time = heads[target][2] if target in heads else None
        if time is None:
            row = self._rows("SELECT time_created FROM message WHERE id = ?", target)
            time = as_ms(row[0][0]) if row else 0
        said = heads.get(one.message)
        return said is None or (said[2], one.message) >= (time, target)

    def _written(
        self, session: str, messages: dict[str, _Removal], parts: Collection[str]
    ) -> dict[str, Written]:
        """What the log has of these parts and of all parts of these messages."""
        given = "(SELECT value FROM json_each(?))"
        rows = self._rows(
            "SELECT data ->> '$.part.id', data ->> '$.part.messageID', seq, octet_length(data),"
            f" data ->> '$.time', {_EVENT_ENDED} FROM event"
            " WHERE aggregate_id = ? AND type >= 'message.part.updated.'"
            f" AND type < 'message.part.updated/' AND CASE WHEN {_SANE} THEN"
            f" data ->> '$.part.messageID' IN {given} OR data ->> '$.part.id' IN {given} END",
            session,
            json.dumps(list(messages)),
            json.dumps(list(parts)),
        )
        found: dict[str, Written] = {}
        sound = [row for row in rows if tuple(map(type, row[:3])) == (str, str, int)]
        for ident, message, seq, size, time, ended in sorted(sound, key=lambda row: int(row[2])):
            here = (seq, size, as_ms(time))
            one = found.setdefault(ident, Written(message, here[2], here))
            one.message, one.last = message, here
            if ended:
                one.ended.append(here)
        there = self._present("part", found)
        return {one: told for one, told in found.items() if one not in there or one in parts}

    # Rows ------------------------------------------------------------------------------------

    def traced(self, session: str, traces: Sequence[Trace]) -> list[Traced]:
        """The objects behind traces of this log."""
        places = json.dumps([trace.ref.place for trace in traces])
        rows = self._rows(
            "SELECT seq, CAST(data AS BLOB) FROM event WHERE aggregate_id = ?"
            f" AND seq IN (SELECT value FROM json_each(?)) AND octet_length(data) <= {LARGEST_ROW}",
            session,
            places,
        )
        held: dict[int, bytes] = {row[0]: row[1] for row in rows}
        found: list[Traced] = []
        for trace in traces:
            try:
                data = content.decode(bytes(held[trace.ref.place]))
            except (ValueError, LookupError):
                continue
            if trace.is_part:
                part = json_session.part(as_object(data, "part"), session, trace.ref)
                found.append((trace, part))
            else:
                said = json_session.message(as_object(data, "info"), session, trace.ref)
                found.append((trace, said))
        return found


def _head_trace(session: str, ident: str, removal: _Removal, head: Row | None) -> Trace:
    if head is None:
        ref = Ref(ident, session, 0, 0, 0, 0, -1)
        return Trace(ref, False, removal.cause, "kept", removal.time)
    seq, size, time = head
    ref = Ref(ident, session, time, time, removal.time or time, size, seq)
    return Trace(ref, False, removal.cause, "event_log", removal.time)


def _part_trace(ident: str, one: Written, row: Row, time: int, removal: _Removal) -> Trace:
    ref = Ref(ident, one.message, time, one.created, row[2], row[1], row[0])
    return Trace(ref, True, removal.cause, "event_log", removal.time)
