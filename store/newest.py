"""The documents of a plan by falling time, exactly, with as few questions to the index as can be.

Each question that has a beginning of a word makes FTS5 gather all documents with such a word anew,
whatever range of ids is asked for. So runs that lie side by side are asked together, and where the
latest of them are not enough, all documents at once.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from store.filters import FAR, JOINS, Condition
from store.sqlite import rows_of

STEP = 64
"""Rows that are taken at once."""
TOGETHER = 10_000
"""Documents of neighbouring runs that are asked in one question."""
FEW = 2
"""Neighbourhoods that are asked on their own before all documents are."""
MANY = 1_000
"""Rows that are taken at once from all documents."""

Place = tuple[int, int]
"""The time and the id of a document."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: the expression (None: all documents), the condition on each, and the times
    [since, before) outside of which nothing can hold it."""

    match: str | None
    condition: Condition
    since: int = 0
    before: int = FAR

    @property
    def tables(self) -> str:
        """The tables to read, in the order to read them."""
        head = "doc d" if self.match is None else "fts CROSS JOIN doc d ON d.id = fts.rowid"
        return head + ("" if self.condition.plain else JOINS.replace(" JOIN session", _FIRST))

    @property
    def where(self) -> str:
        """The condition, the match included; its values are `values`."""
        return f"fts MATCH ? AND {self.condition.sql}" if self.match else self.condition.sql

    @property
    def values(self) -> tuple[Any, ...]:
        """The values of `where`."""
        return (self.match, *self.condition.values) if self.match else self.condition.values


_FIRST = " CROSS JOIN session"


@dataclass(slots=True)
class Span:
    """Documents with ids from `low` to `high`, the latest of them at `latest`."""

    low: int
    high: int
    latest: int

    def takes(self, low: int, high: int) -> bool:
        """Whether these documents lie beside it and both together are not too many."""
        beside = low == self.high + 1 or high == self.low - 1
        return beside and max(high, self.high) - min(low, self.low) < TOGETHER


def newest(connection: apsw.Connection, plan: Plan, place: Place) -> Iterator[Place]:
    """The plan's documents before that place, by falling time, then falling id."""
    place = min(place, (plan.before, 0))
    spans = _spans(connection, plan, place[0])
    few = len(spans) if plan.match is None else FEW
    for found in _walk(connection, plan, spans[:few], place):
        if len(spans) > few and found[0] <= spans[few].latest:
            break
        yield found
        place = found
    if len(spans) > few:
        yield from _rows(connection, plan, Span(0, FAR, FAR), place, MANY)


def _spans(connection: apsw.Connection, plan: Plan, moment: int) -> list[Span]:
    """The runs that may have documents of the plan's times up to a moment, latest first.

    Neighbours are one span, up to a size, where full text is asked for.
    """
    spans: list[Span] = []
    for low, high, latest in rows_of(
        connection,
        "SELECT lo, hi, tmax FROM run WHERE tmin <= ? AND tmax >= ? ORDER BY tmax DESC, lo DESC",
        (moment, plan.since),
    ):
        last = spans[-1] if spans and plan.match is not None else None
        if last and last.takes(low, high):
            last.low, last.high = min(low, last.low), max(high, last.high)
        else:
            spans.append(Span(low, high, latest))
    return spans


def _walk(
    connection: apsw.Connection, plan: Plan, spans: Sequence[Span], place: Place
) -> Iterator[Place]:
    """Span by span, each opened only once its latest document may be next."""
    coming = iter(spans)
    waiting: list[tuple[int, int, Iterator[Place]]] = []
    span = next(coming, None)
    while waiting or span:
        if span and (not waiting or span.latest >= -waiting[0][0]):
            rows = _rows(connection, plan, span, place, STEP)
            span = next(coming, None)
        else:
            moment, ident, rows = heapq.heappop(waiting)
            yield -moment, -ident
        for moment, ident in rows:
            heapq.heappush(waiting, (-moment, -ident, rows))
            break


def _rows(
    connection: apsw.Connection, plan: Plan, span: Span, place: Place, step: int
) -> Iterator[Place]:
    """One span's documents before that place, a bounded query at a time."""
    while rows := _some(connection, plan, span, place, step):
        yield from rows
        if len(rows) < step:
            return
        place = rows[-1]


def _some(
    connection: apsw.Connection, plan: Plan, span: Span, place: Place, limit: int
) -> list[Place]:
    ident, order = "fts.rowid", "ORDER BY d.time DESC, d.id DESC"
    if plan.match is None:  # a span is a run here, whose ids ascend with time
        ident, order = "d.id", "ORDER BY d.id DESC"
    moment, before = place
    sql = (
        f"SELECT d.time, d.id FROM {plan.tables} WHERE {plan.where} AND {ident} BETWEEN ? AND ?"
        f" AND (d.time < ? OR (d.time = ? AND d.id < ?)) {order} LIMIT ?"
    )
    values = (*plan.values, span.low, span.high, moment, moment, before, limit)
    return [(row[0], row[1]) for row in rows_of(connection, sql, values)]
