"""A term of a query, and where it occurs in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from store.text import Folded, Token, fold, is_joined, stands_alone, tokens

_TRIES = 2000
"""Places that are looked at in one text before giving up on more."""


@dataclass(frozen=True, slots=True)
class Term:
    """Something to search for. `tokens` are its tokens in the index, none for bare punctuation.

    A word of several tokens (`foo.bar`, Han) is these next to each other, the last one as a
    beginning; a phrase is literally its text.
    """

    text: str
    phrase: bool = False
    tokens: tuple[str, ...] = ()

    @property
    def literal(self) -> bool:
        """Whether the index alone cannot tell that a text has it, as punctuation is not indexed."""
        if not self.tokens:
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
    body: Folded, term: Term, *, whole: bool = False, inside: bool = False
) -> Iterator[tuple[int, int]]:
    """Where the term is in the text, first to last, as [start, end) of the original.

    `whole`: no longer words. `inside`: within words too. A longer word counts up to the end of
    what was typed.
    """
    first, rest = _pattern(term)
    whole = whole or not term.prefix
    at = body.text.find(first)
    for _ in range(_TRIES):
        if at < 0:
            return
        found = rest.match(body.text, at)
        after = at + 1
        if found and (inside or _fits(body.text, at, found.end(), whole)):
            after = max(found.end(), after)
            yield body.place(at), body.place(found.end() - 1) + 1
        at = body.text.find(first, after)


def occurs(body: Folded, term: Term, *, whole: bool = False) -> bool:
    """Whether the text has the term."""
    return next(occurrences(body, term, whole=whole), None) is not None


@lru_cache(maxsize=256)
def _pattern(term: Term) -> tuple[str, re.Pattern[str]]:
    """What to look for first (found fast), and the pattern of the whole from there on."""
    if term.phrase or not term.tokens:
        parts = fold(term.text).split()
        return parts[0], re.compile(r"\s+".join(map(re.escape, parts)))
    joined = re.escape(term.tokens[0])
    for before, after in pairwise(term.tokens):
        touching = stands_alone(before[-1]) or stands_alone(after[0])
        joined += (r"[\W_]*" if touching else r"[\W_]+") + re.escape(after)
    return term.tokens[0], re.compile(joined)


def _fits(text: str, start: int, end: int, whole: bool) -> bool:
    return not is_joined(text, start) and not (whole and is_joined(text, end))
