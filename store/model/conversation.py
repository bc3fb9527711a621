"""Sessions, messages and parts: where and when something was said.

Ids are the producer's own ("native") ids; times are milliseconds since 1970 UTC.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from store.model.choices import Cause, Evidence, Fate, Flag, Json
from store.model.content import Content


@dataclass(frozen=True, slots=True)
class Part:
    """One block of a message. `size` is the stored row's length in bytes.

    `version` is 0, or from 1 (the oldest) on for a text that it had earlier. `removed_at` (ms) is
    when it went, as far as its store tells, `noticed_at` when we saw that first.
    """

    id: str
    message: str
    session: str
    time: int
    updated: int
    content: Content
    flags: tuple[Flag, ...] = ()
    fate: Fate = "live"
    cause: Cause | None = None
    evidence: Evidence = "source"
    size: int = 0
    version: int = 0
    removed_at: int | None = None
    noticed_at: int | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a speaker, its parts apart. `slice`: the agent slice, `main` by default."""

    id: str
    session: str
    role: str
    time: int
    updated: int = 0
    completed: int | None = None
    agent: str = ""
    slice: str = "main"
    model: str = ""
    parent: str = ""
    error: str = ""
    cost: float = 0.0
    tokens: dict[str, Json] = field(default_factory=dict)
    flags: tuple[Flag, ...] = ()
    fate: Fate = "live"


@dataclass(frozen=True, slots=True)
class Revert:
    """A pending revert: everything from this message (and part) on is hidden by the agent.

    `after`: the message itself stays in sight, only what follows it is hidden.
    """

    message: str
    part: str = ""
    diff: str = ""
    after: bool = False


@dataclass(frozen=True, slots=True)
class Copy:
    """Another store that has a session too, and how much of it."""

    source: str
    messages: int = 0
    parts: int = 0
    updated: int = 0
    fate: Fate = "live"
    flags: tuple[Flag, ...] = ()
    unread: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation. `project` is a short name to show, `directory` its folder.

    `gone` counts the parts that a session which is there has lost, and the earlier texts of others,
    as far as they were counted; what a pending revert hides is not among them.
    `copies` are the other stores that have it, the best first. Of one that is `unread` nothing is
    known but what the list says: its title is not, its counts are guesses, and `updated` is when
    its file was written.
    """

    source: str
    id: str
    title: str
    directory: str
    project: str
    parent: str = ""
    created: int = 0
    updated: int = 0
    messages: int = 0
    parts: int = 0
    version: str = ""
    fate: Fate = "live"
    flags: tuple[Flag, ...] = ()
    revert: Revert | None = None
    unfinished: bool = False
    faults: int = 0
    gone: int = 0
    copies: tuple[Copy, ...] = ()
    unread: bool = False

    @property
    def active(self) -> int:
        """When it went on last, in whichever store."""
        if not self.copies:  # nearly always, and asked very often
            return self.updated
        return max(self.updated, *(one.updated for one in self.copies))

    @property
    def longer(self) -> tuple[Copy, ...]:
        """The other stores that have more messages of it."""
        return tuple(one for one in self.copies if one.messages > self.messages)
