"""Values between commas, semicolons or tabs, told from other text by being a regular table."""

from __future__ import annotations

import csv

MOST_TEXT = 100_000
"""Characters; more stays as it was printed."""
MOST_LINES = 500
LEAST_LINES = 3
LONGEST_NAME = 40
_SEPARATORS = "\t,;"


def separated(text: str) -> list[list[str]] | None:
    """The cells by line, the head first; None where the text is not surely such a table.

    Every line has as many cells as the head, and the head has a short name for each column.
    """
    bare = text.strip("\r\n")
    count = bare.count("\n") + 1
    if len(bare) > MOST_TEXT or not LEAST_LINES <= count <= MOST_LINES or "\x1b" in bare:
        return None
    head = bare.split("\n", 1)[0]
    for separator in _SEPARATORS:
        if separator in head and (cells := _cells(bare, separator)):
            return cells
    return None


def _cells(text: str, separator: str) -> list[list[str]] | None:
    try:
        lines = text.replace("\r\n", "\n").split("\n")
        cells = list(csv.reader(lines, delimiter=separator, strict=True))
    except csv.Error:
        return None
    names = cells[0]
    regular = len(names) > 1 and all(len(row) == len(names) for row in cells)
    if not regular or not len(cells) >= LEAST_LINES or not _are_names(names):
        return None
    inner = [cell for row in cells for cell in row[1:]]
    spoken = sum(cell[:1] == " " for cell in inner)  # after a comma in a sentence stands a space
    return None if spoken * 2 > len(inner) else cells


def _are_names(cells: list[str]) -> bool:
    """Whether all are short, none is a number or twice there."""
    bare = [cell.strip() for cell in cells]
    short = all(0 < len(cell) <= LONGEST_NAME for cell in bare)
    letters = all(any(letter.isalpha() for letter in cell) for cell in bare)
    return short and letters and len(set(bare)) == len(bare)
