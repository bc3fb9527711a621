"""A list of things to do as rows, a box in front of each."""

from __future__ import annotations

from collections.abc import Iterable

from tui.render.excerpt import Look
from tui.render.row import Row, assemble, wrapped
from tui.render.safe import one_line
from tui.render.words import many

MUTED = "$text-muted"
_BOXES = {"completed": "[x]", "in_progress": "[>]", "cancelled": "[-]"}


def todo_rows(items: Iterable[tuple[str, str]], look: Look) -> list[Row]:
    """The items (status, what) as rows."""
    rows: list[Row] = []
    for status, what in items:
        box = _BOXES.get(status, "[ ]")
        style = MUTED if status in ("completed", "cancelled") else ""
        text, spans = assemble(
            (box, "$accent" if status == "in_progress" else style),
            (f" {one_line(what, 2000)}", style),
        )
        rows += wrapped(text, look.width - 4, spans, marker=look.marker, indent=4)
    return rows


def todo_words(states: Iterable[str]) -> str:
    """How much of a list is done, in words."""
    known = list(states)
    return f"{known.count('completed')} of {many(len(known), 'todo')} done"
