"""Pages of hits: newest first, and by relevance.

Newest first, common words are found by reading the latest documents, which have to be read for
their hits anyway; other words are asked of the full text.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice

import apsw

from store import cursors
from store.body import holds
from store.errors import StoreError
from store.expression import WORD_US, Expression, Reach
from store.filters import FAR, SESSION_KEYS
from store.hits import Documents, Found
from store.model import Hit
from store.newest import STEP, Place, newest
from store.query import DATES
from store.question import Question, Reading
from store.ranking import ranked
from store.sieve import Needles, needles
from store.sqlite import one, rows_of
from store.wider import wider

READ_US = 35
"""About the microseconds that it takes to see whether a document may have some words."""
HIT_US = 60
"""And making a hit of it."""
LOOKED_US = 4_000
"""And looking for the words that have another one inside."""
GENERATION = "SELECT value FROM meta WHERE key = 'generation'"


@dataclass(slots=True)
class Page:
    """Hits, and the cursor of the next page (None: there is none).

    `expression`: what the full text was asked, None where only documents were read.
    `approximate`: the order is not quite by relevance.
    """

    hits: list[Hit]
    cursor: str | None = None
    expression: Expression | None = None
    approximate: bool = False


class Pages:
    """Makes pages through one connection; `found` looks documents up and may raise."""

    def __init__(
        self, connection: apsw.Connection, documents: Documents, check: Callable[[], None]
    ) -> None:
        self._connection = connection
        self._documents = documents
        self._check = check

    def page(self, asked: Question, reading: Reading, number: int) -> Page:
        """The page of a reading, which has that number."""
        if asked.ranked and not reading.unit:
            return self._ranked(asked, reading, number)
        place: Place = (FAR, FAR)
        if asked.cursor:
            first, second, _ = cursors.read(asked.cursor, asked.fingerprint, 3)
            place = (first, second)
        page = Page([])
        if reading.unit:
            found = wider(self._connection, self._documents, asked, reading)
            later = [one for one in found if one < place]
            self._take(asked, reading, number, page, later, place, False)
            return page
        nothing = asked.plan(None, synthetic=None if reading.synthetic else False)
        if asked.query.groups and (patience := reads_first(asked, reading)):
            until = time.perf_counter() + patience / 1e6
            rows = newest(self._connection, nothing, place)
            place, ended = self._take(asked, reading, number, page, rows, place, True, until)
            if ended:
                return page
        expression = page.expression = asked.expression(reading)
        plan = asked.newest(expression, None if reading.synthetic else False)
        everything = bool(asked.query.groups) and expression.read
        rows = newest(self._connection, plan, place)
        self._take(asked, reading, number, page, rows, place, everything)
        return page

    def _take(
        self,
        asked: Question,
        reading: Reading,
        number: int,
        page: Page,
        rows: Iterable[Place],
        place: Place,
        everything: bool,
        until: float = math.inf,
    ) -> tuple[Place, bool]:
        """Takes hits from documents; the last one looked at, and whether the page is done.

        It gives up at a time `until`, and not after half of the page is there; and where a text
        cannot be read, as if it had not begun.
        """
        rows, begin = iter(rows), place
        step = min(asked.limit - len(page.hits) + 1, STEP)
        sought = needles(asked.query) if everything else []
        while batch := list(islice(rows, step)):
            known = {ident: moment for moment, ident in batch}
            for found in self._found(list(known), sought):
                if found.damaged and until < math.inf:
                    page.hits.clear()
                    return begin, False
                if self.is_told(asked, reading, found):
                    continue
                if reading.unit or holds(
                    asked.query, found.body, everything=everything, pieces=reading.pieces
                ):
                    if len(page.hits) == asked.limit:
                        page.cursor = cursors.make(asked.fingerprint, (*place, number))
                        return place, True
                    page.hits.append(self.hit(asked, found, None))
                place = (known[found.row[0]], found.row[0])
            place = batch[-1]
            if time.perf_counter() > until and 2 * len(page.hits) < asked.limit:
                return place, False
            step = STEP if sought else min(asked.limit - len(page.hits) + 1, STEP)
        return place, True

    def _found(self, ids: list[int], needles: Needles = ()) -> list[Found]:
        self._check()
        return self._documents.found(ids, needles)

    def hit(self, asked: Question, found: Found, score: float | None) -> Hit:
        """The hit of a document, with its copies; one that passes the filters stands for all."""
        told = self._documents.with_copies([found])[0]
        if asked.folds or not told.copies:
            return told.hit(asked.query, score)
        return told.hit(asked.query, score, among=self._passing(asked, told))

    def _passing(self, asked: Question, found: Found) -> list[int]:
        plan = asked.plan(None, synthetic=None)
        sql = (
            f"SELECT d.id FROM {plan.tables} WHERE {plan.where}"
            " AND d.id IN (SELECT value FROM json_each(?))"
        )
        ids = json.dumps([found.row[0], *(row[0] for row in found.copies)])
        return [row[0] for row in rows_of(self._connection, sql, (*plan.values, ids))]

    def is_told(self, asked: Question, reading: Reading, found: Found) -> bool:
        """Whether a copy that passes the filters too comes before this one."""
        if asked.folds or not found.has_copies:
            return False
        plan = asked.plan(None, synthetic=None if reading.synthetic else False)
        sql = (
            f"SELECT 1 FROM {plan.tables} WHERE d.id > ? AND (d.id = ? OR d.copy_of = ?)"
            f" AND {plan.where} LIMIT 1"
        )
        given = (found.row[0], found.original, found.original, *plan.values)
        return bool(rows_of(self._connection, sql, given))

    def _ranked(self, asked: Question, reading: Reading, number: int) -> Page:
        """A page by relevance; the cursor counts rows and holds while nothing changes."""
        generation = int(one(self._connection, GENERATION) or 0)
        tier = offset = 0
        if asked.cursor:
            tier, offset, made, _ = cursors.read(asked.cursor, asked.fingerprint, 4)
            if made != generation:
                words = "the index has changed since that page; begin with the first one again"
                raise StoreError("STALE_CURSOR", words, asked.cursor)
        page = Page([], expression=asked.expression(reading))
        rows = ranked(self._connection, asked, reading, tier, offset)
        place = (tier, offset)
        while batch := list(islice(rows, min(asked.limit - len(page.hits) + 1, STEP))):
            by_id = {row.id: row for row in batch}
            page.approximate |= any(row.approximate for row in batch)
            for found in self._found(list(by_id)):
                row = by_id[found.row[0]]
                if self.is_told(asked, reading, found):
                    continue
                if holds(asked.query, found.body, everything=row.read, pieces=reading.pieces):
                    if len(page.hits) == asked.limit:
                        told = (*place, generation, number)
                        page.cursor = cursors.make(asked.fingerprint, told)
                        return page
                    page.hits.append(self.hit(asked, found, row.score))
                place = (row.tier, row.offset + 1)
        return page


def reads_first(asked: Question, reading: Reading) -> float:
    """The microseconds for which to read the latest documents before the full text is asked.

    0 where that would not give a page sooner.
    """
    if any(not term.tokens for group in asked.query.groups for term in group):
        return 0
    if asked.within.documents is not None and len(asked.within.documents) <= 10 * STEP:
        return 1_000_000
    if asked.tags:
        return 0
    if any(one.key not in (*SESSION_KEYS, *DATES) for one in asked.query.filters):
        return 0  # the documents that a filter picks lie apart, each in a block of its own
    steps: tuple[tuple[Reach, int], ...] = (("beginning", LOOKED_US), ("inside", 0))
    for reach, more in steps:
        told = asked.expression(reading, reach)
        asking = more + told.words * WORD_US
        if told.share and READ_US * asked.limit / told.share <= asking:
            return max(asking, LOOKED_US) + HIT_US * asked.limit
    return 0
