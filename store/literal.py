"""Literal mode: the exact text, in any case, any white space for any, newest first.

Where the words of the text lead to documents the full text narrows them down. Else every block of
the archive is opened, latest first: nothing but its bytes is looked at until one has the text.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

import apsw

from store.errors import StoreError
from store.expression import Expression, build
from store.hits import Documents, Found
from store.newest import STEP, Place, newest
from store.query import Query, filters_of
from store.question import Question
from store.sqlite import rows_of
from store.terms import Term, make
from store.text import fold, stands_alone, tokens

Report = Callable[[int, int], None]
"""Is told how many blocks were looked at, of how many."""

_OF_BLOCK = (
    "SELECT d.time, d.id FROM part p JOIN message m ON m.id = p.message"
    " JOIN doc d ON d.session = m.session AND d.part = p.id WHERE p.block = ?"
)
_WITHOUT_PART = "SELECT time, id FROM doc WHERE part IS NULL"
EVERY = 50
"""Blocks between two reports."""


@dataclass(frozen=True, slots=True)
class Needle:
    """The text that is looked for. `pieces`: bytes that a record with it has, in small letters."""

    text: str
    pattern: re.Pattern[str]
    pieces: tuple[bytes, ...] = field(default=())

    def is_in(self, text: str) -> bool:
        """Whether a text has it."""
        return self.pattern.search(text) is not None


def needle_of(text: str, now_ms: int) -> tuple[Needle, Query]:
    """The text to look for and the filters beside it, from what was typed.

    What reads as a filter with a value that can be is one; all else is text. Raises INVALID_QUERY
    for NUL, half characters and where there is nothing to look for.
    """
    filters, rest = filters_of(text, now_ms)
    words = rest.split()
    if not words:
        raise StoreError("INVALID_QUERY", "literal mode needs a text to look for", text)
    pattern = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
    said = " ".join(words)
    term = Term(said, phrase=True, anywhere=True)
    query = Query(text, groups=((term,),), filters=filters)
    return Needle(said, pattern, _pieces(said)), query


def _pieces(text: str) -> tuple[bytes, ...]:
    """Runs that a record has as they are: nothing JSON escapes, no letters with large ones beside
    those of ascii, and no colon, which stands between a name and its value."""
    runs = re.findall(r"[^\s\"\\:\x00-\x1f\x7f]+", text)
    pieces: list[bytes] = []
    for run in runs:
        plain = re.findall(r"[\x21-\x7e]+" if run.lower() != run.upper() else r".+", run)
        if not run.isascii() and run.lower() == run.upper():
            plain = [run]
        pieces += [one.lower().encode() for one in plain]
    return tuple(sorted(set(pieces), key=len, reverse=True)[:3])


class Scanner:
    """Walks the documents that may have a text; `check` may raise to end it."""

    def __init__(
        self, connection: apsw.Connection, documents: Documents, check: Callable[[], None]
    ) -> None:
        self._connection = connection
        self._documents = documents
        self._check = check

    def found(
        self, asked: Question, needle: Needle, place: Place, report: Report | None
    ) -> Iterator[tuple[int, Found]]:
        """The documents with the text before a place, latest first, with their times."""
        told = words_of(asked, needle)
        if told is None:
            coming = self._blocks(needle, place, report)
        else:
            plan = asked.newest(told, None)
            coming = newest(self._connection, plan, place)
        while batch := list(islice(coming, STEP)):
            self._check()
            times = {ident: moment for moment, ident in batch}
            ids = list(times) if told is not None else self._passing(asked, times)
            for found in self._documents.found(ids, [[piece] for piece in needle.pieces], True):
                if needle.is_in(found.body.text):
                    yield times[found.row[0]], found

    def _passing(self, asked: Question, times: dict[int, int]) -> list[int]:
        """Those of some documents that pass the filters, in their order."""
        plan = asked.plan(None, synthetic=None)
        ids = ",".join(map(str, times))
        sql = f"SELECT d.id FROM {plan.tables} WHERE d.id IN ({ids}) AND {plan.where}"
        passed = {row[0] for row in rows_of(self._connection, sql, plan.values)}
        return [ident for ident in times if ident in passed]

    def _blocks(self, needle: Needle, place: Place, report: Report | None) -> Iterator[Place]:
        """The documents of all blocks with the pieces, and those that are of no part."""
        waiting = [(-time, -ident) for time, ident in rows_of(self._connection, _WITHOUT_PART)]
        heapq.heapify(waiting)
        blocks = rows_of(
            self._connection,
            "SELECT max(time), block FROM part WHERE block IS NOT NULL GROUP BY block"
            " ORDER BY 1 DESC",
        )
        for start in range(0, len(blocks), EVERY):
            self._check()
            if report is not None:
                report(start, len(blocks))
            some = blocks[start : start + EVERY]
            having = self._documents.with_all([block for _, block in some], needle.pieces)
            for latest, block in some:
                while waiting and -waiting[0][0] > latest:
                    moment, ident = heapq.heappop(waiting)
                    if (-moment, -ident) < place:
                        yield -moment, -ident
                if block in having:
                    for moment, ident in rows_of(self._connection, _OF_BLOCK, (block,)):
                        heapq.heappush(waiting, (-moment, -ident))
        while waiting:
            moment, ident = heapq.heappop(waiting)
            if (-moment, -ident) < place:
                yield -moment, -ident


def words_of(asked: Question, needle: Needle) -> Expression | None:
    """The expression for documents with the words of a text; None where words cannot narrow it.

    At its ends a text may begin or stop within a word.
    """
    if "\x1b" in needle.text or asked.vocabulary.covered < asked.documents:
        return None
    found = tokens(needle.text)
    folded = fold(needle.text)
    terms: list[Term] = []
    for token in found:
        closed = token.start > 0 and token.end < len(needle.text)
        alone = len(token.text) == 1 and stands_alone(token.text)
        if len(token.text) > 2 or alone:
            terms.append(make(token.text))
        elif closed:
            terms.append(Term(token.text, phrase=True, tokens=(token.text,)))
    if not terms or not folded:
        return None
    query = Query(groups=tuple((term,) for term in dict.fromkeys(terms)))
    told = build(query, asked.vocabulary, documents=asked.documents)
    return None if told.match is None else replace(told, read=False)
