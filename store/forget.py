"""Forgetting: taking sessions, messages and parts out of archive and index, for good.

The records are cut out of their blocks, the documents taken out of the full text, the rows
deleted, and what was forgotten is noted by id, so that no later look at its store brings it back.
SQLite only marks what it deletes as free, and the full text keeps the words of a deleted document
until all of it is merged: so it is merged, and the file written anew.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import zstandard

from store import extract
from store.archive import Blocks, open_block
from store.conversations import other_places
from store.errors import StoreError
from store.filters import JOINS, SESSION_KEYS, condition, narrows, session_ids
from store.hits import Documents
from store.index import Writer
from store.model import Forgotten
from store.query import Query, exclusion, match, verify
from store.records import Records
from store.source import Found
from store.sqlite import insert_rows, one, rows_of, transaction


class Target(NamedTuple):
    """What is to be forgotten, by our ids: a session, a message of it, or a part of that."""

    session: int
    message: int | None = None
    part: int | None = None


def forget(writer: Writer, targets: Iterable[Target], path: Path) -> Forgotten:
    """Forgets these, their versions and their copies, and leaves nothing of them in the file.

    Copies say the same at the same time in another session: forks, imports, other generations.

    Raises INDEX_BUSY where another program reads the index: the rows are gone then, and the next
    call takes what is left of them in the file.
    """
    connection = writer.connection
    counts = [0, 0, 0]
    with transaction(connection):
        every = with_copies(connection, list(targets))
        for target in every:
            for place, number in enumerate(_forget_one(connection, target)):
                counts[place] += number
        for target in _emptied(connection, every):
            counts[1] += _forget_one(connection, target)[1]
        writer.set_meta("wipe", 1)
        writer.changed()
    wipe(writer, path)
    return Forgotten(counts[0], counts[1], counts[2], str(path))


def drop(writer: Writer, targets: Sequence[Target], *, one_row: bool = False) -> None:
    """Takes these out without a note, so that they may come again where a store has them.

    `one_row`: of a part that row alone, not its other versions.
    """
    connection = writer.connection
    with transaction(connection):
        for target in targets:
            if one_row and target.part is not None:
                _drop_parts(connection, target.session, [target.part])
            else:
                _forget_one(connection, target, note=False)
        writer.changed()


def drop_sessions(writer: Writer) -> None:
    """Takes out deleted sessions of which nothing is left."""
    rows = rows_of(
        writer.connection,
        "SELECT id FROM session s WHERE fate = 'deleted'"
        " AND NOT EXISTS (SELECT 1 FROM message m WHERE m.session = s.id)",
    )
    drop(writer, [Target(row[0]) for row in rows])


def wipe(writer: Writer, path: Path) -> None:
    """Ends what `forget` began: no deleted byte stays in the file. Raises INDEX_BUSY."""
    connection = writer.connection
    if not writer.meta("wipe"):
        return
    connection.execute("INSERT INTO fts(fts) VALUES('optimize')")
    writer.set_meta("wipe", 0)
    try:
        connection.execute("VACUUM")
        busy, *_ = rows_of(connection, "PRAGMA wal_checkpoint(TRUNCATE)")[0]
    except apsw.BusyError:
        busy = 1
    if busy:
        writer.set_meta("wipe", 1)
        words = (
            "it is forgotten, but another program reads the index, so that bytes of it may still"
            f" be in {path}; end that program and forget again, or let it be indexed again"
        )
        raise StoreError("INDEX_BUSY", words, str(path))


def _emptied(connection: apsw.Connection, targets: Sequence[Target]) -> list[Target]:
    """Messages that are gone and of which nothing is left to show."""
    told = json.dumps([one.message for one in targets if one.part is not None])
    rows = rows_of(
        connection,
        "SELECT m.session, m.id FROM message m WHERE m.id IN (SELECT value FROM json_each(?))"
        " AND m.fate IN ('removed', 'deleted')"
        " AND NOT EXISTS (SELECT 1 FROM part p WHERE p.message = m.id)",
        (told,),
    )
    return [Target(*row) for row in rows]


def with_copies(connection: apsw.Connection, targets: Sequence[Target]) -> list[Target]:
    """The targets, the same sessions in other stores, and every part elsewhere that says what one
    of theirs says.
    """
    whole = other_places(connection, [one.session for one in targets if one.message is None])
    targets = [*targets, *map(Target, whole)]
    mine = {row[0]: row for target in targets for row in _parts(connection, target)}
    records = Records(connection)
    said: set[tuple[int, object]] = set()
    for _, _, _, time, *place in mine.values():
        if words := extract.documents(records.content(*place), ""):
            said.add((time, tuple(words)))
    others = rows_of(
        connection,
        f"SELECT {_PART} FROM message m JOIN part p ON p.message = m.id"
        " WHERE m.time IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted({time for time, _ in said})),),
    )
    found = list(targets)
    for ident, message, session, time, *place in others:
        if ident not in mine:
            words = extract.documents(records.content(*place), "")
            if words and (time, tuple(words)) in said:
                found.append(Target(session, message, ident))
    return found


_PART = "p.id, p.message, m.session, m.time, p.block, p.at, p.length"


def _parts(connection: apsw.Connection, target: Target) -> list[tuple[Any, ...]]:
    """The parts of a target with their versions."""
    where, value = "m.session = ?", target.session
    if target.part is not None:
        where = (
            "m.id = (SELECT message FROM part WHERE id = ?1)"
            " AND p.native = (SELECT native FROM part WHERE id = ?1)"
        )
        value = target.part
    elif target.message is not None:
        where, value = "m.id = ?", target.message
    return rows_of(
        connection,
        f"SELECT {_PART} FROM message m JOIN part p ON p.message = m.id WHERE {where}",
        (value,),
    )


def _forget_one(
    connection: apsw.Connection, target: Target, *, note: bool = True
) -> tuple[int, int, int]:
    """Forgets one thing; returns how many sessions, messages and parts that were."""
    parts = [row[0] for row in _parts(connection, target)]
    if note:
        _note(connection, target)
    _drop_parts(connection, target.session, parts)
    if target.part is not None:
        return 0, 0, 1 if parts else 0
    if target.message is not None:
        messages = [target.message]
    else:
        messages = [
            row[0]
            for row in rows_of(
                connection, "SELECT id FROM message WHERE session = ?", (target.session,)
            )
        ]
    inside = json.dumps(messages)
    Writer(connection).drop_docs(
        "session = ? AND part IS NULL AND message IN (SELECT value FROM json_each(?))",
        (target.session, inside),
    )
    connection.execute(
        "DELETE FROM message WHERE id IN (SELECT value FROM json_each(?))", (inside,)
    )
    if target.message is not None:
        return 0, 1, len(parts)
    Writer(connection).drop_docs("session = ?", (target.session,))
    connection.execute("DELETE FROM fault WHERE session = ?", (target.session,))
    connection.execute("DELETE FROM session WHERE id = ?", (target.session,))
    return 1, len(messages), len(parts)


def _note(connection: apsw.Connection, target: Target) -> None:
    connection.execute(
        "INSERT OR IGNORE INTO forgotten(source, session, message, part)"
        " SELECT s.source, s.native,"
        " coalesce((SELECT native FROM message WHERE id = ?2), ''),"
        " coalesce((SELECT native FROM part WHERE id = ?3), '') FROM session s WHERE s.id = ?1",
        (target.session, target.message, target.part),
    )


def _drop_parts(connection: apsw.Connection, session: int, parts: Sequence[int]) -> None:
    """Takes parts out of documents, rows and blocks."""
    told = json.dumps(list(parts))
    some = "IN (SELECT value FROM json_each(?))"
    Writer(connection).drop_docs(f"session = ? AND part {some}", (session, told))
    blocks = rows_of(
        connection,
        f"SELECT DISTINCT block FROM part WHERE id {some} AND block IS NOT NULL",
        (told,),
    )
    connection.execute(f"DELETE FROM part WHERE id {some}", (told,))
    for (block,) in blocks:
        _rewrite(connection, block)


def _rewrite(connection: apsw.Connection, block: int) -> None:
    """Writes a block anew with the records that some part still has, and no others."""
    packed = one(connection, "SELECT bytes FROM block WHERE id = ?", (block,))
    mine: dict[tuple[int, int], list[int]] = defaultdict(list)
    for ident, at, length in rows_of(
        connection, "SELECT id, at, length FROM part WHERE block = ? ORDER BY at", (block,)
    ):
        mine[at, length].append(ident)
    last = one(connection, "SELECT max(id) FROM block") == block
    try:
        records = open_block(packed) if packed and mine else b""
    except zstandard.ZstdError:
        records = b""
    fresh = Blocks(int(one(connection, "SELECT max(id) + 1 FROM block")))
    for (at, length), idents in mine.items() if records else ():
        place = fresh.add(records[at : at + length])
        connection.execute(
            "UPDATE part SET block = ?, at = ?, length = ?"
            " WHERE id IN (SELECT value FROM json_each(?))",
            (*place, json.dumps(idents)),
        )
    insert_rows(connection, "block", "id, bytes", fresh.take())
    if last and not (mine and records):  # ids never come again
        connection.execute("UPDATE block SET bytes = x'' WHERE id = ?", (block,))
    else:
        connection.execute("DELETE FROM block WHERE id = ?", (block,))


def target_of(connection: apsw.Connection, name: str, found: Found) -> Target | None:
    """What an id names, by our ids; None where the index does not have it."""
    rows = rows_of(
        connection,
        "SELECT s.id FROM session s JOIN source n ON n.id = s.source"
        " WHERE n.name = ? AND s.native = ?",
        (name, found.session),
    )
    if not rows:
        return None
    session: int = rows[0][0]
    if found.kind == "session":
        return Target(session)
    message = one(
        connection,
        "SELECT id FROM message WHERE native = ? AND session = ?",
        (found.message, session),
    )
    if message is None:
        return None
    if found.kind == "message":
        return Target(session, message)
    part = one(
        connection,
        "SELECT id FROM part WHERE native = ? AND message = ? ORDER BY version LIMIT 1",
        (found.id, message),
    )
    return None if part is None else Target(session, message, part)


def matching(
    connection: apsw.Connection, query: Query, sources: Sequence[int] | None
) -> list[Target]:
    """What a query finds, synthetic text too: parts, and messages for the text of their errors.

    A query of nothing but filters that speak of sessions names those sessions.
    """
    if not query.groups and not query.excluded and query.filters:
        told = [one for one in query.filters if one.key in SESSION_KEYS]
        if len(told) == len(query.filters):
            return [Target(ident) for ident in session_ids(connection, told, sources)]
    answering = sources if narrows(connection, sources) else None
    made = condition(connection, query, answering)
    sql, values = made.sql, list(made.values)
    if not (query.groups or query.excluded or any(one.key == "kind" for one in query.filters)):
        rows = rows_of(
            connection,
            f"SELECT d.session, d.message, d.part FROM {_EVERY} d{JOINS} WHERE {sql}",
            tuple(values),
        )
        return [Target(*row) for row in rows]
    some = "(SELECT rowid FROM fts WHERE fts MATCH ?)"
    if expression := match(query):
        sql += f" AND d.id IN {some}"
        values.append(expression)
    elif unwanted := exclusion(query):
        sql += f" AND d.id NOT IN {some}"
        values.append(unwanted)
    idents = [
        row[0]
        for row in rows_of(connection, f"SELECT d.id FROM doc d{JOINS} WHERE {sql}", tuple(values))
    ]
    documents = Documents(connection)
    found: dict[Target, None] = {}
    for start in range(0, len(idents), _AT_ONCE):
        for document in documents.found(idents[start : start + _AT_ONCE]):
            if verify(query, document.body.text):
                found |= dict.fromkeys(_targets(connection, document.row[0]))
    return list(found)


_EVERY = (
    "(SELECT p.id AS part, m.id AS message, m.session AS session, p.time AS time"
    " FROM part p JOIN message m ON m.id = p.message"
    " UNION ALL SELECT NULL, m.id, m.session, m.time FROM message m"
    " WHERE NOT EXISTS (SELECT 1 FROM part p WHERE p.message = m.id))"
)
_AT_ONCE = 500


def _targets(connection: apsw.Connection, doc: int) -> list[Target]:
    rows = rows_of(
        connection,
        "SELECT session, message, part FROM doc WHERE id = ? AND message IS NOT NULL",
        (doc,),
    )
    return [Target(*row) for row in rows]


def count(connection: apsw.Connection, targets: Sequence[Target], path: Path) -> Forgotten:
    """What forgetting these would take."""
    sessions = {one.session for one in targets if one.message is None}
    messages = {one.message for one in targets if one.message is not None and one.part is None}
    for session in sessions:
        messages |= {
            row[0]
            for row in rows_of(connection, "SELECT id FROM message WHERE session = ?", (session,))
        }
    every = with_copies(connection, targets)
    parts = {row[0] for target in every for row in _parts(connection, target)}
    return Forgotten(len(sessions), len(messages), len(parts), str(path))
