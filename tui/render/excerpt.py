"""Printed text as rows: all of it when it is short, else its head, its tail and its matches."""

from __future__ import annotations

from dataclasses import dataclass, field

from textual.content import Span

from tui.render.ansi import Painter
from tui.render.paints import Paint
from tui.render.row import Marker, Row, Spans, divide, fold_places, is_marked, styled, wrap
from tui.render.words import many

HEAD = 40
TAIL = 20
AROUND = 3  # rows shown on each side of a match that is neither in the head nor in the tail
MATCHES = 20  # matches shown between head and tail
SLACK = 5  # hiding fewer rows than this saves nothing
EXPANDED = 8000  # rows; the part alone on the screen shows any number

Piece = tuple[int, str, Spans]
"""The number of a line, a row's worth of it, and the marks in that."""


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
    room = max(look.width - indent, 8)
    pieces = _pieces(text, room, look.marker, words, paint)
    if look.expanded:
        head, tail = EXPANDED - EXPANDED // 4, EXPANDED // 4
    rows: list[Row] = []
    before = 0
    for start, end in _kept(pieces, head, tail):
        if start > before:
            rows.append(gap_row(_hidden(pieces, before, start), look, indent))
        rows += [
            styled(piece, spans, indent=indent, base=base) for _, piece, spans in pieces[start:end]
        ]
        before = end
    return rows


def gap_row(what: str, look: Look, indent: int) -> Row:
    """The row that stands for what is left out, and how to see it."""
    how = "enter opens all" if look.expanded else "space shows them · enter opens all"
    text = f"⋯ {what} hidden · {how}"
    if len(text) > look.width - indent:
        text = f"⋯ {what}"
    return Row(text, (Span(0, len(text), "$text-muted"),), indent, role="gap")


def _pieces(text: str, room: int, marker: Marker, words: bool, paint: Paint | None) -> list[Piece]:
    lines, colours = Painter().take(text)
    while len(lines) > 1 and not lines[-1]:
        lines.pop()
    painted = paint(lines) if paint else {}
    marked = set(marker.lines(lines))
    cut = wrap if words else fold_places
    pieces: list[Piece] = []
    for number, line in enumerate(lines):
        spans = colours.get(number, painted.get(number, ()))
        if number in marked:
            spans += marker.spans(line)
        if len(line) <= room and line.isascii():
            pieces.append((number, line, spans))
            continue
        places = cut(line, room)
        dealt = divide(spans, places) if spans else [()] * len(places)
        pieces += [
            (number, line[start:end], own) for (start, end), own in zip(places, dealt, strict=True)
        ]
    return pieces


def _kept(pieces: list[Piece], head: int, tail: int) -> list[tuple[int, int]]:
    total = len(pieces)
    if total <= head + tail + SLACK:
        return [(0, total)]
    middle = range(head, total - tail)
    matches = [place for place in middle if is_marked(pieces[place][2])][:MATCHES]
    around = [(place - AROUND, place + AROUND + 1) for place in matches]
    kept = [(0, head)]
    for start, end in [*around, (total - tail, total)]:
        if start <= kept[-1][1] + 1:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept


def excerpted(rows: list[Row], look: Look, indent: int) -> list[Row]:
    """Rows that are made already: all where they are few, else head, tail and matches."""
    if look.expanded or len(rows) <= HEAD + TAIL + SLACK:
        return rows
    pieces: list[Piece] = [(number, row.text, row.spans) for number, row in enumerate(rows)]
    kept: list[Row] = []
    before = 0
    for start, end in _kept(pieces, HEAD, TAIL):
        if start > before:
            kept.append(gap_row(many(start - before, "row"), look, indent))
        kept += rows[start:end]
        before = end
    return kept


def _hidden(pieces: list[Piece], start: int, end: int) -> str:
    lines = pieces[end][0] - pieces[start - 1][0] - 1
    if lines > 0:
        return many(lines, "line")
    return many(sum(len(piece) for _, piece, _ in pieces[start:end]), "character")
