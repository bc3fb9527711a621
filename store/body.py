"""The text of a document, made comparable no further than it takes to find something in it."""

from __future__ import annotations

from collections.abc import Sequence

from store.query import Query
from store.terms import Term, occurs
from store.text import Folded, folded

REACHES = (8_000, 64_000)
"""Characters of a long text that are looked at first: comparing all of it takes milliseconds."""

PIECE = 2_000
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
        if inside and len(term.tokens) == 1 and self._plainly(term.tokens[0]) >= 0:
            return True
        return any(
            occurs(self.folded(reach), term, whole=whole, inside=inside) for reach in self.windows()
        )

    def _plainly(self, token: str) -> int:
        """A place where the token stands in usual letters, -1 where it does not.

        Far quicker than making the text comparable; what a terminal is told could hide it.
        """
        if "\x1b" in self.text:
            return -1
        first = -1
        for one in (token, token.capitalize(), token.upper()):
            place = self.text.find(one, 0, first if first >= 0 else len(self.text))
            first = place if place >= 0 else first
        return first

    def near(self, terms: Sequence[Term]) -> tuple[int, str]:
        """Where a piece of the text begins in which a word stands, and the piece ("": not seen)."""
        for term in terms:
            if term.tokens and (place := self._plainly(max(term.tokens, key=len))) >= 0:
                start = max(self.text.rfind(" ", 0, max(0, place - PIECE // 4)), 0)
                end = self.text.find(" ", place + PIECE)
                return start, self.text[start : end if end >= 0 else None][: 2 * PIECE]
        return 0, ""


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
