"""Answering queries from the index.

Where the index cannot tell (punctuation), the text decides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import apsw

from store import cursors, tags
from store.diagnosis import Asker, Check, diagnose
from store.door import Sort
from store.errors import StoreError
from store.expression import Expression
from store.facets import facets
from store.filters import (
    FAR,
    narrows,
    sessions_of,
    share_of_all,
    with_sessions,
    within,
)
from store.hits import Documents
from store.kinds import kinds_of
from store.literal import Needle, Scanner, needle_of
from store.model import Answer, Coverage, Facets, Hit
from store.newest import Place
from store.pages import Page, Pages
from store.query import Query, match
from store.question import Question, Reading, readings
from store.sqlite import one, rows_of
from store.vocabulary import Vocabularies

COUNTED = 2_000
"""Matches that are looked at to count them; beyond, the total is said to be at least so many."""
COUNTED_HITS = 100
"""Hits that a diagnosis counts."""
LITERAL_S = 0.5
"""Time in which it looks for the exact text."""
TAGGED = 0.5
"""Share of the documents from which on it is quicker to ask the filters of each that has the words.
"""
CHEAP_S = 0.005
"""A page that came this quickly has its hits counted too."""


class Searcher:
    """Searches through one connection; not for two threads at once."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self._vocabularies = Vocabularies(connection)
        documents = Documents(connection)
        self._pages = Pages(connection, documents, self._check)
        self._scanner = Scanner(connection, documents, self._check)
        self._stopped = False
        self._covered: tuple[object, Coverage] = (None, Coverage())
        self._shared: tuple[object, float] = (None, 1.0)

    def stop(self) -> None:
        """Ends a search that runs in another thread, whatever it is just doing."""
        self._stopped = True
        self.connection.interrupt()

    def _check(self) -> None:
        if self._stopped:  # SQLite only ends a statement that is just running
            raise apsw.InterruptError("the search was stopped")

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
        self._stopped = False
        return self._answer(query, limit, sort, cursor, sources)

    def _answer(
        self,
        query: Query,
        limit: int,
        sort: Sort,
        cursor: str | None,
        sources: Sequence[int] | None,
    ) -> Answer:
        began = time.perf_counter()
        asked = self._question(query, limit, sort, cursor, sources)
        page, reading = self._first_that_finds(asked)
        left_out = None
        if reading.synthetic or not self._any_synthetic():
            left_out = 0
        elif page.cursor is None and cursor is None:
            left_out = self._count(asked, asked.expression(reading), synthetic=True)
        cheap = time.perf_counter() - began < CHEAP_S
        total, at_least = self._total(asked, reading, page, cheap)
        return Answer(
            query=query.as_json(),
            hits=tuple(page.hits),
            total=total,
            total_at_least=at_least,
            more=page.cursor is not None,
            cursor=page.cursor,
            elapsed_ms=round((time.perf_counter() - began) * 1000, 2),
            coverage=self._coverage(sources),
            widened=reading.widened if page.hits else None,
            synthetic_left_out=left_out,
            synthetic_shown=reading.synthetic,
            approximate=page.approximate,
            terms=query.terms(),
        )

    def literal(
        self,
        needle: Needle,
        query: Query,
        *,
        limit: int,
        cursor: str | None,
        sources: Sequence[int] | None,
        report: Callable[[tuple[Hit, ...], int, int], None] | None = None,
    ) -> Answer:
        """One page of hits with a text as it is; `query` has the filters.

        `report` is told the new hits, and how many blocks were looked at of how many.
        """
        self._stopped = False
        return self._literal(needle, query, limit, cursor, sources, report)

    def _literal(
        self,
        needle: Needle,
        query: Query,
        limit: int,
        cursor: str | None,
        sources: Sequence[int] | None,
        report: Callable[[tuple[Hit, ...], int, int], None] | None,
    ) -> Answer:
        began = time.perf_counter()
        asked = self._question(query, limit, "newest", cursor, sources)
        asked = replace(asked, fingerprint=cursors.question("literal", query.text, sources))
        place: Place = (FAR, FAR)
        if cursor:
            first, second, _ = cursors.read(cursor, asked.fingerprint, 3)
            place = (first, second)
        hits: list[Hit] = []
        told = 0
        after = None

        def progress(looked: int, of: int) -> None:
            nonlocal told
            if report is not None:
                report(tuple(hits[told:]), looked, of)
                told = len(hits)

        for moment, found in self._scanner.found(asked, needle, place, progress):
            if self._pages.is_told(asked, Reading(True), found):
                continue
            if len(hits) == limit:
                after = cursors.make(asked.fingerprint, (*place, 0))
                break
            hits.append(self._pages.hit(asked, found, None))
            place = (moment, found.row[0])
        whole = after is None and cursor is None
        return Answer(
            query=query.as_json(),
            hits=tuple(hits),
            total=len(hits) if whole else None,
            total_at_least=len(hits) + (after is not None),
            more=after is not None,
            cursor=after,
            elapsed_ms=round((time.perf_counter() - began) * 1000, 2),
            coverage=self._coverage(sources),
            synthetic_left_out=0,
            terms=query.terms(),
        )

    def diagnose(
        self, query: Query, now_ms: int, sources: Sequence[int] | None
    ) -> tuple[Check, ...]:
        """Why a query finds nothing; see `store.diagnosis`."""
        self._stopped = False

        def count(asked: Query) -> tuple[int, bool]:
            self._check()
            answer = self._answer(asked, COUNTED_HITS, "newest", None, sources)
            return (answer.total or answer.total_at_least), answer.total is not None

        def literal(text: str) -> bool | None:
            return self._is_there(text, now_ms, sources)

        asker = Asker(
            self.connection,
            self._vocabularies.get(),
            count,
            literal,
            self._coverage(sources),
            kinds_of(self.connection),
        )
        return diagnose(asker, query, now_ms)

    def facets(self, query: Query, sources: Sequence[int] | None) -> Facets:
        """What the hits of a query are, counted."""
        self._stopped = False
        return facets(self.connection, self._question(query, 1, "newest", None, sources))

    def _is_there(self, text: str, now_ms: int, sources: Sequence[int] | None) -> bool | None:
        """Whether a literal search finds something; None where that takes too long to see."""
        end = time.perf_counter() + LITERAL_S

        def late(hits: tuple[Hit, ...], looked: int, of: int) -> None:
            if time.perf_counter() > end:
                raise TimeoutError

        try:
            needle, query = needle_of(text, now_ms)
            found = self._literal(needle, query, 1, None, sources, late)
        except TimeoutError:
            return None
        except StoreError:
            return False
        return bool(found.hits)

    def _question(
        self,
        query: Query,
        limit: int,
        sort: Sort,
        cursor: str | None,
        sources: Sequence[int] | None,
    ) -> Question:
        answering = sources if narrows(self.connection, sources) else None
        is_ranked = sort == "relevance" and match(query) is not None
        sessions = sessions_of(self.connection, query, answering)
        filters = with_sessions(query, sessions, answering)
        last = int(one(self.connection, "SELECT coalesce(max(hi), 0) FROM run"))
        passing = self._passing(query, last)
        return Question(
            query=query,
            filters=filters,
            ranked=is_ranked,
            limit=limit,
            cursor=cursor,
            fingerprint=cursors.question(query.text, is_ranked, sources),
            vocabulary=self._vocabularies.get(),
            documents=last,
            within=within(self.connection, sessions),
            narrowed=sessions is not None,
            tags=tags.wanted(query, sessions) if passing < TAGGED or sessions else "",
            passing=passing,
        )

    def _passing(self, query: Query, last: int) -> float:
        """As `share_of_all`; looked up once for the filters of a query that is being typed."""
        if self._shared[0] != (query.filters, last):
            share = share_of_all(self.connection, query, last)
            self._shared = ((query.filters, last), share)
        return self._shared[1]

    def _first_that_finds(self, asked: Question) -> tuple[Page, Reading]:
        """The page, and how the query was read.

        Looser readings count only where the stricter ones find nothing. A further page takes the
        reading that its cursor names.
        """
        ways = readings(asked.query, self._any_synthetic())
        numbers = range(len(ways))
        if asked.cursor:
            number = min(cursors.reading(asked.cursor), len(ways) - 1)
            numbers = range(number, number + 1)
        for number in numbers:
            page = self._pages.page(asked, ways[number], number)
            if page.hits:
                return page, ways[number]
        return page, ways[numbers[0]]

    def _coverage(self, sources: Sequence[int] | None) -> Coverage:
        """As `coverage`, added up again only after another connection wrote something."""
        now = (self.connection.pragma("data_version"), sources and tuple(sources))
        if self._covered[0] != now:
            self._covered = (now, coverage(self.connection, sources))
        return self._covered[1]

    def _any_synthetic(self) -> bool:
        return bool(one(self.connection, "SELECT 1 FROM doc WHERE synthetic = 1 LIMIT 1"))

    # Counting --------------------------------------------------------------------------------

    def _count(self, asked: Question, told: Expression, *, synthetic: bool | None) -> int | None:
        """How many documents match, None where that takes long to find out."""
        if told.read and asked.query.groups:
            return None
        plan = asked.plan(told.match, synthetic=synthetic)
        if plan.match:
            some = f"SELECT rowid FROM fts WHERE fts MATCH ? LIMIT {COUNTED + 1}"
        else:
            some = f"SELECT id FROM doc LIMIT {COUNTED + 1}"
        given = (plan.match,) if plan.match else ()
        if one(self.connection, f"SELECT count(*) FROM ({some})", given) > COUNTED:
            return None
        counted = "*" if asked.folds else "DISTINCT coalesce(d.copy_of, d.id)"
        sql = f"SELECT count({counted}) FROM {plan.tables} WHERE {plan.where}"
        return int(one(self.connection, sql, plan.values))

    def _total(
        self, asked: Question, reading: Reading, page: Page, cheap: bool
    ) -> tuple[int | None, int]:
        """The number of hits where it is cheap to know, and what it is at least."""
        shown = len(page.hits)
        if page.cursor is None and asked.cursor is None:
            return shown, shown
        if cheap and page.expression is not None:
            synthetic = None if reading.synthetic else False
            total = self._count(asked, page.expression, synthetic=synthetic)
            if total is not None:
                return total, total
        return None, shown + (page.cursor is not None)


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
    behind = max(0, known - done - lacking)
    return Coverage(done, known, lacking, behind, begun=sources is None or bool(sources))
