"""A query as a full-text expression: every word with the longer words that have it inside.

FTS5 gathers all documents of all words with one beginning before it answers, however few of them
are wanted, and knows nothing of what stands inside of words. So the vocabulary names the words,
and the expression asks for each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isqrt
from typing import Literal

from store.query import Query, exclusion
from store.terms import Term, make
from store.text import spaced, stands_alone
from store.vocabulary import Vocabulary, Words

Reach = Literal["exact", "beginning", "inside"]
"""How far a word may be from what was typed: itself, longer words that begin with it, or all that
contain it."""

MOST = 3_000
"""Words in place of a typed one, beyond which the texts are read instead."""
NEVER = "\ue000\ue001\ue000"
"""A word that no text has."""
WORD_US = 2.5
"""About the microseconds that it takes the full text to find a word, wherever it is."""
BOTH_US = 6
"""The same where it has to be in one document with others."""
READ_US = 50
"""About the microseconds that it takes to look for words in a document that lies by itself."""
RANKED = 300
"""Words beyond which counting how often each one is in a document takes too long."""


@dataclass(frozen=True, slots=True)
class Expression:
    """What FTS5 is asked. `match` None: it cannot say where to look, all documents are to be read.

    `read`: the text of a document has to say whether it holds what the expression leaves out.
    `words`: how many words it asks for. `share`: about which share of the documents have what the
    query asks for, as far as can be seen without asking; `documents`: how many `match` finds.
    """

    match: str | None
    read: bool
    words: int
    share: float
    documents: int = 0


def build(
    query: Query,
    vocabulary: Vocabulary | None,
    *,
    pieces: bool = False,
    reach: Reach = "inside",
    documents: int = 0,
    wanted: float = inf,
) -> Expression:
    """The expression of a query over about so many documents, of which so many hits are `wanted`.

    With `pieces` the parts of a term like `foo.bar` may stand anywhere.
    """
    whole = vocabulary is not None and vocabulary.covered >= documents
    maker = _Maker(vocabulary, whole, reach)
    groups = [maker.group(group, pieces) for group in query.groups]
    share = 1.0
    for group in groups:
        share *= min(1.0, group.documents / max(1, documents))
    told = _asked(groups, share, max(1, documents), wanted)
    if not told:
        return Expression(None, bool(groups), 0, share)
    match = " AND ".join(group.match for group in told)
    unwanted = exclusion(query)
    if unwanted:
        match = f"({match}) NOT {unwanted}"
    read = query.needs_verification or len(told) < len(groups)
    count = min(group.documents for group in told)
    return Expression(match, read, sum(group.words for group in told), share, count)


@dataclass(frozen=True, slots=True)
class _Way:
    """An expression ("": the index cannot tell), and about how many documents and words it has."""

    match: str
    documents: int
    words: int = 0


def _asked(groups: Sequence[_Way], share: float, documents: int, wanted: float) -> list[_Way]:
    """The ways to ask for: of the others the texts are read, where that is quicker."""
    ways = sorted((group for group in groups if group.match), key=lambda group: group.documents)
    best, least = 0, inf
    words, asked = 0, 1.0
    for number, way in enumerate(ways, 1):
        words += way.words
        asked *= min(1.0, way.documents / documents)
        cost = float(words * (WORD_US if number == 1 else BOTH_US))
        if number < len(groups):
            cost += min(documents * asked, wanted * asked / share if share else inf) * READ_US
        if cost < least:
            best, least = number, cost
    return ways[:best]


class _Maker:
    """Makes the expressions of terms."""

    def __init__(self, vocabulary: Vocabulary | None, whole: bool, reach: Reach) -> None:
        self._vocabulary = vocabulary
        self._whole = whole
        self._reach = reach

    def group(self, terms: Sequence[Term], pieces: bool) -> _Way:
        """The way to any of some terms."""
        ways = [self.term(term, pieces) for term in terms]
        documents = sum(way.documents for way in ways)
        if not all(way.match for way in ways):
            return _Way("", documents)
        match = _joined(" OR ", [way.match for way in ways])
        return _Way(match, documents, sum(way.words for way in ways))

    def term(self, term: Term, pieces: bool) -> _Way:
        """The way to one term."""
        if not term.tokens:
            return _Way("", 0)
        if pieces and len(parts := term.pieces()) > 1:
            ways = [self.term(part, False) for part in parts]
            if not all(way.match for way in ways):
                return _Way("", 0)
            least = min(way.documents for way in ways)
            words = sum(way.words for way in ways)
            return _Way(_joined(" AND ", [way.match for way in ways]), least, words)
        if term.glued and self._reach == "inside":
            rest = term.tokens[1:]
            if len(rest) > 1 and len(rest[-1]) == 1 and not stands_alone(rest[-1]):
                rest = rest[:-1]  # one letter is a whole word to the index
            return self.term(make("".join(rest)), False)
        if not term.prefix or self._reach == "exact":
            return _Way(quoted(term.core), self._documents(term.tokens), len(term.tokens))
        if len(term.tokens) > 1:
            return self._phrase(term)
        return self._word(term.tokens[0])

    def _documents(self, tokens: Sequence[str]) -> int:
        """In about how many documents these tokens can be at most."""
        if self._vocabulary is None:
            return 0
        return min(self._vocabulary.exactly(token) for token in tokens)

    def _phrase(self, term: Term) -> _Way:
        """Tokens next to each other, the last one as a beginning."""
        *head, last = term.tokens
        found = self._beginning(last)
        count = min(self._documents(head), found.documents)
        if found.whole and len(found.tokens) <= RANKED:
            ways = [quoted(" ".join((*head, token))) for token in found.tokens]
            words = len(term.tokens) * max(1, len(found.tokens))
            return _Way(_any(ways or [quoted(term.core)]), count, words)
        return _Way(f"{quoted(term.core)}*", count, len(term.tokens))

    def _word(self, token: str) -> _Way:
        found = self._beginning(token)
        count = found.documents
        ways = [quoted(token)]
        if not found.whole or self._reach == "beginning":
            ways = [f"{quoted(token)}*"]
        else:
            ways += [quoted(other) for other in found.tokens if other != token]
        if self._reach == "inside" and self._vocabulary is not None and len(token) > 2:
            inside = self._vocabulary.containing(token, MOST)
            if not inside.whole:
                return _Way("", count + inside.documents)
            ways += [quoted(other) for other in inside.tokens]
            count += inside.documents
        return _Way(_any(ways), count, len(ways))

    def _beginning(self, token: str) -> Words:
        """Longer words; not whole where documents may have some that the vocabulary has not."""
        if self._vocabulary is None:
            return Words(whole=False)
        found = self._vocabulary.beginning(token, MOST)
        return found if self._whole else Words(found.tokens, found.documents, False)


def quoted(text: str) -> str:
    """A text as a phrase of FTS5."""
    return '"' + spaced(text).replace('"', '""') + '"'


def _joined(word: str, parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({word.join(parts)})"


def _any(parts: Sequence[str]) -> str:
    """An expression for any of some words.

    FTS5 asks each word of an OR for each document that it finds; so many are put in groups, with a
    NOT around each, as ORs inside of an OR are one to it.
    """
    size = isqrt(len(parts))
    if size < 8:
        return _joined(" OR ", parts)
    groups = [parts[at : at + size] for at in range(0, len(parts), size)]
    return _joined(" OR ", [f'({_joined(" OR ", group)} NOT "{NEVER}")' for group in groups])
