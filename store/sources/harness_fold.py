"""Events to messages and parts: one log, read once, in its order.

A message of the log is a message here, by its own id. A block is a part, by its message's id and
its place in it (`id#place`), which stays the same when a log is brought to a newer version. A
call and its result are one tool part. What the log says beside messages is a part of the message
it belongs to, or of the turn's own message (`session#turn-N`) where there is none.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from store.model import (
    Compaction,
    Content,
    Fault,
    Flag,
    Retry,
    Text,
    Unknown,
)
from store.sources.harness_blocks import (
    REGISTRY,
    Block,
    blocks_of,
    content_of,
    failure_of,
    registry,
    streamed,
    text_of,
    todos_of,
    tokens_of,
    turn_error,
)
from store.sources.harness_calls import Calls
from store.sources.harness_draft import Draft
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
from store.sources.harness_stream import Stream
from store.sources.harness_surface import Surface
from store.sources.harness_talk import Talk, marked, several
from store.text import encodable


@dataclass(slots=True)
class _Turn:
    """What is known of the turn that runs: its last answer and its live stream."""

    number: int = 0
    answer: str = ""
    stream: Stream = field(default_factory=Stream)


class Fold:
    """Folds one log, which may grow.

    `parent_here`: the log that an inherited beginning was copied from is in the same store.
    """

    def __init__(self, header: Header, *, parent_here: bool) -> None:
        self._header = header
        self._parent_here = parent_here
        self._surface = Surface()
        self._draft = Draft(header.id)
        self._calls = Calls(self._draft, self._answer_or_holder)
        self._summaries: dict[str, bool] = {}
        self._turn = _Turn()
        self._asked = ""
        self._title = ""
        self._updated = header.created
        self._cut = header.seed
        self._damages: list[str] = []

    def take(self, events: Iterable[Event | Damage]) -> None:
        """The next events of the log."""
        for event in events:
            if isinstance(event, Damage):
                self._damages.append(event.reason)
                self._surface.skip()
            else:
                self._take(event)

    def talk(self, *, idle: bool) -> Talk:
        """What was taken, as a talk.

        `idle`: nobody writes to the log any more, so what is open is interrupted, here too; else
        an answer that streams is shown as far as it has come.
        """
        if idle:
            self._close(Event(-1, self._updated, "", {}))
        return self._end()

    def branch(self) -> Fold:
        """Another fold that goes on from here and leaves this one as it is."""
        kept = (*self._draft.messages.values(), *self._draft.parts.values())
        return copy.deepcopy(self, {id(one): one for one in kept})

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
                self._calls.result(event, bool(removed))
            case "tool/call":
                self._calls.started(event)
            case "tool/ptc-dispatch":
                self._calls.dispatched(event)
            case "job/settled":
                self._calls.settled(event)
            case "subagent/catalog":
                self._calls.child(event)
            case _:
                self._beside(event)
        for seq in removed:
            self._draft.shadow(seq, event)

    def _beside(self, event: Event) -> None:
        """Events that are no message and belong to no call."""
        data = event.data
        match event.type:
            case "assistant/chunk":
                self._turn.stream.add(event, mapping(data.get("chunk")))
            case kind if kind in PACKED:
                self._turn.stream.add(event, {**data, "type": kind})
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
                self._title = encodable(string(data.get("title")))
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
        if blocks and all(string(block.get("type")) in REGISTRY for block in blocks):
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
        self._turn.answer, self._turn.stream = ident, Stream()
        self._put_blocks(event, ident, blocks_of(message), ())
        self._calls.complete(ident, event)

    def _answer_or_holder(self, event: Event) -> str:
        return self._turn.answer or self._holder(event)

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
            if not flags:
                self._calls.opened(part, held)

    # Turns -----------------------------------------------------------------------------------

    def _broke_off(self, event: Event) -> None:
        """A stream without a message after it (versions 0 and 1): its text is nowhere else."""
        blocks, self._turn.stream = self._turn.stream.blocks(), Stream()
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
        self._calls.close(event)

    # The end ---------------------------------------------------------------------------------

    def _end(self) -> Talk:
        draft = self._draft
        cut = self._cut if self._parent_here else 0
        inherited = {ident for ident, seqs in draft.rows.items() if seqs[0] < cut}
        parts = [draft.parts[one] for ident in draft.messages for one in draft.held[ident]]
        live = self._turn.stream.shown(draft, agent=self._header.preset, parent=self._asked)
        message, streaming, places = live or (None, (), {})
        return Talk(
            title=self._title,
            updated=self._updated,
            messages=(
                *(marked(one, inherited) for one in draft.messages.values()),
                *([message] if message else []),
            ),
            parts=(*(marked(one, inherited) for one in parts), *streaming),
            created=draft.created | places,
            rows=dict(draft.rows),
            faults=self._faults(),
            whole=not self._damages,
        )

    def _faults(self) -> tuple[Fault, ...]:
        ident, faults = self._header.id, []
        if self._header.refused:
            words = f"dsh itself refuses this log: {self._header.refused}"
            faults.append(Fault("CORRUPT_SESSION", f"{ident}#header", words))
        if self._damages:
            words = f"not all of it can be read: {several(self._damages)}"
            faults.append(Fault("CORRUPT_SESSION", ident, words))
        if self._surface.broken:
            words = f"rules of the surface are broken: {several(self._surface.broken)}"
            faults.append(Fault("INVALID_SURFACE", f"{ident}#surface", words))
        return tuple(faults)
