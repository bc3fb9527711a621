"""What a tool printed, shown by what it is: JSON, a table, a diff, a log, Markdown, or text."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from store.model import Json
from tui.render.excerpt import Look, excerpted, output_rows
from tui.render.paints import Paint, diff_paint, is_diff, is_log, log_paint
from tui.render.prose import prose_rows
from tui.render.row import Row
from tui.render.safe import one_line
from tui.render.separated import separated
from tui.render.table import Cell, table_rows
from tui.render.tree import tree_rows

MOST_JSON = 300_000  # characters; a tree of more is no easier to read
MOST_PROSE = 100_000
_MARKDOWN = re.compile(
    r"^#{1,6} \S|^```|^\s*[-*] \S|^\s*\d+\. \S|^\|.*\|\s*$|\]\(https?://|\*\*\S", re.MULTILINE
)


def printed_rows(text: str, look: Look, *, indent: int = 4) -> list[Row]:
    """Any output as rows, by what it looks like."""
    value = as_json(text)
    if value is not None:
        return excerpted(tree_rows(value, look, indent=indent), look, indent)
    if is_markdown(text):
        return read_rows(text, look, indent=indent)
    return command_rows(text, look, indent=indent)


def command_rows(text: str, look: Look, *, indent: int = 4) -> list[Row]:
    """What a command printed: a table where it is surely one, else as it was printed."""
    if (cells := separated(text)) is not None:
        return excerpted(_table(cells, look, indent), look, indent)
    return output_rows(text, look, indent=indent, paint=paint_for(text))


def _table(cells: list[list[str]], look: Look, indent: int) -> list[Row]:
    grid: list[list[Cell]] = [
        [(one_line(cell, 2 * len(cell) + 1), ()) for cell in row] for row in cells
    ]
    rows = table_rows(grid, max(look.width - indent, 8), look.marker)
    return [replace(row, indent=indent) for row in rows]


def read_rows(text: str, look: Look, *, indent: int = 4) -> list[Row]:
    """Text that was written to be read."""
    if len(text) > MOST_PROSE:
        return output_rows(text, look, indent=indent, words=True)
    return excerpted(prose_rows(text, look.width, look.marker, indent=indent), look, indent)


def paint_for(text: str) -> Paint | None:
    """The colours for what a command printed; None for none of its own."""
    if "\x1b[" in text[:20_000]:
        return None
    if is_diff(text):
        return diff_paint
    return log_paint if is_log(text[:20_000].split("\n")) else None


def as_json(text: str) -> Json:
    """The object or list that a text is the JSON of; None where it is not."""
    bare = text.strip()
    if not bare or bare[0] not in "{[" or bare[-1] not in "}]" or len(bare) > MOST_JSON:
        return None
    try:
        value = json.loads(bare)
    except (ValueError, RecursionError):
        return None
    return value if value else None


def is_markdown(text: str) -> bool:
    """Whether at least two things in a text are written as Markdown writes them."""
    found = {match[0].strip()[:1] for match in _MARKDOWN.finditer(text[:20_000])}
    return len(found) >= 2
