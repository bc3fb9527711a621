"""Bringing the index up to its sources: newest first, stoppable, resumed where it ended.

Reading (`store.compare`) and writing take turns in one thread: two threads hand the interpreter
to and fro at every row, which costs 15 % more CPU. One transaction a batch. A kill at any moment
loses at most the batch that was not committed: a session gets its stamp with its last rows, so the
next pass goes on behind it.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress

import apsw

from store import words
from store.batch import Chunk
from store.compare import Comparison
from store.index import Writer
from store.model import Progress
from store.source import Source

FIRST_BYTES = 1_000_000
"""The first commit comes early: the newest session is searchable at once."""
BATCH_BYTES = 10_000_000
BATCH_PARTS = 5_000
"""Each commit makes a segment of the full text, and many small ones slow every search."""
MANY_PARTS = 2_000
PROGRESS_S = 0.25
MERGE_PAGES = 1_000
FREE_PAGES = 250
"""Free pages that are left in the file, and given back to the disk at once of the others."""
STOP_STEPS = 2_000
"""Steps of SQLite's machine between two looks at `stop`."""


@contextmanager
def few_collections() -> Iterator[None]:
    """Looks for garbage in cycles less than once a batch: rows make none, and each look costs."""
    before = gc.get_threshold()
    gc.set_threshold(300 * before[0], *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


class Backfill:
    """One pass over sources. `stop` ends it within a moment, keeping what was committed."""

    def __init__(
        self,
        writer: Writer,
        open_reader: Callable[[], apsw.Connection],
        stop: threading.Event,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._writer = writer
        self._open_reader = open_reader
        self._stop = stop
        self._progress = progress
        self._told = 0.0
        self._name = ""
        self._done = 0
        self._known = 0
        self._documents = 0
        self._merging = bool(writer.meta("merging"))
        writer.connection.set_progress_handler(stop.is_set, STOP_STEPS)

    def source(self, ident: int, name: str, source: Source) -> bool:
        """Brings the index up to one source; True when it was compared completely.

        Raises what the source raises; the index keeps what was committed before.
        """
        self._name = name
        listing = source.listing(name)
        self._writer.clear_faults(ident, None)
        self._writer.comparing(ident)
        self._writer.put_listing(ident, listing)
        todo = self._writer.to_do(ident)
        self._known += sum(session.parts for session in todo)
        self._tell()
        lost = self._writer.lost(ident, listing.lost) if listing.lost else []
        if listing.complete:
            lost += self._writer.resting(ident)
        comparison = Comparison(source, todo, self._open_reader, self._stop, lost=lost)
        complete, state = listing.complete, listing.state
        del listing, todo  # of a large store many megabytes
        try:
            with few_collections():
                self._write_all(comparison, ident)
        except apsw.InterruptError:
            return False
        whole = complete and comparison.complete and not self._stop.is_set()
        if whole:
            self._writer.compared(ident, state)
        return whole

    def some(
        self, ident: int, name: str, source: Source, sessions: Collection[str], *, endings: bool
    ) -> set[str]:
        """Brings the index up to these sessions of a source that was compared before.

        With `endings` only the last messages of long sessions are read; returns which these are.
        """
        self._name = name
        todo = self._writer.to_do(ident, sessions)
        comparison = Comparison(source, todo, self._open_reader, self._stop, endings=endings)
        with suppress(apsw.InterruptError):
            self._write_all(comparison, ident)
        return comparison.partly

    def unchanged(self, name: str, parts: int) -> None:
        """Counts a source that needed no look."""
        self._name = name
        self._known += parts
        self._done += parts

    def _write_all(self, comparison: Comparison, ident: int) -> None:
        before = self._done
        written = 0
        batch: list[Chunk] = []
        size = parts = 0
        limit = FIRST_BYTES
        with closing(comparison.chunks()) as chunks:
            for chunk in chunks:
                batch.append(chunk)
                size += chunk.size
                parts += len(chunk.parts)
                if size >= limit or parts >= BATCH_PARTS:
                    self._write(batch, ident, parts)
                    written += parts
                    batch, size, parts, limit = [], 0, 0, BATCH_BYTES
                    self._done = before + written + comparison.unchanged
                    self._tell()
                if self._stop.is_set():
                    return
        if batch:
            self._write(batch, ident, parts)
        self._done = before + written + parts + comparison.unchanged
        self._tell()

    def _write(self, batch: list[Chunk], ident: int, parts: int) -> None:
        if parts >= MANY_PARTS and not self._merging:
            self._writer.fast(True)
            self._merging = True
        self._documents += self._writer.write(batch, ident)

    def settle(self) -> None:
        """Merges what fast writing left in pieces, in bounded steps, and tells the end."""
        try:
            if self._merging and not self._stop.is_set():
                more = self._writer.merge_step(-MERGE_PAGES)
                while more and not self._stop.is_set():
                    more = self._writer.merge_step(MERGE_PAGES)
                if not more:
                    self._writer.fast(False)
            words.catch_up(self._writer.connection, self._stop)
            while not self._stop.is_set() and self._writer.give_back(FREE_PAGES):
                pass
        except apsw.InterruptError:
            pass
        finally:
            self._writer.connection.set_progress_handler(None)
        self._tell(finished=True)

    def _tell(self, *, finished: bool = False) -> None:
        now = time.monotonic()
        if self._progress and (finished or now - self._told >= PROGRESS_S):
            self._told = now
            done = min(self._done, self._known)
            self._progress(Progress(self._name, done, self._known, self._documents, finished))
