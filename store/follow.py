"""Following the stores while a screen is open: noticing what changed and taking it in at once.

Four steps, each only where the one before gave reason for it: the states of the files, many times
a second; a glance at a store that moved, one short read; the sessions that differ from the glance
before, of long ones their end alone; and, once the store is quiet, a comparison of all, which finds
what a glance may miss. Of several programs that follow, one writes; the others see its commits.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from store.backfill import Backfill
from store.errors import StoreError
from store.index import Writer
from store.lock import leading
from store.model import Change, Fault
from store.salvage import is_damage
from store.source import Glance, Glancing, Source
from store.tidy import tidy
from store.watch import COLD_S, Watch, states

TICK_S = 0.25
"""Seconds between two looks at files in use."""
MANY = 64
"""Where more sessions differ at once, all are compared."""
OWED_S = 15.0
"""Seconds after which a long session is read whole, however busy it is."""
QUIET_S = 30.0
"""Seconds without a change after which all is compared."""
LONG_S = 600.0
"""Seconds after which all is compared, however busy a store is."""

Told = Callable[[Change], object]


class Host(Protocol):
    """What following needs of the library."""

    def stores(self) -> Mapping[str, tuple[int, Source]]:
        """The stores that answer by name, after a look whether one came or went."""

    def catching_up(self, stop: threading.Event) -> AbstractContextManager[tuple[Writer, Backfill]]:
        """The index for writing. Raises INDEX_BUSY and its like."""

    def noting(self, name: str, source: Source) -> AbstractContextManager[None]:
        """Notes what a store raises inside as its problem."""

    def mend(self) -> bool:
        """Saves what can be read of a damaged index; whether it did."""


def follow(host: Host, index: Path, stop: threading.Event, told: Told) -> None:
    """Follows until `stop` is set; each change is in the index when `told` is called."""
    while not stop.is_set():
        try:
            with leading(index) as first:
                if first:
                    Follower(host, index, stop, told).run()
                else:
                    _watch_index(index, stop, told)
        except StoreError as error:  # a home that cannot be written, or a full disk
            told(Change(problem=Fault(error.code, error.about, error.message)))
            stop.wait(COLD_S)


def _watch_index(index: Path, stop: threading.Event, told: Told) -> None:
    """Tells of commits by others, for as long as one waits before asking for the lead again."""
    watch = Watch()
    watch.put({"": index})
    watch.moved()
    end = time.monotonic() + COLD_S
    while time.monotonic() < end and not stop.wait(TICK_S):
        if watch.moved():
            told(Change(everything=True))


def moved(before: Glance, after: Glance) -> set[str]:
    """The sessions that changed, came or went between two glances."""
    changed = {
        session
        for session in before.sessions.keys() | after.sessions.keys()
        if before.sessions.get(session, _NONE) != after.sessions.get(session, _NONE)
    }
    for one, other in ((before, after), (after, before)):
        oldest = _oldest(other)
        for (table, place), (session, mark) in one.rows.items():
            seen = table not in other.cut or place >= oldest.get(table, 0)
            if seen and other.rows.get((table, place)) != (session, mark):
                changed.add(session)
    return changed & (before.sessions.keys() | after.sessions.keys())


_NONE = object()


def _oldest(glance: Glance) -> dict[str, int]:
    found: dict[str, int] = {}
    for table, place in glance.rows:
        found[table] = min(place, found.get(table, place))
    return found


@dataclass(slots=True)
class Track:
    """What following remembers of one store.

    `waiting` since it moved and was not taken in yet; `owed`: long sessions whose end alone was
    read; `unsure`: it changed since all of it was compared, last at `changed`.
    """

    name: str
    ident: int
    source: Source
    seen: Glance | None = None
    waiting: bool = True
    owed: set[str] = field(default_factory=set)
    owed_since: float = 0.0
    unsure: bool = True
    changed: float = 0.0
    compared: float = 0.0

    def due(self, now: float) -> str:
        """What is to be done: `all`, `changes`, `owed`, or nothing ("")."""
        quiet = now - self.changed
        if self.seen is None and self.waiting:
            return "all"
        if self.waiting:
            return "changes"
        if self.unsure and (quiet > QUIET_S or now - self.compared > LONG_S):
            return "all"
        if self.owed and now - self.owed_since > OWED_S:
            return "owed"
        return ""

    def catch_up(
        self, what: str, writer: Writer, backfill: Backfill, now: float
    ) -> set[str] | None:
        """Takes in what is due; returns the sessions, None where it may be any."""
        if what == "owed":
            owed, self.owed = self.owed, set()
            backfill.some(self.ident, self.name, self.source, owed, endings=False)
            return owed
        seen = self.source.glance() if isinstance(self.source, Glancing) else None
        found = None
        if what == "changes" and self.seen and seen and self.seen.file == seen.file:
            found = moved(self.seen, seen)
        if found is None or len(found) > MANY:
            self._compare(writer, backfill, now)
            found = None
        else:
            self.unsure, self.changed = True, now
            if found:
                self._take(found, writer, backfill, now)
        self.seen, self.waiting = seen, False
        return found

    def failed(self, now: float) -> None:
        """It could not be read: again when its files move, or after a while."""
        self.waiting, self.seen, self.unsure = False, None, True
        self.compared = self.changed = now

    def _compare(self, writer: Writer, backfill: Backfill, now: float) -> None:
        if writer.compared_state(self.ident) != self.source.state():
            backfill.source(self.ident, self.name, self.source)
        self.owed.clear()
        self.unsure = False  # also where not all could be read: the same look again gives no more
        self.compared = self.changed = now

    def _take(self, found: set[str], writer: Writer, backfill: Backfill, now: float) -> None:
        assert isinstance(self.source, Glancing)
        listing = self.source.some(self.name, sorted(found))
        writer.put_some(self.ident, listing, found)
        partly = backfill.some(self.ident, self.name, self.source, found, endings=True)
        if partly and not self.owed:
            self.owed_since = now
        self.owed |= partly


class Follower:
    """Follows all stores and writes what it sees; tells also of what others write to the index."""

    def __init__(self, host: Host, index: Path, stop: threading.Event, told: Told) -> None:
        self._host = host
        self._index = index
        self._written = states(index)
        self._stop = stop
        self._told = told
        self._watch = Watch()
        self._tracks: dict[str, Track] = {}
        self._looked = 0.0
        self._failed = 0.0
        self._untidy = True

    def run(self) -> None:
        """Returns once `stop` is set."""
        pause = 0.0
        while not self._stop.wait(pause):
            began = time.perf_counter()
            now = time.monotonic()
            if now - self._looked >= COLD_S or not self._looked:
                self._looked = now
                self._look()
            for name in self._watch.moved():
                self._tracks[name].waiting = True
            self._tell_of_others()
            self._step(now)
            pause = max(TICK_S, min(2 * (time.perf_counter() - began), COLD_S))

    def _tell_of_others(self) -> None:
        """Another program forgot or indexed something, or another part of this one did."""
        written = states(self._index)
        if written != self._written:
            self._written = written
            self._told(Change(everything=True))

    def _look(self) -> None:
        """Takes note of stores that came or went."""
        stores = self._host.stores()
        lost = self._tracks.keys() - stores.keys()
        if lost:
            self._told(Change(everything=True))
        for name in lost:
            del self._tracks[name]
        for name, (ident, source) in stores.items():
            track = self._tracks.get(name)
            if track is None or track.source.path != source.path:
                self._tracks[name] = Track(name, ident, source)
            else:
                track.source = source
        self._watch.put({name: track.source.path for name, track in self._tracks.items()})

    def _step(self, now: float) -> None:
        due = [(track, what) for track in self._tracks.values() if (what := track.due(now))]
        quiet = all(now - track.changed > QUIET_S for track in self._tracks.values())
        tidying = self._untidy and quiet and not due
        if (not due and not tidying) or now - self._failed < COLD_S:
            return
        try:
            with self._host.catching_up(self._stop) as (writer, backfill):
                self._tell_of_others()
                changes = [self._catch_up(writer, backfill, *one, now) for one in due]
                if tidying:
                    tidy(writer, self._stop)
                    self._untidy = False
        except StoreError as error:
            if error.code != "INDEX_BUSY" and not self._mended(error):
                self._failed = now
                self._told(Change(problem=Fault(error.code, error.about, error.message)))
            return
        self._written = states(self._index)
        self._tell(change for change in changes if change is not None)

    def _mended(self, error: StoreError) -> bool:
        try:
            return is_damage(error) and self._host.mend()
        except StoreError:
            return False

    def _catch_up(
        self, writer: Writer, backfill: Backfill, track: Track, what: str, now: float
    ) -> Change | None:
        found: set[str] | None = set()
        with self._host.noting(track.name, track.source):
            found = track.catch_up(what, writer, backfill, now)
            self._untidy = self._untidy or found != set()
            return self._change(track.name, found)
        track.failed(now)
        return Change(everything=True)

    def _change(self, name: str, found: Iterable[str] | None) -> Change | None:
        if found is None:
            return Change(everything=True)
        sessions = tuple((name, session) for session in sorted(found))
        return Change(sessions) if sessions else None

    def _tell(self, changes: Iterable[Change]) -> None:
        told = list(changes)
        if told and not self._stop.is_set():
            sessions = tuple(one for change in told for one in change.sessions)
            self._told(Change(sessions, any(change.everything for change in told)))
