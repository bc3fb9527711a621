"""The SQLite store that DeepSeek Harness 0.1 could keep instead of log files.

`PRAGMA application_id` is 1146308688; rows and their packing are those of version 0. Large data is
a zstd frame, sources are varints, `ignorable` 0 marks a packed row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import zstandard

from store.model import Fault, Json
from store.read_only import FileState, fetch_readable, file_state, read_source
from store.sources.content import decode
from store.sources.harness_events import (
    LARGEST_ROW,
    Damage,
    Event,
    event_of,
    header_of,
    whole,
)
from store.sources.harness_log import Mark
from store.sources.harness_logs import Found, Log, aged
from store.sources.unpacking import unpacked

NO_ROW = "the list of sessions has no row for it"
TABLES = frozenset({"persistence_state", "sessions", "events"})
_HEADER = {
    "id": "id",
    "version": "version",
    "created_at": "createdAt",
    "cwd": "cwd",
    "parent_session": "parentSession",
    "seed_length": "seedLength",
    "origin": "origin",
    "delegation_depth": "delegationDepth",
    "agent_preset": "agentPreset",
}
_SESSIONS = f"""SELECT {", ".join(f"s.{name}" for name in _HEADER)}, s.incarnation, s.revision,
    (SELECT e.time FROM events e WHERE e.session_id = s.id ORDER BY e.seq DESC LIMIT 1),
    (SELECT e.seq FROM events e WHERE e.session_id = s.id ORDER BY e.seq DESC LIMIT 1)
    FROM sessions s"""
_ALONE = """SELECT session_id, NULL, min(time), NULL, NULL, NULL, NULL, NULL, NULL, '', max(seq),
    max(time), max(seq) FROM events WHERE session_id NOT IN (SELECT id FROM sessions)
    GROUP BY session_id"""
"""The same of sessions whose own row is not there, as far as their events tell."""
_EVENTS = f"""SELECT seq, type, time,
    CASE WHEN octet_length(data) <= {LARGEST_ROW} THEN data END,
    source_event_seqs, surface_op, ignorable
    FROM events WHERE session_id = ? ORDER BY seq"""


class SqliteKeeper:
    """The SQLite store."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def state(self) -> str:
        """The state of the file and its log."""
        return _state(file_state(self._path))

    def find(self) -> Found:
        """The sessions with their headers."""
        (rows, alone, reason), state = read_source(self._path, _listed)
        logs = [log for row in rows if (log := _log(row)) is not None]
        logs += [log for row in alone if (log := _log(row, NO_ROW)) is not None]
        opened = "wal" if state.log_size else "immutable"
        faults = (_ends_early(self._path, reason),) if reason else ()
        return Found(tuple(logs), _state(state), faults, complete=not reason, opened=opened)

    def stamp(self, log: Log) -> str:
        """The session's incarnation and revision, which grows with every append."""
        sql = (
            "SELECT incarnation, revision FROM sessions WHERE id = ?1 UNION ALL"
            " SELECT '', max(seq) FROM events WHERE session_id = ?1 GROUP BY session_id"
        )
        rows = self._rows(sql, log.header.id)[0]
        return aged(f"{rows[0][0]}:{rows[0][1]}", log.written) if rows else ""

    def events(self, log: Log, since: Mark | None = None) -> Iterator[Event | Damage]:
        """The events of a session, read at once and never from a mark on."""
        rows, reason = self._rows(_EVENTS, log.header.id)
        for row in rows:
            yield _event(row)
        if reason:
            yield Damage(f"the rows end early: {reason}")

    def goes_on(self, log: Log, mark: Mark) -> bool:
        """There are no marks in tables."""
        return False

    def holds(self, log: Log, sought: bytes) -> bool:
        """Whether these bytes stand in the events of a session."""
        rows = (event.line for event in self.events(log) if isinstance(event, Event))
        return any(sought in line for line in rows)

    def _rows(self, sql: str, session: str) -> tuple[list[tuple[Any, ...]], str]:
        def work(connection: apsw.Connection) -> tuple[list[tuple[Any, ...]], str]:
            return fetch_readable(connection, sql, (session,))

        return read_source(self._path, work)[0]


def _listed(
    connection: apsw.Connection,
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]], str]:
    """The sessions with a row of their own, those without, and why the list ends early ("")."""
    rows, reason = fetch_readable(connection, _SESSIONS)
    return rows, [] if reason else fetch_readable(connection, _ALONE)[0], reason


def _state(state: FileState) -> str:
    return aged(str(state), max(state.modified, state.log_modified) // 1_000_000)


def _log(row: tuple[Any, ...], refused: str = "") -> Log | None:
    names = list(_HEADER.values())
    fields = {name: value for name, value in zip(names, row, strict=False) if value is not None}
    header = header_of({"type": "session", "isSeeded": False, **fields})
    if header is None:
        return None
    header = replace(header, refused=refused or header.refused)
    incarnation, revision, last, seq = row[len(names) :]
    written = whole(last) or header.created
    stamp = aged(f"{incarnation}:{revision}", written)
    return Log(header.id, header, stamp, 1000 * (whole(seq) or 0), written)


def _ends_early(path: Path, reason: str) -> Fault:
    words = f"the list of sessions ends early: {reason}"
    return Fault("SOURCE_UNREADABLE", str(path), words)


def _event(row: tuple[Any, ...]) -> Event | Damage:
    seq, kind, time, data, sources, surface, ignorable = row
    if data is None:
        return Damage(f"seq {seq}: its data is too large to read")
    try:
        if isinstance(data, bytes):
            data = unpacked(data, LARGEST_ROW)
        body = decode(data if isinstance(data, bytes) else str(data).encode())
        op = json.loads(surface) if isinstance(surface, str) else None
    except (ValueError, RecursionError, zstandard.ZstdError) as error:
        return Damage(f"seq {seq}: its data is broken: {error}")
    fields: dict[str, Json] = {"type": kind, "data": body}
    packed = ignorable == 0
    fields |= {"seq0": seq, "time0": time} if packed else {"seq": seq, "time": time}
    if sources is not None:
        fields["sourceEventSeqs"] = varints(sources) if isinstance(sources, bytes) else sources
    if surface is not None:
        fields["surfaceOp"] = op
    return event_of(fields, json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace"))


def varints(data: Iterable[int]) -> list[int]:
    """Seqs from bytes of 7 bits each, low ones first: the first plain, then zigzag differences."""
    values: list[int] = []
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            step = (value >> 1) ^ -(value & 1)
            values.append(values[-1] + step if values else value)
            value = shift = 0
    return values
