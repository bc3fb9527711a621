"""A text of any size as numbered lines, cut into rows only where they are looked at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from rich.cells import cell_len

from store.model import Part, Tool
from tui.render.part import heading, plain_text
from tui.render.row import Marker, Row, fold, folded
from tui.render.safe import clean
from tui.render.tool import tool_input

CHUNK = 100_000  # characters taken in between two looks at whether anyone still waits
LONG = 4_000  # characters; a longer line is held in pieces, so that a row is cheap to make


@dataclass(slots=True)
class Lines:
    """The lines of a text, harmless. `numbers` has 0 for the further pieces of a long line.

    `starts` has the first row of each piece at the width (cells) it was made for. `count` is how
    many lines there are, `matches` the pieces in which a term stands.
    """

    width: int
    texts: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    rows: int = 0
    count: int = 0
    widest: int = 0
    matches: list[int] = field(default_factory=list)
    whole: bool = False

    def line_at(self, row: int) -> int:
        """The place of the line that a row belongs to."""
        return max(bisect_right(self.starts, row) - 1, 0)

    def row(self, place: int, marker: Marker) -> Row | None:
        """The row at a place, None behind the last one."""
        if not 0 <= place < self.rows:
            return None
        line = self.line_at(place)
        cut = folded(self.texts[line], self.width, marker=marker)
        return cut[place - self.starts[line]]

    def row_of(self, line: int, marker: Marker) -> int:
        """The first row of a line that holds a match, else its first row."""
        cut = folded(self.texts[line], self.width, marker=marker)
        return self.starts[line] + next((n for n, row in enumerate(cut) if row.match), 0)


def take_lines(
    text: str,
    width: int,
    marker: Marker,
    *,
    most: int | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Lines:
    """The lines of a text at a width; of its first `most` characters only, or until `stop`."""
    lines = Lines(width)
    for chunk in _chunks(text, most):
        if stop():
            return lines
        first = len(lines.texts)
        for piece in clean(chunk).split("\n"):
            _add(lines, piece)
        lines.matches += [first + place for place in marker.lines(lines.texts[first:])]
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


def _add(lines: Lines, line: str) -> None:
    lines.count += 1
    for start in range(0, max(len(line), 1), LONG):
        piece = line[start : start + LONG]
        lines.texts.append(piece)
        lines.numbers.append(lines.count if start == 0 else 0)
        lines.starts.append(lines.rows)
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
