"""The event log of sessions of session_message: what committed reverts took out of them.

A revert that is committed deletes rows by their place in the sequence of events: in 1.18 what
follows the message that it names (`messageID`), in 2.x that message too (`to`). No removal of a
single row is known. The log is only looked at where a revert was committed since the last time,
and then at the events of that session alone.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from time import time_ns
from typing import Any, NamedTuple

import apsw

from store.model import Evidence, Message, Part
from store.read_only import fetch_readable
from store.source import Ref, Trace, Traced, Traces
from store.sources import content, v2_content
from store.sources.event_log import LARGEST_ROW, since
from store.sources.evidence import Room
from store.sources.heads import Columns, as_text
from store.sources.v2_events import COMMITTED, PROMPTS, WHOLE, Event, Fold, event, name_of
from store.sources.v2_tables import PLACE, NewTables

_BEGIN = {*PROMPTS, *WHOLE, "step.started", "shell.started", "compaction.started"}
_BEGIN |= {"compaction.ended"}
_ABOUT = (
    "coalesce(data ->> '$.assistantMessageID', data ->> '$.messageID', data ->> '$.inboxID',"
    " data ->> '$.inputID', 'msg_' || substr(id, instr(id, '_') + 1))"
)
_SANE = f"octet_length(data) <= {LARGEST_ROW} AND json_valid(data)"
_OWN = "type >= 'session.' AND type < 'session/'"


class _Begun(NamedTuple):
    """Where a row began, and whether it is a prompt."""

    seq: int
    prompt: bool


class _Commit(NamedTuple):
    """A committed revert: all from `start` on was deleted, None where nothing tells which."""

    seq: int
    time: int
    start: int | None


class V2Log:
    """The log on one connection, beside the rows that are there."""

    def __init__(self, connection: apsw.Connection, found: Columns, rows: NewTables) -> None:
        self._connection = connection
        self._stored = rows
        self._created = "created" if "created" in found["event"] else "NULL"
        self._old = "message" in found

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        return fetch_readable(self._connection, sql, values)[0]

    def traces(self, session: str, mark: str) -> Traces | None:
        """What reverts committed since the mark took; the mark is the place of the last one."""
        last = self._last_commit(session)
        told = "" if last is None else str(last)
        if told == mark:
            return None
        known = mark.isdecimal()  # not so where another kind of log spoke for it, or none
        before = int(mark) if known else -1
        # emptied, begun again, or another file
        anew = not known or last is None or last < before
        traces = [] if last is None else self._gone(session, -1 if anew else before)
        stale: tuple[Evidence, ...] = ("event_log",) if anew and mark else ()
        return Traces(tuple(traces), told, stale)

    def since(self) -> int | None:
        """When the first event that is still there was written."""
        return since(self._connection)

    def _last_commit(self, session: str) -> int | None:
        places: list[int] = []
        for name in (f"session.next.{COMMITTED}", f"session.{COMMITTED}"):
            rows = self._rows(
                "SELECT max(seq) FROM event WHERE aggregate_id = ? AND type >= ? AND type < ?",
                session,
                f"{name}.",
                f"{name}/",
            )
            places += [row[0] for row in rows if type(row[0]) is int]
        return max(places, default=None)

    # What is gone ----------------------------------------------------------------------------

    def _gone(self, session: str, before: int) -> list[Trace]:
        begun = self._begun(session)
        commits = self._commits(session, begun)
        there = self._there(begun)
        taken: dict[str, _Commit] = {}
        for ident, one in begun.items():
            commit = None if ident in there else _taken(one.seq, commits)
            if commit is not None and commit.seq > before:
                taken[ident] = commit
        traces: list[Trace] = []
        for row in self._folded(session, taken, begun):
            traces += _traces(row, begun[row.id].seq, taken[row.id])
        return traces

    def _begun(self, session: str) -> dict[str, _Begun]:
        """Every row that the log tells the beginning of, in their order."""
        rows = self._rows(
            f"SELECT seq, type, CASE WHEN {_SANE} THEN {_ABOUT} END FROM event"
            f" WHERE aggregate_id = ? AND {_OWN} ORDER BY seq",
            session,
        )
        begun: dict[str, _Begun] = {}
        for seq, kind, ident in rows:
            if type(seq) is int and type(kind) is type(ident) is str and name_of(kind) in _BEGIN:
                begun.setdefault(ident, _Begun(seq, name_of(kind) in PROMPTS))
        return begun

    def _commits(self, session: str, begun: Mapping[str, _Begun]) -> list[_Commit]:
        stored = {place.id: place.seq for place in self._stored.order(session)}
        places = {**{ident: one.seq for ident, one in begun.items()}, **stored}
        commits: list[_Commit] = []
        for one, _ in self._events(session, "type LIKE ?", f"%.{COMMITTED}.%"):
            target = one.data.get("to", one.data.get("messageID"))
            start = places.get(target) if isinstance(target, str) else None
            if start is not None and "to" not in one.data:
                start += 1
            commits.append(_Commit(one.seq, one.time, start))
        return commits

    def _there(self, idents: Collection[str]) -> set[str]:
        """Which of these are there; all of them where that cannot be read."""
        wanted = list(idents)
        here, reason = self._stored.present(wanted)
        there = set(here)
        if self._old:
            some = "SELECT id FROM message WHERE id IN (SELECT value FROM json_each(?))"
            rows, why = fetch_readable(self._connection, some, (json.dumps(wanted),))
            reason = reason or why
            there |= {row[0] for row in rows}
        return set(wanted) if reason else there

    # Rows ------------------------------------------------------------------------------------

    def traced(self, session: str, traces: Sequence[Trace]) -> list[Traced]:
        """The rows and their pieces, folded anew."""
        wanted = {trace.ref.parent if trace.is_part else trace.ref.id for trace in traces}
        found: dict[str, Message | Part] = {}
        for row in self._folded(session, wanted, self._begun(session)):
            found[row.id] = v2_content.message(row)
            found |= {part.id: part for part in v2_content.parts(row)}
        return [(trace, found[trace.ref.id]) for trace in traces if trace.ref.id in found]

    def _folded(
        self, session: str, wanted: Collection[str], begun: Mapping[str, _Begun]
    ) -> list[v2_content.Row]:
        """These rows in their order, without anything of the others."""
        if not wanted:
            return []
        told = f"{_ABOUT} IN (SELECT value FROM json_each(?))"
        ends = "type LIKE '%.shell.ended.%' OR type LIKE '%.compaction.%'"  # they name no row
        fold = Fold()
        fold.take(self._events(session, f"({told} OR {ends})", json.dumps(list(wanted))))
        rows: list[v2_content.Row] = []
        prompt = ""
        for ident, one in begun.items():
            if ident in wanted and ident in fold.drafts:
                rows.append(fold.drafts[ident].row(session, prompt))
            prompt = ident if one.prompt else prompt
        return rows

    def _events(self, session: str, where: str, value: object) -> list[tuple[Event, int]]:
        rows = self._rows(
            f"SELECT seq, id, type, {self._created}, CAST(data AS BLOB) FROM event"
            f" WHERE aggregate_id = ? AND {_OWN} AND CASE WHEN {_SANE} THEN {where} END"
            " ORDER BY seq",
            session,
            value,
        )
        now = time_ns() // 1_000_000
        events: list[tuple[Event, int]] = []
        for seq, ident, kind, created, data in rows:
            with suppress(ValueError):
                fields = content.decode(bytes(data))
                events.append((event(seq, as_text(ident), kind, created, fields, now), len(data)))
        return events


def _taken(seq: int, commits: Sequence[_Commit]) -> _Commit | None:
    """The first revert that took a row at this place."""
    for commit in commits:
        if seq < commit.seq and (commit.start is None or commit.start <= seq):
            return commit
    return None


def _traces(row: v2_content.Row, seq: int, commit: _Commit) -> list[Trace]:
    """The row and its pieces, as the tables would have told them."""
    pieces = list(v2_content.pieces(row))
    size = row.size // max(1, len(pieces))
    refs = [Ref(row.id, row.session, row.time, row.time, row.updated, row.size, PLACE, seq)]
    refs += [
        Ref(f"{row.id}#{name}", row.id, row.time, number, row.updated, size, PLACE)
        for number, name in enumerate(pieces)
    ]
    return [
        Trace(ref, ref.parent == row.id, "revert_committed", "event_log", commit.time)
        for ref in refs
    ]


class BothLogs:
    """The log of a file that holds sessions of both kinds; their marks are one text together."""

    def __init__(self, old: Room, new: V2Log) -> None:
        self._old = old
        self._new = new

    def traces(self, session: str, mark: str) -> Traces | None:
        """What either tells."""
        before, _, also = mark.partition("|")
        told = self._old.traces(session, before)
        more = self._new.traces(session, also)
        if told is None and more is None:
            return None
        after = (before if told is None else told.mark, also if more is None else more.mark)
        news = [one for one in (told, more) if one is not None]
        return Traces(
            tuple(trace for one in news for trace in one.traces),
            "|".join(after).rstrip("|"),
            ("event_log",) if any(one.stale for one in news) else (),
        )

    def since(self) -> int | None:
        """When the first event that is still there was written."""
        return self._old.since()

    def traced(self, session: str, traces: Sequence[Trace]) -> list[Traced]:
        """The objects behind traces, each from where it was told."""
        mine = [trace for trace in traces if trace.ref.place == PLACE]
        theirs = [trace for trace in traces if trace.ref.place != PLACE]
        found = self._old.traced(session, theirs) if theirs else []
        return found + (self._new.traced(session, mine) if mine else [])
