"""What is gone: leftovers, what happened, how far back it can be seen, what was forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field

from store.model.choices import Cause, Evidence, Fate, Flag, Kind
from store.model.conversation import Session
from store.model.faults import Fault


@dataclass(frozen=True, slots=True)
class Leftover:
    """A part that is not live, or (`part` None) what a message has beside its parts: its error.

    It has what a hit has; `kind` is None where there is nothing to read. `text` is all it says.
    `removed_at` is None where the evidence has no time; `noticed_at` is when we first missed it.
    By `place` what is gone of one session sorts in reading order.
    """

    source: str
    session: str
    session_title: str
    project: str
    directory: str
    message: str
    part: str | None
    type: str
    kind: Kind | None
    time: int
    fate: Fate
    evidence: Evidence
    cause: Cause
    tool: str | None = None
    status: str | None = None
    role: str | None = None
    agent: str | None = None
    slice: str | None = None
    model: str | None = None
    version: int | None = None
    removed_at: int | None = None
    noticed_at: int | None = None
    flags: tuple[Flag, ...] = ()
    snippet: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    text: str = ""
    place: tuple[int, int, str, bool, int, str] = (0, 0, "", False, 0, "")

    @property
    def id(self) -> str:
        """What `around` and `show` take."""
        return f"{self.source}:{self.part or self.message}"


@dataclass(frozen=True, slots=True)
class LeftoverPage:
    """A page of leftovers, newest first; `total` is None where counting would be a guess."""

    leftovers: tuple[Leftover, ...]
    total: int | None
    more: bool
    cursor: str | None
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened to a session: a revert, a deletion, an edit.

    `moment` (ms) is when, as well as it is known: `removed_at`, else when we noticed. `messages`
    counts those that went whole, not those that only lost some of the `parts`. `message` is
    the first one concerned, `part` what to read first of what went (None: nothing but an error),
    `prompt` what the person had said in it, "" where it was not one's; then `said` is how what went
    begins.
    """

    session: Session
    cause: Cause
    fate: Fate
    evidence: tuple[str, ...]
    moment: int
    removed_at: int | None
    noticed_at: int | None
    messages: int
    parts: int
    files: tuple[str, ...]
    message: str
    part: str | None = None
    prompt: str = ""
    said: str = ""

    @property
    def id(self) -> str:
        """What `around` takes to show it in its place."""
        return f"{self.session.source}:{self.part or self.message}"


@dataclass(frozen=True, slots=True)
class HappeningPage:
    """A page of what happened, the latest first."""

    happenings: tuple[Happening, ...]
    more: bool
    cursor: str | None
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What `forget` took out of index and archive; `index` is the file it was taken from.

    Among the `parts` are `copies`: they say the same in another session or store. `versions` are
    earlier texts, `present` the parts of which an earlier text was meant and whose present one
    went with it. Damaged index files that were put `aside` are left as they are, and may have it.
    `titles` are sessions (ids) that stay and whose titles the query finds too.
    """

    sessions: int
    messages: int
    parts: int
    index: str
    versions: int = 0
    copies: int = 0
    present: int = 0
    aside: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """How far back leftovers of a source can be seen (ms; None: nothing tells).

    `kept` is since when our own archive has been up to date with it, `evidence` has what the store
    itself keeps of what is gone, and since when.
    """

    source: str
    kept: int | None
    evidence: dict[Evidence, int | None] = field(default_factory=dict)
