"""Everything that is known of a part and its message: times, model, tokens, costs, evidence."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from store.model import Json, Message, Part, StepFinish, Tool, type_name
from tui.render.safe import one_line
from tui.render.tree import compact
from tui.render.words import clock, duration, size

WIDE = 2000


def about_lines(part: Part | None, message: Message, steps: list[StepFinish]) -> list[Content]:
    """The lines of a page: the part, its message, and what the steps of the message cost."""
    lines: list[Content] = []
    if part is not None:
        lines += _block("Part", _of_part(part))
    lines += _block("Message", _of_message(message))
    for place, step in enumerate(steps, 1):
        name = f"Step {place} of {len(steps)}" if len(steps) > 1 else "Step"
        lines += _block(name, _of_step(step))
    if part is not None and isinstance(part.content, Tool) and part.content.meta:
        pairs = ((key, _said(value)) for key, value in part.content.meta.items())
        lines += _block("Noted by the agent", pairs)
    return lines


def _block(title: str, pairs: Iterator[tuple[str, str]]) -> list[Content]:
    lines = [Content.styled(title, "bold $accent")]
    for name, value in pairs:
        if value:
            shown = one_line(value, WIDE)
            lines.append(Content.assemble((f"  {one_line(name, 20):<16}", "$text-muted"), shown))
    return [*lines, Content("")]


def _said(value: Json) -> str:
    return value if isinstance(value, str) else compact(value)


def _of_part(part: Part) -> Iterator[tuple[str, str]]:
    content = part.content
    yield "id", part.id
    yield "type", type_name(content)
    yield "time", clock(part.time)
    yield "changed", clock(part.updated) if part.updated > part.time else ""
    yield "stored", size(part.size) if part.size else ""
    yield "state", part.fate if part.fate == "live" else f"{part.fate} ({part.cause or 'unknown'})"
    yield "evidence", part.evidence
    yield "flags", ", ".join(part.flags)
    if isinstance(content, Tool):
        yield "tool", content.name
        yield "title", content.title
        yield "call", content.call
        yield "status", content.status
        yield "exit code", "" if content.exit is None else str(content.exit)
        if content.started and content.ended:
            yield "took", duration(content.ended - content.started)
        yield "whole output", content.spilled


def _of_message(message: Message) -> Iterator[tuple[str, str]]:
    yield "id", message.id
    yield "role", message.role
    yield "agent", message.agent
    yield "slice", message.slice
    yield "model", message.model
    yield "time", clock(message.time)
    if message.completed:
        yield "took", duration(message.completed - message.time)
    yield "answers", message.parent
    yield from _spent(message.cost, message.tokens)
    yield "state", message.fate
    yield "flags", ", ".join(message.flags)
    yield "error", message.error


def _of_step(step: StepFinish) -> Iterator[tuple[str, str]]:
    yield "ended with", step.reason
    yield from _spent(step.cost, step.tokens)
    yield "snapshot", step.snapshot


def _spent(cost: float, tokens: dict[str, Json]) -> Iterator[tuple[str, str]]:
    if cost:
        yield "cost", f"${cost:.4f}"
    for kind, count in tokens.items():
        if isinstance(count, dict):
            for inner, number in count.items():
                yield f"{kind} {inner}", _number(number)
        else:
            yield f"{kind} tokens", _number(count)


def _number(value: Json) -> str:
    return f"{value:,.0f}" if isinstance(value, int | float) and value else ""
