"""The words of a DeepSeek Harness log: its header and its events, whatever they were stored in.

Versions 0 to 4 (0.1.0 to 0.2.1): 0 and 1 keep the model's stream in rows of its own, several
packed into one; from 2 on it lies inside the message. What breaks a rule is kept and said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from store.model import Json
from store.sources.content import moment
from store.text import encodable

NEWEST = 4
LARGEST_ROW = 32 * 1024 * 1024
"""Bytes; a longer row is a fault instead of memory."""
ABSENT: Json = object()
"""What a row does not say, as against null."""

PACKED = {"text-chunks": "texts", "reasoning-chunks": "texts", "tool-call-chunks": "args"}
"""Rows that stand for several stream events (version 0 and 1), and where their members are."""
QUIET = frozenset(
    {
        "agent-preset/selected", "agent/inbox/spliced", "approval/asked", "approval/decided",
        "approval/policy", "command/done", "command/run", "compaction/end", "compaction/prune",
        "compaction/start", "deliverables/presented", "feedback/given", "goal/change",
        "hook/invoked", "hook/result", "image/offload", "job/registered", "llm/retry-started",
        "model/selection", "permission/preset", "plan/mode", "request/context", "request/header",
        "sandbox/mode", "schedule/change", "session-log-deepseek/delivery-accepted",
        "session/title-llm-request", "step/start", "subagent/descriptor",
        "subagent/model-selection-policy", "tool/ptc-dispatch-start", "tool-workflow/agent-end",
        "tool-workflow/agent-start", "tool-workflow/run-end", "tool-workflow/run-start",
        "web/deepseek-search-llm-request", "working-directory/change", "workspace/changes",
    }
)  # fmt: skip
"""Types of the program's own bookkeeping: nothing in them was said by anybody."""
_LEGACY = {"compact/": "compaction/", "tool/code-dispatch": "tool/ptc-dispatch"}
_RETIRED = ("sandboxMode", "approvalPolicy")


@dataclass(frozen=True, slots=True)
class Header:
    """What the first row of a log says. `seed` counts inherited events (version 0 and 1), `seeded`
    says whether there are any.

    `refused` says why dsh itself would not open the log ("" where it would).
    """

    id: str
    version: int = NEWEST
    created: int = 0
    cwd: str = ""
    parent: str = ""
    origin: str = ""
    preset: str = ""
    seed: int = 0
    seeded: bool = False
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """One row. `count` is how many events it stands for, `line` the row as it is stored."""

    seq: int
    time: int
    type: str
    data: dict[str, Any]
    sources: Json = ABSENT
    surface: Json = ABSENT
    count: int = 1
    line: bytes = b""


@dataclass(frozen=True, slots=True)
class Damage:
    """Something in a log that cannot be read, in its place among the events."""

    reason: str


def string(value: Json) -> str:
    """The value where it is text, else ""."""
    return value if isinstance(value, str) else ""


def name(value: Json) -> str:
    """An id or another short text, in letters that can be stored."""
    return encodable(string(value))


def whole(value: Json) -> int | None:
    """The value where it is a whole number of no sign that JavaScript can hold, else None."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 2**53 else None


def mapping(value: Json) -> dict[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def header_of(fields: Json) -> Header | None:
    """A header from the first row's fields; None where that row is no header at all."""
    fields = mapping(fields)
    ident, version = name(fields.get("id")), whole(fields.get("version"))
    if fields.get("type") != "session" or not ident:
        return None
    created = moment(fields.get("createdAt"))
    seed = whole(fields.get("seedLength")) or 0
    return Header(
        id=ident,
        version=NEWEST if version is None else version,
        created=created or 0,
        cwd=name(fields.get("cwd")),
        parent=name(fields.get("parentSession")),
        origin=name(fields.get("origin")),
        preset=name(fields.get("agentPreset")),
        seed=seed,
        seeded=seed > 0 or fields.get("isSeeded") is True,
        refused=_refused(fields, version, created),
    )


def _refused(fields: dict[str, Any], version: int | None, created: int | None) -> str:
    if version is None or version > NEWEST:
        return f"its version is {fields.get('version')!r}; known are 0 to {NEWEST}"
    if created is None:
        return "its header has no createdAt"
    if whole(fields.get("delegationDepth")) is None and "delegationDepth" in fields:
        return "its header has a delegationDepth that is no number"
    retired = [one for one in _RETIRED if one in fields]
    if retired:
        return f"its header has the retired field {retired[0]}"
    if version >= 2 and not isinstance(fields.get("isSeeded"), bool):
        return "its header does not say isSeeded"
    return ""


def event_of(fields: Json, line: bytes) -> Event | Damage:
    """An event from a row's fields."""
    fields = mapping(fields)
    kind, data = name(fields.get("type")), fields.get("data")
    members = PACKED.get(kind)
    seq = whole(fields.get("seq0" if members else "seq"))
    if not kind or seq is None:
        return Damage("a row without type or seq")
    time = moment(fields.get("time0" if members else "time"))
    held = mapping(data).get(members) if members else None
    return Event(
        seq=seq,
        time=time or 0,
        type=current_name(kind),
        data=mapping(data),
        sources=fields.get("sourceEventSeqs", ABSENT),
        surface=fields.get("surfaceOp", ABSENT),
        count=max(1, len(held)) if isinstance(held, list) else 1,
        line=line,
    )


def current_name(kind: str) -> str:
    """An event's type by its present name."""
    for old, new in _LEGACY.items():
        if kind.startswith(old):
            return new + kind[len(old) :]
    return kind
