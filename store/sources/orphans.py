"""Part files without their message in opencode's JSON storage, before 1.2.

A committed revert unlinks the files of messages and leaves those of their parts; the import of 1.2
passes them over. Deleting a session takes both, and there was no way to delete one message. The
folder of a session's messages stays in any case: without it nothing tells what is gone.
When a message was said is only told by its id.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from store.model import Message, Part
from store.source import Ref, Trace, Traced, Traces
from store.sources import json_session
from store.sources.content import Fields, as_string, part_time
from store.sources.id_times import time_of
from store.sources.storage_tree import Entry, all_entries, entries, folders, read_object


class Orphans:
    """The orphans of a storage folder, read once; a later look needs another one of these."""

    def __init__(self, storage: Path) -> None:
        self._storage = storage
        self._looked: set[str] = set()
        self._found: dict[str, list[tuple[str, Entry]]] | None = None

    def sessions(self) -> dict[str, list[tuple[str, Entry]]]:
        """For each session (message, file of a part), in the order of their names."""
        if self._found is None:
            self._found = {}
            for message, entry in self._entries():
                session = as_string(read_object(entry)[0], "sessionID")
                if session in self._looked:
                    self._found.setdefault(session, []).append((message, entry))
        return self._found

    def _entries(self) -> Iterator[tuple[str, Entry]]:
        here: set[str] = set()
        for folder in folders(self._storage / "message"):
            messages = all_entries(folder)
            if messages is not None:
                self._looked.add(folder.name)
                here |= {message.id for message in messages}
        for folder in folders(self._storage / "part"):
            if folder.name not in here:
                for part in entries(folder):
                    yield folder.name, part

    def traces(self, session: str, mark: str) -> Traces | None:
        """All orphans of a session whenever there are others than at the mark.

        None where the folder of its messages cannot be looked into.
        """
        found = self.sessions().get(session, [])
        if session not in self._looked:
            return None
        told = "".join(entry.state for _, entry in found)
        sign = hashlib.blake2s(told.encode(), digest_size=8).hexdigest() if found else ""
        if sign == mark:
            return None
        traces: list[Trace] = []
        seen: dict[str, int] = {}
        for message, entry in found:
            if message not in seen:
                seen[message] = _said(message, entry)
                ref = Ref(message, session, seen[message], seen[message], entry.updated, 1, 0)
                traces.append(Trace(ref, False, "revert_committed", "storage_files"))
            time = seen[message]
            ref = Ref(entry.id, message, time, time, entry.updated, entry.size, 0)
            traces.append(Trace(ref, True, "revert_committed", "storage_files"))
        return Traces(tuple(traces), sign, ("storage_files",) if mark else ())

    def since(self) -> int | None:
        """Nothing tells."""
        return None

    def traced(self, session: str, traces: Sequence[Trace]) -> list[Traced]:
        """The parts of the files; their messages as far as those tell."""
        found: list[Traced] = []
        for trace in traces:
            if trace.is_part:
                fields = self._fields(trace.ref.parent, trace.ref.id)
                if fields:
                    part: Part = json_session.part(fields, session, trace.ref)
                    found.append((trace, part))
            else:
                role = self._role(trace.ref.id)
                ref = trace.ref
                found.append((trace, Message(ref.id, session, role, ref.time, ref.updated)))
        return found

    def _fields(self, message: str, part: str) -> Fields:
        entry = Entry.at(self._storage / "part" / message / f"{part}.json")
        return read_object(entry)[0] if entry else {}

    def _role(self, message: str) -> str:
        """An answer has steps, or texts with times; what a person typed has neither."""
        for entry in entries(self._storage / "part" / message):
            fields = read_object(entry)[0]
            kind = as_string(fields, "type")
            if kind in ("step-start", "step-finish", "reasoning", "tool"):
                return "assistant"
            if kind == "text" and part_time(fields) is not None:
                return "assistant"
        return "user"


def _said(message: str, entry: Entry) -> int:
    time = time_of(message, entry.updated)
    return entry.updated if time is None else time
