"""Events of a session of session_message, folded into the rows that they made.

1.18 calls them `session.next.<name>.<version>` (recorded), 2.x `session.<name>.<version>` (from
its sources; it keeps events only where its host asks for them). Both project them in the order of
`seq`: one event begins a row, others complete it, and pieces of an answer stand in the order in
which they were started. What a later version calls otherwise is read by either name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from store.sources import v2_content
from store.sources.content import Fields, as_list, as_object, as_string, moment
from store.sources.id_times import time_of

_NAME = re.compile(r"session\.(?:next\.)?([a-z-]+(?:\.[a-z-]+)*)\.\d+")
PROMPTS = ("prompted", "prompt.promoted", "input.promoted", "inbox.delivered")
"""A prompt, or what the program says in its stead, takes its place in the conversation."""
WAITS = ("prompt.admitted", "input.admitted", "inbox.enqueued")
WHOLE = {
    "synthetic": "synthetic",
    "context.updated": "system",
    "instructions.updated": "system",
    "skill.activated": "skill",
    "agent.switched": "agent-switched",
    "agent.selected": "agent-switched",
    "model.switched": "model-switched",
    "model.selected": "model-switched",
}
"""Events that are a row of this type by themselves."""
_ABOUT = ("sessionID", "messageID", "timestamp")
COMMITTED = "revert.committed"


class Event(NamedTuple):
    """One row of the log; `time` in ms is its own where it has one."""

    seq: int
    id: str
    name: str
    time: int
    data: Fields

    @property
    def row(self) -> str:
        """The id of the row that it is about."""
        for key in ("assistantMessageID", "messageID", "inboxID", "inputID"):
            if named := as_string(self.data, key):
                return named
        return f"msg_{self.id.partition('_')[2]}"

    @property
    def of_1_18(self) -> bool:
        """2.x has the time of an event beside its data."""
        return "timestamp" in self.data


def name_of(kind: str) -> str:
    """The name of an event without prefix and version, "" for others."""
    found = _NAME.fullmatch(kind)
    return found.group(1) if found else ""


def event(seq: int, ident: str, kind: str, created: Any, data: Fields, near: int) -> Event:
    """A row of the log; `near` is a time in whose neighbourhood it was written (ms)."""
    time = moment(data.get("timestamp")) or moment(created) or time_of(ident, near) or near
    return Event(seq, ident, name_of(kind), time, data)


@dataclass(slots=True)
class Draft:
    """A row as far as it is told."""

    id: str
    type: str
    time: int
    updated: int
    data: Fields
    size: int = 0

    def row(self, session: str, prompt: str) -> v2_content.Row:
        """As if it had been stored."""
        times = as_object(self.data, "time")
        data = {**self.data, "time": {"created": self.time, **times}}
        return v2_content.Row(
            self.id, session, self.type, self.time, self.updated, self.size, data, prompt
        )


class Fold:
    """Rows by id, from the events of one session in their order."""

    def __init__(self) -> None:
        self.drafts: dict[str, Draft] = {}
        self._waiting: dict[str, Fields] = {}

    def take(self, events: Iterable[tuple[Event, int]]) -> None:
        """Takes events in, each with its stored size."""
        for one, size in events:
            if draft := self._apply(one):
                draft.updated = max(draft.updated, one.time)
                draft.size += size

    def _apply(self, one: Event) -> Draft | None:
        name = one.name
        if name in WAITS:
            self._waiting[one.row] = one.data
            return None
        if name in PROMPTS:
            return self._prompt(one)
        if name in WHOLE:
            return self._whole(one)
        if name.startswith("shell."):
            return self._shell(one)
        if name.startswith("compaction."):
            return self._compaction(one)
        if name == "step.started":
            return self._step(one)
        draft = self.drafts.get(one.row)
        change = _CHANGES.get(name)
        if draft is None or draft.type != "assistant" or change is None:
            return None
        change(draft.data, one)
        return draft

    def _begin(self, one: Event, kind: str, data: Fields) -> Draft:
        draft = Draft(one.row, kind, one.time, one.time, data)
        self.drafts[draft.id] = draft
        return draft

    # Whole rows ------------------------------------------------------------------------------

    def _prompt(self, one: Event) -> Draft | None:
        told = as_object(one.data, "prompt")
        kind = "user"
        if not told:
            waited = self._waiting.pop(one.row, {})
            item = as_object(waited, "item") or as_object(waited, "input")
            kind = as_string(item, "type") or kind
            told = (
                as_object(waited, "prompt")
                or as_object(item, "payload")
                or as_object(item, "data")
                or item
            )
        return self._begin(one, kind, dict(told)) if kind in ("user", "synthetic") else None

    def _whole(self, one: Event) -> Draft | None:
        kind = WHOLE[one.name]
        if kind == "system" and not as_string(one.data, "text"):
            return None
        told = {key: one.data[key] for key in one.data if key not in _ABOUT}
        return self._begin(one, kind, told)

    def _shell(self, one: Event) -> Draft | None:
        told = as_object(one.data, "shell")
        call = as_string(told, "id") or as_string(one.data, "callID")
        if one.name == "shell.started":
            command = as_string(told, "command") or as_string(one.data, "command")
            status = as_string(told, "status")
            data: Fields = {"shellID": call, "command": command, "status": status}
            return self._begin(one, "shell", data)
        mine = [
            draft
            for draft in self.drafts.values()
            if draft.type == "shell" and draft.data["shellID"] == call
        ]
        if not mine or one.name != "shell.ended":
            return None
        mine[-1].data |= {key: told[key] for key in ("status", "exit") if key in told}
        mine[-1].data["output"] = one.data.get("output")
        mine[-1].data["time"] = {"completed": one.time}
        return mine[-1]

    def _compaction(self, one: Event) -> Draft | None:
        """1.18 has no row before a compaction has ended, 2.x one from its start on."""
        if one.name == "compaction.started":
            return None if one.of_1_18 else self._begin(one, "compaction", {"status": "running"})
        if one.name != "compaction.ended":
            return None
        running = [
            draft
            for draft in self.drafts.values()
            if draft.type == "compaction" and draft.data.get("status") == "running"
        ]
        draft = running[-1] if running else self._begin(one, "compaction", {})
        draft.data |= {
            "status": "completed",
            "reason": one.data.get("reason"),
            "summary": as_string(one.data, "text"),
        }
        return draft

    def _step(self, one: Event) -> Draft:
        told: Fields = {key: one.data[key] for key in ("agent", "model") if key in one.data}
        draft = self.drafts.get(one.row)
        if draft is None:
            return self._begin(one, "assistant", {"content": [], **told})
        draft.data |= told
        draft.data.pop("error", None)
        return draft


# What an answer says -----------------------------------------------------------------------------


def _started(kind: str) -> Callable[[Fields, Event], None]:
    def change(data: Fields, one: Event) -> None:
        item: Fields = {"type": kind, "id": as_string(one.data, f"{kind}ID"), "text": ""}
        data["content"].append({**item, "time": {"created": one.time}})

    return change


def _ended(kind: str) -> Callable[[Fields, Event], None]:
    def change(data: Fields, one: Event) -> None:
        items = [item for item in data["content"] if item.get("type") == kind]
        named = as_string(one.data, f"{kind}ID")
        mine = [item for item in items if item.get("id") == named] if named else items
        place = one.data.get("ordinal")
        item = mine[-1] if mine else None
        if not named and isinstance(place, int) and 0 <= place < len(items):
            item = items[place]
        if item is None:
            _started(kind)(data, one)
            item = data["content"][-1]
        item["text"] = as_string(one.data, "text")

    return change


def _tool(data: Fields, one: Event) -> Fields:
    """The call that an event is about; a new one where it is the first to tell of it."""
    call = as_string(one.data, "callID") or as_string(one.data, "id")
    for item in reversed(data["content"]):
        if item.get("type") == "tool" and item.get("id") == call:
            return item  # type: ignore[no-any-return]
    name = as_string(one.data, "name") or as_string(one.data, "tool")
    state: Fields = {"status": "pending", "input": ""}
    item = {"type": "tool", "id": call, "name": name, "time": {"created": one.time}, "state": state}
    data["content"].append(item)
    return item


def _announced(data: Fields, one: Event) -> None:
    _tool(data, one)


def _given(data: Fields, one: Event) -> None:
    _tool(data, one)["state"]["input"] = as_string(one.data, "text")


def _called(data: Fields, one: Event) -> None:
    item = _tool(data, one)
    item["time"]["ran"] = one.time
    item["state"] = {"status": "running", "input": one.data.get("input")}


def _settled(status: str) -> Callable[[Fields, Event], None]:
    def change(data: Fields, one: Event) -> None:
        item = _tool(data, one)
        item["time"]["completed"] = one.time
        kept = ("content", "structured", "metadata", "outputPaths", "error")
        told = {key: one.data[key] for key in kept if key in one.data}
        item["state"] = {"status": status, "input": item["state"]["input"], **told}

    return change


def _step_ended(data: Fields, one: Event) -> None:
    told = one.data
    data |= {key: told[key] for key in ("finish", "cost", "tokens", "error") if key in told}
    data["time"] = {"completed": one.time}
    if files := as_list(told, "files"):
        data["snapshot"] = {"end": as_string(told, "snapshot"), "files": files}


def _rewritten(data: Fields, one: Event) -> None:
    content = as_list(one.data, "content")
    data["content"] = [dict(item) for item in content if isinstance(item, dict)]


_CHANGES: dict[str, Callable[[Fields, Event], None]] = {
    "text.started": _started("text"),
    "text.ended": _ended("text"),
    "reasoning.started": _started("reasoning"),
    "reasoning.ended": _ended("reasoning"),
    "tool.input.started": _announced,
    "tool.input.ended": _given,
    "tool.called": _called,
    "tool.success": _settled("completed"),
    "tool.failed": _settled("error"),
    "step.ended": _step_ended,
    "step.failed": _step_ended,
    "message.content.updated": _rewritten,
}
