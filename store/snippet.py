"""The one line that shows where a document answers a query, and the places to mark in a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import islice

from store.body import PIECE, REACHES, Body
from store.query import Query
from store.terms import Term, make, occurrences
from store.text import ESCAPE, Folded, folded

Spans = tuple[tuple[int, int], ...]
"""[start, end) in code points, in order, not overlapping."""

LIMIT = 240
_ELLIPSIS = "…"
_PER_TERM = 50
"""Occurrences of a term among which the best place is looked for."""

# Gone are escape sequences, control characters, and what would turn or hide the line: bidi
# controls, zero width signs, halves of characters.
_HIDDEN = (
    r"\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
    r"\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
)
_ANY_HIDDEN = re.compile(f"[{_HIDDEN}]")
_GONE = re.compile(rf"(?:{ESCAPE}|[{_HIDDEN}])+")


def snippet(
    body: Body | str, query: Query | Sequence[str], limit: int = LIMIT
) -> tuple[str, Spans]:
    """One line of at most `limit` code points around the best place, and what matched in it.

    The best place has the most different terms close together; without any it is the beginning.
    White space runs are one space, control characters are gone, `…` stands where text was cut.
    """
    limit = max(limit, 1)
    body = Body(body) if isinstance(body, str) else body
    found = _first_found(body, _terms(query))
    first = _best(found, limit)
    line, places = _line(body.text, first, limit, [(start, end) for start, end, _ in found])
    return line, _merged(places)


def marks(text: str, terms: Sequence[str], most: int = 1000) -> Spans:
    """Where the terms of a query (`Query.terms`) are in a text, `most` places of each."""
    asked = _terms(terms)
    found = _found(text, folded(text), asked, most) if asked else []
    return _merged([(start, end) for start, end, _ in found])


def _terms(query: Query | Sequence[str]) -> list[Term]:
    if isinstance(query, Query):
        return [term for group in query.groups for term in group]
    return [make(text) for text in query if text.strip()]


def _first_found(body: Body, terms: Sequence[Term]) -> list[tuple[int, int, int]]:
    """As `_found`; of a long text in its beginning, or in a piece further on with more terms."""
    if not terms:
        return []
    if len(terms) == 1 and len(body.text) > PIECE and (near := _found_near(body, terms)):
        return near
    if len(body.text) <= REACHES[0]:
        return _found(body.text, body.folded(len(body.text)), terms, _PER_TERM)
    begin = _found(body.text, body.folded(REACHES[0]), terms, _PER_TERM)
    if _different(begin) == len(set(terms)):
        return begin
    near = _found_near(body, terms)
    if _different(near) > _different(begin):
        return near
    return begin or _found(body.text, body.folded(len(body.text)), terms, _PER_TERM)


def _different(found: list[tuple[int, int, int]]) -> int:
    """How many terms were found."""
    return len({number for _, _, number in found})


def _found_near(body: Body, terms: Sequence[Term]) -> list[tuple[int, int, int]]:
    """As `_found`, in a small piece around the first place that is seen without comparing."""
    start, piece = body.near(terms)
    found = _found(piece, folded(piece), terms, _PER_TERM) if piece else []
    return [(first + start, last + start, number) for first, last, number in found]


def _found(text: str, body: Folded, terms: Sequence[Term], most: int) -> list[tuple[int, int, int]]:
    """Places as (start, end, which term) in order.

    A word that is nowhere else is looked for inside of words.
    """
    found: list[tuple[int, int, int]] = []
    for number, term in enumerate(dict.fromkeys(terms)):
        places = list(islice(occurrences(body, term), most))
        within = term.glued or (term.prefix and len("".join(term.tokens)) > 2)
        if not places and within:
            places = list(islice(occurrences(body, term, inside=True), most))
        found += [(start, _with_marks(text, end), number) for start, end in places]
    return sorted(found)


def _with_marks(text: str, end: int) -> int:
    """`end` moved behind the combining marks that belong to the character before it."""
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return end


def _best(found: list[tuple[int, int, int]], limit: int) -> int:
    """Where the window with the most different terms has its first match, the earliest of such."""
    best, most = 0, 0
    room = limit - limit // 3
    inside: dict[int, int] = {}
    last = 0
    for start, _, number in found:
        while last < len(found) and found[last][1] <= start + max(room, 1):
            inside[found[last][2]] = inside.get(found[last][2], 0) + 1
            last += 1
        if len(inside) > most:
            best, most = start, len(inside)
        if number in inside:
            inside[number] -= 1
            if not inside[number]:
                del inside[number]
    return best


def _line(
    body: str, first: int, limit: int, places: list[tuple[int, int]]
) -> tuple[str, list[tuple[int, int]]]:
    """The line around place `first` of the body, and the places that it shows, moved into it."""
    after, last = _after(body, first, limit + 2)
    before = _before(body, first, limit + 1 if len(after) < limit else limit // 3 + 2)
    text = before + after
    if last == len(body) and len(after) < limit + 2:
        text = text.rstrip(" ")
    start, end = _window(len(text), len(before), limit)
    head = _ELLIPSIS if start else ""
    line = head + text[start:end] + (_ELLIPSIS if end < len(text) else "")

    def moved(place: int) -> int:
        if place < first:
            at = len(before) - len(_squeezed(body[max(place, first - 4 * LIMIT) : first]))
        else:
            at = len(before) + len(_squeezed(body[first:place]).lstrip(" "))
        return min(max(at, start), end) - start + len(head)

    shown = [(moved(a), moved(b)) for a, b in places if a < last]
    return line[:limit], [(a, b) for a, b in shown if a < b]


def _window(length: int, at: int, limit: int) -> tuple[int, int]:
    """Which [start, end) of `length` units to show so that `at` is near the start.

    An ellipsis on each cut side is part of `limit`.
    """
    if length <= limit:
        return 0, length
    start = at - max(limit - 2, 0) // 3
    if start <= 0:
        return 0, limit - 1
    if length - start < limit:
        return length - limit + 1, length
    return start, start + max(limit - 2, 0)


def _before(body: str, first: int, most: int) -> str:
    """The last `most` characters to show before `first`, from no more of the body than needed."""
    reach = most + 80
    while True:
        start = max(0, first - reach)
        text = _squeezed(body[start:first])
        if start == 0:
            text = text.lstrip(" ")
        if start == 0 or len(text) >= most:
            return text[-most:]
        reach *= 4


def _after(body: str, first: int, most: int) -> tuple[str, int]:
    """The first `most` characters to show from `first` on, and up to where that needed the body."""
    reach = most + 80
    while True:
        text = _squeezed(body[first : first + reach]).lstrip(" ")
        if first + reach >= len(body) or len(text) > most:
            return text[:most], min(first + reach, len(body))
        reach *= 4


def _squeezed(text: str) -> str:
    """The text as a line shows it, with a space where it begins or ends with white space."""
    if _ANY_HIDDEN.search(text):
        text = _GONE.sub("", text)
    line = " ".join(text.split())
    if not line:
        return " " if text else ""
    return f"{' ' * text[0].isspace()}{line}{' ' * text[-1].isspace()}"


def _merged(places: list[tuple[int, int]]) -> Spans:
    """The places in order, those that overlap or touch as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
