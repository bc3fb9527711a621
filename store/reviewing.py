"""Reviewing what is gone: the lists of it, how far back they go, and forgetting it for good."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import apsw

from store import happenings
from store import leftovers as left
from store import targets as naming
from store.catchup import CatchUp
from store.connections import Connections, no_index
from store.cursors import check_limit
from store.errors import StoreError
from store.forget import forget
from store.lock import writing
from store.model import Evidence, Forgotten, HappeningPage, LeftoverPage, Memory
from store.query import parse
from store.salvage import put_aside
from store.source import Remembering
from store.sqlite import rows_of
from store.stores import Stores

PATIENCE_MS = 3_000
"""How long forgetting waits for a program that follows the stores and is just writing."""


class Reviewing:
    """Lists what is gone and forgets what is to go.

    What the methods take, give and raise is said at `store.door.Door`.
    """

    def __init__(self, connections: Connections, stores: Stores, catch_up: CatchUp) -> None:
        self._connections = connections
        self._stores = stores
        self._catch_up = catch_up

    def leftovers(self, text: str, *, limit: int, cursor: str | None) -> LeftoverPage:
        """What is not live, newest first."""
        check_limit(limit)
        query = parse(text, time.time_ns() // 1_000_000)
        with self._connections.reading() as connection:
            if connection is None:
                return LeftoverPage((), 0, False, None)
            answering = self._stores.answering(connection)
            page = left.list_leftovers(
                connection, query, limit=limit, cursor=cursor, sources=answering
            )
            return replace(page, faults=self._stores.faults())

    def happenings(self, text: str, *, limit: int, cursor: str | None) -> HappeningPage:
        """What happened to sessions, the latest first."""
        check_limit(limit)
        query = parse(text, time.time_ns() // 1_000_000)
        with self._connections.reading() as connection:
            if connection is None:
                return HappeningPage((), False, None)
            answering = self._stores.answering(connection)
            page = happenings.list_happenings(
                connection, query, limit=limit, cursor=cursor, sources=answering
            )
            return replace(page, faults=self._stores.faults())

    def memory(self) -> tuple[Memory, ...]:
        """How far back leftovers of each source can be seen."""
        self._catch_up.ensure_listed()
        with self._connections.reading() as connection:
            since: dict[str, int | None] = {}
            if connection is not None:
                since = dict(rows_of(connection, "SELECT name, since FROM source"))
        found = []
        for name, source in self._stores.by_name.items():
            evidence: dict[Evidence, int | None] = {}
            if isinstance(source, Remembering):
                with suppress(StoreError):
                    evidence = source.remembers()
            found.append(Memory(name, since.get(name), evidence))
        return tuple(found)

    def forget(self, idents: Sequence[str], query: str, *, only_count: bool) -> Forgotten:
        """Takes sessions, messages or parts out of index and archive for good."""
        asked = parse(query, time.time_ns() // 1_000_000) if query else None
        index = self._connections.index
        self._catch_up.ensure_listed()
        with self._connections.reading() as connection:
            if connection is None:
                raise no_index(index)
            targets = [self._target(ident, connection) for ident in idents]
            titles: tuple[str, ...] = ()
            if asked is not None:
                answering = self._stores.answering(connection)
                targets += naming.matching(connection, asked, answering)
                titles = naming.titled(connection, asked, answering)
            if only_count or not targets:
                every = naming.everything(connection, targets)
                told = naming.count(connection, targets, every, index)
                return replace(told, titles=titles)
        with (
            self._connections.write_lock,
            writing(index, PATIENCE_MS),
            self._connections.writing() as writer,
        ):
            told = forget(writer, targets, index)
        return replace(told, aside=tuple(map(str, put_aside(index))), titles=titles)

    def _target(self, ident: str, connection: apsw.Connection) -> naming.Target:
        name, found = self._stores.resolve(ident, connection, "part")
        target = naming.target_of(connection, name, found)
        if target is None:
            words = f"the index has nothing of {ident}; index first, or there is nothing"
            raise StoreError("PART_NOT_FOUND", words, ident)
        return target

    def forget_all(self) -> tuple[str, ...]:
        """Removes the index and all that belongs to it; returns the files."""
        self._connections.close()
        index = self._connections.index
        removed = []
        with writing(index, PATIENCE_MS):
            ours = [index.with_name(index.name + end) for end in ("", "-wal", "-shm")]
            for path in (*ours, *put_aside(index)):
                with suppress(FileNotFoundError):
                    path.unlink()
                    removed.append(str(path))
        with suppress(FileNotFoundError):
            index.with_name(index.name + ".lock").unlink()
        return tuple(removed)
