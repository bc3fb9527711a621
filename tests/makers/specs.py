"""What a store is to contain. Ids and times that are left out are made, the same every time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Data = dict[str, Any]

BASE = 1_796_000_000_000
"""When the first session began: 2026-11-30, in ms. The next ones follow by an hour each."""


@dataclass(frozen=True)
class PartSpec:
    """A part. A `data` of str or bytes is stored as it is, so that it can be broken.

    `time` and `updated` are ms. `gone`: deleted again, so that only the producer's event log
    (opencode) or history_fts (MiMo Code) has it.
    """

    data: Data | str | bytes
    id: str = ""
    time: int = 0
    updated: int = 0
    gone: bool = False


@dataclass(frozen=True)
class MessageSpec:
    """A message; `extra` goes over the usual fields of its data. `slice` is MiMo Code's agent_id.

    A dict among `parts` stands for a PartSpec with that data.
    """

    role: str = "user"
    parts: Sequence[PartSpec | Data] = ()
    id: str = ""
    time: int = 0
    slice: str = "main"
    extra: Data = field(default_factory=dict)
    raw: str | None = None
    gone: bool = False


@dataclass(frozen=True)
class SessionSpec:
    """A session; `columns` goes over the usual columns, for instance `revert` as JSON text."""

    title: str = "A talk"
    messages: Sequence[MessageSpec] = ()
    id: str = ""
    parent: str | None = None
    directory: str = "/home/mia/src/alpha"
    time: int = 0
    columns: Data = field(default_factory=dict)


def text(said: str, **more: Any) -> Data:
    """Data of a text part, for instance `text("hi", synthetic=True)`."""
    return {"type": "text", "text": said, **more}


def reasoning(thought: str) -> Data:
    """Data of a reasoning part."""
    return {"type": "reasoning", "text": thought, "time": {"start": BASE, "end": BASE + 1}}


def tool(name: str, given: Data, output: str, *, call: str = "call_1", **meta: Any) -> Data:
    """Data of a completed tool part with `meta` as its metadata."""
    state = {
        "status": "completed",
        "input": given,
        "output": output,
        "title": name,
        "metadata": meta,
        "time": {"start": BASE, "end": BASE + 5},
    }
    return {"type": "tool", "tool": name, "callID": call, "state": state}


def tool_error(name: str, given: Data, error: str, *, call: str = "call_2") -> Data:
    """Data of a failed tool part."""
    times = {"start": BASE, "end": BASE + 5}
    state = {"status": "error", "input": given, "error": error, "time": times}
    return {"type": "tool", "tool": name, "callID": call, "state": state}


def two_talks() -> tuple[SessionSpec, ...]:
    """Two small sessions, five messages, eight parts: one in English, one in Chinese."""
    english = SessionSpec(
        "Find the port",
        (
            MessageSpec("user", [text("Which port does the server use?")]),
            MessageSpec(
                "assistant",
                [
                    reasoning("Ask the socket list."),
                    tool("bash", {"command": "ss -ltn"}, "LISTEN 127.0.0.1:4096\n", exit=0),
                    tool_error("read", {"filePath": "/etc/none"}, "File not found: /etc/none"),
                    text("It listens on 4096."),
                ],
            ),
        ),
    )
    chinese = SessionSpec(
        "查端口",
        (
            MessageSpec("user", [text("连接池用哪个端口？")]),
            MessageSpec("assistant", [text("数据库连接池使用 5432 端口。")]),
            MessageSpec("user", [text("谢谢 🙂")]),
        ),
    )
    return english, chinese
