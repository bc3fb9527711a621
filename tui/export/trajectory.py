"""Trajectories: a line of JSON for each agent slice, as MiMo Code's plugins get when it has ended.

Shape of the hook `session.post` of MiMo Code, August 2026: a slice from its last compaction on,
each message with all its fields flat, ids and parts. Bytes in the URLs of attached files become
`[data-url:<mime>:<filename>]`. The system prompt is not stored, so there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from store.model import Compaction, Json, Message, Text, WindowMessage
from tui.export.conversation import Stored
from tui.jsontext import dump

Fields = dict[str, Json]
ABORTED = "MessageAbortedError"


@dataclass(slots=True)
class Slice:
    """What there is to say of an agent slice; `start` is the message that it begins with.

    `compaction` is one that was asked for and has no summary yet.
    """

    name: str
    session: str
    start: str = ""
    compaction: str = ""
    answer: Message | None = None
    said: str = ""

    def add(self, one: WindowMessage) -> None:
        """Takes in the next message of the slice."""
        self.start = self.start or one.message.id
        if any(isinstance(part.content, Compaction) for part in one.parts):
            self.compaction = one.message.id
        if one.message.role == "assistant":
            if self.compaction and one.message.completed and not one.message.error:
                self.start, self.compaction = self.compaction, ""
            self.answer = one.message
            self.said = "\n".join(
                part.content.text
                for part in one.parts
                if isinstance(part.content, Text) and part.content.text and not part.flags
            )

    def head(self) -> Fields:
        """How the slice ended, in the words of the hook."""
        told: Fields = {"sessionID": self.session, "agentID": self.name}
        if self.answer is None:
            return {**told, "outcome": "cancelled"}
        error = self.answer.error
        told["outcome"] = "completed" if self.answer.completed and not error else "cancelled"
        if error and not error.startswith(ABORTED):
            told |= {"outcome": "error", "error": error}
        return told | {"finalText": self.said, "assistantMessageID": self.answer.id}


def slices(messages: Iterable[WindowMessage]) -> list[Slice]:
    """The agent slices of a session in the order in which they began."""
    found: dict[str, Slice] = {}
    for one in messages:
        name = one.message.slice
        found.setdefault(name, Slice(name, one.message.session)).add(one)
    return list(found.values())


def as_trajectory(
    found: Iterable[Slice], messages: Callable[[str], Iterable[Stored]]
) -> Iterator[str]:
    """A line for each slice; `messages` gives those of a slice by its name."""
    for one in found:
        head = dump({"hook": "session.post", "input": {**one.head(), "trajectory": []}})
        yield head.removesuffix("]}}")
        separator = ""
        for stored in _from(one.start, messages(one.name)):
            yield separator + dump(trajectory_message(stored))
            separator = ", "
        yield "]}}\n"


def _from(start: str, messages: Iterable[Stored]) -> Iterator[Stored]:
    begun = False
    for one in messages:
        begun = begun or one.read.message.id == start
        if begun:
            yield one


def trajectory_message(one: Stored) -> Fields:
    """A message flat, with its slice, its time and its parts."""
    return {
        **one.info,
        "agentID": one.read.message.slice,
        "created": one.read.message.time,
        "parts": [_part(part) for part in one.parts],
    }


def _part(part: Fields) -> Fields:
    if part.get("type") == "file":
        return _named(part)
    state = part.get("state")
    if not isinstance(state, dict) or not isinstance(state.get("attachments"), list):
        return part
    attached = state["attachments"]
    files = [_named(each) if isinstance(each, dict) else each for each in attached]
    return {**part, "state": {**state, "attachments": files}}


def _named(file: Fields) -> Fields:
    """A file without its bytes."""
    url, mime, name = file.get("url"), file.get("mime", ""), file.get("filename")
    if not isinstance(url, str) or not url.startswith("data:"):
        return file
    named = f"data-url:{mime}:{name}" if name else f"data-url:{mime}"
    return {**file, "url": f"[{named}]"}
