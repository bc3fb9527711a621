"""One part as JSON: what it holds, what kinds of document that gives, what it says in words."""

from __future__ import annotations

import json
from dataclasses import asdict, fields

from store.model import (
    Agent,
    Attachment,
    Compaction,
    Content,
    File,
    Kind,
    Part,
    Patch,
    Reasoning,
    Retry,
    Subtask,
    Text,
    Todos,
    Tool,
    Unknown,
    type_name,
)
from tui.cli.shapes.common import Object, iso

_OWN_KEYS = frozenset({"status", "input", "output", "error", "attachments", "text"})
_TIME_KEYS = frozenset({"started", "ended"})


def part(one: Part, role: str) -> Object:
    """A part; `fields` is what it holds beyond the keys that all types share."""
    held = one.content
    tool = held if isinstance(held, Tool) else None
    return {
        "part": one.id,
        "type": type_name(held),
        "kinds": list(kinds(held, role)),
        "tool": tool.name if tool else None,
        "status": tool.status if tool else None,
        "time": iso(one.time),
        "fate": one.fate,
        "cause": one.cause,
        "evidence": one.evidence,
        "removed_at": iso(one.removed_at),
        "noticed_at": iso(one.noticed_at),
        "flags": list(one.flags),
        "text": text(held),
        "input": tool.input if tool else None,
        "output": tool.output if tool else None,
        "error": held.error if isinstance(held, Tool | Retry) else None,
        "attachments": [asdict(each) for each in _attachments(held)],
        "fields": _fields(held),
    }


def kinds(held: Content, role: str) -> tuple[Kind, ...]:
    """The kinds of document that this content gives; what is empty gives none."""
    match held:
        case Tool():
            given: dict[Kind, bool] = {
                "tool_input": True,
                "tool_output": bool(held.output),
                "tool_error": bool(held.error),
                "file": any(one.filename or one.mime for one in held.attachments),
            }
        case Text():
            given = {"user_text" if role == "user" else "assistant_text": bool(held.text)}
        case Reasoning():
            given = {"reasoning": bool(held.text)}
        case File():
            given = {"file": any((held.filename, held.mime, held.path, held.url, held.text))}
        case Patch():
            given = {"patch": any(held.files)}
        case Subtask():
            given = {
                "subtask": any((held.description, held.prompt, held.agent, held.command)),
            }
        case Agent():
            given = {"subtask": bool(held.name or held.text)}
        case Compaction():
            given = {"compaction": bool(held.text)}
        case Retry():
            given = {"error": bool(held.error)}
        case Todos():
            given = {"todo": bool(held.items)}
        case _:
            given = {}
    return tuple(kind for kind, there in given.items() if there)


def text(held: Content) -> str | None:
    """What the content says in words, None where it has none of its own."""
    match held:
        case Text() | Reasoning():
            return held.text
        case File() | Compaction():
            return held.text or None
        case Subtask():
            return held.prompt
        case Patch():
            return "\n".join(held.files)
        case Todos():
            return "\n".join(f"{status}  {what}" for status, what in held.items)
        case _:
            return None


def words(held: Content) -> str:
    """All that a part says; of a tool its input, and its output or error."""
    if not isinstance(held, Tool):
        return text(held) or ""
    given = [f"{held.name} {json.dumps(held.input, ensure_ascii=False)}", held.output, held.error]
    return "\n\n".join(piece for piece in given if piece)


def _attachments(held: Content) -> tuple[Attachment, ...]:
    if isinstance(held, Tool):
        return held.attachments
    if isinstance(held, File):
        return (Attachment(held.mime, held.filename, held.bytes),)
    return ()


def _fields(held: Content) -> Object:
    if isinstance(held, Unknown):
        return held.fields
    return {
        field.name: iso(value) if field.name in _TIME_KEYS else value
        for field in fields(held)
        if field.name not in _OWN_KEYS
        for value in [getattr(held, field.name)]
    }
