"""The one door: sources, index, searching and reading, safe to call from several threads.

Each role has a connection of its own behind its own lock: writing, searching, reading. No
connection to a producer's store outlives one bounded read.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

import apsw

from store import follow, ids, lineage, reports, salvage, sources
from store import forget as forgetting
from store import leftovers as left
from store import stats as counting
from store.around import LastOrder, Reader, find_part
from store.backfill import Backfill
from store.door import Sort
from store.errors import StoreError
from store.index import Writer
from store.kinds import kinds_of
from store.limits import keep_within, note_rules
from store.listing import list_sessions
from store.literal import needle_of
from store.lock import writing
from store.model import (
    Answer,
    Change,
    Count,
    Coverage,
    Evidence,
    Facets,
    Fault,
    Forgotten,
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
    SessionPage,
    Shown,
    SourceInfo,
    Stats,
    Window,
)
from store.paths import index_path
from store.query import parse
from store.records import Records
from store.refill import begin_rebuild, refill, refill_rest
from store.rekind import change_kinds
from store.rules import Rules, ruled
from store.schema import open_reader, open_writer, translated
from store.search import Searcher, coverage
from store.source import Found, Keeper, Remembering, Source
from store.sqlite import rows_of
from store.values import values_of

WINDOW_MOST = 50


class Library:
    """See `store.door.Door` for what each method takes, gives and raises."""

    def __init__(self, given: Sequence[Path], index: Path, rules: Rules | None = None) -> None:
        self._given = tuple(given)
        self._rules = rules or Rules()
        self._index = index
        self._found: list[Source] = []
        self._sources: dict[str, Source] = {}
        self._ids: dict[str, int] = {}
        self._places: tuple[Looked, ...] = ()
        self._problems: dict[str, Fault] = {}
        self._opened: dict[str, str] = {}
        self._refused: tuple[StoreError, ...] = ()
        self._listed = False
        self._closed = False
        self._write_lock = threading.Lock()
        self._search_lock = threading.Lock()
        self._read_lock = threading.Lock()
        self._search_connection: apsw.Connection | None = None
        self._searcher: Searcher | None = None
        self._read_connection: apsw.Connection | None = None
        self._search_file = self._read_file = (0, 0)
        self._last_order = LastOrder()

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

    # Sources ---------------------------------------------------------------------------------

    def places(self) -> tuple[Looked, ...]:
        """Where stores were looked for; looks where nobody did yet."""
        if not self._places and not self._given:
            self._places = sources.discover()[1]
        return self._places

    def sources(self) -> tuple[SourceInfo, ...]:
        """The stores that answer, from what the index knows of them."""
        with self._reading() as connection:
            return self._infos(connection)

    def _infos(self, connection: apsw.Connection | None) -> tuple[SourceInfo, ...]:
        known = reports.source_infos(
            connection, self._answering_ids(connection), self._opened, self._problems
        )
        return known + tuple(reports.refused(error) for error in self._refused)

    def refresh(self) -> tuple[SourceInfo, ...]:
        """Looks for stores and takes in their sessions."""
        self._whole(self._refresh)
        self._listed = True
        return self.sources()

    def _refresh(self) -> None:
        with self._write_lock, self._writing() as writer:
            self._look()
            self._register(writer)
            for name, source in self._in_order():
                with self.noting(name, source):
                    self._list(writer, name, source)

    def _look(self) -> None:
        if self._given:
            found, errors = sources.open_given(self._given)
            self._refused = tuple(errors)
        else:
            found, self._places = sources.discover()
        self._found = found

    def _register(self, writer: Writer) -> None:
        """Names the stores that were found, and notes those that are not where they were."""
        named: dict[str, Source] = {}
        for source in self._found:
            ident, name = writer.source(source.producer, str(source.path))
            named[name] = source
            self._ids[name] = ident
        self._sources = named
        self._opened = {name: how for name, how in self._opened.items() if name in named}
        if not self._given:
            writer.mark_missing([self._ids[name] for name in named])

    def _in_order(self) -> list[tuple[str, Source]]:
        """Folders of files first: they hand sessions over to a database, before that is read."""
        return sorted(self._sources.items(), key=lambda one: not one[1].path.is_dir())

    def _list(self, writer: Writer, name: str, source: Source) -> None:
        ident = self._ids[name]
        state = source.state()
        if writer.listed_state(ident) == state:
            self._opened[name] = "unchanged"
            return
        listing = source.listing(name)
        writer.put_listing(ident, listing)
        self._opened[name] = listing.opened

    @contextmanager
    def noting(self, name: str, source: Source) -> Iterator[None]:
        """A store that cannot be read is a problem of its own and stops no other."""
        self._problems.pop(name, None)
        try:
            yield
        except StoreError as error:
            if error.code.startswith("INDEX"):
                raise
            self._problems[name] = Fault(error.code, error.about, error.message)
            self._opened[name] = "missing" if error.code == "SOURCE_NOT_FOUND" else "failed"

    # Catching up -----------------------------------------------------------------------------

    def sync(
        self,
        stop: threading.Event,
        progress: Callable[[Progress], None] | None = None,
        *,
        rebuild: bool = False,
    ) -> Report:
        """Brings the index up to date; `rebuild` derives everything anew."""
        began = time.perf_counter()
        self._whole(lambda: self._sync(stop, progress, rebuild), again=rebuild)
        self._listed = True
        elapsed = round(time.perf_counter() - began, 3)
        with self._reading() as connection:
            infos = reports.with_documents(connection, self._infos(connection))
        return Report(infos, elapsed, stopped=stop.is_set())

    def _sync(
        self, stop: threading.Event, progress: Callable[[Progress], None] | None, rebuild: bool
    ) -> None:
        with self._write_lock, self._writing() as writer, writing(self._index):
            self._look()
            self._register(writer)
            note_rules(writer, self._rules)
            if rebuild:
                begin_rebuild(writer)
            backfill = Backfill(writer, self._new_reader, stop, progress)
            with suppress(apsw.InterruptError):
                self._catch_up(writer, backfill, stop)
            backfill.settle()

    def _catch_up(self, writer: Writer, backfill: Backfill, stop: threading.Event) -> None:
        refill(writer, stop)
        kinds = self._rules.kinds
        change_kinds(writer, kinds_of(writer.connection) if kinds is None else kinds, stop)
        for name, source in self._in_order():
            if stop.is_set():
                return
            with self.noting(name, source):
                self._compare(writer, backfill, name, source)
        refill_rest(writer, stop)
        if not stop.is_set():
            keep_within(writer, self._rules)
        with suppress(StoreError):
            forgetting.wipe(writer, self._index)

    def _compare(self, writer: Writer, backfill: Backfill, name: str, source: Source) -> None:
        ident = self._ids[name]
        if writer.compared_state(ident) == source.state():
            self._opened[name] = "unchanged"
            backfill.unchanged(name, sum(session.parts for session in writer.to_do(ident)))
            return
        self._opened[name] = ""
        backfill.source(ident, name, ruled(source, self._rules))

    # Following -------------------------------------------------------------------------------

    def follow(self, stop: threading.Event, told: Callable[[Change], object]) -> None:
        """Notices changes of the stores and takes them in, until `stop` is set."""
        follow.follow(self, self._index, stop, told)

    def stores(self) -> dict[str, tuple[int, Source]]:
        """The stores that answer, by name with their ids, after a look whether one came or went."""
        with self._write_lock:
            before = self._found
            known = {(one.producer, one.path) for one in before}
            if not (self._sources and self._are_there()):
                self._look()
                if self._given:  # one that went is still ours to tell of
                    there = {(one.producer, one.path) for one in self._found}
                    lost = [one for one in before if (one.producer, one.path) not in there]
                    self._found = [*self._found, *lost]
            if known == {(one.producer, one.path) for one in self._found} and self._sources:
                self._found = before
            else:
                with self._writing() as writer:
                    self._register(writer)
                self._listed = True
        return {name: (self._ids[name], source) for name, source in self._in_order()}

    def _are_there(self) -> bool:
        """Whether all files that were given are known stores that are still there."""
        if not self._given or self._refused or any(path.is_dir() for path in self._given):
            return False
        return all(source.path.exists() for source in self._found)

    @contextmanager
    def catching_up(self, stop: threading.Event) -> Iterator[tuple[Writer, Backfill]]:
        """The index for writing, while no other program writes it."""
        with self._write_lock, self._writing() as writer, writing(self._index):
            backfill = Backfill(writer, self._new_reader, stop)
            with suppress(apsw.InterruptError):
                refill(writer, stop)
            yield writer, backfill
            backfill.settle()

    # A damaged index -------------------------------------------------------------------------

    def _whole(self, work: Callable[[], None], *, again: bool = False) -> None:
        """Runs what writes to the index; where that is damaged, saves it first, or runs again.

        An index that was saved a short while ago is left as it is, unless with `again`.
        """
        if salvage.is_marked(self._index):
            self.mend(again=again)
        try:
            work()
        except StoreError as error:
            if not (salvage.is_damage(error) and self.mend(again=again)):
                raise
            work()

    def mend(self, *, again: bool = False) -> bool:
        """Puts an index with all that can be read in the place of a damaged one; whether it did."""
        with self._write_lock, self._search_lock, self._read_lock:
            self._close_search()
            self._close_read()
            with writing(self._index), self._translating():
                return salvage.save(self._index, again=again) is not None

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
        _check_limit(limit)
        query = parse(text, time.time_ns() // 1_000_000)
        with self._search_lock, self._translating():
            searcher = self._get_searcher()
            if searcher is None:
                return reports.nothing(query)
            answering = self._answering_ids(searcher.connection)
            answer = searcher.search(
                query, limit=limit, sort=sort, cursor=cursor, sources=answering
            )
            return replace(answer, faults=self._source_faults())

    def scan(
        self,
        text: str,
        *,
        limit: int = 20,
        cursor: str | None = None,
        report: Callable[[tuple[Hit, ...], int, int], None] | None = None,
    ) -> Answer:
        """One page of hits in literal mode."""
        _check_limit(limit)
        needle, query = needle_of(text, time.time_ns() // 1_000_000)
        with self._search_lock, self._translating():
            searcher = self._get_searcher()
            if searcher is None:
                return reports.nothing(query)
            answer = searcher.literal(
                needle,
                query,
                limit=limit,
                cursor=cursor,
                sources=self._answering_ids(searcher.connection),
                report=report,
            )
            return replace(answer, faults=self._source_faults())

    def diagnose(self, text: str) -> tuple[dict[str, Json], ...]:
        """Why a query finds nothing, and the ways out."""
        now = time.time_ns() // 1_000_000
        query = parse(text, now)
        with self._search_lock, self._translating():
            searcher = self._get_searcher()
            if searcher is None:
                return ()
            return searcher.diagnose(query, now, self._answering_ids(searcher.connection))

    def facets(self, text: str) -> Facets:
        """What the hits of a query are, counted."""
        query = parse(text, time.time_ns() // 1_000_000)
        with self._search_lock, self._translating():
            searcher = self._get_searcher()
            if searcher is None:
                return Facets({}, 0, True)
            return searcher.facets(query, self._answering_ids(searcher.connection))

    def values(self, key: str) -> list[tuple[str, int]]:
        """The values that a filter can have, the commonest first, and how many have each."""
        with self._reading() as connection:
            return values_of(connection, key) if connection is not None else []

    def _source_faults(self) -> tuple[Fault, ...]:
        """The stores that could not be read, which an answer therefore does not speak of."""
        refused = [Fault(one.code, one.about, one.message) for one in self._refused]
        return (*self._problems.values(), *refused)

    def interrupt(self) -> None:
        """Ends a running search."""
        searcher = self._searcher
        if searcher is not None:
            with suppress(apsw.ConnectionClosedError):
                searcher.stop()

    def sessions(
        self, text: str = "", *, limit: int | None = 100, cursor: str | None = None
    ) -> SessionPage:
        """A page of sessions; takes in the list first where nobody did yet."""
        if limit is not None:
            _check_limit(limit)
        query = parse(text, time.time_ns() // 1_000_000)
        self._ensure_listed()
        with self._reading() as connection:
            if connection is None:
                return SessionPage((), False, None)
            page = list_sessions(
                connection,
                query,
                limit=limit,
                cursor=cursor,
                sources=self._answering_ids(connection),
            )
            return replace(page, faults=self._source_faults())

    # Reading ---------------------------------------------------------------------------------

    def around(self, ident: str, *, before: int = 5, after: int = 5, slice_id: str = "") -> Window:
        """The message of an id and its neighbours."""
        if not (0 <= before <= WINDOW_MOST and 0 <= after <= WINDOW_MOST):
            words = f"a window takes 0 to {WINDOW_MOST} messages on each side"
            raise StoreError("INVALID_WINDOW", words, f"{before}, {after}")
        self._ensure_listed()
        with self._reading() as connection:
            name, found = self._resolve(ident, connection, "message")
            part = found.id if found.kind == "part" else ""
            return self._reader(connection).around(
                name,
                found.session,
                self._sources.get(name),
                found.message,
                part,
                before,
                after,
                slice_id,
            )

    def page(self, session: str, first: int, count: int, *, slice_id: str = "") -> Window:
        """Messages of a session by place."""
        self._ensure_listed()
        with self._reading() as connection:
            name, found = self._resolve(session, connection, "session")
            source = self._sources.get(name)
            reader = self._reader(connection)
            return reader.page(name, found.session, source, first, count, slice_id)

    def originals(self, window: Window) -> Mapping[str, Mapping[str, Json]]:
        """The stored JSON of a window, by id."""
        source = self._sources.get(window.session.source)
        if not isinstance(source, Keeper):
            return {}
        return source.originals(window.session.id, [one.message.id for one in window.messages])

    def show(self, ident: str) -> Shown:
        """A part, or a message with all its parts."""
        self._ensure_listed()
        with self._reading() as connection:
            name, found = self._resolve(ident, connection, "part")
            if found.kind == "session":
                words = f"{ident} is a session; give one of its messages or parts"
                raise StoreError("MESSAGE_NOT_FOUND", words, ident)
            source = self._sources.get(name)
            window = self._reader(connection).around(
                name, found.session, source, found.message, "", 0, 0, ""
            )
        if found.kind == "message" and window.messages:
            return Shown(window.session, window.messages[0].message, window.messages[0].parts)
        held = find_part(window, found.id)
        if held is None:
            raise self._unreadable(window, found, ident)
        return Shown(window.session, held[0], (held[1],))

    def _unreadable(self, window: Window, found: Found, ident: str) -> StoreError:
        for fault in window.faults:
            if fault.about == found.id:
                return StoreError("CORRUPT_PART", f"{ident} cannot be read: {fault.message}", ident)
        return StoreError("PART_NOT_FOUND", f"there is no part {ident}", ident)

    def raw(self, ident: str) -> str:
        """The stored JSON; for what only the archive has, its record as JSON."""
        self._ensure_listed()
        with self._reading() as connection:
            name, found = self._resolve(ident, connection, "part")
        source = self._sources.get(name)
        told = source.raw(found) if source else None
        if told is not None:
            return told
        shown = self.show(ident)
        return json.dumps([asdict(part.content) for part in shown.parts], ensure_ascii=False)

    def _resolve(
        self, ident: str, connection: apsw.Connection | None, wanted: str
    ) -> tuple[str, Found]:
        answering = frozenset(self._sources) if self._given else None
        return ids.resolve(ident, connection, self._sources, answering, wanted)

    def _reader(self, connection: apsw.Connection | None) -> Reader:
        if connection is None:
            raise self._no_index()
        return Reader(connection, self._last_order)

    def _no_index(self) -> StoreError:
        return StoreError("SESSION_NOT_FOUND", "there is no index yet", str(self._index))

    # What is gone ----------------------------------------------------------------------------

    def leftovers(
        self, text: str = "", *, limit: int = 100, cursor: str | None = None
    ) -> LeftoverPage:
        """What is not live, newest first."""
        _check_limit(limit)
        query = parse(text, time.time_ns() // 1_000_000)
        with self._reading() as connection:
            if connection is None:
                return LeftoverPage((), 0, False, None)
            answering = self._answering_ids(connection)
            page = left.list_leftovers(
                connection, query, limit=limit, cursor=cursor, sources=answering
            )
            return replace(page, faults=self._source_faults())

    def happenings(
        self, text: str = "", *, limit: int = 100, cursor: str | None = None
    ) -> HappeningPage:
        """What happened to sessions, the latest first."""
        _check_limit(limit)
        query = parse(text, time.time_ns() // 1_000_000)
        with self._reading() as connection:
            if connection is None:
                return HappeningPage((), False, None)
            answering = self._answering_ids(connection)
            page = left.list_happenings(
                connection, query, limit=limit, cursor=cursor, sources=answering
            )
            return replace(page, faults=self._source_faults())

    def memory(self) -> tuple[Memory, ...]:
        """How far back leftovers of each source can be seen."""
        self._ensure_listed()
        with self._reading() as connection:
            since: dict[str, int | None] = {}
            if connection is not None:
                since = dict(rows_of(connection, "SELECT name, since FROM source"))
        found = []
        for name, source in self._sources.items():
            evidence: dict[Evidence, int | None] = {}
            if isinstance(source, Remembering):
                with suppress(StoreError):
                    evidence = source.remembers()
            found.append(Memory(name, since.get(name), evidence))
        return tuple(found)

    def versions(self, ident: str) -> tuple[Part, ...]:
        """A part's texts, the oldest first, the present one last."""
        shown = self.show(ident)
        if len(shown.parts) != 1:
            raise StoreError("PART_NOT_FOUND", f"{ident} is not one part", ident)
        part = shown.parts[0]
        with self._reading() as connection:
            if connection is None:
                return (part,)
            reader = self._reader(connection)
            number, _ = reader.session(shown.session.source, shown.session.id)
            earlier = Records(connection).versions(number, part.message, part.id, part.session)
        return (*earlier, part)

    def forget(
        self, idents: Sequence[str] = (), query: str = "", *, only_count: bool = False
    ) -> Forgotten:
        """Takes sessions, messages or parts out of index and archive for good."""
        asked = parse(query, time.time_ns() // 1_000_000) if query else None
        self._ensure_listed()
        with self._reading() as connection:
            if connection is None:
                raise self._no_index()
            targets = []
            for ident in idents:
                name, found = self._resolve(ident, connection, "part")
                target = forgetting.target_of(connection, name, found)
                if target is None:
                    words = f"the index has nothing of {ident}; index first, or there is nothing"
                    raise StoreError("PART_NOT_FOUND", words, ident)
                targets.append(target)
            if asked is not None:
                answering = self._answering_ids(connection)
                targets += forgetting.matching(connection, asked, answering)
            if only_count or not targets:
                return forgetting.count(connection, targets, self._index)
        with self._write_lock, writing(self._index), self._writing() as writer:
            return forgetting.forget(writer, targets, self._index)

    def forget_all(self) -> tuple[str, ...]:
        """Removes the index and all that belongs to it; returns the files."""
        self.close()
        removed = []
        with writing(self._index):
            for end in ("", "-wal", "-shm"):
                path = self._index.with_name(self._index.name + end)
                with suppress(FileNotFoundError):
                    path.unlink()
                    removed.append(str(path))
        with suppress(FileNotFoundError):
            self._index.with_name(self._index.name + ".lock").unlink()
        return tuple(removed)

    # Overviews -------------------------------------------------------------------------------

    def trace(self, session: str) -> Lineage:
        """Where a session comes from and what came of it."""
        self._ensure_listed()
        with self._reading() as connection:
            name, found = self._resolve(session, connection, "session")
            if connection is None:
                raise self._no_index()
            answering = self._answering_ids(connection)
            return lineage.trace(connection, name, found.session, answering)

    def stats(self, text: str = "") -> Stats:
        """Counts over what the index holds."""
        query = parse(text, time.time_ns() // 1_000_000)
        self._ensure_listed()
        with self._reading() as connection:
            if connection is None:
                return Stats(query.as_json(), Count())
            told = counting.stats(connection, query, self._answering_ids(connection))
            return replace(told, faults=self._source_faults())

    # State -----------------------------------------------------------------------------------

    def coverage(self) -> Coverage:
        """How much of the sources is indexed."""
        with self._reading() as connection:
            if connection is None:
                return Coverage()
            return coverage(connection, self._answering_ids(connection))

    def health(self) -> Health:
        """The state of our own index."""
        with self._reading() as connection:
            return reports.health(self._index, connection, self._answering_ids(connection))

    def close(self) -> None:
        """Closes the connections once their calls have ended."""
        self._closed = True
        self.interrupt()
        with self._search_lock:
            self._close_search()
        with self._read_lock:
            self._close_read()

    def _close_search(self) -> None:
        if self._search_connection:
            self._search_connection.close()
        self._search_connection = self._searcher = None

    def _close_read(self) -> None:
        if self._read_connection:
            self._read_connection.close()
        self._read_connection = None

    def _ensure_listed(self) -> None:
        if not self._listed:
            try:
                self.refresh()
            except StoreError as error:
                if error.code not in ("INDEX_BUSY", "INDEX_FAILED"):
                    raise
                # One that cannot be written answers with what it knows; else reading it will say.
                self._listed = error.code == "INDEX_BUSY"

    def _answering_ids(self, connection: apsw.Connection | None) -> list[int] | None:
        """The ids of the sources that may answer, None for all that the index knows."""
        if not self._given or connection is None:
            return None
        if not self._listed:
            self._recognise(connection)
        return [self._ids[name] for name in self._sources]

    def _recognise(self, connection: apsw.Connection) -> None:
        """Finds the given stores among those that the index knows, without writing to it."""
        self._look()
        known = {
            (producer, path): (ident, name)
            for ident, name, producer, path in rows_of(
                connection, "SELECT id, name, producer, path FROM source"
            )
        }
        for source in self._found:
            ident, name = known.get((source.producer, str(source.path)), (0, ""))
            if name:
                self._ids[name] = ident
                self._sources[name] = source

    # Connections -----------------------------------------------------------------------------

    def _new_reader(self) -> apsw.Connection:
        connection = open_reader(self._index)
        if connection is None:
            raise StoreError("INDEX_FAILED", f"{self._index} is gone", str(self._index))
        return connection

    def _get_searcher(self) -> Searcher | None:
        self._check_open()
        file = _file_of(self._index)
        if self._search_file != file:  # another program put a saved index in its place
            self._close_search()
        if self._searcher is None:
            self._search_file = file
            self._search_connection = open_reader(self._index)
            if self._search_connection is not None:
                self._searcher = Searcher(self._search_connection)
        connection = self._search_connection
        if self._rules.kinds == () or (connection is not None and not kinds_of(connection)):
            words = "no kind of text is indexed; name some as `kinds` in the settings file"
            raise StoreError("SEARCH_DISABLED", words, str(self._index))
        return self._searcher

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("ABORTED", "the library was closed", "")

    @contextmanager
    def _reading(self) -> Iterator[apsw.Connection | None]:
        with self._read_lock, self._translating():
            self._check_open()
            file = _file_of(self._index)
            if self._read_file != file:
                self._close_read()
            if self._read_connection is None:
                self._read_file = file
                self._read_connection = open_reader(self._index)
            yield self._read_connection

    @contextmanager
    def _writing(self) -> Iterator[Writer]:
        self._check_open()
        connection = open_writer(self._index)
        try:
            with self._translating():
                writer = Writer(connection)
                writer.rules = self._rules
                yield writer
        finally:
            connection.close()

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except (apsw.Error, UnicodeDecodeError) as error:  # texts of a damaged index
            if isinstance(error, salvage.DAMAGE):
                salvage.mark(self._index)
            raise translated(self._index, error) from error


def _file_of(path: Path) -> tuple[int, int]:
    """What tells the file at a path from another that takes its place."""
    try:
        told = os.stat(path)
    except OSError:
        return 0, 0
    return told.st_dev, told.st_ino


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= 1000:
        raise StoreError("INVALID_LIMIT", f"a limit is 1 to 1000, not {limit}", str(limit))
