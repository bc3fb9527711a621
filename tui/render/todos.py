"""A list of things to do as rows, a box in front of each."""

from __future__ import annotations

from collections.abc import Iterable

from store.model import Part, Todos, Tool
from tui.render.excerpt import Look
from tui.render.row import Row, assemble, wrapped
from tui.render.safe import one_line
from tui.render.words import many

MUTED = "$text-muted"
_BOXES = {"completed": "[x]", "in_progress": "[>]", "cancelled": "[-]"}


def todo_rows(items: Iterable[tuple[str, str]], look: Look) -> list[Row]:
    """The items (status, what) as rows; what changed since the earlier list is said."""
    rows: list[Row] = []
    listed = list(items)
    before = {what: status for status, what in look.earlier}
    for status, what in listed:
        box = _BOXES.get(status, "[ ]")
        style = MUTED if status in ("completed", "cancelled") else ""
        text, spans = assemble(
            (box, "$accent" if status == "in_progress" else style),
            (f" {one_line(what, 2000)}", style),
            (_change(before, status, what), "$warning"),
        )
        rows += wrapped(text, look.width - 4, spans, marker=look.marker, indent=4)
    kept = {what for _, what in listed}
    for _, what in look.earlier:
        if what not in kept:
            text = f"--- {one_line(what, 2000)}  · taken off the list"
            rows += wrapped(text, look.width - 4, marker=look.marker, indent=4, base=MUTED)
    return rows


def _change(before: dict[str, str], status: str, what: str) -> str:
    if not before or before.get(what) == status:
        return ""
    if what not in before:
        return "  · new"
    return f"  · was {one_line(before[what], 20).replace('_', ' ')}"


def todos_of(part: Part) -> tuple[tuple[str, str], ...] | None:
    """The list of things to do (status, what) that a part sets; None where it sets none."""
    content = part.content
    if isinstance(content, Todos):
        return content.items
    if not isinstance(content, Tool) or content.name.lower() not in ("todowrite", "todo_write"):
        return None
    items = content.input.get("todos") if isinstance(content.input, dict) else None
    if not isinstance(items, list):
        return None
    return tuple(
        (str(one.get("status") or ""), str(one.get("content") or ""))
        for one in items
        if isinstance(one, dict)
    )


def todo_words(states: Iterable[str]) -> str:
    """How much of a list is done, in words."""
    known = list(states)
    return f"{known.count('completed')} of {many(len(known), 'todo')} done"
