"""JSON as a readable tree: `key: value`, nested by two blanks, long texts in excerpt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

from store.model import Json
from tui.render.excerpt import Look, gap_row, output_rows
from tui.render.row import Row, assemble, folded
from tui.render.safe import clean, one_line
from tui.render.words import many

DEEP = 6
ENTRIES = 60
HEAD, TAIL = 12, 4  # rows of a long text inside a tree
KEY = "$text-muted"


def tree_rows(value: Json, look: Look, *, indent: int = 4, depth: int = 0) -> list[Row]:
    """Every key and value of decoded JSON as rows; a bare value is one row or more."""
    if isinstance(value, dict) and value and depth < DEEP:
        return _entries(
            ((f"{one_line(str(k), 40)}:", v) for k, v in value.items()), value, look, indent, depth
        )
    if isinstance(value, list) and value and depth < DEEP:
        return _entries((("-", item) for item in value), value, look, indent, depth)
    return output_rows(scalar(value), look, indent=indent, head=HEAD, tail=TAIL)


def _entries(
    entries: Iterator[tuple[str, Json]],
    whole: dict[str, Json] | list[Json],
    look: Look,
    indent: int,
    depth: int,
) -> list[Row]:
    most = len(whole) if look.expanded else ENTRIES
    rows: list[Row] = []
    for sign, value in islice(entries, most):
        rows += _entry(sign, value, look, indent, depth)
    if len(whole) > most:
        rows.append(
            gap_row(many(len(whole) - most, "entry").replace("entrys", "entries"), look, indent)
        )
    return rows


def _entry(sign: str, value: Json, look: Look, indent: int, depth: int) -> list[Row]:
    room = max(look.width - indent, 8)
    deeper = indent + 2 if indent + 2 <= look.width // 2 else indent
    if isinstance(value, dict | list) and value and depth + 1 < DEEP:
        nested = tree_rows(value, look, indent=deeper, depth=depth + 1)
        return folded(sign, room, assemble((sign, KEY))[1], indent=indent) + nested
    text = clean(scalar(value))
    if "\n" in text.rstrip("\n") or len(text) > 4 * room:
        rows = output_rows(text, look, indent=deeper, head=HEAD, tail=TAIL)
        return folded(sign, room, assemble((sign, KEY))[1], indent=indent) + rows
    line, spans = assemble((sign, KEY), (f" {text.rstrip()}", ""))
    return folded(line, room, spans, marker=look.marker, indent=indent)


def scalar(value: Json) -> str:
    """A value as text: strings as they are, everything else as JSON."""
    return value if isinstance(value, str) else compact(value)


def compact(value: Json) -> str:
    """JSON on one line, whatever the value."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return "(nested too deeply)"


def pretty(value: Json) -> str:
    """JSON as a person reads it."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=2, default=str)
    except (RecursionError, ValueError):
        return "(nested too deeply)"
