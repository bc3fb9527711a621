"""The seam between a producer's store and everything above: what every source can be asked.

A source reads and returns; it never writes and never calls up. Each method is one bounded read that
begins and ends on its own, so nothing is held open between two calls. What cannot be read comes
back as a `Fault` beside what can.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from store.model import Cause, Evidence, Fault, Json, Message, Part, Producer, Revert, Session

WAITING = 2**40
"""Numbers from here on belong to input that still waits to be delivered."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The sessions of a source. `complete` is False where the list could not be read to its end.

    `state` is the state of the store's files that was read, `opened` how (see `SourceInfo`).
    A store that tells titles and counts with the outlines only gives the `stamps` of its sessions
    here: what an outline told stays valid while the stamp does, and until then counts are guesses.
    What stands `elsewhere` is told by another store, whose path is given: that one takes over what
    is known of it. Sessions that are `lost` are in no list any more, and still left traces; those
    that are `unseen` cannot be told of, and may be there.
    """

    sessions: tuple[Session, ...]
    state: str
    opened: str
    complete: bool = True
    faults: tuple[Fault, ...] = ()
    stamps: Mapping[str, str] = field(default_factory=dict)
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    lost: tuple[Session, ...] = ()
    unseen: frozenset[str] = frozenset()


class Ref(NamedTuple):
    """A stored row without its body: enough to see whether it is new or has changed.

    `time` is when it was said (for a part: its message), `created` orders the parts of a message:
    when the row was written, or the part's place. `place` lets the source find the row again
    quickly; it means nothing to anybody else. `seq` is the number that the producer gave a message
    of the session, 0 where it has none and time decides.
    """

    id: str
    parent: str
    time: int
    created: int
    updated: int
    size: int
    place: int
    seq: int = 0


class Place(NamedTuple):
    """Where a message stands in its session; places sort in reading order."""

    seq: int
    time: int
    id: str
    slice: str = "main"


class SomePlaces(list[Place]):
    """Places of a session of which not all can be read: what they do not name may be there."""


@dataclass(frozen=True, slots=True)
class Outline:
    """All messages and parts of one session as refs; `parent` of a part is its message.

    Only a `complete` outline says that what it does not name is gone. One that is not, and `final`,
    will not be better before the session's stamp changes. `title` and `updated` stand in for the
    listing's where that could not know them. `stamp` is the session's, of the same moment, where
    the source tells it here (`Source.tells_stamps`). Of parts of the `unseen` messages nothing is
    said. Messages that are `passing` stand for what is just being said: once they or parts of them
    are not there, others have taken their place, and nothing is gone.
    """

    session: str
    messages: tuple[Ref, ...]
    parts: tuple[Ref, ...]
    complete: bool = True
    faults: tuple[Fault, ...] = ()
    final: bool = False
    title: str | None = None
    updated: int | None = None
    stamp: str = ""
    unseen: frozenset[str] = frozenset()
    passing: frozenset[str] = frozenset()


class Wanted(NamedTuple):
    """Rows of one session that are to be read."""

    session: str
    messages: Sequence[Ref]
    parts: Sequence[Ref]


@dataclass(frozen=True, slots=True)
class Bodies:
    """Messages and parts that were asked for by ref, as far as they can be read."""

    messages: tuple[Message, ...] = ()
    parts: tuple[Part, ...] = ()
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A row that an id names: its native id, its message ("" for a session), its session."""

    kind: str
    id: str
    message: str
    session: str


@dataclass(frozen=True, slots=True)
class Trace:
    """Where the text of something that is gone still lies, and what is known of its going.

    A message where `ref.parent` is the session, else a part. `version` 0 is what it said last, 1
    and on are earlier texts, the oldest first; of a part that is still there only those are given.
    `removed_at` is in ms, None where nothing tells. With `evidence` "kept" no text was found: only
    the cause is told, for whoever kept a copy.
    """

    ref: Ref
    is_part: bool
    cause: Cause
    evidence: Evidence
    removed_at: int | None = None
    version: int = 0


@dataclass(frozen=True, slots=True)
class Traces:
    """What is new of a session's traces, messages before parts.

    `mark` is to be given next time, to be told only what came since. `stale` names evidence that
    was told before and does not hold any longer.
    """

    traces: tuple[Trace, ...] = ()
    mark: str = ""
    stale: tuple[Evidence, ...] = ()


