"""What holds logs of DeepSeek Harness (a folder, a file, a ZIP, a database), and one file of it."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from store.errors import StoreError
from store.model import Fault
from store.read_only import unreadable
from store.sources.harness_events import Header
from store.sources.harness_log import Mark, Row, goes_on, holds, read_events, read_header

LOG = re.compile(r"session(?:\.v([1-9]\d{0,3}))?\.jsonl(\.zstd)?")
IDLE_S = 3600
"""A log that was not written to for so long has no writer any more."""
UNREAD = "its header cannot be read"


@dataclass(frozen=True, slots=True)
class Log:
    """One session's log. `stamp` is the state of what holds it, `written` when that was, in ms.

    `place` lets its keeper find it again; `generation` is the N of its name. `closed`: nobody
    writes where it lies.
    """

    place: str
    header: Header
    stamp: str
    size: int
    written: int
    generation: int = 0
    closed: bool = False

    @property
    def idle(self) -> bool:
        """Whether nobody writes to it any more."""
        return self.closed or is_idle(self.written)


def is_idle(written: int) -> bool:
    """Whether what was written to last at this time (ms) has no writer any more."""
    return time.time() * 1000 - written > IDLE_S * 1000


def aged(stamp: str, written: int) -> str:
    """The stamp, another one once it is idle: then what is open counts as interrupted."""
    return stamp if is_idle(written) else f"{stamp}:live"


@dataclass(frozen=True, slots=True)
class Found:
    """The logs that a keeper has, each session once; `state` changes whenever one of them does."""

    logs: tuple[Log, ...]
    state: str
    faults: tuple[Fault, ...] = ()
    complete: bool = True
    opened: str = "files"


class Keeper(Protocol):
    """Something that holds logs."""

    def state(self) -> str:
        """The state of all its logs, without opening one. Raises SOURCE_NOT_FOUND."""

    def find(self) -> Found:
        """Its logs with their headers."""

    def stamp(self, log: Log) -> str:
        """The present state of one log; "" where it is gone."""

    def events(self, log: Log, since: Mark | None = None) -> Iterable[Row]:
        """The events of one log, or those behind a mark from where the log goes on."""

    def goes_on(self, log: Log, mark: Mark) -> bool:
        """Whether nothing changed before a mark, so that only what lies behind need be read."""

    def holds(self, log: Log, sought: bytes) -> bool:
        """Whether these bytes stand in a log, told at less cost than its events."""


@dataclass(frozen=True, slots=True)
class LogFile:
    """A log file by its name and state, unopened."""

    path: str
    folder: str
    generation: int
    stamp: str
    size: int
    written: int


def file_of(path: str, folder: str, generation: int, state: os.stat_result) -> LogFile:
    """A log file in a session's folder of that name, as the system tells of it."""
    written = state.st_mtime_ns // 1_000_000
    values = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    told = ":".join(map(str, values))
    return LogFile(path, folder, generation, aged(told, written), state.st_size, written)


def state_of(path: Path) -> os.stat_result:
    """What the system says of a file or folder. Raises SOURCE_NOT_FOUND, SOURCE_UNREADABLE."""
    try:
        return path.stat()
    except FileNotFoundError:
        raise StoreError("SOURCE_NOT_FOUND", f"{path} does not exist", str(path)) from None
    except OSError as error:
        raise unreadable(path, error.strerror or str(error)) from None


class LogFiles:
    """What all keepers of log files have in common."""

    def goes_on(self, log: Log, mark: Mark) -> bool:
        """Whether the file still has what it had before a mark."""
        return goes_on(Path(log.place), mark)

    def holds(self, log: Log, sought: bytes) -> bool:
        """Whether these bytes stand in the file's rows."""
        return holds(Path(log.place), sought)


class FileKeeper(LogFiles):
    """One log file, whatever it is called."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def _now(self) -> LogFile:
        named = LOG.search(self._path.name)
        generation = int(named.group(1) or 0) if named else 0
        return file_of(str(self._path), self._path.parent.name, generation, state_of(self._path))

    def state(self) -> str:
        """The file's state."""
        return self._now().stamp

    def find(self) -> Found:
        """The one log."""
        file = self._now()
        header = read_header(self._path)
        if header is None:
            name = file.folder if LOG.fullmatch(self._path.name) else self._path.name
            header = Header(id=name, refused=UNREAD)
        return Found((log_of(file, header),), file.stamp)

    def stamp(self, log: Log) -> str:
        """The file's state."""
        return self._now().stamp

    def events(self, log: Log, since: Mark | None = None) -> Iterator[Row]:
        """The file's events."""
        return read_events(self._path, since)


def log_of(file: LogFile, header: Header) -> Log:
    """The log that a file is."""
    return Log(file.path, header, file.stamp, file.size, file.written, file.generation)


def each_once(logs: Sequence[Log]) -> tuple[tuple[Log, ...], list[Fault]]:
    """Each session once: the highest generation, of equal ones the latest; the others are told."""
    best: dict[str, Log] = {}
    faults: list[Fault] = []
    for log in sorted(logs, key=lambda one: (one.generation, one.written, one.place))[::-1]:
        first = best.setdefault(log.header.id, log)
        if first is not log:
            where = f"{log.header.id} is in {first.place} and in {log.place}"
            words = f"{where}; the first one is shown, the other opens by its own path"
            faults.append(Fault("SOURCE_CONFLICT", log.place, words))
    return tuple(best.values()), faults
