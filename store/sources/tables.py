"""A source over one SQLite file: each of its reads opens the file, fetches, and closes it again.

What stands in the file is the matter of a `Shape`, one for each generation of tables.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

import apsw

from store.errors import StoreError
from store.model import Evidence, Fault, Json, Producer, Revert
from store.read_only import columns, file_state, read_source
from store.source import (
    Bodies,
    Found,
    Glance,
    Listing,
    Outline,
    Place,
    Ref,
    Trace,
    Traced,
    Traces,
    Wanted,
)
from store.sources import originals
from store.sources.evidence import Rooms, fetch, gather
from store.sources.glances import glance
from store.sources.heads import Head, session
from store.sources.revert_times import revert_times

T = TypeVar("T")
ALONE = "the list of sessions has no row for it; it is shown as far as its messages and parts tell"
Later = Callable[[], Bodies]
"""Makes model types of rows that were fetched; called once the file is closed."""


@dataclass(frozen=True, slots=True)
class Heads:
    """All sessions, those that came from another program, and why the list ends early ("").

    `lost` are sessions that no list has and that left traces; those that are `alone` still have
    rows of their own and none in the list.
    """

    heads: Collection[Head]
    imported: Collection[str] = ()
    reason: str = ""
    lost: Collection[Head] = ()
    alone: Collection[str] = ()


class Shape(Protocol):
    """Tables on an open connection; see `store.source.Source` for what is asked."""

    def lacking(self) -> list[str]:
        """What the file lacks to be read here: tables, or `table.column`."""

    def heads(self, only: Sequence[str] | None = None) -> Heads:
        """The rows of the list of sessions, all or some."""

    def stamp(self, session: str) -> str:
        """A text that changes whenever the session's messages or parts do."""

    def outline(self, session: str) -> Outline:
        """What stands in the session."""

    def ending(self, session: str, messages: int) -> Outline | None:
        """The last messages of the session; None where they cannot be had without the others."""

    def bodies(self, session: str, messages: Sequence[Ref], parts: Sequence[Ref]) -> Later:
        """The rows of these refs."""

    def order(self, session: str) -> list[Place]:
        """The session's messages in reading order."""

    def window(self, session: str, messages: Sequence[str]) -> Later:
        """These messages with all their parts, both in reading order."""

    def find(self, beginning: str, limit: int) -> list[Found]:
        """What begins so, at most `limit` of each kind."""

    def raw(self, found: Found) -> str | None:
        """The stored JSON of a message or part."""

    def rooms(self) -> Rooms:
        """Where the file still holds what is gone, by kind of evidence."""


