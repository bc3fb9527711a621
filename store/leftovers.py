"""What is not live, newest first: the list for reviewing, and its rows."""

from __future__ import annotations

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
    Kind,
    Leftover,
    LeftoverPage,
    Tool,
    type_name,
)
from store.query import Filter, Query, exclusion, match, verify
from store.records import Records
from store.schema import flags_of
from store.snippet import snippet
from store.sqlite import one, rows_of

ROWS = """
WITH d AS NOT MATERIALIZED (
    SELECT p.id * 2 AS id, m.session AS session, m.id AS message, p.id AS part, p.time AS time
    FROM part p JOIN message m ON m.id = p.message WHERE p.fate != 'live'
    UNION ALL
    SELECT m.id * 2 + 1, m.session, m.id, NULL, m.time FROM message m WHERE m.fate != 'live'
        AND (m.error != '' OR NOT EXISTS (SELECT 1 FROM part p WHERE p.message = m.id)))
"""
_COLUMNS = (
    "d.id, d.time, n.name, s.native, s.title, s.project, s.directory, m.native, m.role, m.agent,"
    " m.slice, m.model, m.error, p.native, p.tool, p.status, coalesce(p.fate, m.fate),"
    " coalesce(p.evidence, m.evidence), coalesce(p.cause, m.cause), p.version,"
    " coalesce(p.removed_at, m.removed_at), coalesce(p.noticed_at, m.noticed_at),"
    f" {FLAG_BITS}, p.block, p.at, p.length, m.seq, m.time, p.created"
)
_SOURCE = " JOIN source n ON n.id = s.source"


def list_leftovers(
    connection: apsw.Connection,
    query: Query,
    *,
    limit: int,
    cursor: str | None,
    sources: Sequence[int] | None,
) -> LeftoverPage:
    """A page of everything that is not live: parts, the errors of messages, and messages that
    have neither.

    Raises INVALID_CURSOR.
    """
    told = leftover_condition(connection, query, sources)
    asked = cursors.question("leftovers", query.text, sources)
    after = cursors.read(cursor, asked, 2) if cursor else None
    total = one(connection, f"{ROWS} SELECT count(*) FROM d{JOINS} WHERE {told.sql}", told.values)
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
            f"{ROWS} SELECT {_COLUMNS} FROM d{JOINS}{_SOURCE} WHERE {where}"
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


def count_leftovers(connection: apsw.Connection, source: int, sources: Sequence[int] | None) -> int:
    """How much of one source is not live, and in none of the others that answer either."""
    return int(
        one(
            connection,
            f"{ROWS} SELECT count(*) FROM d{JOINS} WHERE s.source = ? AND NOT {elsewhere(sources)}",
            (source,),
        )
    )


def leftover_condition(
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
    some = (
        "(SELECT coalesce(x.part * 2, x.message * 2 + 1) FROM fts JOIN doc x ON x.id = fts.rowid"
        " WHERE fts MATCH ? AND x.message IS NOT NULL)"
    )
    if expression := match(query):
        sql += f" AND d.id IN {some}"
        values.append(expression)
    elif unwanted := exclusion(query):
        sql += f" AND d.id NOT IN {some}"
        values.append(unwanted)
    return Condition(sql, tuple(values))


def _has_kind(told: Filter) -> str:
    numbers = ",".join(str(KINDS.index(kind)) for kind in KINDS if kind in told.values)
    test = (
        "EXISTS (SELECT 1 FROM doc x WHERE x.session = d.session AND x.part IS d.part"
        " AND (d.part IS NOT NULL OR x.message = d.message)"
        f" AND x.kind IN ({numbers}))"
    )
    return f"NOT {test}" if told.negated else test


def _leftover(row: tuple[Any, ...], records: Records, query: Query) -> Leftover:
    held = records.content(*row[23:26]) if row[23] is not None else None
    kind, text = said(held, row[8]) if held else _error(row[12])
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
        place=(row[26], row[27], row[7], row[13] is None, row[28] or 0, row[13] or ""),
    )


def _error(text: str) -> tuple[Kind | None, str]:
    return ("error" if text else None), text


def said(held: Content, role: str) -> tuple[Kind | None, str]:
    """What a part is listed as, and all that it says."""
    documents = extract.documents(held, role)
    if not documents:
        return None, ""
    kind = documents[-1][0]
    if isinstance(held, Tool):
        kind = "tool_error" if held.error else "tool_output" if held.output else "tool_input"
    return kind, "\n\n".join(text for _, text in documents)
