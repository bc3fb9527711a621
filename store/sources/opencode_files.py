"""opencode before 1.2: one JSON file for every session, message and part, under `<data>/storage`.

    session/<project>/<session>.json, message/<session>/<message>.json, part/<message>/<part>.json

1.2 took the sessions over into a database beside it and left the files as they were; what the
database has, it speaks for. Files are written in place, so that one may be met half-written.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from store.errors import StoreError
from store.model import Evidence, Fault, Message, Part, Producer, Revert, Session
from store.source import Bodies, Found, Listing, Outline, Place, Ref, Trace, Traced, Traces, Wanted
from store.sources import json_session
from store.sources.content import as_string
from store.sources.evidence import fetch, gather
from store.sources.heads import Head
from store.sources.heads import session as session_of
from store.sources.orphans import Orphans
from store.sources.storage_tree import (
    Entry,
    all_entries,
    entries,
    folders,
    read_object,
    spoken_for,
)

OPENED = "files"
"""How a folder of files is opened."""


class OpencodeFiles:
    """The sessions in a storage folder that none of the `databases` has."""

    tells_stamps = False

    producer: Producer = "opencode"

    def __init__(self, path: Path, databases: Sequence[Path] = ()) -> None:
        self.path = path
        self._databases = tuple(databases)
        self._seen: Orphans | None = None

    # What is there ---------------------------------------------------------------------------

    def state(self) -> str:
        """The present state of all files that are read. Raises SOURCE_NOT_FOUND."""
        return self._state(self._own()[0])

    def _own(self) -> tuple[dict[str, Entry], dict[str, str]]:
        """The files of the sessions that are ours to tell, and who tells the others."""
        if not self.path.is_dir():
            raise StoreError("SOURCE_NOT_FOUND", f"{self.path} does not exist", str(self.path))
        files = {
            entry.id: entry
            for project in folders(self.path / "session")
            for entry in entries(project)
        }
        spoken = spoken_for(self._databases) if files else {}
        own = {one: files[one] for one in files if one not in spoken}
        return own, {one: spoken[one] for one in files if one in spoken}

    def _state(self, own: dict[str, Entry]) -> str:
        told = hashlib.sha256()
        for entry in entries(self.path / "project"):
            told.update(entry.state.encode())
        for ident, entry in own.items():
            told.update(entry.state.encode())
            told.update(self._stamp(ident).encode())
        return told.hexdigest()

    def _stamp(self, session: str) -> str:
        told = hashlib.sha256()
        for message in self._messages(session):
            told.update(message.state.encode())
            for part in self._parts(message.id):
                told.update(part.state.encode())
        return told.hexdigest()

    def _headless(self, known: Collection[str]) -> frozenset[str]:
        """Sessions whose file is not there and whose messages are: deleting one takes these first.

        A copy that was made or restored in part looks so.
        """
        found = {
            folder.name
            for folder in folders(self.path / "message")
            if folder.name not in known and entries(folder)
        }
        return frozenset(found.difference(spoken_for(self._databases) if found else ()))

    def _missing(self) -> list[Fault]:
        """What lacks of the whole storage."""
        return [
            Fault(
                "SOURCE_UNREADABLE",
                str(self.path / name),
                f"{self.path / name} cannot be read: what was in it is not called gone",
            )
            for name in ("message", "part")
            if not os.access(self.path / name, os.R_OK | os.X_OK)
        ]

    def _messages(self, session: str) -> list[Entry]:
        return entries(self.path / "message" / session)

    def _parts(self, message: str) -> list[Entry]:
        return entries(self.path / "part" / message)

    # Sessions --------------------------------------------------------------------------------

    def listing(self, name: str) -> Listing:
        """All sessions of ours, latest activity first."""
        own, elsewhere = self._own()
        self._seen = None
        state = self._state(own)
        projects = {entry.id: read_object(entry)[0] for entry in entries(self.path / "project")}
        sessions = []
        faults = self._missing() if own else []
        for ident, entry in own.items():
            info, reason = read_object(entry)
            if reason:
                faults.append(Fault("CORRUPT_SESSION", ident, f"{entry.path}: {reason}"))
                continue
            head = json_session.head(info, projects.get(as_string(info, "projectID"), {}))
            messages = self._messages(ident)
            head.id = ident
            head.messages = len(messages)
            head.parts = sum(len(self._parts(message.id)) for message in messages)
            sessions.append(session_of(name, head, ()))
        unseen = self._headless({*own, *elsewhere})
        headless = "its file is not there, and its messages are"
        return Listing(
            tuple(sorted(sessions, key=lambda one: (-one.updated, one.id))),
            state,
            OPENED,
            complete=not faults,
            faults=(*faults, *(Fault("CORRUPT_SESSION", one, headless) for one in sorted(unseen))),
            elsewhere=elsewhere,
            lost=tuple(self._lost(name, {*own, *elsewhere, *unseen})),
            unseen=unseen,
        )

    def _lost(self, name: str, known: Collection[str]) -> Iterator[Session]:
        """Sessions that no file and no database has, of which parts are left."""
        for ident, held in self._orphans().sessions().items():
            if ident and ident not in known:
                times = [entry.updated for _, entry in held]
                yield session_of(name, Head(ident, "", "", min(times), max(times)), ())

    def stamps(self, sessions: Sequence[str]) -> dict[str, str]:
        """Names, sizes and times of change of all files of each session."""
        return {session: self._stamp(session) for session in sessions}

    def outlines(self, sessions: Sequence[str]) -> list[Outline]:
        """Refs of all messages and parts of these sessions, messages in reading order."""
        return [self._outline(session) for session in sessions]

    def _outline(self, session: str) -> Outline:
        messages = self._refs(session)
        held = {ref.id: all_entries(self.path / "part" / ref.id) for ref in messages}
        parts = [
            Ref(part.id, ref.id, ref.time, ref.time, part.updated, part.size, 0)
            for ref in messages
            for part in held[ref.id] or ()
        ]
        return Outline(
            session,
            tuple(messages),
            tuple(parts),
            complete=all_entries(self.path / "message" / session) is not None,
            final=True,
            unseen=frozenset(ident for ident, found in held.items() if found is None),
        )

    def _refs(self, session: str) -> list[Ref]:
        """The messages in reading order; one that cannot be read stands where it was written."""
        refs = []
        for entry in self._messages(session):
            info, _ = read_object(entry)
            said = json_session.message_time(info)
            moment = entry.updated if said is None else said
            refs.append(Ref(entry.id, session, moment, moment, entry.updated, entry.size, 0))
        return sorted(refs, key=lambda ref: (ref.time, ref.id))

    def order(self, session: str) -> list[Place]:
        """All messages of a session in reading order."""
        return [Place(0, ref.time, ref.id) for ref in self._refs(session)]

    # Bodies ----------------------------------------------------------------------------------

    def bodies(self, session: str, messages: Sequence[Ref], parts: Sequence[Ref]) -> Bodies:
        """Messages and parts by ref; a file that went meanwhile is simply not there."""
        faults: list[Fault] = []
        found = [self._message(session, ref, faults) for ref in messages]
        held = [self._part(session, ref, faults) for ref in parts]
        return Bodies(
            tuple(one for one in found if one is not None),
            tuple(one for one in held if one is not None),
            tuple(faults),
        )

    def bodies_of(self, wanted: Sequence[Wanted]) -> list[Bodies]:
        """The same for several sessions, one after the other."""
        return [self.bodies(*one) for one in wanted]

    def _message(self, session: str, ref: Ref, faults: list[Fault]) -> Message | None:
        entry = Entry.at(self.path / "message" / session / f"{ref.id}.json")
        if entry is None:
            return None
        info, reason = read_object(entry)
        if reason:
            faults.append(Fault("CORRUPT_PART", ref.id, f"{entry.path}: {reason}"))
        return json_session.message(info, session, ref)

    def _part(self, session: str, ref: Ref, faults: list[Fault]) -> Part | None:
        entry = Entry.at(self.path / "part" / ref.parent / f"{ref.id}.json")
        if entry is None:
            return None
        fields, reason = read_object(entry)
        if reason:
            faults.append(Fault("CORRUPT_PART", ref.id, f"{entry.path}: {reason}"))
            return None
        return json_session.part(fields, session, ref)

    def window(self, session: str, messages: Sequence[str]) -> Bodies:
        """These messages with their parts, in reading order."""
        wanted = set(messages)
        outline = self._outline(session)
        return self.bodies(
            session,
            [ref for ref in outline.messages if ref.id in wanted],
            [ref for ref in outline.parts if ref.parent in wanted],
        )

    # By id -----------------------------------------------------------------------------------

    def find(self, beginning: str, limit: int) -> list[Found]:
        """Sessions, messages and parts whose file's name begins so, at most `limit` of each."""
        sessions: list[Found] = []
        messages: list[Found] = []
        parts: list[Found] = []
        for session in self._own()[0]:
            sessions.append(Found("session", session, "", session))
            for message in self._messages(session):
                messages.append(Found("message", message.id, message.id, session))
                parts += [
                    Found("part", part.id, message.id, session) for part in self._parts(message.id)
                ]
        return [
            one
            for kind in (sessions, messages, parts)
            for one in [row for row in kind if row.id.startswith(beginning)][:limit]
        ]

    def raw(self, found: Found) -> str | None:
        """The file of a message or part."""
        if found.kind not in ("message", "part"):
            return None
        above = found.session if found.kind == "message" else found.message
        path = self.path / found.kind / above / f"{found.id}.json"
        with suppress(OSError):
            return path.read_text(encoding="utf-8", errors="replace")
        return None

    # What is gone ----------------------------------------------------------------------------

    def traces(self, marks: Mapping[str, str]) -> dict[str, Traces]:
        """Parts whose message is gone."""
        return gather({"storage_files": self._orphans()}, marks)

    def traced(self, session: str, traces: Sequence[Trace]) -> list[Traced]:
        """The rows behind traces."""
        return fetch({"storage_files": self._orphans()}, session, traces)

    def revert_times(self, reverts: Mapping[str, Revert]) -> dict[str, int]:
        """Nothing tells."""
        return {}

    def remembers(self) -> dict[Evidence, int | None]:
        """Parts whose message a revert took; nothing tells since when."""
        return {"storage_files": None}

    def _orphans(self) -> Orphans:
        if self._seen is None:
            self._seen = Orphans(self.path)
        return self._seen
