"""Printed text as rows: all of it when it is short, else its head, its tail and its matches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, islice
from typing import Literal

from textual.content import Span

from tui.render.ansi import Painter
from tui.render.paints import Paint
from tui.render.row import Marker, Row, Spans, divide, fold_places, styled, wrap
from tui.render.words import many

HEAD = 40
TAIL = 20
BRIEF_HEAD, BRIEF_TAIL = 6, 12  # of what is shown without being asked for
AROUND = 3  # rows shown on each side of a match that is neither in the head nor in the tail
MATCHES = 20  # matches shown between head and tail
SLACK = 5  # hiding fewer rows than this saves nothing
EXPANDED = 8000  # rows; the part alone on the screen shows any number


Fold = Literal["folded", "brief", "open", "whole"]
"""A part by its heading alone, with its text in a short or a long excerpt, or with all of it."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a part is to be shown: cells, fold state, and what to mark.

    `earlier` is the list of things to do (status, what) that this one takes the place of.
    """

    width: int
    folded: bool = False
    expanded: bool = False
    marker: Marker = field(default_factory=Marker)
    breaks: bool = False
    label: bool = True
    earlier: tuple[tuple[str, str], ...] = ()
    brief: bool = False

    def ends(self, head: int = HEAD, tail: int = TAIL) -> tuple[int, int]:
        """How many rows of a long text are shown of its head and its tail, usually so many."""
        if self.expanded:
            return EXPANDED - EXPANDED // 4, EXPANDED // 4
        return (min(head, BRIEF_HEAD), min(tail, BRIEF_TAIL)) if self.brief else (head, tail)


def output_rows(
    text: str,
    look: Look,
    *,
    indent: int = 4,
    base: str = "",
    head: int = HEAD,
    tail: int = TAIL,
    words: bool = False,
    paint: Paint | None = None,
) -> list[Row]:
    """Printed text cut hard at the width; what is left out is counted on a row of its own.

    Its ANSI colours are kept. `words` cuts between words instead, for what was written
    to be read. `paint` adds colours of its own.
    """
    head, tail = look.ends(head, tail)
    printed = _Printed(text, max(look.width - indent, 8), look.marker, words)
    kept = _kept(printed.starts[-1], head, tail, printed.matches)
    printed.colour(paint, kept)
    rows: list[Row] = []
    before = 0
    for start, end in kept:
        if start > before:
            rows.append(gap_row(printed.hidden(before, start), look, indent))
        pieces = printed.pieces(start, end)
        rows += [styled(piece, spans, indent=indent, base=base) for piece, spans in pieces]
        before = end
    return rows


def gap_row(what: str, look: Look, indent: int) -> Row:
    """The row that stands for what is left out, and how to see it."""
    how = "enter opens all" if look.expanded else "space shows them · enter opens all"
    text = f"⋯ {what} hidden · {how}"
    if len(text) > look.width - indent:
        text = f"⋯ {what}"
    return Row(text, (Span(0, len(text), "$text-muted"),), indent, role="gap")


class _Printed:
    """The lines of a text and how many rows each takes; a line is cut where it is looked at.

    `starts` has the first row of each line, and the number of all rows at its end.
    """

    def __init__(self, text: str, room: int, marker: Marker, words: bool) -> None:
        self.lines, self._colours = Painter().take(text)
        while len(self.lines) > 1 and not self.lines[-1]:
            self.lines.pop()
        self._room, self._marker, self._words = room, marker, words
        self._places: dict[int, list[tuple[int, int]]] = {}
        self.starts = [0, *accumulate(map(self._count, range(len(self.lines)), self.lines))]
        self._marked = dict.fromkeys(marker.lines(self.lines))

    def _count(self, number: int, line: str) -> int:
        if line.isascii() and (len(line) <= self._room or not self._words):
            return max(1, -(-len(line) // self._room))
        return len(self._cut(number))

    def _cut(self, number: int) -> list[tuple[int, int]]:
        if number not in self._places:
            cut = wrap if self._words else fold_places
            self._places[number] = cut(self.lines[number], self._room)
        return self._places[number]

    def _line_at(self, row: int) -> int:
        return bisect_right(self.starts, row) - 1

    def _marks(self, number: int) -> Spans:
        return self._marker.spans(self.lines[number]) if number in self._marked else ()

    @property
    def matches(self) -> Iterator[int]:
        """The rows with a match, in their order."""
        for number in self._marked:
            marks = divide(self._marks(number), self._cut(number))
            for row, own in enumerate(marks, self.starts[number]):
                if own:
                    yield row

    def colour(self, paint: Paint | None, kept: Sequence[tuple[int, int]]) -> None:
        """Gives the lines of these rows their colours, where they have none of their own."""
        if paint:
            shown = (range(self._line_at(start), self._line_at(end - 1) + 1) for start, end in kept)
            self._colours = paint(self.lines, chain.from_iterable(shown)) | self._colours

    def pieces(self, start: int, end: int) -> Iterator[tuple[str, Spans]]:
        """The texts of some rows, and the colours and marks in them."""
        for number in range(self._line_at(start), self._line_at(end - 1) + 1):
            line, first = self.lines[number], self.starts[number]
            spans = self._colours.get(number, ()) + self._marks(number)
            if self.starts[number + 1] == first + 1 and len(line) <= self._room:
                yield line, spans
                continue
            places = self._cut(number)[max(0, start - first) : end - first]
            for (begin, stop), own in zip(places, divide(spans, places), strict=True):
                yield line[begin:stop], own

    def hidden(self, start: int, end: int) -> str:
        """How much is in these rows, in words."""
        lines = self._line_at(end) - self._line_at(start - 1) - 1
        if lines > 0:
            return many(lines, "line")
        return many(sum(len(piece) for piece, _ in self.pieces(start, end)), "character")


def _kept(total: int, head: int, tail: int, matches: Iterable[int]) -> list[tuple[int, int]]:
    """The rows [start, end) to be shown of so many; those of `matches` ascend."""
    if total <= head + tail + SLACK:
        return [(0, total)]
    inner = islice((row for row in matches if head <= row < total - tail), MATCHES)
    around = [(row - AROUND, row + AROUND + 1) for row in inner]
    kept = [(0, head)]
    for start, end in [*around, (total - tail, total)]:
        if start <= kept[-1][1] + 1:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept


def excerpted(rows: list[Row], look: Look, indent: int) -> list[Row]:
    """Rows that are made already: all where they are few, else head, tail and matches."""
    head, tail = look.ends()
    if look.expanded or len(rows) <= head + tail + SLACK:
        return rows
    kept: list[Row] = []
    before = 0
    matches = (place for place, row in enumerate(rows) if row.match)
    for start, end in _kept(len(rows), head, tail, matches):
        if start > before:
            kept.append(gap_row(many(start - before, "row"), look, indent))
        kept += rows[start:end]
        before = end
    return kept
