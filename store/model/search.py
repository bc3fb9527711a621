"""What is found: the answer to a search, its hits, and the list of sessions."""

from __future__ import annotations

from dataclasses import dataclass

from store.model.choices import Evidence, Fate, Flag, Json, Kind
from store.model.conversation import Session
from store.model.faults import Fault
from store.model.index import Coverage


@dataclass(frozen=True, slots=True)
class Place:
    """Another place where the text of a hit stands."""

    source: str
    session: str
    message: str | None
    part: str | None


@dataclass(frozen=True, slots=True)
class Hit:
    """One document that answers a query. `part` and `message` are None for a title.

    `snippet` is one line of at most 240 code points, `spans` the matched [start, end) in it.
    `terms` are the texts that matched, to be marked where the part is shown whole.
    """

    source: str
    session: str
    session_title: str
    project: str
    directory: str
    message: str | None
    part: str | None
    kind: Kind
    time: int
    tool: str | None = None
    status: str | None = None
    failed: bool = False
    role: str | None = None
    agent: str | None = None
    slice: str | None = None
    model: str | None = None
    fate: Fate = "live"
    evidence: Evidence = "source"
    version: int | None = None
    flags: tuple[Flag, ...] = ()
    copies: tuple[Place, ...] = ()
    snippet: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    score: float | None = None

    @property
    def id(self) -> str:
        """What `around` and `show` take: the part's id, else the message's, else the session's."""
        return f"{self.source}:{self.part or self.message or self.session}"


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a search. `terms` are what to mark in a part that is shown whole.

    `approximate`: there were too many to order all of them by relevance.
    """

    query: dict[str, Json]
    hits: tuple[Hit, ...]
    total: int | None
    total_at_least: int
    more: bool
    cursor: str | None
    elapsed_ms: float
    coverage: Coverage
    faults: tuple[Fault, ...] = ()
    widened: str | None = None
    synthetic_left_out: int | None = None
    synthetic_shown: bool = False
    approximate: bool = False
    diagnosis: tuple[dict[str, Json], ...] = ()
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facets:
    """What the hits of a query are: values with counts by the key of the filter that picks them.

    `hits`: how many were counted. `exact`: these are all.
    """

    counts: dict[str, tuple[tuple[str, int], ...]]
    hits: int
    exact: bool


@dataclass(frozen=True, slots=True)
class SessionPage:
    """A page of the list of sessions, newest first.

    `unread` counts the sessions of all stores that answer which nobody has read yet: what they
    are called is not known, so that words do not find them.
    """

    sessions: tuple[Session, ...]
    more: bool
    cursor: str | None
    total: int = 0
    faults: tuple[Fault, ...] = ()
    unread: int = 0
