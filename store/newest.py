"""The documents of a plan by falling time, exactly, with as few questions to the index as can be.

Runs are taken latest first: within a run ids ascend with time. Without words each is read by
itself. With words the full text is asked for all the ids in the latest runs at once, as many runs
as should have a page, then for those of the next ones, four times as many each time or more.
"""

from __future__ import annotations

import heapq
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import apsw

from store.filters import EVERYWHERE, FAR, Condition, Within
from store.sqlite import rows_of

STEP = 64
"""Rows that are taken at once."""
MANY = 1_000
"""Ids that are looked up at once where many were needed before."""
UNKNOWN = 20_000
"""Documents that are asked for first where nothing tells how many of them have the words."""
GROWTH = 4

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

    `words`: of the expression. `share`: about which share of all documents it finds (0: unknown).
    """

    match: str | None
    condition: Condition
    since: int = 0
    before: int = FAR
    within: Within = EVERYWHERE
    words: int = 1
    share: float = 0.0

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


class Timed(Protocol):
    """Something with documents, the latest of them at `latest`."""

    @property
    def latest(self) -> int:
        """The time of that one."""


T = TypeVar("T", bound=Timed)


@dataclass(frozen=True, slots=True)
class Run:
    """Documents with ids from `low` to `high`, the latest of them at `latest`."""

    low: int
    high: int
    latest: int


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that are asked for together, latest first."""

    runs: tuple[Run, ...]

    @property
    def latest(self) -> int:
        """The time of the latest document."""
        return self.runs[0].latest


def newest(connection: apsw.Connection, plan: Plan, place: Place) -> Iterator[Place]:
    """The plan's documents before that place, by falling time, then falling id."""
    place = min(place, (plan.before, 0))
    if plan.within.documents is not None:
        yield from _listed(connection, plan, plan.within.documents, place)
        return
    runs = _runs(connection, plan, place[0])
    if plan.match is None:
        yield from _walk(runs, lambda run: _rows(connection, plan, run, place))
    else:
        groups = _Groups(plan, runs)
        yield from _walk(groups, lambda group: _asked(connection, plan, group, place, groups))


def _listed(
    connection: apsw.Connection, plan: Plan, documents: Sequence[Place], place: Place
) -> Iterator[Place]:
    """As `newest`, among documents that are known."""
    if plan.match is not None:
        found = set(_ids(connection, plan, plan.within.low, plan.within.high))
        documents = [one for one in documents if one[1] in found]
    some = [ident for moment, ident in reversed(documents) if (moment, ident) < place]
    yield from _looked_up(connection, plan, some, place)


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


class _Groups:
    """The runs in groups; the first should have two pages, or as many hits as asking costs.

    The next ones are as large as what was found in those before makes believe.
    """

    def __init__(self, plan: Plan, runs: Sequence[Run]) -> None:
        self._runs = iter(runs)
        self._hits = max(2 * STEP, plan.words)
        self._size = self._hits / plan.share if plan.share else float(UNKNOWN)
        self._looked = self._found = 0

    def __iter__(self) -> Iterator[Group]:
        return self

    def __next__(self) -> Group:
        some: list[Run] = []
        size = 0
        for run in self._runs:
            some.append(run)
            size += run.high - run.low + 1
            if size >= self._size:
                break
        if not some:
            raise StopIteration
        self._looked += size
        self._size = max(self._size, size) * GROWTH
        return Group(tuple(some))

    def found(self, hits: int) -> None:
        """Says how many hits the last group had."""
        self._found += hits
        self._size = max(self._size, self._hits * self._looked / max(1, self._found))


def _asked(
    connection: apsw.Connection, plan: Plan, group: Group, place: Place, groups: _Groups
) -> Iterator[Place]:
    """As `newest`, of a group of runs."""
    by_id = sorted(group.runs, key=lambda run: run.low)
    ids: list[int] = []
    for low, high in merged([(run.low, run.high) for run in by_id]):
        ids += _ids(connection, plan, low, high)
    groups.found(len(ids))
    if len(ids) <= 2 * STEP:
        yield from _sorted(connection, plan, ids, place)
        return
    lows = [run.low for run in by_id]
    found: dict[int, list[int]] = {}
    for ident in ids:
        found.setdefault(lows[bisect_right(lows, ident) - 1], []).append(ident)
    runs = [run for run in group.runs if run.low in found]
    yield from _walk(runs, lambda run: _looked_up(connection, plan, found[run.low], place))


def merged(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of ids [low, high] by rising id, neighbours made one."""
    together: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if together and together[-1][1] == low - 1:
            together[-1] = (together[-1][0], high)
        else:
            together.append((low, high))
    return together


def _ids(connection: apsw.Connection, plan: Plan, low: int, high: int) -> list[int]:
    """The ids in a range that the full text finds, rising."""
    sql = "SELECT rowid FROM fts WHERE fts MATCH ? AND rowid BETWEEN ? AND ?"
    return [row[0] for row in rows_of(connection, sql, (plan.match, low, high))]


def _sorted(
    connection: apsw.Connection, plan: Plan, ids: Sequence[int], place: Place
) -> Iterator[Place]:
    """A few documents before a place, latest first."""
    if ids:
        sql = (
            f"SELECT d.time, d.id FROM doc d{plan.joins}"
            f" WHERE d.id IN (SELECT value FROM json_each(?)) AND {plan.condition.sql}"
            " AND (d.time < ? OR (d.time = ? AND d.id < ?)) ORDER BY d.time DESC, d.id DESC"
        )
        values = (json.dumps(ids), *plan.condition.values, place[0], *place)
        yield from rows_of(connection, sql, values)


def _looked_up(
    connection: apsw.Connection, plan: Plan, ids: Sequence[int], place: Place
) -> Iterator[Place]:
    """Documents by their ids, which rise with time: those before a place, latest first."""
    end, step = len(ids), STEP
    while end > 0:
        yield from _sorted(connection, plan, ids[max(0, end - step) : end], place)
        end, step = end - step, MANY


def _walk(parts: Iterable[T], opened: Callable[[T], Iterator[Place]]) -> Iterator[Place]:
    """Part by part, each opened only once its latest document may be next."""
    coming = iter(parts)
    waiting: list[tuple[int, int, Iterator[Place]]] = []
    part = next(coming, None)
    while waiting or part:
        is_new = part is not None and (not waiting or part.latest >= -waiting[0][0])
        if part is not None and is_new:
            rows = opened(part)
        else:
            moment, ident, rows = heapq.heappop(waiting)
            yield -moment, -ident
        for moment, ident in rows:
            heapq.heappush(waiting, (-moment, -ident, rows))
            break
        if is_new:
            part = next(coming, None)


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
