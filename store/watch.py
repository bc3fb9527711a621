"""Seeing by the files' states alone that a store moved: cheap enough to do all day."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

COLD_S = 5.0
"""Seconds between two looks at all files of a store."""
HOT_S = 3600.0
"""Files that were written in the last so many seconds are looked at each time."""
FRESH_S = 0.1
"""A file written so shortly ago may be written once more within one tick of its clock."""
SHARE = 500
"""A look at all files happens at most once in so many times as long as it takes."""

State = tuple[int, ...] | None


class Watch:
    """The files of stores, by the store's name; `now` is the clock that files carry."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._stores: dict[str, _Files] = {}

    def put(self, stores: Mapping[str, Path]) -> None:
        """Watches these stores from now on, and no others; a new one counts as moved."""
        kept = self._stores
        self._stores = {
            name: kept[name] if name in kept and kept[name].path == path else _Files(path)
            for name, path in stores.items()
        }

    def moved(self) -> set[str]:
        """The stores that moved since the last look; cold ones are looked at now and then."""
        now = self._now()
        return {name for name, files in self._stores.items() if files.moved(now)}


class _Files:
    """The files of one store and their last states."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._states: dict[str, State] = {}
        self._hot: list[str] = []
        self._last = self._next = 0.0

    def moved(self, now: float) -> bool:
        if self._last <= now < self._next:
            return bool(sum(self._differs(path, now) for path in self._hot))
        began = time.perf_counter()
        paths = list(_files_of(self.path))
        gone = self._states.keys() - set(paths)
        differ = [self._differs(path, now) for path in paths]
        for path in gone:
            del self._states[path]
        self._hot = [path for path in paths if self._is_hot(path, now)]
        self._last, self._next = now, now + max(COLD_S, SHARE * (time.perf_counter() - began))
        return bool(gone) or any(differ)

    def _differs(self, path: str, now: float) -> bool:
        state = _state(path)
        if state is not None and 0 <= now - state[2] / 1e9 < FRESH_S:
            state = (*state, time.perf_counter_ns())  # so that the next look sees a difference
        before, self._states[path] = self._states.get(path, ()), state
        return before != state

    def _is_hot(self, path: str, now: float) -> bool:
        state = self._states[path]
        # A log that is not there may come any moment where its store is in use.
        return state is None or now - state[2] / 1e9 < HOT_S


def states(path: Path) -> tuple[State, ...]:
    """The present states of a file and its log; they differ after every commit."""
    return tuple(_state(one) for one in _files_of(path))


def _state(path: str) -> State:
    try:
        told = os.stat(path)
    except OSError:
        return None
    return told.st_ino, told.st_size, told.st_mtime_ns


def _files_of(path: Path) -> Iterable[str]:
    """The store's files with their logs; all folders and files of a store that is a folder."""
    if not path.is_dir():
        return [str(path), f"{path}-wal"]
    found = []
    for folder, _, names in os.walk(path):
        found.append(folder)
        found += [os.path.join(folder, name) for name in names]
    return found
