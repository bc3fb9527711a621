"""The documents of a plan by falling time, exactly, with as few questions to the index as can be.

Runs are asked one by one, latest first: within a run ids ascend with time, so the full text gives
its documents in order and no more than are wanted. Where a few runs are not enough, the documents
are few or far between: then the full text gives the ids of all of them at once.
"""

from __future__ import annotations

import heapq
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from store.filters import EVERYWHERE, FAR, Condition, Within
from store.sqlite import rows_of

STEP = 64
"""Rows that are taken at once."""
FEW = 4
"""Runs that are asked on their own before all are asked at once."""
FEW_WORDS = 40
"""Words beyond which asking a run costs so much that all are asked at once."""
MOST = 30_000
"""Documents about beyond which that takes longer than going on run by run."""
MANY = 1_000
"""Ids that are looked up at once where many were needed before."""

Place = tuple[int, int]
"""The time and the id of a document."""

_JOINS = {
    "s": " LEFT JOIN session s ON s.id = d.session",
    "m": " LEFT JOIN message m ON m.id = d.message",
    "p": " LEFT JOIN part p ON p.id = d.part",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: the expression (None: all documents), the condition on each, and the times
    [since, before) and the documents outside of which nothing can hold it.

    `words` and `documents`: of the expression, about.
    """

    match: str | None
    condition: Condition
    since: int = 0
    before: int = FAR
    within: Within = EVERYWHERE
    words: int = 1
    documents: int = 0

    @property
    def tables(self) -> str:
        """The tables to read, in the order to read them."""
        head = "doc d" if self.match is None else "fts CROSS JOIN doc d ON d.id = fts.rowid"
        return head + self.joins

    @property
    def joins(self) -> str:
        """The tables beside `doc` that the condition speaks of."""
        used = re.findall(r"\b([smp])\.", self.condition.sql)
        return "".join(join for name, join in _JOINS.items() if name in used)

    @property
    def ident(self) -> str:
        """What a document's id is called."""
        return "d.id" if self.match is None else "fts.rowid"

    @property
    def where(self) -> str:
        """The condition, the match included; its values are `values`."""
        said = self.condition.sql
        low, high = self.within.low, self.within.high
        if (low, high) != (0, FAR):
            said = f"{self.ident} BETWEEN {low} AND {high} AND {said}"
        return f"fts MATCH ? AND {said}" if self.match else said

    @property
    def values(self) -> tuple[Any, ...]:
        """The values of `where`."""
        return (self.match, *self.condition.values) if self.match else self.condition.values


@dataclass(frozen=True, slots=True)
class Run:
    """Documents with ids from `low` to `high`, the latest of them at `latest`."""

    low: int
    high: int
    latest: int


def newest(connection: apsw.Connection, plan: Plan, place: Place) -> Iterator[Place]:
    """The plan's documents before that place, by falling time, then falling id."""
    place = min(place, (plan.before, 0))
    if plan.within.documents is not None:
        yield from _listed(connection, plan, plan.within.documents, place)
        return
    runs = _runs(connection, plan, place[0])
    few = _few(plan, len(runs))

    def asked(run: Run) -> Iterator[Place]:
        return _rows(connection, plan, run, place)

    for found in _walk(runs[:few], asked):
        if len(runs) > few and found[0] <= runs[few].latest:
            break
        yield found
        place = found
    if len(runs) > few:
        yield from _all(connection, plan, runs, place)


def _few(plan: Plan, runs: int) -> int:
    """How many runs to ask on their own."""
    if plan.match is None:
        return runs
    if plan.words > FEW_WORDS:
        return 0
    return FEW if plan.documents <= MOST else runs


def _listed(
    connection: apsw.Connection, plan: Plan, documents: Sequence[Place], place: Place
) -> Iterator[Place]:
    """As `newest`, among documents that are known."""
    if plan.match is not None:
        sql = "SELECT rowid FROM fts WHERE fts MATCH ? AND rowid BETWEEN ? AND ?"
        rows = rows_of(connection, sql, (plan.match, plan.within.low, plan.within.high))
        found = {row[0] for row in rows}
        documents = [one for one in documents if one[1] in found]
    some = [ident for moment, ident in reversed(documents) if (moment, ident) < place]
    step, end = STEP, len(some)
    while end > 0:
        ids = json.dumps(some[max(0, end - step) : end])
        sql = (
            f"SELECT d.time, d.id FROM doc d{plan.joins} WHERE d.id IN (SELECT value FROM"
            f" json_each(?)) AND {plan.condition.sql} ORDER BY d.time DESC, d.id DESC"
        )
        for row in rows_of(connection, sql, (ids, *plan.condition.values)):
            yield row[0], row[1]
        end, step = end - step, MANY


def _runs(connection: apsw.Connection, plan: Plan, moment: int) -> list[Run]:
    """The runs that may have documents of the plan up to a moment, latest first."""
    rows = rows_of(
        connection,
        "SELECT lo, hi, tmax FROM run WHERE tmin <= ? AND tmax >= ? AND lo <= ? AND hi >= ?"
        " ORDER BY tmax DESC, lo DESC",
        (moment, plan.since, plan.within.high, plan.within.low),
    )
    first, last = plan.within.low, plan.within.high
    return [Run(max(low, first), min(high, last), latest) for low, high, latest in rows]


def _all(
    connection: apsw.Connection, plan: Plan, runs: Sequence[Run], place: Place
) -> Iterator[Place]:
    """As `newest`, from the ids of all documents that match, found at once."""
    sql = "SELECT rowid FROM fts WHERE fts MATCH ? AND rowid BETWEEN ? AND ?"
    rows = rows_of(connection, sql, (plan.match, plan.within.low, plan.within.high))
    found: dict[int, list[int]] = {}
    by_id = sorted(runs, key=lambda run: run.low)
    lows = [run.low for run in by_id]
    for (ident,) in rows:
        at = bisect_right(lows, ident) - 1
        if at >= 0 and ident <= by_id[at].high:
            found.setdefault(lows[at], []).append(ident)

    def looked_up(run: Run) -> Iterator[Place]:
        return _looked_up(connection, plan, found[run.low], place)

    yield from _walk([run for run in runs if run.low in found], looked_up)


def _looked_up(
    connection: apsw.Connection, plan: Plan, ids: list[int], place: Place
) -> Iterator[Place]:
    """Documents of one run by their ascending ids, those before a place, latest first."""
    moment, before = place
    sql = (
        f"SELECT d.time, d.id FROM doc d{plan.joins} WHERE d.id IN (SELECT value FROM json_each(?))"
        f" AND {plan.condition.sql} AND (d.time < ? OR (d.time = ? AND d.id < ?))"
        " ORDER BY d.id DESC"
    )
    end, step = len(ids), STEP
    while end > 0:
        some = json.dumps(ids[max(0, end - step) : end])
        values = (some, *plan.condition.values, moment, moment, before)
        for row in rows_of(connection, sql, values):
            yield row[0], row[1]
        end, step = end - step, MANY


def _walk(runs: Sequence[Run], opened: Callable[[Run], Iterator[Place]]) -> Iterator[Place]:
    """Run by run, each opened only once its latest document may be next."""
    coming = iter(runs)
    waiting: list[tuple[int, int, Iterator[Place]]] = []
    run = next(coming, None)
    while waiting or run:
        if run and (not waiting or run.latest >= -waiting[0][0]):
            rows = opened(run)
            run = next(coming, None)
        else:
            moment, ident, rows = heapq.heappop(waiting)
            yield -moment, -ident
        for moment, ident in rows:
            heapq.heappush(waiting, (-moment, -ident, rows))
            break


def _rows(connection: apsw.Connection, plan: Plan, run: Run, place: Place) -> Iterator[Place]:
    """One run's documents before a place, a bounded query at a time."""
    moment, before = place
    sql = (
        f"SELECT d.time, d.id FROM {plan.tables} WHERE {plan.where}"
        f" AND {plan.ident} BETWEEN ? AND ? AND (d.time < ? OR (d.time = ? AND d.id < ?))"
        f" ORDER BY {plan.ident} DESC LIMIT ?"
    )
    high = run.high
    while rows := rows_of(
        connection, sql, (*plan.values, run.low, high, moment, moment, before, STEP)
    ):
        for row in rows:
            yield row[0], row[1]
        if len(rows) < STEP:
            return
        high = rows[-1][1] - 1
