"""The text of a document, read and compared no further than finding something in it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from store.query import Query
from store.terms import Term, first_as_is, fits, forms, occurs
from store.text import Folded, folded

REACHES = (8_000, 64_000)
"""Characters of a long text that are looked at first: comparing all of it takes milliseconds."""

PIECE = 1_000
"""Characters that are looked at around a place."""


class Rest(Protocol):
    """A whole text that is read when somebody asks for it."""

    @property
    def is_slow(self) -> bool:
        """Whether it takes about a millisecond to read."""

    def text(self) -> str | None:
        """All of it; None where it cannot be read."""

    def near(self, sought: Sequence[Sequence[bytes]]) -> str:
        """A piece of it around one of some words, each written in one of some ways; "" where there
        is none."""


class Body:
    """A text and its beginnings made comparable, each once.

    `begin`: the text, or its beginning where the rest is not read before somebody asks for it.
    """

    __slots__ = ("_folded", "_rest", "_text", "begin")

    def __init__(self, begin: str, rest: Rest | None = None) -> None:
        """`rest` gives the whole text."""
        self.begin = begin if rest is None else _whole_words(begin, len(begin) - 1)
        self._text = begin if rest is None else None
        self._rest = rest
        self._folded: dict[int, Folded] = {}

    @property
    def goes_on(self) -> bool:
        """Whether there is more than `begin`."""
        return self._rest is not None

    @property
    def is_slow(self) -> bool:
        """Whether it takes about a millisecond to read more than `begin`."""
        return self._rest is not None and self._rest.is_slow

    @property
    def text(self) -> str:
        """All of the text."""
        if self._text is None:
            told = self._rest.text() if self._rest else None
            self._text = self.begin if told is None else told
        return self._text

    def beginning(self) -> Body:
        """A body of `begin` alone."""
        return Body(self.begin) if self.goes_on else self

    def piece(self, terms: Sequence[Term]) -> Body | None:
        """A body of a piece further on in the text around one of some terms; None: not seen."""
        ways = [[form.encode("utf-8", "replace") for form in forms(term)] for term in terms]
        piece = self._rest.near(ways) if self._rest else ""
        return Body(piece) if piece else None

    def folded(self, reach: int) -> Folded:
        """The beginning of that length, made comparable; cut where no word is."""
        found = self._folded.get(reach)
        if found is None:
            text = self.begin if reach <= len(self.begin) else self.text
            if reach < len(text):
                text = _whole_words(text, reach)
            found = self._folded[reach] = folded(text)
        return found

    def has(self, term: Term, *, whole: bool = False) -> bool:
        """Whether the text has the term; a plain word also inside of words, unless `whole`."""
        if self._has(self.begin, term, whole):
            return True
        if not self.goes_on:
            return False
        piece = self.piece([term])
        return (piece is not None and piece.has(term, whole=whole)) or self._has(
            self.text, term, whole
        )

    def _has(self, text: str, term: Term, whole: bool) -> bool:
        """As `has`, of the beginning or of all of the text."""
        inside = term.inside and not whole
        if _is_typed(text, term, whole or not term.prefix, inside or term.anywhere):
            return True
        reaches = [*(reach for reach in REACHES if reach < len(text)), len(text)]
        return any(
            occurs(self.folded(reach), term, whole=whole, inside=inside) for reach in reaches
        )

    def first(self, term: Term) -> int:
        """The first place in `begin` where a word begins with the term in usual letters, or -1."""
        text, first, end = self.begin, -1, len(self.begin)
        if "\x1b" in text:
            return -1
        for form in forms(term):
            place = text.find(form, 0, end)
            last = place + len(form)
            if place >= 0 and (term.anywhere or fits(text, place, last, not term.prefix)):
                first, end = place, last - 1
        return first if first >= 0 else first_as_is(text, term)

    def near(self, terms: Sequence[Term]) -> tuple[int, str]:
        """Where a piece of the text begins in which a term stands, and the piece ("": not seen).

        Of several terms it is the one that comes last, where the others came already.
        """
        text = self.text
        firsts = (next(_plainly(text, term), ("", -1)) for term in terms)
        place = max((place for _, place in firsts), default=-1)
        if place < 0:
            return 0, ""
        start = max(text.rfind(" ", 0, max(0, place - PIECE // 4)), 0)
        end = text.find(" ", place + PIECE)
        return start, text[start : end if end >= 0 else None][: 2 * PIECE]


def _is_typed(text: str, term: Term, whole: bool, inside: bool) -> bool:
    """Whether the term is seen where it stands as it was typed; no says nothing."""
    return any(
        inside or fits(text, place, place + len(form), whole)
        for form, place in _plainly(text, term)
    )


def _plainly(text: str, term: Term) -> Iterator[tuple[str, int]]:
    """The usual ways to write a term, and the first place of each that is in a text.

    Far quicker than making the text comparable; what a terminal is told could hide it.
    """
    if "\x1b" not in text:
        for form in forms(term):
            if (place := text.find(form)) >= 0:
                yield form, place


def _whole_words(text: str, end: int) -> str:
    """The text up to the last white space before `end`."""
    return text[: max(text.rfind(" ", 0, end), text.rfind("\n", 0, end), 0)]


def holds(query: Query, body: Body, *, everything: bool, pieces: bool = False) -> bool:
    """Whether a text has what the query asks for.

    Without `everything` only what the index cannot tell is looked for. `pieces` as in `match`.
    """
    if not everything and not query.needs_verification:
        return True
    for group in query.groups:
        asked = everything or any(term.literal for term in group)
        if asked and not any(_has(body, term, pieces) for term in group):
            return False
    return not any(
        (everything or term.literal) and body.has(term, whole=True) for term in query.excluded
    )


def _has(body: Body, term: Term, pieces: bool) -> bool:
    if pieces and len(parts := term.pieces()) > 1:
        return all(body.has(part) for part in parts)
    return body.has(term)
