"""Documents by relevance: exact words before longer ones before words that have them inside.

Within each of these bm25 orders them, later ones a little higher. Of very many the latest ones are
ordered, which an answer says.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import apsw

from store.expression import RANKED, Expression, Reach
from store.filters import FAR
from store.newest import Plan, merged, newest
from store.question import Question, Reading
from store.sqlite import one, rows_of

REACHES: tuple[Reach, ...] = ("exact", "beginning", "inside")
TOGETHER = 1_024
"""Documents that are ordered among each other by how late they are, too."""
RECENT = 0.15
"""What the latest document has more than one of long ago."""
HALF_MS = 90 * 86_400_000
"""The age at which half of that is gone."""
MOST = 20_000
"""Documents about beyond which the latest ones alone are ordered."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A document. `read`: its text has to say whether it holds what was asked."""

    id: int
    score: float
    tier: int
    offset: int
    read: bool
    approximate: bool


def ranked(
    connection: apsw.Connection, asked: Question, reading: Reading, tier: int, offset: int
) -> Iterator[Ranked]:
    """The documents from a place (a tier, and how many of it came already) on."""
    before: Expression | None = None
    for number, reach in enumerate(REACHES):
        told = asked.expression(reading, reach)
        last = number == len(REACHES) - 1
        if (told.match is None and not last) or (before and told.match == before.match):
            continue
        if number >= tier:
            start = offset if number == tier else 0
            plan = _plan(asked, reading, told, before)
            if told.match is None or told.words > RANKED:
                yield from _late(connection, plan, told, number, start)
            else:
                yield from _scored(connection, asked, plan, told, number, start)
        before = told


def _plan(asked: Question, reading: Reading, told: Expression, before: Expression | None) -> Plan:
    """The documents of an expression that the one before did not find."""
    synthetic = None if reading.synthetic else False
    if before is None or before.match is None:
        return asked.plan(told.match, synthetic=synthetic)
    if told.match is None:
        return asked.plan(None, synthetic=synthetic, without=before.match)
    return asked.plan(f"({told.match}) NOT ({before.match})", synthetic=synthetic)


def _late(
    connection: apsw.Connection, plan: Plan, told: Expression, tier: int, offset: int
) -> Iterator[Ranked]:
    """Too many words to count: the latest first."""
    rows = islice(newest(connection, plan, (FAR, FAR)), offset, None)
    for place, (_, ident) in enumerate(rows, offset):
        yield Ranked(ident, 0.0, tier, place, told.read, approximate=True)


def _scored(
    connection: apsw.Connection,
    asked: Question,
    plan: Plan,
    told: Expression,
    tier: int,
    offset: int,
) -> Iterator[Ranked]:
    """By bm25; of very many the latest ones, and then the others by time."""
    latest = int(one(connection, "SELECT max(tmax) FROM run") or 0)
    ranges = _latest_ranges(connection, told.share, asked.documents)
    sql = (
        f"SELECT fts.rank, d.time, d.id FROM {plan.tables} WHERE {plan.where}"
        " AND fts.rowid BETWEEN ? AND ? ORDER BY fts.rank LIMIT ?"
    )
    many = len(ranges) > 0
    block = offset // TOGETHER
    while True:
        start, end = block * TOGETHER, (block + 1) * TOGETHER
        rows: list[tuple[float, int, int]] = []
        for low, high in ranges or [(0, FAR)]:
            rows += rows_of(connection, sql, (*plan.values, low, high, end))
        rows = sorted(rows, key=lambda row: (row[0], -row[1], -row[2]))[start:end]
        some = [(_score(-rank, latest - time, tier), time, ident) for rank, time, ident in rows]
        some.sort(reverse=True)
        for place, (score, _, ident) in enumerate(some, start):
            if place >= offset:
                yield Ranked(ident, score, tier, place, told.read, many)
        if len(rows) < TOGETHER:
            break
        block += 1
    if many:
        others = _others(connection, plan, ranges)
        for place, ident in enumerate(others, start + len(rows)):
            if place >= offset:
                yield Ranked(ident, float(2 - tier), tier, place, told.read, many)


def _score(bm25: float, age: int, tier: int) -> float:
    """Between 2 and 3 for exact words, 1 and 2 for longer ones, below that for the rest."""
    late = 1 + RECENT * HALF_MS / (HALF_MS + max(0, age))
    value = max(0.0, bm25) * late
    return 2 - tier + value / (1 + value)


def _latest_ranges(
    connection: apsw.Connection, share: float, documents: int
) -> list[tuple[int, int]]:
    """The ids of the latest documents with about MOST hits; none where there are no more."""
    if share * documents <= MOST:
        return []
    wanted, taken = MOST / share, 0
    ranges: list[tuple[int, int]] = []
    runs = rows_of(connection, "SELECT lo, hi FROM run ORDER BY tmax DESC, lo DESC")
    for low, high in runs:
        if taken >= wanted:
            break
        taken += high - low + 1
        ranges.append((low, high))
    return merged(ranges) if len(ranges) < len(runs) else []


def _others(
    connection: apsw.Connection, plan: Plan, ranges: list[tuple[int, int]]
) -> Iterator[int]:
    """The documents outside of some ids, latest first."""
    lows = [low for low, _ in ranges]
    for _, ident in newest(connection, plan, (FAR, FAR)):
        at = bisect_right(lows, ident) - 1
        if at < 0 or ident > ranges[at][1]:
            yield ident
