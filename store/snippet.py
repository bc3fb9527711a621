"""The one line that shows where a document answers a query, and the places to mark in a text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
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
# As \s, in a form that `re` looks up in a table.
_SPACE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_SHOWN = rf"[^{_SPACE}{_HIDDEN}]{{1,{LIMIT}}}"
_UNIT = re.compile(
    rf"(?P<shown>{_SHOWN}(?: {_SHOWN}){{0,20}})|(?P<gone>(?:{ESCAPE}|[{_HIDDEN}])+)|(?P<space>\s+)"
)


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
    """As `_found`, in the beginning of a long text alone where all the terms are in it.

    Of a very long one the beginning is enough where any is.
    """
    if not terms:
        return []
    *reaches, last = body.windows()
    if len(terms) == 1 and len(body.text) > PIECE and (told := _found_near(body, terms)):
        return told
    found: list[tuple[int, int, int]] = []
    for reach in reaches:
        found = _found(body.text, body.folded(reach), terms, _PER_TERM)
        if len({number for _, _, number in found}) == len(set(terms)):
            return found
    if found and len(reaches) == len(REACHES):
        return found
    if len(reaches) == len(REACHES) and (told := _found_near(body, terms)):
        return told
    return _found(body.text, body.folded(last), terms, _PER_TERM)


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
    after, more = _squeezed(body, first, len(body), limit + 2)
    before, raw = _before(body, first, limit + 1 if len(after) < limit else limit // 3 + 2)
    text = before + after
    raw += more
    if len(after) < limit + 2 and text.endswith(" "):
        text = text[:-1]
        raw.pop()
    start, end = _window(len(text), bisect_left(raw, first), limit)
    head = _ELLIPSIS if start else ""
    line = head + text[start:end] + (_ELLIPSIS if end < len(text) else "")
    raw = raw[start:end]
    moved = [(bisect_left(raw, a) + len(head), bisect_left(raw, b) + len(head)) for a, b in places]
    return line[:limit], [(a, b) for a, b in moved if a < b]


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


def _before(body: str, first: int, most: int) -> tuple[str, list[int]]:
    """The last `most` characters to show before `first`, from no more of the body than needed."""
    reach = most + LIMIT
    while True:
        start = max(0, first - reach)
        text, places = _squeezed(body, start, first, reach)
        if start == 0 or len(text) >= most:
            return text[-most:], places[-most:]
        reach *= 4


def _squeezed(body: str, start: int, end: int, most: int) -> tuple[str, list[int]]:
    """Up to `most` characters to show from [start, end), and the place of each in the body."""
    shown: list[str] = []
    places: list[int] = []
    for unit in _UNIT.finditer(body, start, end):
        if unit.lastgroup == "shown":
            shown.append(unit[0])
            places.extend(range(unit.start(), unit.end()))
        elif unit.lastgroup == "space" and shown and shown[-1] != " ":
            shown.append(" ")
            places.append(unit.start())
        if len(places) >= most:
            break
    return "".join(shown)[:most], places[:most]


def _merged(places: list[tuple[int, int]]) -> Spans:
    """The places in order, those that overlap or touch as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
