"""Answering queries from the index.

Where the index cannot tell (punctuation), the text decides.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import apsw

from store import cursors
from store.door import Sort
from store.errors import StoreError
from store.filters import FAR, Condition, bounds, condition, narrows
from store.hits import Documents, Found
from store.model import Answer, Coverage, Hit
from store.newest import STEP, Plan, newest
from store.query import Query, exclusion, match, verify
from store.sqlite import one, rows_of

COUNTED = 2_000
"""Matches that are looked at to count them; beyond, the total is said to be at least so many."""
CHEAP_S = 0.005
"""A page that came this quickly has its hits counted too."""


class Searcher:
    """Searches through one connection; not for two threads at once."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self._documents = Documents(connection)
        self._stopped = False

    def stop(self) -> None:
        """Ends a search that runs in another thread, whatever it is just doing."""
        self._stopped = True
        self.connection.interrupt()

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
        self._stopped = False
        answering = sources if narrows(self.connection, sources) else None
        filters = condition(self.connection, query, answering)
        ranked = sort == "relevance" and match(query) is not None
        asked = _Question(
            query, filters, ranked, limit, cursor, cursors.question(query.text, ranked, sources)
        )
        page, expression, synthetic = self._first_that_finds(asked)
        left_out = None
        if synthetic or query.wants_synthetic:
            left_out = 0
        elif page.cursor is None and cursor is None:
            left_out = self._count(asked.plan(expression, synthetic=True))
            if query.needs_verification and left_out:
                left_out = None
        cheap = time.perf_counter() - began < CHEAP_S
        total, at_least = self._total(asked, expression, synthetic, page, cheap)
        return Answer(
            query=query.as_json(),
            hits=tuple(page.hits),
            total=total,
            total_at_least=at_least,
            more=page.cursor is not None,
            cursor=page.cursor,
            elapsed_ms=round((time.perf_counter() - began) * 1000, 2),
            coverage=coverage(self.connection, sources),
            widened="pieces" if page.hits and expression != match(query) else None,
            synthetic_left_out=left_out,
            synthetic_shown=synthetic,
            terms=query.terms(),
        )

    def _first_that_finds(self, asked: _Question) -> tuple[_Page, str | None, bool]:
        """The page, its expression, and whether synthetic text is in it.

        Looser readings count only where the stricter ones find nothing: synthetic text too, then
        the pieces of a term anywhere. A further page takes the reading that its cursor names.
        """
        strict, loose = match(asked.query), match(asked.query, pieces=True)
        readings = [(strict, asked.query.wants_synthetic)]
        if not asked.query.wants_synthetic:
            readings.append((strict, True))
        if loose != strict:
            readings += [(loose, synthetic) for _, synthetic in readings]
        if asked.cursor:
            readings = [readings[min(cursors.reading(asked.cursor), len(readings) - 1)]]
        for number, (expression, synthetic) in enumerate(readings):
            page = self._page(asked, expression, synthetic, number)
            if page.hits:
                return page, expression, synthetic
        return page, *readings[0]

    def _found(self, ids: list[int]) -> list[Found]:
        if self._stopped:  # SQLite only ends a statement that is just running
            raise apsw.InterruptError("the search was stopped")
        return self._documents.found(ids)

    # One page --------------------------------------------------------------------------------

    def _page(
        self, asked: _Question, expression: str | None, synthetic: bool, reading: int
    ) -> _Page:
        plan = asked.plan(expression, synthetic=None if synthetic else False)
        if asked.cursor:
            reading = cursors.reading(asked.cursor)
        if asked.ranked:
            return self._ranked(asked, plan, reading)
        first, second = FAR, FAR
        if asked.cursor:
            first, second, _ = cursors.read(asked.cursor, asked.fingerprint, 3)
        page = _Page([])
        place = (0, 0)
        rows = newest(self.connection, plan, (first, second))
        while batch := list(islice(rows, min(asked.limit + 1, STEP))):
            known = {ident: moment for moment, ident in batch}
            for found in self._found(list(known)):
                if not verify(asked.query, found.body):
                    continue
                if len(page.hits) == asked.limit:
                    page.cursor = cursors.make(asked.fingerprint, (*place, reading))
                    return page
                page.hits.append(found.hit(asked.query, None))
                place = (known[found.row[0]], found.row[0])
        return page

    def _ranked(self, asked: _Question, plan: Plan, reading: int) -> _Page:
        """A page by bm25, then time; the cursor counts rows and holds while nothing changes."""
        generation = int(one(self.connection, _GENERATION) or 0)
        offset = 0
        if asked.cursor:
            offset, made, _ = cursors.read(asked.cursor, asked.fingerprint, 3)
            if made != generation:
                words = "the index has changed since that page; begin with the first one again"
                raise StoreError("STALE_CURSOR", words, asked.cursor)
        page = _Page([])
        sql = (
            f"SELECT d.id, fts.rank FROM {plan.tables} WHERE {plan.where}"
            " ORDER BY fts.rank, d.time DESC, d.id DESC LIMIT ? OFFSET ?"
        )
        while rows := rows_of(self.connection, sql, (*plan.values, asked.limit + 1, offset)):
            scores = dict(rows)
            for found in self._found(list(scores)):
                if verify(asked.query, found.body):
                    if len(page.hits) == asked.limit:
                        place = (offset, generation, reading)
                        page.cursor = cursors.make(asked.fingerprint, place)
                        return page
                    page.hits.append(found.hit(asked.query, -scores[found.row[0]]))
                offset += 1
            if len(rows) <= asked.limit:
                break
        return page

    # Counting --------------------------------------------------------------------------------

    def _count(self, plan: Plan) -> int | None:
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
        asked: _Question,
        expression: str | None,
        synthetic: bool,
        page: _Page,
        cheap: bool,
    ) -> tuple[int | None, int]:
        """The number of hits where it is cheap to know, and what it is at least."""
        shown = len(page.hits)
        if page.cursor is None and asked.cursor is None:
            return shown, shown
        if cheap and not asked.query.needs_verification:
            plan = asked.plan(expression, synthetic=None if synthetic else False)
            total = self._count(plan)
            if total is not None:
                return total, total
        return None, shown + (page.cursor is not None)


