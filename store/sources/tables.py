"""Reading the tables session, message and part, which opencode 1.2 to 1.18 and MiMo Code share.

Columns are asked for by name, since an upgraded store has them in another order and older ones
lack some. Order is (time_created, id) everywhere: ids alone wrapped on 2026-08-14.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import apsw

from store.errors import StoreError
from store.model import Fault, Flag, Json, Message, Part, Producer, Revert, Session
from store.source import Bodies, Found, Listing, Outline, Ref
from store.sources import content, originals
from store.sqlite import columns, fetch_readable, file_state, read_source

T = TypeVar("T")
Row = tuple[Any, ...]

NEEDED = {
    "session": {"id", "title", "directory", "time_created", "time_updated"},
    "message": {"id", "session_id", "time_created", "time_updated", "data"},
    "part": {"id", "message_id", "session_id", "time_created", "time_updated", "data"},
}
LARGEST_ROW = 32 * 1024 * 1024
"""Bytes; a longer row is a fault instead of memory."""
LOST = -1
"""The place of a message that only its parts still name."""
PLAIN_MESSAGE = 65_536
"""Bytes; a longer message is read without the texts of whole files that it may carry."""

MESSAGE_DATA = f"""CAST(CASE WHEN octet_length(data) <= {PLAIN_MESSAGE} THEN data
    WHEN octet_length(data) > {LARGEST_ROW} OR NOT json_valid(data) THEN NULL
    ELSE json_remove(data, '$.summary', '$.system', '$.tools', '$.format') END AS BLOB)"""
PART_DATA = f"""CAST(CASE WHEN octet_length(data) <= {LARGEST_ROW} THEN data END AS BLOB)"""


def _bytes(column: str) -> str:
    """Selects a text as bytes, since the text of a damaged row may be none."""
    return f"CAST({column} AS BLOB)"


def missing(found: dict[str, set[str]]) -> list[str]:
    """What a store lacks to be read here: tables, or `table.column`."""
    lacking: list[str] = []
    for table, names in NEEDED.items():
        if table not in found:
            lacking.append(table)
        else:
            lacking += sorted(f"{table}.{name}" for name in names - found[table])
    return lacking


def _ms(value: Any) -> int:
    return content.moment(value) or 0


def _str(value: Any) -> str:
    """A text, or the bytes of one: what is no text in them must not hide the whole row."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""


def _revert(value: Any) -> Revert | None:
    try:
        fields = json.loads(_str(value)) if value else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or not isinstance(fields.get("messageID"), str):
        return None
    return Revert(fields["messageID"], _str(fields.get("partID")), _str(fields.get("diff")))


