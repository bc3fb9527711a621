"""What is not live, newest first, and what happened to it: the lists for reviewing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import apsw

from store import cursors, extract
from store.absent import elsewhere
from store.filters import FLAG_BITS, JOINS, Condition, condition, narrows
from store.model import (
    KINDS,
    Content,
    Happening,
    HappeningPage,
    Kind,
    Leftover,
    LeftoverPage,
    Patch,
    Tool,
    type_name,
)
from store.query import Filter, Query, exclusion, match, verify
from store.records import SESSION, Records, session_of
from store.schema import flags_of
from store.snippet import snippet
from store.sqlite import one, rows_of

MOST_FILES = 200
"""Files of one happening that are named."""
MOST_WORDS = 300
"""Characters of what was said by which a happening is known that took no prompt."""

_ROWS = """
WITH d AS NOT MATERIALIZED (
    SELECT p.id * 2 AS id, m.session AS session, m.id AS message, p.id AS part, p.time AS time
    FROM part p JOIN message m ON m.id = p.message WHERE p.fate != 'live'
    UNION ALL
    SELECT m.id * 2 + 1, m.session, m.id, NULL, m.time FROM message m WHERE m.fate != 'live'
        AND NOT EXISTS (SELECT 1 FROM part p WHERE p.message = m.id))
