"""What is to be forgotten: what an id or a query names, and what goes with it.

With a part go its earlier and its present text, whichever was meant, the same thing in other
stores, and whatever elsewhere says the same at the same time: forks, imports, other generations.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from store import extract
from store.conversations import other_places
from store.filters import JOINS, SESSION_KEYS, condition, narrows, session_ids
from store.hits import Documents
from store.model import Forgotten
from store.query import Query, exclusion, match, verify
from store.records import Records
from store.source import Found
from store.sqlite import one, rows_of
from store.text import spaced

PART = "p.id, p.message, m.session, p.time, p.block, p.at, p.length"
"""Columns of a part `p` of a message `m`, as `parts_of` gives them."""


class Target(NamedTuple):
    """What is to be forgotten, by our ids: a session, a message of it, or a part of that."""

    session: int
    message: int | None = None
    part: int | None = None


def everything(connection: apsw.Connection, targets: Sequence[Target]) -> list[Target]:
    """The targets, the same in other stores, and every part elsewhere that says what theirs do."""
    found = list(dict.fromkeys(targets))
    found += [one for one in _twins(connection, found) if one not in found]
    mine = {row[0]: row for target in found for row in parts_of(connection, target)}
    records = Records(connection)
    said: set[tuple[int, object]] = set()
    for _, _, _, time, *place in mine.values():
        if words := said_at(records, time, place):
            said.add(words)
    others = rows_of(
        connection,
        f"SELECT {PART} FROM message m JOIN part p ON p.message = m.id"
        " WHERE m.time IN (SELECT o.time FROM message o WHERE o.id IN"
        " (SELECT value FROM json_each(?)))",
        (json.dumps(sorted({row[1] for row in mine.values()})),),
    )
    for ident, message, session, time, *place in others:
        if ident not in mine and said_at(records, time, place) in said:
            found.append(Target(session, message, ident))
    return found


def said_at(
    records: Records, time: int, place: Sequence[Any]
) -> tuple[int, tuple[str, ...]] | None:
    """When a part was said, and all its texts as they are indexed; None where it has none."""
    if place[0] is None:
        return None
    texts = tuple(spaced(text) for _, text in extract.documents(records.content(*place), ""))
    return (time, texts) if texts else None


def _twins(connection: apsw.Connection, targets: Iterable[Target]) -> list[Target]:
    """The same sessions, messages and parts, by their ids, in other stores."""
    found: list[Target] = []
    for target in targets:
        for session in other_places(connection, [target.session]):
            rows = rows_of(
                connection,
                "SELECT om.id, op.id FROM session s LEFT JOIN message m ON m.id = ?2"
                " LEFT JOIN message om ON om.native = m.native AND om.session = ?4"
                " LEFT JOIN part p ON p.id = ?3 LEFT JOIN part op"
                " ON op.native = p.native AND op.message = om.id AND op.version = 0"
                " WHERE s.id = ?1",
                (target.session, target.message, target.part, session),
            )
            found += [
                Target(session, message, part)
                for message, part in rows
                if (message is None) == (target.message is None)
                and (part is None) == (target.part is None)
            ]
    return found


def parts_of(connection: apsw.Connection, target: Target) -> list[tuple[Any, ...]]:
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
        f"SELECT {PART} FROM message m JOIN part p ON p.message = m.id WHERE {where}",
        (value,),
    )


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
    if not (query.groups or query.excluded or any(one.key == "kind" for one in query.filters)):
        sql, values = _condition(connection, query, sources)
        rows = rows_of(
            connection,
            f"SELECT d.session, d.message, d.part FROM {_EVERY} d{JOINS} WHERE {sql}",
            tuple(values),
        )
        return [Target(*row) for row in rows]
    found: dict[Target, None] = {}
    for document in _documents(connection, query, sources):
        found |= dict.fromkeys(_targets(connection, document))
    return list(found)


def titled(
    connection: apsw.Connection, query: Query, sources: Sequence[int] | None
) -> tuple[str, ...]:
    """The sessions (by their stores' ids) whose titles a query with words finds."""
    if not query.groups:
        return ()
    told = "SELECT s.native FROM doc d JOIN session s ON s.id = d.session"
    rows = [
        row[0]
        for document in _documents(connection, query, sources)
        for row in rows_of(connection, f"{told} WHERE d.id = ? AND d.message IS NULL", (document,))
    ]
    return tuple(dict.fromkeys(rows))


def _condition(
    connection: apsw.Connection, query: Query, sources: Sequence[int] | None
) -> tuple[str, list[Any]]:
    made = condition(connection, query, sources if narrows(connection, sources) else None)
    return made.sql, list(made.values)


def _documents(
    connection: apsw.Connection, query: Query, sources: Sequence[int] | None
) -> Iterator[int]:
    """The documents that a query finds, synthetic ones too."""
    sql, values = _condition(connection, query, sources)
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
    for start in range(0, len(idents), _AT_ONCE):
        for document in documents.found(idents[start : start + _AT_ONCE]):
            if verify(query, document.body.text):
                yield document.row[0]


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


def count(
    connection: apsw.Connection, targets: Sequence[Target], every: Sequence[Target], path: Path
) -> Forgotten:
    """What forgetting these would take, `every` being what `everything` says of the targets."""
    sessions = {one.session for one in every if one.message is None}
    messages = {one.message for one in every if one.message is not None and one.part is None}
    for session in sessions:
        messages |= {
            row[0]
            for row in rows_of(connection, "SELECT id FROM message WHERE session = ?", (session,))
        }
    rows = {row[0] for target in every for row in parts_of(connection, target)}
    mine = {row[0] for target in targets for row in parts_of(connection, target)}
    parts, copies, versions = rows_of(
        connection,
        "SELECT count(DISTINCT message || ':' || native),"
        " count(DISTINCT CASE WHEN id NOT IN (SELECT value FROM json_each(?2))"
        " THEN message || ':' || native END), coalesce(sum(version > 0), 0)"
        " FROM part WHERE id IN (SELECT value FROM json_each(?1))",
        (json.dumps(sorted(rows)), json.dumps(sorted(mine))),
    )[0]
    present = one(
        connection,
        "SELECT count(DISTINCT message || ':' || native) FROM part p WHERE version > 0"
        " AND id IN (SELECT value FROM json_each(?)) AND EXISTS (SELECT 1 FROM part o"
        " WHERE o.native = p.native AND o.message = p.message AND o.version = 0)",
        (json.dumps([one.part for one in targets if one.part is not None]),),
    )
    return Forgotten(len(sessions), len(messages), parts, str(path), versions, copies, int(present))
