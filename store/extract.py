"""Parts to documents: what of a part is searched, one document a kind.

Texts are taken raw, never JSON-escaped: an escaped line break would glue an `n` to the next word.
"""

from __future__ import annotations

from typing import Any

from store.archive import without_base64
from store.model import (
    Agent,
    Compaction,
    Content,
    File,
    Kind,
    Patch,
    Reasoning,
    Retry,
    Subtask,
    Text,
    Todos,
    Tool,
)

Document = tuple[Kind, str]
"""A kind and the text that is searched for it."""

PLAIN: dict[Kind, tuple[str, str]] = {
    "user_text": ("text", "text"),
    "assistant_text": ("text", "text"),
    "reasoning": ("reasoning", "text"),
    "tool_output": ("tool", "output"),
    "tool_error": ("tool", "error"),
}
"""Kinds whose document is one text of a part as it is: the part's type, and the text's name."""
UNUSED: dict[Kind, tuple[str, ...]] = {"tool_input": ("output", "error")}
"""Texts of a part that a document of that kind has nothing of."""


def documents(content: Content, role: str) -> list[Document]:
    """The documents of a part in a message of that role; empty where it has no text."""
    return [(kind, without_base64(text)) for kind, text in texts(content, role)]


def texts(content: Content, role: str) -> list[Document]:
    """As `documents`, with all base64 that is in the texts."""
    return [one for one in _documents(content, role) if one[1]]


def body(content: Content, role: str, kind: Kind) -> str:
    """The text of one kind of a part ("" where it has none)."""
    told = (text for name, text in _documents(content, role) if name == kind)
    return without_base64(next(told, ""))


def _documents(content: Content, role: str) -> list[Document]:
    match content:
        case Text(text):
            return [("user_text" if role == "user" else "assistant_text", text)]
        case Reasoning(text):
            return [("reasoning", text)]
        case Tool():
            return _tool(content)
        case File():
            names = [content.filename, content.mime, content.path or content.url, content.text]
            return [("file", _lines(names))]
        case Patch():
            return [("patch", _lines(content.files))]
        case Subtask():
            texts = [content.description, content.prompt, content.agent, content.command]
            return [("subtask", _lines(texts))]
        case Agent(name, text):
            return [("subtask", _lines([name, text]))]
        case Compaction():
            return [("compaction", content.text)]
        case Retry():
            return [("error", content.error)]
        case Todos(items):
            return [("todo", "\n".join(f"{status}\n{what}" for status, what in items))]
    return []


def _lines(texts: Any) -> str:
    """The texts on lines of their own, each once, empty ones left out."""
    return "\n".join(dict.fromkeys(text for text in texts if text))


def _tool(tool: Tool) -> list[Document]:
    given: list[str] = [tool.name]
    _leaves("", tool.input, given)
    asked = "\n".join(given)
    if tool.title and tool.title not in asked:
        asked = f"{tool.name}\n{tool.title}" + asked[len(tool.name) :]
    found: list[Document] = [("tool_input", asked)]
    if tool.output:
        found.append(("tool_output", tool.output))
    if tool.error:
        found.append(("tool_error", tool.error))
    if tool.attachments:
        names = [name for one in tool.attachments for name in (one.filename, one.mime)]
        found.append(("file", _lines(names)))
    return found


def _leaves(name: str, value: Any, lines: list[str]) -> None:
    """Adds `name: value` for each leaf of a JSON value, in order and without recursion limits."""
    stack: list[tuple[str, Any]] = [(name, value)]
    while stack:
        name, value = stack.pop()
        if isinstance(value, dict):
            stack.extend((str(key), value[key]) for key in reversed(value))
        elif isinstance(value, list):
            stack.extend((name, one) for one in reversed(value))
        elif value is not None and value != "":
            shown = value if isinstance(value, str) else str(value).lower()
            lines.append(f"{name}: {shown}" if name else shown)
