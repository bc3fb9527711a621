"""Text for people and pipes: one turn after the other, what tools got and gave indented."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from store.model import (
    Agent,
    Compaction,
    File,
    Message,
    Part,
    Patch,
    Reasoning,
    Retry,
    Session,
    Snapshot,
    StepFinish,
    StepStart,
    Subtask,
    Text,
    Todos,
    Tool,
    Unknown,
    WindowMessage,
    type_name,
)
from tui.export import headings
from tui.plain import clean, one_line, readable

_QUIET = (StepStart, StepFinish, Snapshot)


def as_text(session: Session, messages: Iterable[WindowMessage]) -> Iterator[str]:
    """A session as plain text, block after block."""
    yield one_line(headings.title(session)) + "\n"
    yield "".join(f"{name}: {one_line(value)}\n" for name, value in headings.about(session))
    before: Message | None = None
    for one in messages:
        if not headings.same_turn(one.message, before):
            yield f"\n== {_heading(one.message)} ==\n"
        before = one.message
        for part in one.parts:
            yield from _part(part)
        if one.message.error:
            yield _block("error", one.message.error)


def _heading(message: Message) -> str:
    unusual = headings.notes(message.fate, *message.flags)
    facts = [headings.speaker(message), headings.utc(message.time), message.model, unusual]
    return ", ".join(one_line(fact) for fact in facts if fact)


def _part(part: Part) -> Iterator[str]:
    held, unusual = part.content, headings.part_notes(part)
    match held:
        case Text(text):
            if text.strip():
                yield _block(f"text, {unusual}" if unusual else "", text)
        case Reasoning(text):
            if text.strip():
                yield _block(_with("thinking", unusual), text)
        case Tool():
            yield _block(_with(", ".join(headings.tool(held)), unusual), "")
            for name, body in _tool(held):
                yield textwrap.indent(_block(name, body).lstrip("\n"), "    ")
        case File():
            yield _block(_with(f"attached: {headings.file(held)}", unusual), held.text)
        case _ if not isinstance(held, _QUIET):
            yield _block(_with(type_name(held), unusual), _told(held))


def _tool(held: Tool) -> Iterator[tuple[str, str]]:
    if held.input not in (None, "", {}, []):
        yield "input", readable(held.input)
    for name, body in (("diff", held.diff), ("output", held.output), ("error", held.error)):
        if body:
            yield name, body
    for attached in held.attachments:
        yield f"attached: {headings.file(attached)}", ""


def _told(held: Any) -> str:
    match held:
        case Patch():
            return "\n".join(held.files)
        case Compaction():
            return held.text or "what was before was replaced by a summary"
        case Subtask():
            return "\n".join(filter(None, (held.agent, held.description, held.prompt)))
        case Todos():
            return "\n".join(f"{how}: {what}" for how, what in held.items)
        case Agent():
            return held.name
        case Retry():
            return f"attempt {held.attempt}\n{held.error}"
        case Unknown():
            return readable(held.fields)
    return readable({one.name: getattr(held, one.name) for one in fields(held)})


def _with(label: str, unusual: str) -> str:
    return f"{label} ({unusual})" if unusual else label


def _block(label: str, text: str) -> str:
    """A text below its label, indented under it; without a label as it is."""
    body = clean(text, keep_tabs=True).strip("\n")
    if not label:
        return f"\n{body}\n"
    inner = textwrap.indent(body, "    ") + "\n" if body else ""
    return f"\n[{one_line(label)}]\n{inner}"