class TableSource:
    """One database file with the three tables."""

    def __init__(self, producer: Producer, path: Path) -> None:
        self.producer = producer
        self.path = path

    def state(self) -> str:
        """The present state of the file and its log. Raises SOURCE_NOT_FOUND."""
        return str(file_state(self.path))

    def _read(self, work: Callable[[apsw.Connection], T]) -> T:
        return read_source(self.path, work)[0]

    # The list of sessions --------------------------------------------------------------------

    def listing(self, name: str) -> Listing:
        """All sessions, latest activity first. Raises SOURCE_UNSUPPORTED for other schemas."""
        (rows, counts, imported, reason), state = read_source(self.path, self._list)
        messages, parts = counts
        sessions = [
            self._session(name, row, messages[row[0]], parts[row[0]], imported)
            for row in rows
            if isinstance(row[0], str) and row[0]
        ]
        faults = []
        if reason:
            known = {session.id for session in sessions}
            named = [one for one in {*messages, *parts} - known if isinstance(one, str) and one]
            sessions += [
                self._session(name, row, messages[row[0]], parts[row[0]], imported)
                for row in self._read(lambda connection: _lost_sessions(connection, named))
            ]
            words = f"the list of sessions ends early: {reason}"
            faults.append(Fault("SOURCE_UNREADABLE", str(self.path), words))
        once = {session.id: session for session in sessions}.values()
        return Listing(
            tuple(sorted(once, key=lambda session: (-session.updated, session.id))),
            str(state),
            "wal" if state.log_size else "immutable",
            complete=not reason,
            faults=tuple(faults),
        )

    def _list(
        self, connection: apsw.Connection
    ) -> tuple[list[Row], tuple[dict[Any, int], dict[Any, int]], set[Any], str]:
        """Rows, the numbers of messages and parts by session, imported ids, why it ended early."""
        found = columns(connection)
        lacking = missing(found)
        if lacking:
            raise StoreError(
                "SOURCE_UNSUPPORTED",
                f"{self.path} has a schema that is not known here; missing: {', '.join(lacking)}",
                str(self.path),
            )
        wanted = ("parent_id", "version", "revert", "time_archived")
        have = [_bytes(f"s.{name}") if name in found["session"] else "NULL" for name in wanted]
        project, join = "NULL, NULL", ""
        if {"id", "worktree", "name"} <= found.get("project", set()):
            project = f"{_bytes('p.worktree')}, {_bytes('p.name')}"
            join = "LEFT JOIN project p ON p.id = s.project_id"
        if "project_id" not in found["session"]:
            project, join = "NULL, NULL", ""
        sql = (
            f"SELECT s.id, {_bytes('s.title')}, {_bytes('s.directory')}, s.time_created,"
            f" s.time_updated, {', '.join(have)}, {project} FROM session s {join}"
        )
        rows, reason = fetch_readable(connection, sql)
        counts = []
        for table in ("message", "part"):
            grouped, more = fetch_readable(
                connection, f"SELECT session_id, count(*) FROM {table} GROUP BY session_id"
            )
            counts.append(defaultdict(int, grouped))
            reason = reason or more
        return rows, (counts[0], counts[1]), self._imported(connection, found), reason

    def _imported(self, connection: apsw.Connection, found: dict[str, set[str]]) -> set[Any]:
        """Ids of sessions that came from another program."""
        return set()

    def _session(
        self, name: str, row: Row, messages: int, parts: int, imported: set[Any]
    ) -> Session:
        ident, title, directory, created, updated, parent, version, revert, archived = row[:9]
        worktree, project = _str(row[9]), _str(row[10])
        directory, title, parent = _str(directory), _str(title), _str(parent)
        if not project:  # everything outside git shares one project with the worktree "/"
            home = worktree if worktree not in ("", "/") else directory
            project = Path(home).name or home
        flags: list[Flag] = []
        if archived:
            flags.append("archived")
        if parent:
            flags.append("subagent")
        elif _is_fork(title):
            flags.append("fork")
        if ident in imported:
            flags.append("imported")
        return Session(
            source=name,
            id=ident,
            title=title,
            directory=directory,
            project=project,
            parent=parent,
            created=_ms(created),
            updated=_ms(updated),
            messages=messages,
            parts=parts,
            version=_str(version),
            flags=tuple(flags),
            revert=_revert(revert),
        )

    # What changed ----------------------------------------------------------------------------

    def stamps(self, sessions: Sequence[str]) -> dict[str, str]:
        """Count, sum and maximum of the times of change, over messages and over parts."""
        sql = "SELECT count(*), sum(time_updated), max(time_updated) FROM {} WHERE session_id = ?"

        def work(connection: apsw.Connection) -> dict[str, str]:
            stamps: dict[str, str] = {}
            for session in sessions:
                values: list[Any] = []
                for table in ("message", "part"):
                    rows, reason = fetch_readable(connection, sql.format(table), (session,))
                    values += rows[0] if rows else ["unreadable", reason]
                stamps[session] = ":".join(map(str, values))
            return stamps

        return self._read(work)

    def outlines(self, sessions: Sequence[str]) -> list[Outline]:
        """Refs of all messages and parts of these sessions, messages in reading order."""
        return self._read(lambda connection: [_outline(connection, one) for one in sessions])

    # Bodies ----------------------------------------------------------------------------------

    def bodies(self, session: str, messages: Sequence[Ref], parts: Sequence[Ref]) -> Bodies:
        """Messages and parts by ref; a row that moved or went meanwhile is simply not there."""

        def work(connection: apsw.Connection) -> tuple[list[Row], list[Row], list[Fault]]:
            faults: list[Fault] = []
            head = self._by_place(connection, self._message_columns(connection), messages, faults)
            body = self._by_place(connection, _PART_COLUMNS, parts, faults)
            return head, body, faults

        head, body, faults = self._read(work)
        by_id = {ref.id: ref for ref in (*messages, *parts)}
        head = [row for row in head if row[0] in by_id]
        lost = [ref for ref in messages if ref.place == LOST]
        body = [row for row in body if row[0] in by_id]
        bodies = _decoded(session, head, body, faults, {ref.id: ref.time for ref in parts})
        alone = tuple(Message(ref.id, session, "", ref.time) for ref in lost)
        return replace(bodies, messages=bodies.messages + alone)

    def _by_place(
        self,
        connection: apsw.Connection,
        select: str,
        refs: Sequence[Ref],
        faults: list[Fault],
    ) -> list[Row]:
        if not refs:
            return []
        places = json.dumps([ref.place for ref in refs])
        sql = f"{select} WHERE rowid IN (SELECT value FROM json_each(?))"
        rows, reason = fetch_readable(connection, sql, (places,))
        if reason:  # one damaged row must not hide its neighbours
            rows = []
            for ref in refs:
                row, why = fetch_readable(connection, f"{select} WHERE rowid = ?", (ref.place,))
                rows += row
                if why:
                    faults.append(Fault("CORRUPT_PART", ref.id, f"the row cannot be read: {why}"))
        return rows

    def _message_columns(self, connection: apsw.Connection) -> str:
        """Selects a message's id, session, times, agent slice and JSON."""
        return _MESSAGE_COLUMNS.format(slice="'main'")

    # Reading in order ------------------------------------------------------------------------

    def order(self, session: str) -> list[tuple[int, str, str]]:
        """(time, id, agent slice) of all messages of a session in reading order."""

        def work(connection: apsw.Connection) -> list[Row]:
            column = self._slice_column(connection)
            return fetch_readable(
                connection,
                f"SELECT time_created, id, {column} FROM message WHERE session_id = ?"
                " ORDER BY time_created, id",
                (session,),
            )[0]

        rows = self._read(work)
        return [(_ms(time), ident, _str(part)) for time, ident, part in rows if _str(ident)]

    def _slice_column(self, connection: apsw.Connection) -> str:
        return "'main'"

    def window(self, session: str, messages: Sequence[str]) -> Bodies:
        """These messages with their parts, in reading order."""
        wanted = (json.dumps(list(messages)),)

        def work(connection: apsw.Connection) -> tuple[list[Row], list[Row], list[Fault]]:
            faults: list[Fault] = []
            some = "IN (SELECT value FROM json_each(?)) ORDER BY time_created, id"
            head, why = fetch_readable(
                connection, f"{self._message_columns(connection)} WHERE id {some}", wanted
            )
            body, reason = fetch_readable(
                connection, f"{_PART_COLUMNS} WHERE message_id {some}", wanted
            )
            if why or reason:
                words = f"not all of it can be read: {why or reason}"
                faults.append(Fault("CORRUPT_SESSION", session, words))
            return head, body, faults

        head, body, faults = self._read(work)
        body = list({(row[1], row[0]): row for row in body if _str(row[0])}.values())
        spoken = {row[0]: _ms(row[2]) for row in head}
        times = {row[0]: spoken.get(row[1], _ms(row[2])) for row in body}
        return _decoded(session, head, body, faults, times)

    def originals(self, session: str, messages: Sequence[str]) -> dict[str, dict[str, Json]]:
        """The JSON of a session, of these messages and of their parts, each under its id."""
        return self._read(lambda connection: originals.read(connection, session, messages))

    # By id -----------------------------------------------------------------------------------

    def find(self, beginning: str, limit: int) -> list[Found]:
        """Sessions, messages and parts whose id begins so, at most `limit` of each."""
        queries = (
            ("session", "SELECT id, '', id FROM session"),
            ("message", "SELECT id, id, session_id FROM message"),
            ("part", "SELECT id, message_id, session_id FROM part"),
        )

        def work(connection: apsw.Connection) -> list[Found]:
            found: list[Found] = []
            for kind, select in queries:
                rows, _ = fetch_readable(
                    connection,
                    f"{select} WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
                    (beginning, beginning + "\U0010ffff", limit),
                )
                found += [Found(kind, *row) for row in rows]
            return found

        return self._read(work)

    def raw(self, found: Found) -> str | None:
        """The stored JSON of a message or part."""

        def work(connection: apsw.Connection) -> list[Row]:
            sql = f"SELECT CAST(data AS BLOB) FROM {found.kind} WHERE id = ?"
            return fetch_readable(connection, sql, (found.id,))[0]

        rows = self._read(work) if found.kind in ("message", "part") else []
        data = rows[0][0] if rows else None
        return None if data is None else bytes(data).decode("utf-8", "replace")


