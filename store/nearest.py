"""The words that occur and are nearest to one that does not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from store.vocabulary import Vocabulary

LOOKED_AT = 20_000
"""Tokens with a half of the word that are compared with it."""


def nearest_words(vocabulary: Vocabulary, word: str, most: int = 3) -> list[str]:
    """Tokens one slip away (two in a long word), the nearest and commonest first.

    Of a word with one slip one half is as it should be.
    """
    half = max(2, len(word) // 2)
    found: dict[str, int] = {}
    for piece in dict.fromkeys((word[:half], word[-half:])):
        for token, documents in islice(vocabulary.near(piece), LOOKED_AT):
            if abs(len(token) - len(word)) <= 2:
                found[token] = documents
    return _nearest(word, found, lambda token: -found[token], most)


def nearest_of(word: str, values: Iterable[str], most: int = 3) -> list[str]:
    """The nearest of some values, in their order where they are equally near."""
    told = list(values)
    return _nearest(word, told, told.index, most)


def _nearest(word: str, tokens: Iterable[str], then: object, most: int) -> list[str]:
    assert callable(then)
    slips = 1 if len(word) < 6 else 2
    near = [
        (far, then(token), token)
        for token in tokens
        if token != word and (far := distance(word, token, slips)) <= slips
    ]
    return [token for _, _, token in sorted(near)[:most]]


def distance(first: str, second: str, most: int) -> int:
    """Letters to put in, leave out, change or swap with the next one; `most` + 1 for more."""
    if abs(len(first) - len(second)) > most:
        return most + 1
    before: Sequence[int] = []
    row: list[int] = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(second, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == second[j - 2] and first[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
