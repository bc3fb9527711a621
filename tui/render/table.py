"""A Markdown table as aligned rows, its cells wrapped where the room is short."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Span

from tui.render.row import Marker, Row, Spans, divide, styled, wrap

GAP = "  "
LEAST = 4

Cell = tuple[str, Spans]


def table_rows(cells: list[list[Cell]], room: int, marker: Marker) -> list[Row]:
    """The rows of a table whose first row is its head."""
    columns = max(map(len, cells), default=0)
    if not columns:
        return []
    grid = [row + [("", ())] * (columns - len(row)) for row in cells]
    if columns * (LEAST + len(GAP)) > room:
        return _listed(grid, room, marker)
    widths = _widths(grid, room)
    rows: list[Row] = []
    for place, line in enumerate(grid):
        rows += _line(line, widths, marker, head=place == 0)
        if place == 0:
            rule = GAP.join("─" * width for width in widths)
            rows.append(Row(rule, (Span(0, len(rule), "$text-muted"),)))
    return rows


def _widths(grid: list[list[Cell]], room: int) -> list[int]:
    widths = [max(cell_len(text) for text, _ in column) or 1 for column in zip(*grid, strict=True)]
    room -= len(GAP) * (len(widths) - 1)
    while (over := sum(widths) - room) > 0:
        widest = max(widths)
        if widest <= LEAST:
            break
        second = max((width for width in widths if width < widest), default=LEAST)
        many = widths.count(widest)
        step = max(min(widest - max(second, LEAST), -(-over // many)), 1)
        widths = [width - step if width == widest else width for width in widths]
    return widths


def _line(line: list[Cell], widths: list[int], marker: Marker, *, head: bool) -> list[Row]:
    columns = [_cell(cell, width, marker, head) for cell, width in zip(line, widths, strict=True)]
    rows = []
    for place in range(max(map(len, columns))):
        text, spans = "", []
        for column, width in zip(columns, widths, strict=True):
            piece, own = column[place] if place < len(column) else ("", ())
            spans += [Span(s + len(text), e + len(text), style) for s, e, style in own]
            text += piece + " " * (width - cell_len(piece)) + GAP
        rows.append(styled(text.rstrip(), tuple(spans)))
    return rows


def _cell(cell: Cell, width: int, marker: Marker, head: bool) -> list[Cell]:
    text, spans = cell
    text = text.replace("\n", " ")
    if head:
        spans = (Span(0, len(text), "bold"), *spans)
    spans += marker.spans(text)
    rows = wrap(text, width)
    dealt = divide(spans, rows)
    return [(text[start:end], own) for (start, end), own in zip(rows, dealt, strict=True)]


def _listed(grid: list[list[Cell]], room: int, marker: Marker) -> list[Row]:
    """Too many columns for the room: each cell on a row of its own."""
    rows: list[Row] = []
    for place, line in enumerate(grid):
        for text, own in [
            piece for cell in line for piece in _cell(cell, room, marker, place == 0)
        ]:
            rows.append(styled(text, own))
        rows.append(Row("", role="blank"))
    return rows[:-1]