class TableSource:
    """One database file of a producer; `shape` tells what its tables are."""

    tells_stamps = True

    def __init__(
        self, producer: Producer, path: Path, shape: Callable[[apsw.Connection], Shape]
    ) -> None:
        self.producer = producer
        self.path = path
        self._shape = shape

    def state(self) -> str:
        """The present state of the file and its log. Raises SOURCE_NOT_FOUND."""
        return str(file_state(self.path))

    def _read(self, work: Callable[[Shape], T]) -> T:
        return read_source(self.path, lambda connection: work(self._shape(connection)))[0]

    def listing(self, name: str) -> Listing:
        """All sessions, latest activity first.

        Raises SOURCE_UNSUPPORTED for other schemas, SOURCE_UNREADABLE where no session is left.
        """
        return self._listing(name, None)

    def _listing(self, name: str, only: Sequence[str] | None) -> Listing:
        listed, state = read_source(self.path, lambda one: self._heads(self._shape(one), only))
        sessions = [session(name, head, listed.imported) for head in listed.heads]
        faults = []
        if listed.reason and not sessions and only is None:
            words = f"{self.path} cannot be read: {listed.reason}"
            raise StoreError("SOURCE_UNREADABLE", words, str(self.path))
        if listed.reason:
            words = f"the list of sessions ends early: {listed.reason}"
            faults.append(Fault("SOURCE_UNREADABLE", str(self.path), words))
        for alone in sorted(listed.alone) if only is None else ():
            faults.append(Fault("CORRUPT_SESSION", f"{alone}#row", ALONE))
        once = {session.id: session for session in sessions}.values()
        return Listing(
            tuple(sorted(once, key=lambda one: (-one.updated, one.id))),
            str(state),
            "wal" if state.log_size else "immutable",
            complete=not listed.reason and only is None,
            faults=tuple(faults),
            lost=tuple(session(name, head, ()) for head in listed.lost if not listed.reason),
        )

    def _heads(self, shape: Shape, only: Sequence[str] | None) -> Heads:
        if lacking := shape.lacking():
            raise StoreError(
                "SOURCE_UNSUPPORTED",
                f"{self.path} has a schema that is not known here; missing: {', '.join(lacking)}",
                str(self.path),
            )
        return shape.heads(only)

    # Following -------------------------------------------------------------------------------

    def glance(self) -> Glance:
        """What can be seen of changes at little cost."""
        seen, state = read_source(self.path, lambda one: glance(one, columns(one)))
        return replace(seen, file=f"{state.device}:{state.inode}")

    def some(self, name: str, sessions: Sequence[str]) -> Listing:
        """These sessions, as `listing` gives them; not complete."""
        return self._listing(name, sessions)

    def ending(self, session: str, messages: int) -> Outline | None:
        """The last messages of a session with their parts."""
        return self._read(lambda shape: shape.ending(session, messages))

    # Sessions --------------------------------------------------------------------------------

    def stamps(self, sessions: Sequence[str]) -> dict[str, str]:
        """For each session a text that changes whenever its messages or parts do."""
        return self._read(lambda shape: {one: shape.stamp(one) for one in sessions})

    def outlines(self, sessions: Sequence[str]) -> list[Outline]:
        """Refs of all messages and parts of these sessions, messages in reading order."""
        return self._read(lambda shape: [_stamped(shape, one) for one in sessions])

    def bodies(self, session: str, messages: Sequence[Ref], parts: Sequence[Ref]) -> Bodies:
        """Messages and parts by ref; a row that moved or went meanwhile is simply not there."""
        return self._read(lambda shape: shape.bodies(session, messages, parts))()

    def bodies_of(self, wanted: Sequence[Wanted]) -> list[Bodies]:
        """The same for several sessions, from one connection."""
        return [later() for later in self._read(lambda shape: [shape.bodies(*w) for w in wanted])]

    def order(self, session: str) -> list[Place]:
        """All messages of a session in reading order."""
        return self._read(lambda shape: shape.order(session))

    def window(self, session: str, messages: Sequence[str]) -> Bodies:
        """These messages with their parts, in reading order."""
        return self._read(lambda shape: shape.window(session, messages))()

    def originals(self, session: str, messages: Sequence[str]) -> dict[str, dict[str, Json]]:
        """The JSON of a session, of these messages and of their parts, each under its id."""
        return read_source(self.path, lambda one: originals.read(one, session, messages))[0]

    def find(self, beginning: str, limit: int) -> list[Found]:
        """Sessions, messages and parts whose id begins so, at most `limit` of each."""
        return self._read(lambda shape: shape.find(beginning, limit))

    def raw(self, found: Found) -> str | None:
        """The stored JSON of a message or part."""
        if found.kind not in ("message", "part"):
            return None
        return self._read(lambda shape: shape.raw(found))

    def traces(self, marks: Mapping[str, str]) -> dict[str, Traces]:
        """What is new of what is gone from these sessions."""
        return self._read(lambda shape: gather(shape.rooms(), marks))

    def remembers(self) -> dict[Evidence, int | None]:
        """What the file keeps of what is gone, and since when."""
        return self._read(lambda shape: {name: one.since() for name, one in shape.rooms().items()})

    def revert_times(self, reverts: Mapping[str, Revert]) -> dict[str, int]:
        """When these pending reverts were made, as far as the file tells."""
        return read_source(self.path, lambda one: revert_times(one, columns(one), reverts))[0]

    def traced(self, session: str, traces: Sequence[Trace]) -> list[Traced]:
        """The rows behind traces."""
        return self._read(lambda shape: fetch(shape.rooms(), session, traces))


def _stamped(shape: Shape, session: str) -> Outline:
    outline = shape.outline(session)
    return outline if outline.stamp else replace(outline, stamp=shape.stamp(session))
