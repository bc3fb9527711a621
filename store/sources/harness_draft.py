"""A talk while its log is being read: messages and parts that grow, and the rows behind them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from store.model import Compaction, Content, Flag, Message, Part, Reasoning, Text, Tool, Unknown
from store.sources.harness_events import Event
from store.text import encodable


class Draft:
    """Messages and parts by id, in the log's order. Ids that come again get a number.

    `held` has the parts of each message, `rows` the seqs of the events behind each id, `created`
    what orders the parts of a message, `shown` what each event of the surface became, `latest` is
    the time of the last message.
    """

    def __init__(self, session: str, latest: int = 0) -> None:
        self.session = session
        self.latest = latest
        self.messages: dict[str, Message] = {}
        self.parts: dict[str, Part] = {}
        self.held: dict[str, list[str]] = {}
        self.created: dict[str, int] = {}
        self.rows: dict[str, tuple[int, ...]] = {}
        self.shown: dict[int, str] = {}
        self.current = ""

    def message(
        self, event: Event, ident: str, role: str, flags: tuple[Flag, ...], **more: Any
    ) -> str:
        """A new message. Its time is the log's, a little later where two fall together."""
        ident = _free(encodable(ident) or f"{self.session}#{event.type}", self.messages)
        self.latest = max(event.time, self.latest + 1)
        self.messages[ident] = Message(
            id=ident,
            session=self.session,
            role=role,
            time=self.latest,
            updated=event.time,
            flags=flags,
            **more,
        )
        self.held[ident] = []
        self.current = ident
        self._cite(ident, event)
        return ident

    def change_message(self, ident: str, event: Event, **fields: Any) -> None:
        """The same message with other fields."""
        self.messages[ident] = replace(self.messages[ident], updated=event.time, **fields)
        self._cite(ident, event)

    def part(
        self,
        event: Event,
        message: str,
        name: str,
        content: Content,
        flags: tuple[Flag, ...] = (),
    ) -> str:
        """A new part at the end of a message, named within it."""
        ident = _free(encodable(f"{message}#{name}"), self.parts)
        held = self.held[message]
        self.parts[ident] = Part(
            id=ident,
            message=message,
            session=self.session,
            time=event.time,
            updated=event.time,
            content=content,
            flags=flags,
            size=_size(content),
        )
        self.created[ident] = self.messages[message].time + len(held)
        held.append(ident)
        self._cite(ident, event)
        return ident

    def change(
        self, ident: str, event: Event, content: Content, flags: tuple[Flag, ...] = ()
    ) -> None:
        """The same part with other content, and further flags."""
        part = self.parts[ident]
        self.parts[ident] = replace(
            part,
            content=content,
            flags=with_flags(part.flags, flags),
            updated=event.time,
            size=_size(content),
        )
        self._cite(ident, event)

    def tool(self, ident: str) -> Tool | None:
        """What a part holds, if it is a call."""
        part = self.parts.get(ident)
        return part.content if part is not None and isinstance(part.content, Tool) else None

    def shadow(self, seq: int, event: Event) -> None:
        """Marks what a replacement took from the model: a message whole, or one result."""
        ident = self.shown.get(seq, "")
        parts = self.held.get(ident, [ident])
        if ident in self.messages:
            flags = with_flags(self.messages[ident].flags, ("shadowed",))
            self.messages[ident] = replace(self.messages[ident], flags=flags, updated=event.time)
        for one in parts:
            if one in self.parts:
                flags = with_flags(self.parts[one].flags, ("shadowed",))
                self.parts[one] = replace(self.parts[one], flags=flags, updated=event.time)

    def _cite(self, ident: str, event: Event) -> None:
        if event.seq >= 0:
            self.rows[ident] = (*self.rows.get(ident, ()), event.seq)


def with_flags(flags: tuple[Flag, ...], more: Iterable[Flag]) -> tuple[Flag, ...]:
    """The flags and those of `more` that are not among them."""
    return (*flags, *(flag for flag in more if flag not in flags))


def _free(ident: str, taken: dict[str, Any]) -> str:
    number, name = 1, ident
    while name in taken:
        number += 1
        name = f"{ident}~{number}"
    return name


def _size(content: Content) -> int:
    """About how many bytes a part holds; what its text changes it changes too."""
    match content:
        case Text(text) | Reasoning(text) | Compaction(text=text):
            return len(text.encode("utf-8", "surrogatepass"))
        case Tool():
            texts = (content.output or "", content.error or "", content.diff, str(content.input))
            return sum(len(one.encode("utf-8", "surrogatepass")) for one in texts)
        case Unknown(fields=fields):
            return len(str(fields))
    return 64
