"""A term of a query, and where it occurs in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, pairwise

from store.text import Folded, Token, fold, is_joined, stands_alone, tokens

_TRIES = 5000
"""Places that are looked at in one text to mark a term."""


@dataclass(frozen=True, slots=True)
class Term:
    """Something to search for. `tokens` are its tokens in the index, none for bare punctuation.

    A word of several tokens (`foo.bar`, Han) is these next to each other, the last one as a
    beginning; a phrase is literally its text, `anywhere` where it may begin or end within a word.
    """

    text: str
    phrase: bool = False
    tokens: tuple[str, ...] = ()
    anywhere: bool = False

    @property
    def literal(self) -> bool:
        """Whether the index alone cannot tell that a text has it, as punctuation is not indexed."""
        if not self.tokens or self.glued:
            return True
        return self.phrase and not (len(self.tokens) == 1 and fold(self.text) == self.tokens[0])

    @property
    def core(self) -> str:
        """The text from the first to the last token; all of it where it has none, or a phrase."""
        found = tokens(self.text)
        if self.phrase or not found:
            return self.text.strip()
        return self.text[found[0].start : found[-1].end]

    @property
    def prefix(self) -> bool:
        """Whether longer words count that begin with the last token; one character is whole."""
        return not self.phrase and bool(self.tokens) and len(self.tokens[-1]) > 1

    @property
    def glued(self) -> bool:
        """Whether it is a word with text behind it that needs no space, `abc数据`: its beginning
        may be the end of a longer word."""
        if self.phrase or len(self.tokens) < 2 or stands_alone(self.tokens[0][0]):
            return False
        found = tokens(self.text)
        return all(a.end == b.start for a, b in pairwise(found))

    @property
    def inside(self) -> bool:
        """Whether it counts inside of words: one word of three letters or digits and more."""
        plain = self.prefix and len(self.tokens) == 1 and len(self.tokens[0]) > 2
        return plain or self.glued

    def pieces(self) -> tuple[Term, ...]:
        """The parts of a word between its punctuation, each a term of its own."""
        if self.phrase or not self.tokens:
            return (self,)
        runs: list[list[Token]] = []
        for token in tokens(self.text):
            if runs and runs[-1][-1].end == token.start:
                runs[-1].append(token)
            else:
                runs.append([token])
        return tuple(make(self.text[run[0].start : run[-1].end]) for run in runs)


def make(text: str, phrase: bool = False) -> Term:
    """The term of a typed text."""
    return Term(text, phrase, tuple(t.text for t in tokens(text)))


def occurrences(
    body: Folded,
    term: Term,
    *,
    whole: bool = False,
    inside: bool = False,
    tries: int | None = _TRIES,
) -> Iterator[tuple[int, int]]:
    """Where the term is in the text, first to last, as [start, end) of the original.

    `whole`: no longer words. `inside`: within words too. A longer word counts up to the end of
    what was typed. `tries`: how many places to look at, None for all.
    """
    parts, pattern = _pattern(term)
    if not parts or not all(part in body.text for part in parts):
        return
    whole = whole or not term.prefix
    at = 0
    for _ in range(tries) if tries else count():
        if len(parts) == 1:
            start = body.text.find(parts[0], at)
            end = start + len(parts[0])
        else:
            found = pattern.search(body.text, at)
            start, end = found.span() if found else (-1, -1)
        if start < 0:
            return
        at = start + 1
        if inside or term.anywhere or fits(body.text, start, end, whole):
            at = end
            yield body.place(start), body.place(end - 1) + 1


def occurs(body: Folded, term: Term, *, whole: bool = False, inside: bool = False) -> bool:
    """Whether the text has the term."""
    found = occurrences(body, term, whole=whole, inside=inside, tries=None)
    return next(found, None) is not None


@lru_cache(maxsize=256)
def forms(term: Term) -> tuple[str, ...]:
    """The usual ways to write the term."""
    plain = term.core
    return tuple(
        filter(None, dict.fromkeys((plain, plain.lower(), plain.capitalize(), plain.upper())))
    )


def first_as_is(text: str, term: Term) -> int:
    """The first place of a term of characters that stand alone, which no case or accent changes;
    -1 for other terms, and where it is not."""
    if term.phrase or not term.tokens or not all(map(stands_alone, term.tokens)):
        return -1
    found = _pattern(term)[1].search(text)
    return found.start() if found else -1


@lru_cache(maxsize=256)
def _pattern(term: Term) -> tuple[tuple[str, ...], re.Pattern[str]]:
    """The parts that a text must have, and the pattern of them all (no parts: only accents)."""
    if term.phrase or not term.tokens:
        parts = tuple(fold(term.text).split())
        return parts, re.compile(r"\s+".join(map(re.escape, parts)))
    if term.glued:
        return term.tokens, re.compile(re.escape("".join(term.tokens)))
    joined = re.escape(term.tokens[0])
    for before, after in pairwise(term.tokens):
        touching = stands_alone(before[-1]) or stands_alone(after[0])
        joined += (r"[\W_]*" if touching else r"[\W_]+") + re.escape(after)
    return term.tokens, re.compile(joined)


def fits(text: str, start: int, end: int, whole: bool) -> bool:
    """Whether a word begins there, and with `whole` ends there too."""
    return not is_joined(text, start) and not (whole and is_joined(text, end))
