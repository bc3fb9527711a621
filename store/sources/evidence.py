"""What a database still holds of what is gone: several kinds of evidence, one room for each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Protocol

from store.model import Evidence
from store.source import Trace, Traced, Traces

KNOWN: tuple[Evidence, ...] = ("source", "event_log", "history_fts", "storage_files")


class Room(Protocol):
    """One kind of evidence, on an open store."""

    def traces(self, session: str, mark: str) -> Traces | None:
        """What is new since the mark, None where nothing is."""

    def traced(self, session: str, traces: Sequence[Trace]) -> list[Traced]:
        """The rows behind traces of this kind."""

    def since(self) -> int | None:
        """How far back it goes (ms), None where nothing tells."""


Rooms = Mapping[Evidence, Room]


def gather(rooms: Rooms, marks: Mapping[str, str]) -> dict[str, Traces]:
    """The news of all rooms by session; the marks of the rooms are one text together."""
    found: dict[str, Traces] = {}
    for session, mark in marks.items():
        before: dict[str, str] = json.loads(mark) if mark else {}
        after = {name: text for name, text in before.items() if name in rooms}
        traces: list[Trace] = []
        stale: list[Evidence] = [name for name in KNOWN if name in before and name not in rooms]
        for name, room in rooms.items():
            told = room.traces(session, before.get(name, ""))
            if told is None:
                continue
            traces += told.traces
            stale += told.stale
            after[name] = told.mark
        if after != before or traces or stale:
            traces.sort(key=lambda one: one.is_part)
            text = json.dumps({name: after[name] for name in sorted(after) if after[name]})
            found[session] = Traces(tuple(traces), text if text != "{}" else "", tuple(stale))
    return found


def fetch(rooms: Rooms, session: str, traces: Sequence[Trace]) -> list[Traced]:
    """The rows behind traces, each from its room."""
    found: list[Traced] = []
    for name, room in rooms.items():
        mine = [trace for trace in traces if trace.evidence == name]
        if mine:
            found += room.traced(session, mine)
    return found
