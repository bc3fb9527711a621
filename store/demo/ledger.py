"""What one session leaves behind: its rows as they stand, and the log of every change."""

from __future__ import annotations

from dataclasses import dataclass, field

from store.demo.ids import Ids
from store.demo.script import Data


@dataclass(slots=True)
class Row:
    """A row of message (`owner` is its session) or part (`owner` is its message)."""

    id: str
    owner: str
    created: int
    updated: int
    data: Data


@dataclass(frozen=True, slots=True)
class Event:
    """A row of the event log; its place in the list is its seq."""

    id: str
    type: str
    data: Data


@dataclass(slots=True)
class Ledger:
    """One session while it is played. `header` is the session as events show it, `clock` in ms.

    `labels` are the ids of what the script gave a name, `spills` the files of cut outputs.
    """

    id: str
    ids: Ids
    clock: int
    header: Data
    messages: dict[str, Row] = field(default_factory=dict)
    parts: dict[str, Row] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    spills: dict[str, str] = field(default_factory=dict)
    todos: list[Data] = field(default_factory=list)
    todo_time: int = 0

    def in_order(self) -> list[Row]:
        """The messages by (time_created, id)."""
        return sorted(self.messages.values(), key=lambda row: (row.created, row.id))

    def parts_of(self, message: str) -> list[Row]:
        """The parts of a message, as they came."""
        return [row for row in self.parts.values() if row.owner == message]

    def put_message(self, ident: str, data: Data) -> None:
        """Inserts a message or replaces its data; its time_created stays."""
        row = self.messages.get(ident)
        created = data["time"]["created"] if row is None else row.created
        self.messages[ident] = Row(ident, self.id, created, self.clock, dict(data))
        info = {"id": ident, "sessionID": self.id, **data}
        self.log("message.updated.1", {"info": info})

    def put_part(self, ident: str, message: str, data: Data) -> None:
        """Inserts a part or replaces its data; its time_created stays."""
        row = self.parts.get(ident)
        created = self.clock if row is None else row.created
        self.parts[ident] = Row(ident, message, created, self.clock, dict(data))
        part = {"id": ident, "sessionID": self.id, "messageID": message, **data}
        self.log("message.part.updated.1", {"part": part, "time": self.clock})

    def drop(self, ident: str) -> None:
        """Removes one part, or a message with its parts; only the one named gets an event."""
        self.clock += 5
        if ident in self.parts:
            owner = self.parts.pop(ident).owner
            self.log("message.part.removed.1", {"messageID": owner, "partID": ident})
            return
        del self.messages[ident]
        for part in self.parts_of(ident):
            del self.parts[part.id]
        self.log("message.removed.1", {"messageID": ident})

    def spend(self, cost: float, tokens: Data) -> None:
        """Adds one model call to the session's sums."""
        old = self.header["tokens"]
        self.header["cost"] = round(self.header["cost"] + cost, 6)
        self.header["tokens"] = {
            "input": old["input"] + tokens["input"],
            "output": old["output"] + tokens["output"],
            "reasoning": 0,
            "cache": {"read": old["cache"]["read"] + tokens["cache"]["read"], "write": 0},
        }

    def touch(self) -> None:
        """Notes the session as it is now."""
        self.header["time"] = {**self.header["time"], "updated": self.clock}
        self.log("session.updated.1", {"info": dict(self.header)})

    def log(self, kind: str, data: Data) -> None:
        """Appends to the event log."""
        ident = self.ids.new("evt", self.clock)
        self.events.append(Event(ident, kind, {"sessionID": self.id, **data}))
