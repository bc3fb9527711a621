"""The one line that shows where a document answers a query, and the places to mark in a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import islice, pairwise

from store.body import REACHES, Body
from store.query import Query
from store.terms import Term, make, occurrences
from store.text import ESCAPE, Folded, folded

Spans = tuple[tuple[int, int], ...]
"""[start, end) in code points, in order, not overlapping."""

LIMIT = 240
_ELLIPSIS = "…"
_PER_TERM = 20
"""Occurrences of a term among which the best place is looked for."""
_BESIDE = 80
"""Characters beside what is shown that tell whether a word begins there."""

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
    terms = list(dict.fromkeys(_terms(query)))
    text, first = _best_place(body, terms, limit)
    return _line(text, first, terms, limit)


def marks(text: str, terms: Sequence[str], most: int = 1000) -> Spans:
    """Where the terms of a query (`Query.terms`) are in a text, `most` places of each."""
    asked = _terms(terms)
    found = _found(text, folded(text), asked, most) if asked else []
    return _merged([(start, end) for start, end, _ in found])


def _terms(query: Query | Sequence[str]) -> list[Term]:
    if isinstance(query, Query):
        return [term for group in query.groups for term in group]
    return [make(text) for text in query if text.strip()]


def _best_place(body: Body, terms: Sequence[Term], limit: int) -> tuple[str, int]:
    """Where the line is to be, in which text: all of the body's, its beginning, or a piece."""
    shown = body.beginning()
    first, told = _place_in(shown, terms, limit)
    if body.goes_on and told < len(terms) and not (told and body.is_slow):
        piece = body.piece(terms) or Body(body.text)
        other, more = _place_in(piece, terms, limit)
        if more > told:
            return piece.text, other
    return shown.text, first


def _place_in(body: Body, terms: Sequence[Term], limit: int) -> tuple[int, int]:
    """The best place in a text, and how many different terms were found in it."""
    if len(terms) == 1 and (first := body.first(terms[0])) >= 0:
        return first, 1
    found = _first_found(body, terms) if terms else []
    return _best(found, limit), _different(found)


def _first_found(body: Body, terms: Sequence[Term]) -> list[tuple[int, int, int]]:
    """As `_found`; of a long text in its beginning, or in a piece further on with more terms."""
    most = _PER_TERM if len(terms) > 1 else 1
    if len(body.text) <= REACHES[0]:
        return _found(body.text, body.folded(len(body.text)), terms, most)
    begin = _found(body.text, body.folded(REACHES[0]), terms, most)
    if _different(begin) == len(terms):
        return begin
    start, piece = body.near(terms)
    near = _found(piece, folded(piece), terms, most) if piece else []
    if _different(near) > _different(begin):
        return [(first + start, last + start, number) for first, last, number in near]
    return begin or _found(body.text, body.folded(len(body.text)), terms, most)


def _different(found: list[tuple[int, int, int]]) -> int:
    """How many terms were found."""
    return len({number for _, _, number in found})


def _found(text: str, body: Folded, terms: Sequence[Term], most: int) -> list[tuple[int, int, int]]:
    """Places as (start, end, which term) in order.

    A word that is nowhere else is looked for inside of words.
    """
    found: list[tuple[int, int, int]] = []
    for number, term in enumerate(terms):
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


def _line(text: str, first: int, terms: Sequence[Term], limit: int) -> tuple[str, Spans]:
    """The line around place `first` of a text, and what matched in it."""
    before, after = limit // 3 + _BESIDE, limit + _BESIDE
    while True:
        start, last = max(0, first - before), min(len(text), first + after)
        places = _merged(_places(text, start, last, terms))
        ends = [end for place in places for end in place]
        line, at = _squeezed_at(text, [start, first, last, *ends])
        behind = len(line) - at[first]
        lacks_after = last < len(text) and behind < limit + 2
        lacks_before = start > 0 and at[first] < (limit if behind < limit else limit // 3) + 2
        if not lacks_after and not lacks_before:
            break
        before, after = before << 2 * lacks_before, after << 2 * lacks_after
    if last == len(text):
        line = line.rstrip(" ")
    shown_from, shown_to = _window(len(line), at[first], limit)
    head = _ELLIPSIS if shown_from else ""
    shown = head + line[shown_from:shown_to] + (_ELLIPSIS if shown_to < len(line) else "")
    by = shown_from - len(head)
    spans = [
        (max(at[begin], shown_from) - by, min(at[end], shown_to) - by) for begin, end in places
    ]
    return shown[:limit], _merged([(begin, end) for begin, end in spans if begin < end])


def _places(text: str, start: int, last: int, terms: Sequence[Term]) -> list[tuple[int, int]]:
    """The places [start, end) of the terms within a part of a text."""
    low = max(0, start - _BESIDE)
    piece = text[low : last + _BESIDE]
    found = _found(piece, folded(piece), terms, _PER_TERM) if terms else []
    return [
        (place + low, min(end + low, last))
        for place, end, _ in found
        if start <= place + low < last
    ]


def _squeezed_at(text: str, places: Sequence[int]) -> tuple[str, dict[int, int]]:
    """The text from the first to the last of some places as a line, and where each is in it."""
    line: list[str] = []
    at: dict[int, int] = {}
    size = 0
    cuts = sorted(set(places))
    is_space = cuts[0] == 0
    for here, there in pairwise(cuts):
        at[here] = size
        piece = _squeezed(text[here:there])
        if is_space and piece[:1] == " ":
            piece = piece[1:]
        if piece:
            is_space = piece[-1] == " "
            size += len(piece)
            line.append(piece)
    at[cuts[-1]] = size
    return "".join(line), at


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


def _squeezed(text: str) -> str:
    """The text as a line shows it, with a space where it begins or ends with white space."""
    if _ANY_HIDDEN.search(text):
        text = _GONE.sub("", text)
    line = " ".join(text.split())
    if not line:
        return " " if text else ""
    return f"{' ' * text[0].isspace()}{line}{' ' * text[-1].isspace()}"


def _merged(places: Sequence[tuple[int, int]]) -> Spans:
    """The places in order, those that overlap or touch as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
