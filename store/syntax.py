"""The typed text of a query cut into pieces: words, phrases, filters and the `|` between terms.

Nothing is an error here: what does not read as anything else is a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from store.text import tokens

KEYS = (
    "kind",
    "tool",
    "status",
    "role",
    "agent",
    "slice",
    "model",
    "source",
    "project",
    "dir",
    "session",
    "title",
    "is",
    "has",
    "cause",
    "evidence",
    "since",
    "before",
    "on",
)

_PHRASE = re.compile(r'"(?=\s*[^\s"])([^"]*)"')
_ONE = r'(?:"[^"]*"|[^\s,]*)'
_FILTER = re.compile(rf"({'|'.join(KEYS)}):({_ONE}(?:,{_ONE})*)")
_VALUE = re.compile(r'"([^"]*)"|([^\s,]+)')
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of typed text at [start, end).

    `text` is what to search for, without quotes and the leading `-`. A filter has `key` and
    `values` as well, and `text` is all of its values as typed.
    """

    kind: Literal["word", "phrase", "filter", "or"]
    start: int
    end: int
    text: str
    negated: bool = False
    key: str = ""
    values: tuple[str, ...] = ()


def pieces(text: str) -> list[Piece]:
    """The pieces of a query in their order."""
    found = list(_cut(text))
    return [replace(p, kind="or") if _binds(found, i) else p for i, p in enumerate(found)]


def _cut(text: str) -> Iterator[Piece]:
    at = 0
    while word := _WORD.search(text, at):
        piece = _piece(text, word.start(), word.end())
        yield piece
        at = piece.end


def _piece(text: str, start: int, word_end: int) -> Piece:
    """The piece that begins at `start`; a word would end at `word_end`."""
    negated = text[start] == "-"
    body = start + negated
    if phrase := _PHRASE.match(text, body):
        return Piece("phrase", start, phrase.end(), phrase[1], negated)
    if found := _FILTER.match(text, body):
        values = tuple(a or b for a, b in _VALUE.findall(found[2]) if (a or b).strip())
        if values:
            return Piece("filter", start, found.end(), found[2], negated, found[1], values)
    rest = text[body:word_end]
    # An option (--all) and an arrow (->x) are text, not something left out.
    if negated and (rest[:1] in ("", "-", ">") or not tokens(rest)):
        negated, rest = False, text[start:word_end]
    return Piece("word", start, word_end, rest, negated)


def _binds(found: list[Piece], i: int) -> bool:
    """Whether piece `i` is a `|` with a term on both sides."""
    if not _is_bar(found[i]) or not 0 < i < len(found) - 1:
        return False
    return all(
        p.kind != "filter" and not p.negated and not _is_bar(p)
        for p in (found[i - 1], found[i + 1])
    )


def _is_bar(piece: Piece) -> bool:
    return piece.kind == "word" and piece.text == "|" and not piece.negated
