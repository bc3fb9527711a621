"""Answering queries from the index.

Newest first is exact: the runs of documents are walked by falling time, and a run is opened only
once its newest document may be next. Where the index cannot tell (punctuation), the text decides.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from store import cursors
from store.door import Sort
from store.errors import StoreError
from store.filters import JOINS, Condition, condition
from store.hits import Documents
from store.model import Answer, Coverage, Hit
from store.query import Query, exclusion, match, verify
from store.sqlite import one, rows_of

COUNTED = 5_000
"""Matches that are looked at to count them; beyond, the total is said to be at least so many."""
STEP = 64
"""Rows that are taken from a run at once."""
FAR = 2**61


@dataclass(frozen=True, slots=True)
class _Plan:
    """What to run: the expression (None: all documents) and the condition on each."""

    match: str | None
    condition: Condition

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


class Searcher:
    """Searches through one connection; not for two threads at once."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self._documents = Documents(connection)

    def search(
        self,
        query: Query,
        *,
        limit: int,
        sort: Sort,
        cursor: str | None,
        sources: Sequence[int] | None,
    ) -> Answer:
        """One page of hits. `sources`: ids of those that may answer, None for all.

        Raises INVALID_CURSOR, STALE_CURSOR, and apsw.InterruptError where it was interrupted.
        """
        began = time.perf_counter()
        filters = condition(self.connection, query, sources)
        ranked = sort == "relevance" and match(query) is not None
        asked = cursors.question(query.text, "ranked" if ranked else "newest", sources)
        widened = None
        for pieces in (False, True):
            expression = match(query, pieces=pieces)
            shown = query.wants_synthetic
            page = self._page(query, expression, filters, ranked, asked, limit, cursor, shown)
            left_out = None
            if not shown and cursor is None:
                left_out = self._count(_plan(query, expression, filters, synthetic=True))
                if not page.hits and left_out:
                    shown = True
                    page = self._page(
                        query, expression, filters, ranked, asked, limit, cursor, shown
                    )
            if page.hits or cursor or expression == match(query, pieces=True):
                break
            widened = "pieces"
        if not page.hits:
            widened = None
        total, at_least = self._total(query, expression, filters, shown, page, cursor)
        return Answer(
            query=query.as_json(),
            hits=tuple(page.hits),
            total=total,
            total_at_least=at_least,
            more=page.cursor is not None,
            cursor=page.cursor,
            elapsed_ms=round((time.perf_counter() - began) * 1000, 2),
            coverage=coverage(self.connection, sources),
            widened=widened,
            synthetic_left_out=0 if shown else left_out,
            synthetic_shown=shown,
            terms=query.terms(),
        )

    # One page --------------------------------------------------------------------------------

    def _page(
        self,
        query: Query,
        expression: str | None,
        filters: Condition,
        ranked: bool,
        asked: str,
        limit: int,
        cursor: str | None,
        synthetic: bool,
    ) -> _Page:
        plan = _plan(query, expression, filters, synthetic=None if synthetic else False)
        if ranked:
            return self._ranked(query, plan, asked, limit, cursor)
        place = cursors.read(cursor, asked, 2) if cursor else [FAR, FAR]
        page = _Page([])
        rows = self._newest(plan, place[0], place[1])
        while batch := [row for row, _ in zip(rows, range(min(limit, STEP) + 1), strict=False)]:
            known = {ident: moment for moment, ident in batch}
            for found in self._documents.found(list(known)):
                if not verify(query, found.body):
                    continue
                if len(page.hits) == limit:
                    page.cursor = cursors.make(asked, page.place)
                    return page
                page.hits.append(found.hit(query, None))
                page.place = (known[found.row[0]], found.row[0])
        return page

    def _ranked(
        self, query: Query, plan: _Plan, asked: str, limit: int, cursor: str | None
    ) -> _Page:
        """A page by bm25, then time; the cursor counts rows and holds while nothing changes."""
        generation = int(one(self.connection, _GENERATION) or 0)
        offset = 0
        if cursor:
            offset, made = cursors.read(cursor, asked, 2)
            if made != generation:
                words = "the index has changed since that page; begin with the first one again"
                raise StoreError("STALE_CURSOR", words, cursor)
        page = _Page([])
        sql = (
            f"SELECT d.id, fts.rank FROM {plan.tables} WHERE {plan.where}"
            " ORDER BY fts.rank, d.time DESC, d.id DESC LIMIT ? OFFSET ?"
        )
        while rows := rows_of(self.connection, sql, (*plan.values, limit + 1, offset)):
            scores = dict(rows)
            for found in self._documents.found(list(scores)):
                if verify(query, found.body):
                    if len(page.hits) == limit:
                        page.cursor = cursors.make(asked, (offset, generation))
                        return page
                    page.hits.append(found.hit(query, -scores[found.row[0]]))
                offset += 1
            if len(rows) <= limit:
                break
        return page

    # Newest first ----------------------------------------------------------------------------

    def _newest(self, plan: _Plan, moment: int, ident: int) -> Iterator[tuple[int, int]]:
        """(time, id) of the plan's documents before that place, exactly by falling time, id."""
        runs = iter(
            rows_of(
                self.connection,
                "SELECT lo, hi, tmax FROM run WHERE tmin <= ? ORDER BY tmax DESC, lo DESC",
                (moment,),
            )
        )
        waiting: list[tuple[int, int, Iterator[tuple[int, int]]]] = []
        run = next(runs, None)
        while waiting or run:
            if run and (not waiting or run[2] >= -waiting[0][0]):
                rows = self._run(plan, run[0], run[1], moment, ident)
                run = next(runs, None)
            else:
                newest, highest, rows = heapq.heappop(waiting)
                yield -newest, -highest
            for time_of, doc in rows:
                heapq.heappush(waiting, (-time_of, -doc, rows))
                break

    def _run(
        self, plan: _Plan, low: int, high: int, moment: int, ident: int
    ) -> Iterator[tuple[int, int]]:
        """(time, id) of one run's documents before that place, a bounded query at a time."""
        place = "fts.rowid" if plan.match else "d.id"
        sql = (
            f"SELECT d.time, d.id FROM {plan.tables} WHERE {plan.where}"
            f" AND {place} BETWEEN ? AND ? AND (d.time < ? OR (d.time = ? AND d.id < ?))"
            f" ORDER BY {place} DESC LIMIT ?"
        )
        while True:
            values = (*plan.values, low, high, moment, moment, ident, STEP)
            rows = rows_of(self.connection, sql, values)
            yield from rows  # type: ignore[misc]
            if len(rows) < STEP:
                return
            high = rows[-1][1] - 1

    # Counting --------------------------------------------------------------------------------

    def _count(self, plan: _Plan) -> int | None:
        """How many documents match, None where that takes long to find out."""
        if plan.match:
            some = f"SELECT rowid FROM fts WHERE fts MATCH ? LIMIT {COUNTED + 1}"
        else:
            some = f"SELECT id FROM doc LIMIT {COUNTED + 1}"
        given = (plan.match,) if plan.match else ()
        if one(self.connection, f"SELECT count(*) FROM ({some})", given) > COUNTED:
            return None
        return int(
            one(
                self.connection,
                f"SELECT count(*) FROM {plan.tables} WHERE {plan.where}",
                plan.values,
            )
        )

    def _total(
        self,
        query: Query,
        expression: str | None,
        filters: Condition,
        synthetic: bool,
        page: _Page,
        cursor: str | None,
    ) -> tuple[int | None, int]:
        """The number of hits where it is cheap to know, and what it is at least."""
        shown = len(page.hits)
        if page.cursor is None and cursor is None:
            return shown, shown
        if not query.needs_verification:
            plan = _plan(query, expression, filters, synthetic=None if synthetic else False)
            total = self._count(plan)
            if total is not None:
                return total, total
        return None, shown + (page.cursor is not None)


