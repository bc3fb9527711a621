"""The text of a document, made comparable no further than it takes to find something in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from store.query import Query
from store.terms import Term, fits, forms, occurs
from store.text import Folded, folded

REACHES = (8_000, 64_000)
"""Characters of a long text that are looked at first: comparing all of it takes milliseconds."""

PIECE = 1_000
"""Characters that are looked at around a place."""


class Body:
    """A text and its beginnings made comparable, each once."""

    __slots__ = ("_folded", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded: dict[int, Folded] = {}

    def windows(self) -> list[int]:
        """The lengths of the beginnings to look at one after another, the last one all of it."""
        return [*(reach for reach in REACHES if reach < len(self.text)), len(self.text)]

    def folded(self, reach: int) -> Folded:
        """The beginning of that length, made comparable; cut where no word is."""
        found = self._folded.get(reach)
        if found is None:
            text = self.text
            if reach < len(text):
                end = max(text.rfind(" ", 0, reach), text.rfind("\n", 0, reach))
                text = text[: max(end, 0)]
            found = self._folded[reach] = folded(text)
        return found

    def has(self, term: Term, *, whole: bool = False) -> bool:
        """Whether the text has the term; a plain word also inside of words, unless `whole`."""
        inside = term.inside and not whole
        return self._as_typed(term, whole or not term.prefix, inside or term.anywhere) or any(
            occurs(self.folded(reach), term, whole=whole, inside=inside) for reach in self.windows()
        )

    def _as_typed(self, term: Term, whole: bool, inside: bool) -> bool:
        """Whether the term is seen where it stands as it was typed; no says nothing."""
        return any(
            inside or fits(self.text, place, place + length, whole)
            for place, length in self._plainly(term)
        )

    def _plainly(self, term: Term) -> Iterator[tuple[int, int]]:
        """Places (start, length) where the term stands in usual letters.

        Far quicker than making the text comparable; what a terminal is told could hide it.
        """
        if "\x1b" not in self.text:
            for form in forms(term):
                if (place := self.text.find(form)) >= 0:
                    yield place, len(form)

    def near(self, terms: Sequence[Term]) -> tuple[int, str]:
        """Where a piece of the text begins in which a term stands, and the piece ("": not seen).

        Of several terms it is the one that comes last, where the others came already.
        """
        firsts = (next(self._plainly(term), (-1, 0)) for term in terms)
        place = max((place for place, _ in firsts), default=-1)
        if place < 0:
            return 0, ""
        start = max(self.text.rfind(" ", 0, max(0, place - PIECE // 4)), 0)
        end = self.text.find(" ", place + PIECE)
        return start, self.text[start : end if end >= 0 else None][: 2 * PIECE]


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