_MESSAGE_COLUMNS = (
    "SELECT id, session_id, time_created, time_updated, {slice}, " + MESSAGE_DATA + " FROM message"
)
_PART_COLUMNS = (
    "SELECT id, message_id, time_created, time_updated, octet_length(data), "
    + PART_DATA
    + " FROM part"
)


def _is_fork(title: str) -> bool:
    """opencode 1.x leaves no other trace of a fork than `(fork #N)` at the title's end."""
    head, _, number = title.rpartition(" (fork #")
    return bool(head) and number.endswith(")") and number[:-1].isdigit()


def _lost_sessions(connection: apsw.Connection, idents: Sequence[str]) -> list[Row]:
    """Rows of sessions as far as their messages tell, for those whose own row cannot be read."""
    sql = "SELECT min(time_created), max(time_created) FROM message WHERE session_id = ?"
    found: list[Row] = []
    for ident in idents:
        times = fetch_readable(connection, sql, (ident,))[0] or [(0, 0)]
        found.append((ident, "", "", *times[0], None, None, None, None, None, None))
    return found


def _ref(row: Row, time: int) -> Ref:
    ident, above, created, updated, size, place = row
    return Ref(ident, _str(above), time, _ms(created), _ms(updated), size or 0, place)


def _outline(connection: apsw.Connection, session: str) -> Outline:
    rows: list[list[Row]] = []
    reasons: list[str] = []
    nameless = 0
    for table, parent in (("message", "session_id"), ("part", "message_id")):
        read, reason = fetch_readable(
            connection,
            f"SELECT id, {parent}, time_created, time_updated, octet_length(data), rowid"
            f" FROM {table} WHERE session_id = ?",
            (session,),
        )
        named = {  # a damaged store may have an id twice
            row[:2]: row for row in read if all(isinstance(one, str) and one for one in row[:2])
        }
        rows.append(list(named.values()))
        nameless += len(read) - len(rows[-1])
        if reason:
            reasons.append(reason)
    messages = [_ref(row, _ms(row[2])) for row in rows[0]]
    here = {ref.id for ref in messages}
    for _, above, created, *_ in rows[1]:
        if above not in here:  # its message's row is lost; the part still has its place
            here.add(above)
            time = _ms(created)
            messages.append(Ref(_str(above), session, time, time, 0, 0, LOST))
    spoken = {ref.id: ref.time for ref in messages}
    parts = [_ref(row, spoken.get(row[1], _ms(row[2]))) for row in rows[1]]
    messages.sort(key=lambda ref: (ref.time, ref.id))
    faults = [
        Fault("CORRUPT_SESSION", session, f"not all of it can be read: {why}") for why in reasons
    ]
    if nameless:
        faults.append(Fault("CORRUPT_SESSION", session, f"{nameless} rows have no id of their own"))
    return Outline(session, tuple(messages), tuple(parts), not reasons, tuple(faults))


