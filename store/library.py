"""The one door: sources, index, searching and reading, safe to call from several threads.

What it is asked it hands on: `store.connections` has the connections and locks, `store.stores` the
stores that answer, `store.catchup` what brings the index up to them, `store.reading` and
`store.reviewing` what is read from it. No connection to a producer's store outlives one bounded
read.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from store import lineage, reports
from store import stats as counting
from store.catchup import CatchUp
from store.connections import Connections, no_index
from store.cursors import check_limit
from store.door import Sort
from store.listing import list_sessions, list_some
from store.literal import needle_of
from store.model import (
    Answer,
    Change,
    Count,
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
from store.paths import index_path
from store.query import parse
from store.reading import Reading
from store.reviewing import Reviewing
from store.rules import Rules
from store.search import coverage
from store.stores import Stores
from store.values import values_of


class Library:
    """See `store.door.Door` for what each method takes, gives and raises."""

    def __init__(self, given: Sequence[Path], index: Path, rules: Rules | None = None) -> None:
        rules = rules or Rules()
        self._connections = Connections(index, rules)
        self._stores = Stores(given)
        self._catch_up = CatchUp(self._connections, self._stores, rules)
        self._reading = Reading(self._connections, self._stores, self._catch_up)
        self._reviewing = Reviewing(self._connections, self._stores, self._catch_up)

    @classmethod
    def open(
        cls,
        *,
        sources: Sequence[Path] = (),
        index: Path | None = None,
        rules: Rules | None = None,
    ) -> Library:
        """A library over these stores (none given: all of this machine) and this index.

        Opens nothing yet; the first call does. `rules` say what is kept and what passed over.
        """
        return cls(sources, index or index_path(), rules)

    # Sources and catching up with them -------------------------------------------------------

    def places(self) -> tuple[Looked, ...]:
        """Where stores were looked for; looks where nobody did yet."""
        return self._stores.places()

    def sources(self) -> tuple[SourceInfo, ...]:
        """The stores that answer, from what the index knows of them."""
        with self._connections.reading() as connection:
            return self._stores.infos(connection)

    def refresh(self) -> tuple[SourceInfo, ...]:
        """Looks for stores and takes in their sessions."""
        return self._catch_up.refresh()

    def sync(
        self,
        stop: threading.Event,
        progress: Callable[[Progress], None] | None = None,
        *,
        rebuild: bool = False,
    ) -> Report:
        """Brings the index up to date; `rebuild` derives everything anew."""
        return self._catch_up.sync(stop, progress, rebuild=rebuild)

    def follow(self, stop: threading.Event, told: Callable[[Change], object]) -> None:
        """Notices changes of the stores and takes them in, until `stop` is set."""
        self._catch_up.follow(stop, told)

    # Searching -------------------------------------------------------------------------------

    def search(
        self,
        text: str,
        *,
        limit: int = 20,
        sort: Sort = "newest",
        cursor: str | None = None,
    ) -> Answer:
        """One page of hits."""
        check_limit(limit)
        query = parse(text, time.time_ns() // 1_000_000)
        with self._connections.searching() as searcher:
            if searcher is None:
                return reports.nothing(query)
            answering = self._stores.answering(searcher.connection)
            answer = searcher.search(
                query, limit=limit, sort=sort, cursor=cursor, sources=answering
            )
            return replace(answer, faults=self._stores.faults())

    def scan(
        self,
        text: str,
        *,
        limit: int = 20,
        cursor: str | None = None,
        report: Callable[[tuple[Hit, ...], int, int], None] | None = None,
    ) -> Answer:
        """One page of hits in literal mode."""
        check_limit(limit)
        needle, query = needle_of(text, time.time_ns() // 1_000_000)
        with self._connections.searching() as searcher:
            if searcher is None:
                return reports.nothing(query)
            answer = searcher.literal(
                needle,
                query,
                limit=limit,
                cursor=cursor,
                sources=self._stores.answering(searcher.connection),
                report=report,
            )
            return replace(answer, faults=self._stores.faults())

    def diagnose(self, text: str) -> tuple[dict[str, Json], ...]:
        """Why a query finds nothing, and the ways out."""
        now = time.time_ns() // 1_000_000
        query = parse(text, now)
        with self._connections.searching() as searcher:
            if searcher is None:
                return ()
            return searcher.diagnose(query, now, self._stores.answering(searcher.connection))

    def facets(self, text: str) -> Facets:
        """What the hits of a query are, counted."""
        query = parse(text, time.time_ns() // 1_000_000)
        with self._connections.searching() as searcher:
            if searcher is None:
                return Facets({}, 0, True)
            return searcher.facets(query, self._stores.answering(searcher.connection))

    def values(self, key: str) -> list[tuple[str, int]]:
        """The values that a filter can have, the commonest first, and how many have each."""
        with self._connections.reading() as connection:
            return values_of(connection, key) if connection is not None else []

    def interrupt(self) -> None:
        """Ends a running search."""
        self._connections.interrupt()

    def sessions(
        self, text: str = "", *, limit: int | None = 100, cursor: str | None = None
    ) -> SessionPage:
        """A page of sessions; takes in the list first where nobody did yet."""
        if limit is not None:
            check_limit(limit)
        query = parse(text, time.time_ns() // 1_000_000)
        self._catch_up.ensure_listed()
        with self._connections.reading() as connection:
            if connection is None:
                return SessionPage((), False, None)
            page = list_sessions(
                connection,
                query,
                limit=limit,
                cursor=cursor,
                sources=self._stores.answering(connection),
            )
            return replace(page, faults=self._stores.faults())

    def some_sessions(self, sessions: Collection[str]) -> tuple[Session, ...]:
        """Some of these sessions, as the list has them now."""
        with self._connections.reading() as connection:
            if connection is None:
                return ()
            return list_some(connection, sessions, self._stores.answering(connection))

    # Reading ---------------------------------------------------------------------------------

    def around(self, ident: str, *, before: int = 5, after: int = 5, slice_id: str = "") -> Window:
        """The message of an id and its neighbours."""
        return self._reading.around(ident, before=before, after=after, slice_id=slice_id)

    def page(self, session: str, first: int, count: int, *, slice_id: str = "") -> Window:
        """Messages of a session by place."""
        return self._reading.page(session, first, count, slice_id=slice_id)

    def glance(self, session: str) -> Glance:
        """The first prompt and the last answer of a session."""
        return self._reading.glance(session)

    def originals(self, window: Window) -> Mapping[str, Mapping[str, Json]]:
        """The stored JSON of a window, by id."""
        return self._reading.originals(window)

    def show(self, ident: str) -> Shown:
        """A part, or a message with all its parts."""
        return self._reading.show(ident)

    def raw(self, ident: str) -> str:
        """The stored JSON; for what only the archive has, its record as JSON."""
        return self._reading.raw(ident)

    def versions(self, ident: str) -> tuple[Part, ...]:
        """A part's texts, the oldest first, the present one last."""
        return self._reading.versions(ident)

    # What is gone ----------------------------------------------------------------------------

    def leftovers(
        self, text: str = "", *, limit: int = 100, cursor: str | None = None
    ) -> LeftoverPage:
        """What is not live, newest first."""
        return self._reviewing.leftovers(text, limit=limit, cursor=cursor)

    def happenings(
        self, text: str = "", *, limit: int = 100, cursor: str | None = None
    ) -> HappeningPage:
        """What happened to sessions, the latest first."""
        return self._reviewing.happenings(text, limit=limit, cursor=cursor)

    def memory(self) -> tuple[Memory, ...]:
        """How far back leftovers of each source can be seen."""
        return self._reviewing.memory()

    def forget(
        self, idents: Sequence[str] = (), query: str = "", *, only_count: bool = False
    ) -> Forgotten:
        """Takes sessions, messages or parts out of index and archive for good."""
        return self._reviewing.forget(idents, query, only_count=only_count)

    def forget_all(self) -> tuple[str, ...]:
        """Removes the index and all that belongs to it; returns the files."""
        return self._reviewing.forget_all()

    # Overviews -------------------------------------------------------------------------------

    def trace(self, session: str) -> Lineage:
        """Where a session comes from and what came of it."""
        self._catch_up.ensure_listed()
        with self._connections.reading() as connection:
            name, found = self._stores.resolve(session, connection, "session")
            if connection is None:
                raise no_index(self._connections.index)
            answering = self._stores.answering(connection)
            return lineage.trace(connection, name, found.session, answering)

    def stats(self, text: str = "") -> Stats:
        """Counts over what the index holds."""
        query = parse(text, time.time_ns() // 1_000_000)
        self._catch_up.ensure_listed()
        with self._connections.reading() as connection:
            if connection is None:
                return Stats(query.as_json(), Count(), coverage=Coverage(begun=False))
            told = counting.stats(connection, query, self._stores.answering(connection))
            return replace(told, faults=self._stores.faults())

    # State -----------------------------------------------------------------------------------

    def coverage(self) -> Coverage:
        """How much of the sources is indexed."""
        with self._connections.reading() as connection:
            if connection is None:
                return Coverage(begun=False)
            return coverage(connection, self._stores.answering(connection))

    def health(self) -> Health:
        """The state of our own index."""
        with self._connections.reading() as connection:
            return reports.health(
                self._connections.index, connection, self._stores.answering(connection)
            )

    def close(self) -> None:
        """Closes the connections once their calls have ended."""
        self._connections.close()
