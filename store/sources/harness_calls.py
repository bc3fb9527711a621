"""The calls of a log: each one part, opened by an answer, closed by its result or by the turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from store.model import Content, Tool
from store.sources.harness_blocks import answered, call, exit_code, result_of
from store.sources.harness_draft import Draft
from store.sources.harness_events import Event, mapping, string
from store.sources.harness_surface import call_of


class Calls:
    """Calls by their ids. `where` gives the message for a call that stands in no answer."""

    def __init__(self, draft: Draft, where: Callable[[Event], str]) -> None:
        self._draft = draft
        self._where = where
        self._parts: dict[str, str] = {}
        self._open: list[str] = []

    def opened(self, part: str, content: Content) -> None:
        """Takes note of a part of an answer, if it is a call."""
        if isinstance(content, Tool):
            self._parts[content.call] = part
            self._open.append(part)

    def complete(self, message: str, event: Event) -> None:
        """Says that an answer is complete, once none of its calls is open."""
        told = self._draft.messages[message]
        waiting = any(one in self._open for one in self._draft.held[message])
        if told.role == "assistant" and told.completed is None and not waiting:
            self._draft.change_message(message, event, completed=event.time)

    def close(self, event: Event) -> None:
        """Whatever is open was interrupted."""
        left, self._open = self._open, []
        for part in left:
            held = self._draft.parts[part]
            self._draft.change(part, event, held.content, ("interrupted",))
            self.complete(held.message, event)

    def _found(self, event: Event, ident: str, tool: Tool) -> tuple[str, Tool]:
        """The part of a call, made where no answer of the log has the call."""
        part = self._parts.get(ident, "")
        held = self._draft.tool(part)
        if held is None:
            held = tool
            part = self._draft.part(event, self._where(event), ident, tool)
            self.opened(part, tool)
        return part, held

    # Events ----------------------------------------------------------------------------------

    def started(self, event: Event) -> None:
        """tool/call: the call runs."""
        ident, name = string(event.data.get("callId")), string(event.data.get("name"))
        part, held = self._found(event, ident, call(name, ident, event.data.get("arguments")))
        if held.status == "pending":
            self._draft.change(part, event, replace(held, status="running", started=event.time))

    def result(self, event: Event, again: bool) -> None:
        """tool/result: what came of the call; `again`: what the agent sees of it from now on."""
        ident = call_of(event)
        part, held = self._found(event, ident, call("", ident, None))
        self._draft.shown[event.seq] = part
        if again and held.status in ("completed", "error"):
            seen = {**held.meta, "replaced by": result_of(event.data)[0]}
            self._draft.change(part, event, replace(held, meta=seen))
            return
        self._draft.change(part, event, *answered(held, event.data, event.time))
        if part in self._open:
            self._open.remove(part)
        self.complete(self._draft.parts[part].message, event)

    def dispatched(self, event: Event) -> None:
        """tool/ptc-dispatch: a call by a program of the model, beside the call that ran it."""
        data = event.data
        root = self._draft.parts.get(self._parts.get(string(data.get("rootCallId")), ""))
        tool = call(string(data.get("name")), string(data.get("subCallId")), data.get("arguments"))
        told, flags = answered(replace(tool, started=event.time), {"message": data}, event.time)
        message = root.message if root else self._where(event)
        self._draft.part(event, message, tool.call, told, flags)

    def settled(self, event: Event) -> None:
        """job/settled: how the program behind a call ended."""
        part = self._parts.get(string(mapping(event.data.get("toolCall")).get("callId")), "")
        held, code = self._draft.tool(part), exit_code(event.data.get("detail"))
        if held is not None and code is not None:
            self._draft.change(part, event, replace(held, exit=code))

    def child(self, event: Event) -> None:
        """subagent/catalog: the session that the call started which runs now."""
        for part in reversed(self._open):
            held = self._draft.tool(part)
            if held is not None and "agent" in held.name:
                meta = {**held.meta, "sessionId": string(event.data.get("childId"))}
                self._draft.change(part, event, replace(held, meta=meta))
                return
