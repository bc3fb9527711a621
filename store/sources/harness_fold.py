"""Events to messages and parts: one log, read once, in its order.

A message of the log is a message here, by its own id. A block is a part, by its message's id and
its place in it (`id#place`), which stays the same when a log is brought to a newer version. A
call and its result are one tool part. What the log says beside messages is a part of the message
it belongs to, or of the turn's own message (`session#turn-N`) where there is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from store.model import (
    Compaction,
    Content,
    Fault,
    Flag,
    Message,
    Part,
    Retry,
    Text,
    Tool,
    Unknown,
)
from store.sources.harness_blocks import (
    REGISTRY,
    Block,
    answered,
    blocks_of,
    call,
    content_of,
    exit_code,
    failure_of,
    registry,
    result_of,
    streamed,
    text_of,
    todos_of,
    tokens_of,
    turn_error,
)
from store.sources.harness_draft import Draft, with_flags
from store.sources.harness_events import (
    PACKED,
    QUIET,
    Damage,
    Event,
    Header,
    mapping,
    string,
    whole,
)
from store.sources.harness_surface import Surface, call_of


@dataclass(frozen=True, slots=True)
class Talk:
    """One log as messages and parts, both in reading order.

    `created` orders the parts of a message, `rows` has the seqs of the events behind each id.
    `whole`: nothing of the log was unreadable.
    """

    title: str
    updated: int
    messages: tuple[Message, ...]
    parts: tuple[Part, ...]
    created: dict[str, int]
    rows: dict[str, tuple[int, ...]]
    faults: tuple[Fault, ...]
    whole: bool
    surface: Surface


@dataclass(slots=True)
class _Turn:
    """What is known of the turn that runs: its last answer, its open calls, its live stream."""

    number: int = 0
    answer: str = ""
    open: list[str] = field(default_factory=list)
    stream: list[dict[str, Any]] = field(default_factory=list)


class Fold:
    """Folds one log. `idle`: nobody writes to it any more, so what is open will stay open.

    `parent_here`: the log that an inherited beginning was copied from is in the same store.
    """

    def __init__(self, header: Header, *, idle: bool, parent_here: bool) -> None:
        self._header = header
        self._idle = idle
        self._parent_here = parent_here
        self._surface = Surface()
        self._draft = Draft(header.id)
        self._calls: dict[str, str] = {}
        self._summaries: dict[str, bool] = {}
        self._turn = _Turn()
        self._asked = ""
        self._title = ""
        self._updated = header.created
        self._cut = header.seed
        self._damages: list[str] = []

    def all(self, events: Iterable[Event | Damage]) -> Talk:
        """The whole log as a talk."""
        for event in events:
            if isinstance(event, Damage):
                self._damages.append(event.reason)
                self._surface.skip()
            else:
                self._take(event)
        return self._end()

    # Events ----------------------------------------------------------------------------------

    def _take(self, event: Event) -> None:
        removed = self._surface.add(event)
        self._updated = max(self._updated, event.time)
        match event.type:
            case "user/message":
                self._said(event, event.data)
            case "system/message" | "developer/message":
                self._said(event, mapping(event.data.get("message")))
            case "assistant/message":
                self._answered(event)
            case "tool/result":
                self._result(event, bool(removed))
            case "tool/call" | "tool/ptc-dispatch" | "job/settled" | "subagent/catalog":
                self._beside_call(event)
            case _:
                self._beside(event)
        for seq in removed:
            self._draft.shadow(seq, event)

    def _beside(self, event: Event) -> None:
        """Events that are no message and belong to no call."""
        data = event.data
        match event.type:
            case "assistant/chunk":
                self._turn.stream.append(mapping(data.get("chunk")))
            case kind if kind in PACKED:
                self._turn.stream.append({**data, "type": kind})
            case "assistant/attempt":
                self._keep(event, streamed(data.get("stream")))
            case "todo/write":
                self._note(event, "todo", todos_of(data))
            case "llm/retry":
                retry = Retry(whole(data.get("retry")) or 0, failure_of(data.get("failure")))
                self._draft.part(event, self._holder(event), "retry", retry)
            case "turn/start":
                self._close(event)
                self._turn = _Turn(whole(data.get("turn")) or self._turn.number + 1)
            case "step/end":
                self._broke_off(event)
            case "turn/end":
                self._turn_ended(event)
            case "session/end-seed":
                self._close(event)
                self._cut = event.seq if data.get("inherited") is True else self._cut
            case "session/title":
                self._title = string(data.get("title"))
            case "compaction/summary":
                summary = text_of(data.get("summary"))
                self._summaries[summary] = not data.get("sourceCommandId")
            case kind if kind not in QUIET:
                self._note(event, kind, Unknown(kind, data))

    def _note(self, event: Event, name: str, content: Content) -> None:
        holder = self._turn.answer or self._draft.current or self._holder(event)
        self._draft.part(event, holder, name, content)

    # Messages --------------------------------------------------------------------------------

    def _said(self, event: Event, message: dict[str, Any]) -> None:
        """A message of a person, or one that the program put in."""
        source = mapping(message.get("source"))
        role = string(message.get("role")) or event.type.partition("/")[0]
        own = role == "user" and source.get("kind") == "user"
        flags: tuple[Flag, ...] = () if own else ("synthetic",)
        ident = self._draft.message(event, string(message.get("id")), role, flags)
        self._draft.shown[event.seq] = ident
        if own:
            self._asked = ident
        blocks = blocks_of(message)
        if blocks and all(block.get("type") in REGISTRY for block in blocks):
            self._draft.part(event, ident, "0", registry(blocks), flags)
            return
        checkpoint = "compact" in string(source.get("kind")) + string(source.get("plugin"))
        for place, block in enumerate(blocks):
            held = content_of(block)
            text = held.text if isinstance(held, Text) else ""
            if checkpoint and text in self._summaries:
                held = Compaction(auto=self._summaries[text], text=text)
                self._draft.part(event, ident, str(place), held)
            else:
                self._draft.part(event, ident, str(place), held, flags)

    def _answered(self, event: Event) -> None:
        """A message of the model."""
        message = mapping(event.data.get("message"))
        source = mapping(message.get("source"))
        names = (string(source.get("provider")), string(source.get("model")))
        ident = self._draft.message(
            event,
            string(message.get("id")),
            "assistant",
            ("interrupted",) if event.data.get("interrupted") is True else (),
            agent=self._header.preset,
            parent=self._asked,
            model="/".join(name for name in names if name),
            tokens=tokens_of(event.data.get("usage")),
        )
        self._draft.shown[event.seq] = ident
        self._turn.answer, self._turn.stream = ident, []
        self._put_blocks(event, ident, blocks_of(message), ())
        self._complete(ident, event)

    def _holder(self, event: Event) -> str:
        """The message of the turn itself, made when it is first needed."""
        ident = f"{self._header.id}#turn-{self._turn.number}"
        if ident not in self._draft.messages:
            more = {"parent": self._asked, "completed": event.time}
            self._draft.message(event, ident, "assistant", (), **more)
        return ident

    def _put_blocks(
        self, event: Event, ident: str, blocks: list[Block], flags: tuple[Flag, ...]
    ) -> None:
        """The parts of an answer; its calls stay open until their results come."""
        for place, block in enumerate(blocks, len(self._draft.held[ident])):
            held = content_of(block)
            part = self._draft.part(event, ident, str(place), held, flags)
            if isinstance(held, Tool) and not flags:
                self._calls[held.call] = part
                self._turn.open.append(part)

    def _complete(self, ident: str, event: Event) -> None:
        """An answer is complete once none of its calls is open."""
        message = self._draft.messages[ident]
        waiting = any(one in self._turn.open for one in self._draft.held[ident])
        if message.role == "assistant" and message.completed is None and not waiting:
            self._draft.change_message(ident, event, completed=event.time)

    # Calls -----------------------------------------------------------------------------------

    def _beside_call(self, event: Event) -> None:
        """Events that tell more of a call."""
        data, draft = event.data, self._draft
        match event.type:
            case "tool/call":
                ident, name = string(data.get("callId")), string(data.get("name"))
                if ident not in self._calls:
                    self._open_call(event, call(name, ident, data.get("arguments")))
                part = self._calls[ident]
                held = draft.tool(part)
                if held is not None and held.status == "pending":
                    draft.change(part, event, replace(held, status="running", started=event.time))
            case "tool/ptc-dispatch":
                self._dispatched(event)
            case "job/settled":
                ident = string(mapping(data.get("toolCall")).get("callId"))
                part, code = self._calls.get(ident, ""), exit_code(data.get("detail"))
                held = draft.tool(part)
                if held is not None and code is not None:
                    draft.change(part, event, replace(held, exit=code))
            case "subagent/catalog":
                self._child(event, string(data.get("childId")))

    def _open_call(self, event: Event, tool: Tool) -> None:
        """A call that no answer of the log has in its blocks."""
        holder = self._turn.answer or self._holder(event)
        part = self._draft.part(event, holder, tool.call, tool)
        self._calls[tool.call] = part
        self._turn.open.append(part)

    def _result(self, event: Event, again: bool) -> None:
        """Puts a result to its call; one that replaces another is what the agent saw instead."""
        ident = call_of(event)
        if ident not in self._calls:
            self._open_call(event, call("", ident, None))
        part = self._calls[ident]
        held = self._draft.tool(part)
        if held is None:
            return
        self._draft.shown[event.seq] = part
        if again and held.status in ("completed", "error"):
            told = replace(held, meta={**held.meta, "replaced by": result_of(event.data)[0]})
            self._draft.change(part, event, told)
            return
        self._draft.change(part, event, *answered(held, event.data, event.time))
        if part in self._turn.open:
            self._turn.open.remove(part)
        self._complete(self._draft.parts[part].message, event)

    def _dispatched(self, event: Event) -> None:
        """A call that a program of the model made: a part beside the call that ran it."""
        data = event.data
        root = self._calls.get(string(data.get("rootCallId")))
        holder = self._draft.parts[root].message if root else self._holder(event)
        tool = call(string(data.get("name")), string(data.get("subCallId")), data.get("arguments"))
        told, flags = answered(replace(tool, started=event.time), {"message": data}, event.time)
        self._draft.part(event, holder, tool.call, told, flags)

    def _child(self, event: Event, child: str) -> None:
        """The session that the call started which runs now."""
        for part in reversed(self._turn.open):
            held = self._draft.tool(part)
            if held is not None and "agent" in held.name:
                told = replace(held, meta={**held.meta, "sessionId": child})
                self._draft.change(part, event, told)
                return

    # Turns -----------------------------------------------------------------------------------

    def _broke_off(self, event: Event) -> None:
        """A stream without a message after it (versions 0 and 1): its text is nowhere else."""
        blocks, self._turn.stream = streamed(self._turn.stream), []
        self._keep(event, blocks)

    def _keep(self, event: Event, blocks: list[Block]) -> None:
        """What came of an answer that failed, or was given up."""
        if blocks:
            self._put_blocks(event, self._holder(event), blocks, ("interrupted",))

    def _turn_ended(self, event: Event) -> None:
        self._close(event)
        words = turn_error(event.data.get("reason"))
        if words:
            ident = self._turn.answer or self._holder(event)
            completed = self._draft.messages[ident].completed or event.time
            self._draft.change_message(ident, event, error=words, completed=completed)

    def _close(self, event: Event) -> None:
        """Whatever is still open when a turn ends, or another begins, was interrupted."""
        self._broke_off(event)
        left, self._turn.open = self._turn.open, []
        for part in left:
            held = self._draft.parts[part]
            self._draft.change(part, event, held.content, ("interrupted",))
            self._complete(held.message, event)

    # The end ---------------------------------------------------------------------------------

    def _end(self) -> Talk:
        if self._idle:
            self._close(Event(-1, self._updated, "", {}))
        draft = self._draft
        cut = self._cut if self._parent_here else 0
        inherited = {ident for ident, seqs in draft.rows.items() if seqs[0] < cut}
        parts = [draft.parts[one] for ident in draft.messages for one in draft.held[ident]]
        return Talk(
            title=self._title,
            updated=self._updated,
            messages=tuple(_marked(one, inherited) for one in draft.messages.values()),
            parts=tuple(_marked(one, inherited) for one in parts),
            created=draft.created,
            rows=draft.rows,
            faults=self._faults(),
            whole=not self._damages,
            surface=self._surface,
        )

    def _faults(self) -> tuple[Fault, ...]:
        ident, faults = self._header.id, []
        if self._header.refused:
            words = f"dsh itself refuses this log: {self._header.refused}"
            faults.append(Fault("CORRUPT_SESSION", f"{ident}#header", words))
        if self._damages:
            words = f"not all of it can be read: {_several(self._damages)}"
            faults.append(Fault("CORRUPT_SESSION", ident, words))
        if self._surface.broken:
            words = f"rules of the surface are broken: {_several(self._surface.broken)}"
            faults.append(Fault("INVALID_SURFACE", f"{ident}#surface", words))
        return tuple(faults)


def _marked(one: Any, inherited: set[str]) -> Any:
    """A message or part, flagged as a fork's copy where it is among the inherited."""
    return replace(one, flags=with_flags(one.flags, ("fork",))) if one.id in inherited else one


def _several(reasons: list[str]) -> str:
    """The first of several reasons, and how many more there are."""
    more = len(reasons) - 1
    return reasons[0] + (f" (and {more} more)" if more else "")
