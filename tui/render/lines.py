"""A text of any size as numbered lines, cut into rows only where they are looked at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from rich.cells import cell_len

from store.model import Part, Tool
from tui.render.ansi import Painter
from tui.render.part import heading, plain_text
from tui.render.row import Marker, Row, Spans, divide, fold, folded, is_marked
from tui.render.tool import tool_input

CHUNK = 100_000  # characters taken in between two looks at whether anyone still waits
LONG = 4_000  # characters; a longer line is held in pieces, so that a row is cheap to make


@dataclass(slots=True)
class Lines:
    """The lines of a text, harmless. `numbers` has 0 for the further pieces of a long line.

    `starts` has the first row of each piece at the width (cells) it was made for. `count` is how
    many lines there are, `matches` the pieces in which a term stands. `styles` has the colours of
    coloured pieces, and the marks of long lines, for a term may stand over the end of a piece.
    """

    width: int
    texts: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    rows: int = 0
    count: int = 0
    widest: int = 0
    matches: list[int] = field(default_factory=list)
    styles: dict[int, Spans] = field(default_factory=dict)
    whole: bool = False

    def line_at(self, row: int) -> int:
        """The place of the line that a row belongs to."""
        return max(bisect_right(self.starts, row) - 1, 0)

    def row(self, place: int, marker: Marker) -> Row | None:
        """The row at a place, None behind the last one."""
        if not 0 <= place < self.rows:
            return None
        line = self.line_at(place)
        return self._cut(line, marker)[place - self.starts[line]]

    def row_of(self, line: int, marker: Marker) -> int:
        """The first row of a line that holds a match, else its first row."""
        cut = self._cut(line, marker)
        return self.starts[line] + next((n for n, row in enumerate(cut) if row.match), 0)

    def _cut(self, line: int, marker: Marker) -> list[Row]:
        styles = self.styles.get(line, ())
        own = None if self._is_piece(line) else marker
        return folded(self.texts[line], self.width, styles, marker=own)

    def _is_piece(self, line: int) -> bool:
        below = self.numbers[line + 1 : line + 2]
        return not self.numbers[line] or below == [0]

    def place_of(self, number: int) -> int:
        """The place of the line with this number (1-based), the last one's beyond the end."""
        wanted = max(1, min(number, self.count))
        # Pieces only add places, so a line stands at or behind the place of its number.
        return self.numbers.index(wanted, wanted - 1) if self.numbers else 0


def take_lines(
    text: str,
    width: int,
    marker: Marker,
    *,
    most: int | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Lines:
    """The lines of a text at a width; of its first `most` characters only, or until `stop`."""
    lines, painter = Lines(width), Painter()
    for chunk in _chunks(text, most):
        if stop():
            return lines
        taken, colours = painter.take(chunk)
        marked = set(marker.lines(taken))
        for place, line in enumerate(taken):
            _add(lines, line, colours.get(place, ()), marker if place in marked else None)
    lines.whole = most is None or most >= len(text)
    return lines


def _chunks(text: str, most: int | None) -> Iterator[str]:
    end = len(text) if most is None else min(most, len(text))
    if text.endswith("\n", 0, end):
        end -= 1
    start = 0
    while start < end:
        stop = start + CHUNK
        cut = text.find("\n", stop, end) if stop < end else end
        cut = end if cut < 0 else cut
        yield text[start:cut]
        start = cut + 1
    if end <= 0:
        yield ""


def _add(lines: Lines, line: str, styles: Spans, marker: Marker | None) -> None:
    lines.count += 1
    places = [(start, start + LONG) for start in range(0, max(len(line), 1), LONG)]
    if marker and len(places) > 1:
        styles += marker.spans(line)
    dealt = divide(styles, places) if styles else [()] * len(places)
    for (start, end), own in zip(places, dealt, strict=True):
        piece, at = line[start:end], len(lines.texts)
        lines.texts.append(piece)
        lines.numbers.append(lines.count if start == 0 else 0)
        lines.starts.append(lines.rows)
        if own:
            lines.styles[at] = own
        if marker and (len(places) == 1 or is_marked(own)):
            lines.matches.append(at)
        cells = len(piece) if piece.isascii() else cell_len(piece)
        lines.widest = max(lines.widest, cells)
        lines.rows += 1 if cells <= lines.width else len(fold(piece, lines.width))


def sides(part: Part) -> list[tuple[str, str]]:
    """What a part holds, by name: a tool's output (or error), input and diff; else its text."""
    content = part.content
    if not isinstance(content, Tool):
        return [("text", plain_text(part) or heading(part))]
    found = [
        ("output", content.output or ""),
        ("error", content.error or ""),
        ("input", tool_input(content)),
        ("diff", content.diff),
    ]
    return [(name, text) for name, text in found if text] or [("output", "")]