@dataclass(frozen=True, slots=True)
class _Question:
    """One call of `search`."""

    query: Query
    filters: Condition
    ranked: bool
    limit: int
    cursor: str | None
    fingerprint: str

    def plan(self, expression: str | None, *, synthetic: bool | None) -> Plan:
        """What to run; `synthetic`: only such text, none of it, or (None) all."""
        sql, values = self.filters.sql, list(self.filters.values)
        if synthetic is not None:
            sql += f" AND d.synthetic = {int(synthetic)}"
        unwanted = exclusion(self.query) if expression is None else None
        if unwanted:
            sql += " AND d.id NOT IN (SELECT rowid FROM fts WHERE fts MATCH ?)"
            values.append(unwanted)
        made = Condition(sql, tuple(values), self.filters.plain)
        return Plan(expression, made, *bounds(self.query))


@dataclass(slots=True)
class _Page:
    """Hits, and the cursor of the next page (None: there is none)."""

    hits: list[Hit]
    cursor: str | None = None


_GENERATION = "SELECT value FROM meta WHERE key = 'generation'"


def coverage(connection: apsw.Connection, sources: Sequence[int] | None) -> Coverage:
    """How much of the live sessions of these sources (None: all) is indexed, in parts.

    What a session that was read to its end still lacks could not be read; of others it is behind.
    """
    where = "1" if sources is None else f"source IN ({','.join(map(str, sources)) or 'NULL'})"
    known, done, lacking = rows_of(
        connection,
        "SELECT coalesce(sum(parts), 0), coalesce(sum(min(done, parts)), 0),"
        " coalesce(sum(CASE WHEN stamp IS NULL THEN 0 ELSE max(0, parts - done) END), 0)"
        f" FROM session WHERE fate = 'live' AND {where}",
    )[0]
    return Coverage(
        indexed=done, known=known, skipped=lacking, behind=max(0, known - done - lacking)
    )