def _decoded(
    session: str,
    head: list[Row],
    body: list[Row],
    faults: list[Fault],
    times: Mapping[str, int],
) -> Bodies:
    """Rows as model types; `times` has for each part when its message was said."""
    messages = [_message(session, row, faults) for row in head]
    parts: list[Part] = []
    for ident, parent, _, updated, size, data in body:
        if data is None:
            words = f"the row is too large to read ({size} bytes)" if size else "the row is empty"
            faults.append(Fault("CORRUPT_PART", ident, words))
            continue
        try:
            fields = content.decode(bytes(data))
        except ValueError as error:
            faults.append(Fault("CORRUPT_PART", ident, f"its JSON is broken: {error}"))
            continue
        held, flags = content.content(fields)
        time = content.part_time(fields) or times[ident]
        parts.append(Part(ident, parent, session, time, _ms(updated), held, flags, size=size or 0))
    return Bodies(tuple(messages), tuple(parts), tuple(faults))


def _message(session: str, row: Row, faults: list[Fault]) -> Message:
    """A message; one whose JSON is broken keeps its place and its times."""
    ident, _, created, updated, part, data = row
    fields: dict[str, Any] = {}
    if data is None:
        faults.append(Fault("CORRUPT_PART", ident, "the message's row is too large or broken"))
    else:
        try:
            fields = content.decode(bytes(data))
        except ValueError as error:
            faults.append(Fault("CORRUPT_PART", ident, f"the message's JSON is broken: {error}"))
    return content.message(
        fields,
        ident=ident,
        session=session,
        time=_ms(created),
        updated=_ms(updated),
        slice_id=_str(part) or "main",
    )
