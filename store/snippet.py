"""The one line that shows where a document answers a query, and the places to mark in a text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice

from store.query import Query
from store.terms import Term, make, occurrences
from store.text import Folded, folded

Spans = tuple[tuple[int, int], ...]
"""[start, end) in code points, in order, not overlapping."""

LIMIT = 240
_ELLIPSIS = "…"
_PER_TERM = 50
"""Occurrences of a term among which the best place is looked for."""

# Gone are escape sequences, control characters, and what would turn or hide the line: bidi
# controls, zero width signs, halves of characters.
_UNIT = re.compile(
    r"((?:\x1b\[[0-?]*[ -/]*[@-~]"
    r"|[\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    r"\ud800-\udfff])+)|(\s+)|.",
    re.DOTALL,
)


def snippet(body: str, query: Query | Sequence[str], limit: int = LIMIT) -> tuple[str, Spans]:
    """One line of at most `limit` code points around the best place, and what matched in it.

    The best place has the most different terms close together; without any it is the beginning.
    White space runs are one space, control characters are gone, `…` stands where text was cut.
    """
    limit = max(limit, 1)
    found = _found(folded(body), _terms(query), _PER_TERM)
    first = _best(found, limit)
    line, places = _line(body, first, limit, [(start, end) for start, end, _ in found])
    return line, _merged(places)


def marks(text: str, terms: Sequence[str], most: int = 1000) -> Spans:
    """Where the terms of a query (`Query.terms`) are in a text, `most` places of each."""
    found = _found(folded(text), _terms(terms), most)
    return _merged([(start, end) for start, end, _ in found])


def _terms(query: Query | Sequence[str]) -> list[Term]:
    if isinstance(query, Query):
        return [term for group in query.groups for term in group]
    return [make(text) for text in query if text.strip()]


def _found(body: Folded, terms: Sequence[Term], most: int) -> list[tuple[int, int, int]]:
    """Places as (start, end, which term) in order. Within words only where nowhere else."""
    found: list[tuple[int, int, int]] = []
    for number, term in enumerate(dict.fromkeys(terms)):
        places = list(islice(occurrences(body, term), most))
        if not places and term.prefix and len("".join(term.tokens)) > 2:
            places = list(islice(occurrences(body, term, inside=True), most))
        found += [(start, end, number) for start, end in places]
    return sorted(found)


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
    before = _before(body, first, limit + 1)
    after = _squeezed(body, first, len(body), limit + 2)
    units = before + after
    if len(after) < limit + 2 and units and units[-1][0] == " ":
        units.pop()
    at = sum(place < first for _, place in units)
    start, end = _window(len(units), at, limit)
    shown = units[start:end]
    head = _ELLIPSIS if start else ""
    line = head + "".join(c for c, _ in shown) + (_ELLIPSIS if end < len(units) else "")
    raw = [place for _, place in shown]
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


def _before(body: str, first: int, most: int) -> list[tuple[str, int]]:
    """The last `most` units before `first`, from no more of the body than they need."""
    reach = 2 * most
    while True:
        start = max(0, first - reach)
        units = _squeezed(body, start, first, reach)
        if start == 0 or len(units) >= most:
            return units[-most:]
        reach *= 4


def _squeezed(body: str, start: int, end: int, most: int) -> list[tuple[str, int]]:
    """Up to `most` characters to show from [start, end), each with its place in the body."""
    units: list[tuple[str, int]] = []
    for unit in _UNIT.finditer(body, start, end):
        if unit[1]:
            continue
        if not unit[2]:
            units.append((unit[0], unit.start()))
        elif units and units[-1][0] != " ":
            units.append((" ", unit.start()))
        if len(units) >= most:
            break
    return units


def _merged(places: list[tuple[int, int]]) -> Spans:
    """The places in order, those that overlap or touch as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
