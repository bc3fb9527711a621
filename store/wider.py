"""Words that stand in one part, or in one message, though not in one document of it.

A part may have several documents (what a tool was asked, what it put out), a message several parts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import apsw

from store.body import holds
from store.expression import Expression, build
from store.hits import Documents
from store.newest import Place
from store.query import Query, exclusion
from store.question import Question, Reading
from store.sieve import needles
from store.sqlite import rows_of
from store.terms import Term

READ_AS_MANY = 250
"""Documents that are found in the time in which the texts of one part or message are read."""
AT_ONCE = 200
"""Documents whose texts are looked up together."""
Members = dict[int, set[int]]
"""The documents of a group of words, by the part or the message that they are of."""


def wider(
    connection: apsw.Connection, documents: Documents, asked: Question, reading: Reading
) -> list[Place]:
    """For each part or message with all words the document with most of them, latest first."""
    ways = [(group, _expression(asked, group)) for group in asked.query.groups]
    ways.sort(key=lambda way: (way[1].match is None, way[1].documents))
    if ways[0][1].match is None:
        return []
    known: list[Members] = []
    units: set[int] = set()
    for group, told in ways:
        if not known:
            members = _members(connection, documents, reading, group, told)
            units = set(members) - _unwanted(connection, asked, reading)
        elif told.match is None or told.documents > READ_AS_MANY * len(units):
            members = _read(connection, documents, reading, group, units)
        else:
            members = _members(connection, documents, reading, group, told, units)
        units &= set(members)
        if not units:
            return []
        known.append(members)
    counts: dict[int, int] = {}
    for one in known:
        for unit in units:
            for ident in one[unit]:
                counts[ident] = counts.get(ident, 0) + 1
    return _best(connection, asked, reading, counts)


def _expression(asked: Question, group: Sequence[Term]) -> Expression:
    alone = Query(groups=(tuple(group),))
    return build(alone, asked.vocabulary, documents=asked.documents, pieces=True)


def _members(
    connection: apsw.Connection,
    documents: Documents,
    reading: Reading,
    group: Sequence[Term],
    told: Expression,
    units: set[int] | None = None,
) -> Members:
    """The documents (of some parts or messages, None: all) with one of some terms, as the full text
    tells."""
    sql = f"SELECT rowid FROM fts WHERE fts MATCH ?{_synthetic(reading)}"
    ids = [row[0] for row in rows_of(connection, sql, (told.match,))]
    if units is not None:
        ids = list(_documents_of(connection, reading, units).keys() & ids)
    if told.read:
        alone = Query(groups=(tuple(group),))
        ids = [
            found.row[0]
            for found in documents.found(ids)
            if holds(alone, found.body, everything=False)
        ]
    return _by_unit(connection, reading, ids)


def _synthetic(reading: Reading) -> str:
    return "" if reading.synthetic else " AND rowid NOT IN (SELECT id FROM doc WHERE synthetic = 1)"


def _by_unit(connection: apsw.Connection, reading: Reading, ids: Sequence[int]) -> Members:
    members: Members = {}
    sql = f"SELECT {reading.unit}, id FROM doc WHERE id IN (SELECT value FROM json_each(?))"
    for unit, ident in rows_of(connection, sql, (json.dumps(ids),)):
        if unit is not None:
            members.setdefault(unit, set()).add(ident)
    return members


def _unwanted(connection: apsw.Connection, asked: Question, reading: Reading) -> set[int]:
    """Parts or messages with a word that is to be left out."""
    unwanted = exclusion(asked.query)
    if unwanted is None:
        return set()
    ids = [row[0] for row in rows_of(connection, "SELECT rowid FROM fts(?)", (unwanted,))]
    return set(_by_unit(connection, reading, ids))


def _read(
    connection: apsw.Connection,
    documents: Documents,
    reading: Reading,
    group: Sequence[Term],
    units: set[int],
) -> Members:
    """The documents of some parts or messages with one of some terms, as their texts say."""
    alone = Query(groups=(tuple(group),))
    sought = needles(alone)
    members: Members = {}
    unit_of = _documents_of(connection, reading, units)
    ids = list(unit_of)
    for start in range(0, len(ids), AT_ONCE):
        for one in documents.found(ids[start : start + AT_ONCE], sought):
            if holds(alone, one.body, everything=True):
                members.setdefault(unit_of[one.row[0]], set()).add(one.row[0])
    return members


def _documents_of(connection: apsw.Connection, reading: Reading, units: set[int]) -> dict[int, int]:
    """The documents of some parts or messages, with the part or message of each."""
    sql = f"SELECT d.id, d.unit FROM ({_OF[reading.unit]}) d"
    if not reading.synthetic:
        sql += " WHERE d.synthetic = 0"
    return dict(rows_of(connection, sql, (json.dumps(sorted(units)),)))


_OF_PART = (
    "SELECT {unit} AS unit, d.id, d.synthetic FROM part p CROSS JOIN message m ON m.id = p.message"
    " CROSS JOIN doc d ON d.session = m.session AND d.part = p.id"
    " WHERE {unit} IN (SELECT value FROM json_each(?1))"
)
_OF = {
    "part": _OF_PART.format(unit="p.id"),
    "message": _OF_PART.format(unit="p.message")
    + " UNION ALL SELECT m.id, d.id, d.synthetic FROM message m JOIN doc d"
    " ON d.session = m.session AND d.part IS NULL AND d.message = m.id"
    " WHERE m.id IN (SELECT value FROM json_each(?1))",
}


def _best(
    connection: apsw.Connection, asked: Question, reading: Reading, counts: dict[int, int]
) -> list[Place]:
    """One document for each part or message that passes the filters, latest first."""
    alone = replace(asked, query=replace(asked.query, groups=(), excluded=()))
    plan = alone.plan(None, synthetic=None if reading.synthetic else False)
    sql = (
        f"SELECT d.{reading.unit}, d.time, d.id FROM {plan.tables} WHERE {plan.where}"
        " AND d.id IN (SELECT value FROM json_each(?))"
    )
    best: dict[int, tuple[int, int, int]] = {}
    for unit, time, ident in rows_of(connection, sql, (*plan.values, json.dumps(list(counts)))):
        place = (counts[ident], time, ident)
        best[unit] = max(best.get(unit, place), place)
    return sorted(((time, ident) for _, time, ident in best.values()), reverse=True)
