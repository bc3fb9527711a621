"""The connections to our own index: one for each role, each behind its own lock.

A saved index may take the place of a damaged one at any time, here or in another program; then
the connections are opened anew.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from store import salvage
from store.errors import StoreError
from store.index import Writer
from store.kinds import kinds_of
from store.lock import writing
from store.rules import Rules
from store.schema import open_reader, open_writer, translated
from store.search import Searcher

READ_KIB = 4_000
"""Pages that the connection for reading keeps: a window, a list; searching looks at far more."""


class Connections:
    """Writing, searching and reading an index file; `write_lock` is to be held for writing."""

    def __init__(self, index: Path, rules: Rules) -> None:
        self.index = index
        self.write_lock = threading.Lock()
        self._rules = rules
        self._search_lock = threading.Lock()
        self._read_lock = threading.Lock()
        self._search_connection: apsw.Connection | None = None
        self._searcher: Searcher | None = None
        self._read_connection: apsw.Connection | None = None
        self._search_file = self._read_file = (0, 0)
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection | None]:
        """The connection for reading, None while there is no index; StoreError for its errors."""
        with self._read_lock, self._translating():
            self._check_open()
            file = _file_of(self.index)
            if self._read_file != file:
                self._close_read()
            if self._read_connection is None:
                self._read_file = file
                self._read_connection = open_reader(self.index, cache_kib=READ_KIB)
            yield self._read_connection

    @contextmanager
    def searching(self) -> Iterator[Searcher | None]:
        """What searches, None while there is no index. Raises SEARCH_DISABLED, ABORTED."""
        with self._search_lock, self._translating():
            yield self._get_searcher()

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """A connection of its own for writing; the caller holds `write_lock`."""
        self._check_open()
        connection = open_writer(self.index)
        try:
            with self._translating():
                writer = Writer(connection)
                writer.rules = self._rules
                yield writer
        finally:
            connection.close()

    def new_reader(self) -> apsw.Connection:
        """One more connection for reading, which the caller closes."""
        connection = open_reader(self.index, cache_kib=READ_KIB)
        if connection is None:
            raise StoreError("INDEX_FAILED", f"{self.index} is gone", str(self.index))
        return connection

    def whole(self, work: Callable[[], None], *, again: bool = False) -> None:
        """Runs what writes to the index; where that is damaged, saves it first, or runs again.

        An index that was saved a short while ago is left as it is, unless with `again`.
        """
        if salvage.is_marked(self.index):
            self.mend(again=again)
        try:
            work()
        except StoreError as error:
            if not (salvage.is_damage(error) and self.mend(again=again)):
                raise
            work()

    def mend(self, *, again: bool = False) -> bool:
        """Puts an index with all that can be read in the place of a damaged one; whether it did."""
        with self.write_lock, self._search_lock, self._read_lock:
            self._close_search()
            self._close_read()
            with writing(self.index), self._translating():
                return salvage.save(self.index, again=again) is not None

    def interrupt(self) -> None:
        """Ends a running search."""
        searcher = self._searcher
        if searcher is not None:
            with suppress(apsw.ConnectionClosedError):
                searcher.stop()

    def close(self) -> None:
        """Closes the connections once their calls have ended."""
        self._closed = True
        self.interrupt()
        with self._search_lock:
            self._close_search()
        with self._read_lock:
            self._close_read()

    def _get_searcher(self) -> Searcher | None:
        self._check_open()
        file = _file_of(self.index)
        if self._search_file != file:  # another program put a saved index in its place
            self._close_search()
        if self._searcher is None:
            self._search_file = file
            self._search_connection = open_reader(self.index)
            if self._search_connection is not None:
                self._searcher = Searcher(self._search_connection)
        connection = self._search_connection
        if self._rules.kinds == () or (connection is not None and not kinds_of(connection)):
            words = "no kind of text is indexed; name some as `kinds` in the settings file"
            raise StoreError("SEARCH_DISABLED", words, str(self.index))
        return self._searcher

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("ABORTED", "the library was closed", "")

    def _close_search(self) -> None:
        if self._search_connection:
            self._search_connection.close()
        self._search_connection = self._searcher = None

    def _close_read(self) -> None:
        if self._read_connection:
            self._read_connection.close()
        self._read_connection = None

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except (apsw.Error, UnicodeDecodeError) as error:  # texts of a damaged index
            if isinstance(error, salvage.DAMAGE):
                salvage.mark(self.index)
            raise translated(self.index, error) from error


def no_index(index: Path) -> StoreError:
    """What asking for a session comes to where there is no index yet."""
    return StoreError("SESSION_NOT_FOUND", "there is no index yet", str(index))


def _file_of(path: Path) -> tuple[int, int]:
    """What tells the file at a path from another that takes its place."""
    try:
        told = os.stat(path)
    except OSError:
        return 0, 0
    return told.st_dev, told.st_ino