"""
_COLUMNS = (
    "d.id, d.time, n.name, s.native, s.title, s.project, s.directory, m.native, m.role, m.agent,"
    " m.slice, m.model, m.error, p.native, p.tool, p.status, coalesce(p.fate, m.fate),"
    " coalesce(p.evidence, m.evidence), coalesce(p.cause, m.cause), p.version,"
    " coalesce(p.removed_at, m.removed_at), coalesce(p.noticed_at, m.noticed_at),"
    f" {FLAG_BITS}, p.block, p.at, p.length"
)
_SOURCE = " JOIN source n ON n.id = s.source"
_WHEN = (
    "CASE coalesce(p.fate, m.fate) WHEN 'reverted' THEN s.updated"
    " ELSE coalesce(p.removed_at, m.removed_at, p.noticed_at, m.noticed_at, d.time) END"
)


def list_leftovers(
    connection: apsw.Connection,
    query: Query,
    *,
    limit: int,
    cursor: str | None,
    sources: Sequence[int] | None,
) -> LeftoverPage:
    """A page of everything that is not live: parts, and messages without any.

    Raises INVALID_CURSOR.
    """
    told = _condition(connection, query, sources)
    asked = cursors.question("leftovers", query.text, sources)
    after = cursors.read(cursor, asked, 2) if cursor else None
    total = one(connection, f"{_ROWS} SELECT count(*) FROM d{JOINS} WHERE {told.sql}", told.values)
    records = Records(connection)
    found: list[Leftover] = []
    place = after
    more = False
    while not more:
        where, values = told.sql, list(told.values)
        if place:
            where += " AND (d.time, d.id) < (?, ?)"
            values += place
        rows = rows_of(
            connection,
            f"{_ROWS} SELECT {_COLUMNS} FROM d{JOINS}{_SOURCE} WHERE {where}"
            " ORDER BY d.time DESC, d.id DESC LIMIT ?",
            (*values, limit + 1),
        )
        for row in rows:
            left = _leftover(row, records, query)
            if not verify(query, left.text):
                continue
            if len(found) == limit:
                more = True
                break
            found.append(left)
            place = [row[1], row[0]]
        if len(rows) <= limit:
            break
        place = [rows[-1][1], rows[-1][0]] if not more else place
    end = cursors.make(asked, place) if more and place else None
    return LeftoverPage(tuple(found), None if query.needs_verification else total, more, end)


def _condition(
    connection: apsw.Connection, query: Query, sources: Sequence[int] | None
) -> Condition:
    """The filters and words of a query on the rows of what is left."""
    kinds = [one for one in query.filters if one.key == "kind"]
    others = tuple(one for one in query.filters if one.key != "kind")
    answering = sources if narrows(connection, sources) else None
    base = condition(connection, replace(query, filters=others), answering)
    sql, values = f"{base.sql} AND NOT {elsewhere(answering)}", list(base.values)
    for told in kinds:
        sql += f" AND {_has_kind(told)}"
    some = "(SELECT x.part FROM fts JOIN doc x ON x.id = fts.rowid WHERE fts MATCH ?)"
    if expression := match(query):
        sql += f" AND d.part IN {some}"
        values.append(expression)
    elif unwanted := exclusion(query):
        sql += f" AND coalesce(d.part, 0) NOT IN {some}"
        values.append(unwanted)
    return Condition(sql, tuple(values))


def _has_kind(told: Filter) -> str:
    numbers = ",".join(str(KINDS.index(kind)) for kind in KINDS if kind in told.values)
    test = (
        "EXISTS (SELECT 1 FROM doc x WHERE x.session = d.session AND x.part = d.part"
        f" AND x.kind IN ({numbers}))"
    )
    return f"NOT {test}" if told.negated else test


def _leftover(row: tuple[Any, ...], records: Records, query: Query) -> Leftover:
    held = records.content(*row[23:26]) if row[23] is not None else None
    kind, text = _said(held, row[8]) if held else _error(row[12])
    words, spans = snippet(text, query)
    return Leftover(
        source=row[2],
        session=row[3],
        session_title=row[4],
        project=row[5],
        directory=row[6],
        message=row[7],
        part=row[13],
        type=type_name(held) if held else "message",
        kind=kind,
        time=row[1],
        tool=row[14],
        status=row[15],
        role=row[8],
        agent=row[9],
        slice=row[10],
        model=row[11],
        fate=row[16],
        evidence=row[17],
        cause=row[18] or "unknown",
        version=row[19] or None,
        removed_at=row[20],
        noticed_at=row[21],
        flags=flags_of(row[22]),
        snippet=words,
        spans=spans,
        text=text,
    )


def _error(text: str) -> tuple[Kind | None, str]:
    return ("error" if text else None), text


def _said(held: Content, role: str) -> tuple[Kind | None, str]:
    """What a part is listed as, and all that it says."""
    documents = extract.documents(held, role)
    if not documents:
        return None, ""
    kind = documents[-1][0]
    if isinstance(held, Tool):
        kind = "tool_error" if held.error else "tool_output" if held.output else "tool_input"
    return kind, "\n\n".join(text for _, text in documents)


# What happened -------------------------------------------------------------------------------


def list_happenings(
    connection: apsw.Connection,
    query: Query,
    *,
    limit: int,
    cursor: str | None,
    sources: Sequence[int] | None,
) -> HappeningPage:
    """What is not live, grouped by session and by what happened, the latest first.

    Raises INVALID_CURSOR.
    """
    told = _condition(connection, query, sources)
    asked = cursors.question("happenings", query.text, sources)
    start = cursors.read(cursor, asked, 1)[0] if cursor else 0
    rows = rows_of(
        connection,
        f"{_ROWS} SELECT d.session, coalesce(p.cause, m.cause, 'unknown'), {_WHEN} AS moment,"
        " coalesce(p.fate, m.fate), group_concat(DISTINCT coalesce(p.evidence, m.evidence)),"
        " count(DISTINCT d.message), count(d.part), max(coalesce(p.removed_at, m.removed_at)),"
        " max(coalesce(p.noticed_at, m.noticed_at))"
        f" FROM d{JOINS} WHERE {told.sql} GROUP BY 1, 2, 3, 4"
        " ORDER BY moment DESC, d.session DESC LIMIT ? OFFSET ?",
        (*told.values, limit + 1, start),
    )
    shown = rows[:limit]
    records = Records(connection)
    found = tuple(_happening(connection, records, row) for row in shown)
    more = len(rows) > limit
    return HappeningPage(found, more, cursors.make(asked, (start + limit,)) if more else None)


def _happening(connection: apsw.Connection, records: Records, row: tuple[Any, ...]) -> Happening:
    ident, cause, moment, fate, evidence, messages, parts, removed, noticed = row
    session = session_of(
        rows_of(
            connection,
            f"SELECT {SESSION} FROM session s JOIN source n ON n.id = s.source WHERE s.id = ?",
            (ident,),
        )[0]
    )
    members = rows_of(
        connection,
        f"{_ROWS} SELECT m.native, m.role, p.type, p.block, p.at, p.length, m.seq, m.time, p.flags"
        f" FROM d{JOINS} WHERE d.session = ? AND coalesce(p.cause, m.cause, 'unknown') = ?"
        f" AND coalesce(p.fate, m.fate) = ? AND {_WHEN} = ?"
        " ORDER BY m.seq, m.time, m.native, p.created, p.native",
        (ident, cause, fate, moment),
    )
    prompt = ""
    files: dict[str, None] = {}
    for _, role, kind, block, at, length, _, _, flags in members:
        plain = role == "user" and kind == "text" and "synthetic" not in flags_of(flags or 0)
        if not (plain and not prompt) and kind not in ("patch", "tool"):
            continue
        held = records.content(block, at, length)
        if isinstance(held, Patch):
            files |= dict.fromkeys(held.files)
        elif isinstance(held, Tool):
            files |= dict.fromkeys(_changed(held.diff))
        elif kind == "text":
            prompt = _said(held, role)[1]
    if fate == "reverted" and session.revert:
        files |= dict.fromkeys(
            name
            for name in _changed(session.revert.diff)
            if not any(path.endswith("/" + name) for path in files)
        )
    return Happening(
        session=session,
        cause=cause,
        fate=fate,
        evidence=tuple(sorted(evidence.split(","))),
        moment=moment,
        removed_at=removed,
        noticed_at=noticed,
        messages=messages,
        parts=parts,
        files=tuple(files)[:MOST_FILES],
        message=members[0][0],
        prompt=prompt,
        said="" if prompt else _first_words(members, records),
    )


def _first_words(members: Sequence[tuple[Any, ...]], records: Records) -> str:
    """How what went begins: one line, bounded."""
    for _, role, _, block, at, length, *_ in members:
        if block is not None and (text := _said(records.content(block, at, length), role)[1]):
            return " ".join(text[:MOST_WORDS].split())
    return ""


_HEAD = re.compile(r"^\+\+\+ (?:b/)?(.+?)\s*$", re.MULTILINE)


def _changed(diff: str) -> list[str]:
    """The files that a unified diff changes."""
    return [name for name in _HEAD.findall(diff) if name != "/dev/null"]
