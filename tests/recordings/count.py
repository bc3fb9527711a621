"""An independent count of a store: plain SQL on a copy and plain JSON, nothing of the program.

The copy is opened for writing, so that SQLite itself plays back what is in a write-ahead log.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

TextKind = Literal["text", "reasoning", "tool_input", "tool_output", "tool_error"]


@dataclass(frozen=True)
class Said:
    """One text of a part as the raw JSON has it. `synthetic` as the part says."""

    session: str
    message: str
    part: str
    kind: TextKind
    role: str
    text: str
    synthetic: bool = False


@dataclass
class SessionCount:
    """What SQL says of one session."""

    title: str
    messages: int = 0
    parts: int = 0


@dataclass
class Count:
    """What SQL says of a store."""

    sessions: dict[str, SessionCount] = field(default_factory=dict)
    said: list[Said] = field(default_factory=list)

    @property
    def messages(self) -> int:
        """All messages."""
        return sum(session.messages for session in self.sessions.values())

    @property
    def parts(self) -> int:
        """All parts."""
        return sum(session.parts for session in self.sessions.values())


def count_store(copy: Path) -> Count:
    """Counts a copy of a store; it may change the copy's side files."""
    found = Count()
    with closing(sqlite3.connect(copy)) as db:
        for ident, title in db.execute("select id, title from session"):
            found.sessions[ident] = SessionCount(title)
        for session, number in db.execute("select session_id, count(*) from message group by 1"):
            found.sessions[session].messages = number
        for session, number in db.execute("select session_id, count(*) from part group by 1"):
            found.sessions[session].parts = number
        roles = {
            ident: json.loads(data).get("role", "")
            for ident, data in db.execute("select id, data from message")
        }
        for ident, message, session, data in db.execute(
            "select id, message_id, session_id, data from part"
        ):
            part = json.loads(data)
            for kind, text in texts(part):
                synthetic = bool(part.get("synthetic"))
                said = Said(session, message, ident, kind, roles[message], text, synthetic)
                found.said.append(said)
    return found


def texts(part: dict[str, Any]) -> Iterator[tuple[TextKind, str]]:
    """The texts of a part: what was said or thought, a tool's input leaf by leaf, its result."""
    if part["type"] == "text":
        yield "text", part.get("text", "")
    elif part["type"] == "reasoning":
        yield "reasoning", part.get("text", "")
    elif part["type"] == "tool":
        state = part.get("state", {})
        for leaf in leaves(state.get("input")):
            yield "tool_input", leaf
        if isinstance(state.get("output"), str):
            yield "tool_output", state["output"]
        if isinstance(state.get("error"), str):
            yield "tool_error", state["error"]


def leaves(value: Any) -> Iterator[str]:
    """The strings and numbers in a JSON value, keys left out."""
    if isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)
