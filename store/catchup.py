"""Catching up: what the stores have that the index does not, taken in once or all the time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

import apsw

from store import follow, reports
from store import forget as forgetting
from store.backfill import Backfill
from store.connections import Connections
from store.errors import StoreError
from store.index import Writer
from store.kinds import kinds_of
from store.limits import keep_within, note_rules
from store.lock import writing
from store.model import Change, Progress, Report, SourceInfo
from store.refill import begin_rebuild, refill, refill_rest
from store.rekind import change_kinds
from store.rules import Rules, ruled
from store.source import Source
from store.stores import Stores


class CatchUp:
    """Brings an index up to its stores, as far as the rules let anything in."""

    def __init__(self, connections: Connections, stores: Stores, rules: Rules) -> None:
        self._connections = connections
        self._stores = stores
        self._rules = rules
        self._index = connections.index

    # The list of sessions --------------------------------------------------------------------

    def refresh(self) -> tuple[SourceInfo, ...]:
        """Looks for stores and takes in their sessions."""
        self._connections.whole(self._refresh)
        self._stores.listed = True
        with self._connections.reading() as connection:
            return self._stores.infos(connection)

    def _refresh(self) -> None:
        with self._connections.write_lock, self._connections.writing() as writer:
            self._stores.look()
            self._stores.register(writer)
            for name, source in self._stores.in_order():
                with self._stores.noting(name, source):
                    self._list(writer, name, source)

    def _list(self, writer: Writer, name: str, source: Source) -> None:
        ident = self._stores.ids[name]
        state = source.state()
        if writer.listed_state(ident) == state:
            self._stores.opened[name] = "unchanged"
            return
        listing = source.listing(name)
        writer.put_listing(ident, listing)
        self._stores.opened[name] = listing.opened

    def ensure_listed(self) -> None:
        """Takes in the sessions where nobody did yet."""
        if not self._stores.listed:
            try:
                self.refresh()
            except StoreError as error:
                if error.code not in ("INDEX_BUSY", "INDEX_FAILED"):
                    raise
                # One that cannot be written answers with what it knows; else reading it will say.
                self._stores.listed = error.code == "INDEX_BUSY"

    # Everything, once ------------------------------------------------------------------------

    def sync(
        self,
        stop: threading.Event,
        progress: Callable[[Progress], None] | None = None,
        *,
        rebuild: bool = False,
    ) -> Report:
        """Brings the index up to date; `rebuild` derives everything anew."""
        began = time.perf_counter()
        self._connections.whole(lambda: self._sync(stop, progress, rebuild), again=rebuild)
        self._stores.listed = True
        elapsed = round(time.perf_counter() - began, 3)
        with self._connections.reading() as connection:
            infos = reports.with_documents(connection, self._stores.infos(connection))
        return Report(infos, elapsed, stopped=stop.is_set())

    def _sync(
        self, stop: threading.Event, progress: Callable[[Progress], None] | None, rebuild: bool
    ) -> None:
        with self._writing_alone() as writer:
            self._stores.look()
            self._stores.register(writer)
            note_rules(writer, self._rules)
            if rebuild:
                begin_rebuild(writer)
            backfill = Backfill(writer, self._connections.new_reader, stop, progress)
            with suppress(apsw.InterruptError):
                self._take_in(writer, backfill, stop)
            backfill.settle()

    def _take_in(self, writer: Writer, backfill: Backfill, stop: threading.Event) -> None:
        refill(writer, stop)
        kinds = self._rules.kinds
        change_kinds(writer, kinds_of(writer.connection) if kinds is None else kinds, stop)
        for name, source in self._stores.in_order():
            if stop.is_set():
                return
            with self._stores.noting(name, source):
                self._compare(writer, backfill, name, source)
        refill_rest(writer, stop)
        if not stop.is_set():
            forgetting.sweep(writer)
            keep_within(writer, self._rules)
        with suppress(StoreError):
            forgetting.wipe(writer, self._index)

    def _compare(self, writer: Writer, backfill: Backfill, name: str, source: Source) -> None:
        ident = self._stores.ids[name]
        if writer.compared_state(ident) == source.state():
            self._stores.opened[name] = "unchanged"
            backfill.unchanged(name, sum(session.parts for session in writer.to_do(ident)))
            return
        self._stores.opened[name] = ""
        backfill.source(ident, name, ruled(source, self._rules))

    @contextmanager
    def _writing_alone(self) -> Iterator[Writer]:
        """The index for writing, while no other program writes it."""
        with (
            self._connections.write_lock,
            self._connections.writing() as writer,
            writing(self._index),
        ):
            yield writer

    # All the time: what `store.follow` asks of its host --------------------------------------

    def follow(self, stop: threading.Event, told: Callable[[Change], object]) -> None:
        """Notices changes of the stores and takes them in, until `stop` is set."""
        follow.follow(self, self._index, stop, told)

    def stores(self) -> dict[str, tuple[int, Source]]:
        """The stores that answer, by name with their ids, after a look whether one came or went."""
        with self._connections.write_lock:
            if self._stores.look_again():
                with self._connections.writing() as writer:
                    self._stores.register(writer)
                self._stores.listed = True
        return {name: (self._stores.ids[name], source) for name, source in self._stores.in_order()}

    def noting(self, name: str, source: Source) -> AbstractContextManager[None]:
        """Notes what a store raises inside as its problem."""
        return self._stores.noting(name, source)

    @contextmanager
    def catching_up(self, stop: threading.Event) -> Iterator[tuple[Writer, Backfill]]:
        """The index for writing, while no other program writes it, with what was left to refill."""
        with self._writing_alone() as writer:
            backfill = Backfill(writer, self._connections.new_reader, stop)
            with suppress(apsw.InterruptError):
                refill(writer, stop)
            yield writer, backfill
            with suppress(apsw.InterruptError):
                forgetting.sweep(writer)
            backfill.settle()

    def mend(self) -> bool:
        """Saves what can be read of a damaged index; whether it did."""
        return self._connections.mend()
