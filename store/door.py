"""What the screen and the command line may ask of the store: the one door, as a protocol.

`store.library.Library` is the real one; tests of the screen bring their own. Every method may
block, is called from worker threads, and raises StoreError only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from threading import Event
from typing import Literal, Protocol

from store.model import (
    Answer,
    Change,
    Coverage,
    Facets,
    Forgotten,
    Glance,
    HappeningPage,
    Health,
    Hit,
    Json,
    LeftoverPage,
    Lineage,
    Looked,
    Memory,
    Part,
    Progress,
    Report,
    Session,
    SessionPage,
    Shown,
    SourceInfo,
    Stats,
    Window,
)

Sort = Literal["newest", "relevance"]


class Door(Protocol):
    """Sessions, searching, reading and catching up.

    An id is `[source:]native id` or a beginning of it that is unique.
    """

    def places(self) -> tuple[Looked, ...]:
        """Where stores were looked for on this machine, and whether one was there."""

    def sources(self) -> tuple[SourceInfo, ...]:
        """The stores that answer, with counts from the index; opens none of them."""

    def refresh(self) -> tuple[SourceInfo, ...]:
        """Looks for stores and takes in the list of their sessions; reads no bodies."""

    def sync(
        self,
        stop: Event,
        progress: Callable[[Progress], None] | None = None,
        *,
        rebuild: bool = False,
    ) -> Report:
        """Brings the index up to date, newest first; `rebuild` derives everything anew.

        Ends within 100 ms of `stop` being set, keeping what was done. `progress` is called from
        the same thread, at most a few times a second and once at the end.
        Raises INDEX_BUSY where another program is doing it already.
        """

    def follow(self, stop: Event, told: Callable[[Change], object]) -> None:
        """Notices changes of the stores until `stop` is set, and brings them into the index.

        `told` is called from the same thread once a change can be found. Where another program
        follows the same stores already, that one writes, and this one tells of its commits and
        takes over when it ends. Nothing that a store or a disk does ends it.
        """

    def search(
        self,
        text: str,
        *,
        limit: int = 20,
        sort: Sort = "newest",
        cursor: str | None = None,
    ) -> Answer:
        """Answers a query (INVALID_QUERY, INVALID_FILTER, INVALID_CURSOR, STALE_CURSOR)."""

    def scan(
        self,
        text: str,
        *,
        limit: int = 20,
        cursor: str | None = None,
        report: Callable[[tuple[Hit, ...], int, int], None] | None = None,
    ) -> Answer:
        """Finds a text as it is, in any case, any white space for any; filters beside it count.

        `report` is called from the same thread with new hits as they come, newest first, and how
        much was looked at of how much. Raises as `search`.
        """

    def diagnose(self, text: str) -> tuple[dict[str, Json], ...]:
        """Why a query finds nothing: what each check found (`check`, `message`), and the query to
        ask instead where there is one (`query`; `literal` where it is for `scan`)."""

    def facets(self, text: str) -> Facets:
        """What the hits of a query are: kinds, tools, projects, days with counts."""

    def values(self, key: str) -> list[tuple[str, int]]:
        """The values that a filter can have, the commonest first, and how many have each."""

    def interrupt(self) -> None:
        """Ends a search that runs in another thread; it raises ABORTED."""

    def sessions(
        self, text: str = "", *, limit: int | None = 100, cursor: str | None = None
    ) -> SessionPage:
        """Sessions, newest first, narrowed by the filters of a query; None lists them all."""

    def some_sessions(self, sessions: Collection[str]) -> tuple[Session, ...]:
        """What the list has now of the sessions with these native ids, in no order."""

    def around(self, ident: str, *, before: int = 5, after: int = 5, slice_id: str = "") -> Window:
        """The message of an id (or of a part's id) and its neighbours, 0 to 50 each side.

        A session's id gives its beginning. `slice_id` keeps to one agent slice.
        Raises INVALID_WINDOW, SESSION_NOT_FOUND, MESSAGE_NOT_FOUND, PART_NOT_FOUND, AMBIGUOUS_ID.
        """

    def page(self, session: str, first: int, count: int, *, slice_id: str = "") -> Window:
        """`count` messages of a session from place `first` (0-based) on; of one slice if named."""

    def glance(self, session: str) -> Glance:
        """The first prompt and the last answer of a session, "" as far as they are not indexed.

        Raises SESSION_NOT_FOUND, AMBIGUOUS_ID.
        """

    def originals(self, window: Window) -> Mapping[str, Mapping[str, Json]]:
        """The stored JSON of a window in the shape of `opencode export`: session, messages and
        parts by id, ids inside. What the source does not hold (any more) is not there.
        """

    def show(self, ident: str) -> Shown:
        """One part, or all parts of one message, whole."""

    def raw(self, ident: str) -> str:
        """The stored JSON of a part or message, as the producer wrote it."""

    def trace(self, session: str) -> Lineage:
        """Where a session comes from and what came of it: parents, children, forks.

        Raises INVALID_LINEAGE where a session is its own ancestor.
        """

    def stats(self, text: str = "") -> Stats:
        """Counts over what the index holds, narrowed by the filters of a query.

        Raises INVALID_FILTER; INVALID_QUERY where the query has words.
        """

    def leftovers(
        self, text: str = "", *, limit: int = 100, cursor: str | None = None
    ) -> LeftoverPage:
        """What is not live, newest first, narrowed by a query.

        Raises INVALID_QUERY, INVALID_FILTER, INVALID_LIMIT, INVALID_CURSOR.
        """

    def happenings(
        self, text: str = "", *, limit: int = 100, cursor: str | None = None
    ) -> HappeningPage:
        """The same by session and by what happened (a revert, a deletion), the latest first."""

    def memory(self) -> tuple[Memory, ...]:
        """How far back leftovers of each source can be seen."""

    def versions(self, ident: str) -> tuple[Part, ...]:
        """The texts of one part, the oldest first, the present one last.

        Raises PART_NOT_FOUND, also for the id of anything else.
        """

    def forget(
        self, idents: Sequence[str] = (), query: str = "", *, only_count: bool = False
    ) -> Forgotten:
        """Takes sessions, messages or parts (by id, or what a query finds) out of our own index
        and archive for good, with their versions and copies; their stores are left as they are.

        `only_count` tells what it would take. Raises as `around` for ids, INDEX_BUSY.
        """

    def forget_all(self) -> tuple[str, ...]:
        """Removes everything of ours, closes the door and returns the files that went."""

    def coverage(self) -> Coverage:
        """How much of the sources is indexed."""

    def health(self) -> Health:
        """The state of our own index."""

    def close(self) -> None:
        """Closes every connection; running calls end with ABORTED."""
