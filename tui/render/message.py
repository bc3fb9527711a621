"""A message as rows: who spoke and when, then its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import tzinfo

from rich.cells import cell_len

from store.model import Fate, Message, StepFinish, StepStart, WindowMessage
from tui.render.excerpt import Fold, Look
from tui.render.other import error_rows
from tui.render.part import LABELS, is_prose, is_quiet, part_rows, stamp, usual_fold
from tui.render.row import Marker, Row, assemble, styled
from tui.render.safe import clip, one_line
from tui.render.todos import todos_of
from tui.render.words import clock, duration

Earlier = dict[str, tuple[tuple[str, str], ...]]
"""Lists of things to do (status, what) by agent slice."""

Rendered = dict[tuple[str, int, Fate, Fold], list[Row]]
"""Rows already made, by a part's id, last change, fate and fold, for one width and set of terms."""


def render_message(
    item: WindowMessage,
    *,
    width: int,
    terms: tuple[str, ...] = (),
    folds: Mapping[str, Fold] | None = None,
    before: int = 0,
    zone: tzinfo | None = None,
    known: Rendered | None = None,
    earlier: Earlier | None = None,
) -> list[Row]:
    """The rows of a message and its parts, a heading first.

    `folds` holds what differs from the usual fold state, by part id. `before` is the time (ms) of
    the message above, so that a new day is named. `known` keeps rows from call to call, `earlier`
    the last list of things to do of each slice.
    """
    message, marker = item.message, Marker(terms)
    breaks = message.role == "user"
    known = {} if known is None else known
    rows = [_heading(message, width, before, zone)]
    previous = ""
    for part in without_starts(item).parts:
        state = (folds or {}).get(part.id) or usual_fold(part)
        fate = message.fate if part.fate == "live" else part.fate
        key = (part.id, part.updated, fate, state)
        if key not in known or todos_of(part) is not None:
            label = part.fate not in ("live", message.fate)
            look = Look(width, state == "folded", state == "whole", marker, breaks, label)
            look = replace(look, brief=state == "brief")
            if earlier is not None and (todos := todos_of(part)) is not None:
                look = replace(look, earlier=earlier.get(message.slice, ()))
                earlier[message.slice] = todos
            known[key] = part_rows(replace(part, fate=fate), look)
        own = known[key]
        kind = "prose" if is_prose(part) else "tall" if len(own) > 1 else "line"
        if previous and not is_quiet(part) and (kind == "prose" or previous != "line"):
            rows.append(_blank(message))
        rows += own
        previous = kind
    if message.error:
        look = Look(width, marker=marker)
        rows += [
            stamp(row, "", message.id, message.fate) for row in error_rows(message.error, look)
        ]
    rows.append(_blank(message))
    return rows


def without_starts(item: WindowMessage) -> WindowMessage:
    """The message without step-starts whose step also ended: the end says all of it."""
    ends = sum(isinstance(part.content, StepFinish) for part in item.parts)
    kept = []
    for part in item.parts:
        if isinstance(part.content, StepStart) and ends and part.fate == "live":
            ends -= 1
            continue
        kept.append(part)
    return WindowMessage(item.message, tuple(kept), item.matched)


def who(message: Message) -> str:
    """Who speaks, in one word: `you`, the name of the agent, or `system` for what was put in."""
    if "synthetic" in message.flags and message.role == "user":
        return "system"
    return "you" if message.role == "user" else one_line(message.agent or message.role, 30)


def _blank(message: Message) -> Row:
    return Row("", role="blank", message=message.id, fate=message.fate)


def _heading(message: Message, width: int, before: int, zone: tzinfo | None) -> Row:
    mine = message.role == "user" and "synthetic" not in message.flags
    time = clock(message.time, before, zone)
    facts = []
    if not mine:
        if message.completed and message.completed > message.time:
            facts.append(duration(message.completed - message.time))
        if message.model:
            facts.append(message.model)
        if message.slice not in ("", "main", message.agent):
            facts.append(message.slice)
    said = "".join(f" · {fact}" for fact in facts)
    label = f"  {LABELS[message.fate]}" if message.fate in LABELS else ""
    name = clip(who(message), max(width - cell_len(time) - 2, 4))
    room = max(width - cell_len(name) - cell_len(label) - cell_len(time) - 1, 0)
    said = f" {one_line(said, room - 1)}" if facts and room > 6 else ""
    pad = max(width - cell_len(name + said + label + time), 1)
    text, spans = assemble(
        (name, "bold $accent" if mine else "bold"),
        (said, "$text-muted"),
        (label, "$error"),
        (" " * pad, ""),
        (time, "$text-muted"),
    )
    text = clip(text, width)
    row = styled(text, spans)
    return Row(text, row.spans, role="message", message=message.id, fate=message.fate)