Traced = tuple[Trace, Message | Part]


class NoTraces:
    """For a store that keeps nothing of what is gone, nor when anything went."""

    def traces(self, marks: Mapping[str, str]) -> dict[str, Traces]:
        """None at all."""
        return {}

    def traced(self, session: str, traces: Sequence[Trace]) -> list[Traced]:
        """None at all."""
        return []

    def revert_times(self, reverts: Mapping[str, Revert]) -> dict[str, int]:
        """Nothing tells."""
        return {}


@dataclass(frozen=True, slots=True)
class Glance:
    """What a store shows of itself at little cost, to be held against an earlier glance.

    `sessions` has a mark for each session, which moves with its row in the list and, where the
    store keeps one, with its place in the log of changes. `rows` are the rows written last, by
    table and place, each with its session and a mark; tables that have more rows are `cut`.
    `file` tells a replaced store from one that went on.
    """

    sessions: Mapping[str, Hashable]
    rows: Mapping[tuple[str, int], tuple[str, Hashable]]
    cut: frozenset[str] = frozenset()
    file: str = ""


class Source(Protocol):
    """One store of one producer."""

    @property
    def producer(self) -> Producer:
        """Whose store it is."""

    @property
    def path(self) -> Path:
        """The store's real path."""

    @property
    def tells_stamps(self) -> bool:
        """Whether outlines carry stamps; if so, new sessions need not be asked for theirs."""

    def state(self) -> str:
        """The present state of its files, without opening it."""

    def listing(self, name: str) -> Listing:
        """Its sessions, those with the latest activity first; `name` becomes their source."""

    def stamps(self, sessions: Sequence[str]) -> dict[str, str]:
        """For each session a text that changes whenever its messages or parts do."""

    def outlines(self, sessions: Sequence[str]) -> Iterable[Outline]:
        """What stands in these sessions, without bodies, in the order asked for, read as taken."""

    def bodies(self, session: str, messages: Sequence[Ref], parts: Sequence[Ref]) -> Bodies:
        """The rows themselves; the caller keeps the sum of their sizes bounded."""

    def bodies_of(self, wanted: Sequence[Wanted]) -> Sequence[Bodies]:
        """The same for several sessions, in one read where the source can."""

    def order(self, session: str) -> list[Place]:
        """All messages of a session in reading order; `SomePlaces` where some cannot be read."""

    def window(self, session: str, messages: Sequence[str]) -> Bodies:
        """These messages with all their parts, both in reading order."""

    def find(self, beginning: str, limit: int) -> list[Found]:
        """Sessions, messages and parts whose id begins so, at most `limit` of each."""

    def raw(self, found: Found) -> str | None:
        """The stored JSON of a message or part, None where it is not there."""

    def traces(self, marks: Mapping[str, str]) -> dict[str, Traces]:
        """Traces of what is gone from sessions, each with the mark of last time ("": never asked).

        Says nothing of a session without any news. What it names was not there when it was read.
        """

    def traced(self, session: str, traces: Sequence[Trace]) -> list[Traced]:
        """The rows behind traces, as far as they can be read; the caller bounds their sizes."""

    def revert_times(self, reverts: Mapping[str, Revert]) -> dict[str, int]:
        """When these pending reverts, by session, were made (ms), as far as anything tells."""


@runtime_checkable
class Glancing(Protocol):
    """A source that can be followed without comparing all of it."""

    def glance(self) -> Glance:
        """The present glance; one bounded read, however large the store is."""

    def some(self, name: str, sessions: Sequence[str]) -> Listing:
        """As `Source.listing` for these sessions alone; never complete."""

    def ending(self, session: str, messages: int) -> Outline | None:
        """The last messages of a session with their parts, not complete; None: only whole."""


@runtime_checkable
class Keeper(Protocol):
    """A source that keeps the JSON which `opencode export` prints; the others do without it."""

    def originals(self, session: str, messages: Sequence[str]) -> dict[str, dict[str, Json]]:
        """By id: the session's info, and these messages and all their parts with ids inside.

        What cannot be read is not there.
        """


@runtime_checkable
class Remembering(Protocol):
    """A source that may keep something of what is gone."""

    def remembers(self) -> dict[Evidence, int | None]:
        """The kinds of evidence that it has, and since when (ms; None: nothing tells)."""
