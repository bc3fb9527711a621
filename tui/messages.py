"""What the workers post to the screen. Each carries the number of the request it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from textual.message import Message

from store.door import Door
from store.model import (
    Answer,
    Change,
    Facets,
    Forgotten,
    Glance,
    HappeningPage,
    Hit,
    Json,
    Looked,
    Part,
    Progress,
    Report,
    Session,
    SessionPage,
    SourceInfo,
    Window,
)
from tui.picture import Picture
from tui.relatives import Relatives
from tui.undone import Undone
from tui.ways import Chapter


@dataclass
class Answered(Message):
    """The base of every answer: what was asked for, and the number of the request."""

    topic: str
    number: int


@dataclass
class SessionsRead(Answered):
    """The stores and their sessions; `looked` only where there is no store at all.

    `fresh` says that the stores were looked at, not only our own index.
    """

    sources: tuple[SourceInfo, ...]
    page: SessionPage
    looked: tuple[Looked, ...]
    fresh: bool


@dataclass
class SessionsChanged(Answered):
    """What the list has now of the sessions with these native ids."""

    sources: tuple[SourceInfo, ...]
    natives: frozenset[str]
    sessions: tuple[Session, ...]

    def put_into(self, page: SessionPage) -> SessionPage:
        """The list with these in place of what it had of them."""
        kept = tuple(one for one in page.sessions if one.id not in self.natives)
        total = page.total + len(kept) + len(self.sessions) - len(page.sessions)
        return replace(page, sessions=(*self.sessions, *kept), total=total)


@dataclass
class SyncProgress(Answered):
    """How far the backfill is; a newer one stands for the older."""

    progress: Progress

    def can_replace(self, message: Message) -> bool:
        """Whether this message says all that the waiting one does."""
        return isinstance(message, SyncProgress) and message.number == self.number


@dataclass
class SyncEnded(Answered):
    """The backfill is done, or was stopped."""

    report: Report


@dataclass
class Followed(Answered):
    """The stores changed, and what changed can be found."""

    change: Change


@dataclass
class Searched(Answered):
    """A page of hits; `first` tells the first page from the ones that follow."""

    text: str
    answer: Answer
    first: bool


@dataclass
class HitsCome(Answered):
    """Hits of a literal search that still runs, and how much of how much it looked at."""

    hits: tuple[Hit, ...]
    looked: int
    of: int


@dataclass
class Diagnosed(Answered):
    """Why a query finds nothing."""

    text: str
    checks: tuple[dict[str, Json], ...]


@dataclass
class FacetsRead(Answered):
    """What the hits of a query are."""

    facets: Facets


@dataclass
class ValuesRead(Answered):
    """The values that a filter can have, with how many have each."""

    key: str
    values: tuple[tuple[str, int], ...]


@dataclass
class WindowRead(Answered):
    """A window to show; `widened` says that it takes the place of a smaller one."""

    window: Window
    terms: tuple[str, ...]
    widened: bool


@dataclass
class ChaptersRead(Answered):
    """The chapters of the session that is read."""

    chapters: tuple[Chapter, ...]


@dataclass
class RelativesRead(Answered):
    """Where the session that is read leads."""

    relatives: Relatives


@dataclass
class FoundHere(Answered):
    """The parts of the session in which something stands, the oldest first."""

    hits: tuple[Hit, ...]
    more: bool


@dataclass
class RawRead(Answered):
    """The stored JSON of a part, in lines to read."""

    part: Part
    text: str


@dataclass
class PicturesRead(Answered):
    """The images that a part carries, or in words why there is one less."""

    part: Part
    pictures: list[Picture]
    said: str


@dataclass
class VersionsRead(Answered):
    """The texts that a part had, the oldest first, and the one it has."""

    parts: tuple[Part, ...]


@dataclass
class PageRead(Answered):
    """A page of text to show: its title, and what makes its text for a width in cells."""

    title: str
    text: Callable[[int], str]


@dataclass
class SpilledRead(Answered):
    """The whole of an output that was cut, for the viewer of its part; "" where it is gone."""

    part: str
    text: str
    said: str


@dataclass
class DemoOpened(Answered):
    """The demo is ready."""

    door: Door


@dataclass
class Done(Answered):
    """Something is done that only needs to be said."""

    text: str


@dataclass
class JobFailed(Answered):
    """A request that came to nothing: the code ("" for the unforeseen) and a sentence."""

    code: str
    text: str


@dataclass
class Glanced(Answered):
    """The first prompt and the last answer of a session."""

    glance: Glance


@dataclass
class Resumable(Answered):
    """The command that goes on with a session, "" where there is none, and what to know of it."""

    command: str
    warnings: list[str]


@dataclass
class HappeningsRead(Answered):
    """A page of what happened; `first` tells the first page from those that follow, `again` from
    the one that is there.
    """

    page: HappeningPage
    first: bool
    again: bool


@dataclass
class UndoneRead(Answered):
    """One happening whole."""

    undone: Undone


@dataclass
class Counted(Answered):
    """What forgetting these would take."""

    idents: tuple[str, ...]
    told: Forgotten