@dataclass(slots=True)
class _Page:
    """Hits, the place of the last one, and the cursor of the next page (None: there is none)."""

    hits: list[Hit]
    place: tuple[int, int] = (0, 0)
    cursor: str | None = None


_GENERATION = "SELECT value FROM meta WHERE key = 'generation'"


def _plan(
    query: Query, expression: str | None, filters: Condition, *, synthetic: bool | None
) -> _Plan:
    """The plan for a query; `synthetic`: only such text, none of it, or (None) all."""
    sql, values = filters.sql, list(filters.values)
    if synthetic is not None:
        sql += f" AND d.synthetic = {int(synthetic)}"
    unwanted = exclusion(query) if expression is None else None
    if unwanted:
        sql += " AND d.id NOT IN (SELECT rowid FROM fts WHERE fts MATCH ?)"
        values.append(unwanted)
    return _Plan(expression, Condition(sql, tuple(values), filters.plain))


def coverage(connection: apsw.Connection, sources: Sequence[int] | None) -> Coverage:
    """How much of the live sessions of these sources (None: all) is indexed, in parts."""
    where = "1" if sources is None else f"source IN ({','.join(map(str, sources)) or 'NULL'})"
    (known, done), (skipped,) = (
        rows_of(connection, sql)[0]
        for sql in (
            "SELECT coalesce(sum(parts), 0), coalesce(sum(min(done, parts)), 0) FROM session"
            f" WHERE fate = 'live' AND {where}",
            f"SELECT count(*) FROM fault WHERE code = 'CORRUPT_PART' AND {where}",
        )
    )
    behind = max(0, known - done - skipped)
    return Coverage(indexed=done, known=known, skipped=skipped, behind=behind)
