"""Where logs of DeepSeek Harness lie: a folder of sessions, one file, an exported ZIP.

A folder is `<project>/<session>/session[.vN].jsonl[.zstd]`. One session may hold several
generations side by side (a migration leaves the old one): only the highest N counts. Nothing else
in the folder is opened.
"""

from __future__ import annotations

import hashlib
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
OLD_LAYOUT = re.compile(r".+\.jsonl(\.zstd)?")
"""Before a session had a folder of its own, its log lay in the project's."""
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
class _File:
    """A log file by its name and state, unopened."""

    path: str
    folder: str
    generation: int
    stamp: str
    size: int
    written: int


def _file(path: str, folder: str, generation: int, state: os.stat_result) -> _File:
    written = state.st_mtime_ns // 1_000_000
    values = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    told = ":".join(map(str, values))
    return _File(path, folder, generation, aged(told, written), state.st_size, written)


def _by_name(entry: os.DirEntry[str], folder: str, pattern: re.Pattern[str]) -> _File | None:
    named = pattern.fullmatch(entry.name)
    if named is None or not entry.is_file():
        return None
    generation = int(named.group(1) or 0) if pattern is LOG else 0
    return _file(entry.path, folder, generation, entry.stat())


def state_of(path: Path) -> os.stat_result:
    """What the system says of a file or folder. Raises SOURCE_NOT_FOUND, SOURCE_UNREADABLE."""
    try:
        return path.stat()
    except FileNotFoundError:
        raise StoreError("SOURCE_NOT_FOUND", f"{path} does not exist", str(path)) from None
    except OSError as error:
        raise unreadable(path, error.strerror or str(error)) from None


class _Files:
    """What all keepers of log files have in common."""

    def goes_on(self, log: Log, mark: Mark) -> bool:
        """Whether the file still has what it had before a mark."""
        return goes_on(Path(log.place), mark)

    def holds(self, log: Log, sought: bytes) -> bool:
        """Whether these bytes stand in the file's rows."""
        return holds(Path(log.place), sought)


class FileKeeper(_Files):
    """One log file, whatever it is called."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def _now(self) -> _File:
        named = LOG.search(self._path.name)
        generation = int(named.group(1) or 0) if named else 0
        return _file(str(self._path), self._path.parent.name, generation, state_of(self._path))

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
        return Found((_log(file, header),), file.stamp)

    def stamp(self, log: Log) -> str:
        """The file's state."""
        return self._now().stamp

    def events(self, log: Log, since: Mark | None = None) -> Iterator[Row]:
        """The file's events."""
        return read_events(self._path, since)


class FolderKeeper(_Files):
    """A folder of projects. Headers stay known while their files do not change."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._headers: dict[str, tuple[str, Header | None]] = {}

    def state(self) -> str:
        """One text for the states of all logs."""
        return _together(self._files()[0])

    def find(self) -> Found:
        """All logs, the highest generation of each, a session once."""
        files, faults = self._files()
        logs = [_log(file, self._header(file)) for file in files]
        self._headers = {log.place: self._headers[log.place] for log in logs}
        once, doubled = each_once(logs)
        return Found(once, _together(files), (*faults, *doubled), complete=not faults)

    def stamp(self, log: Log) -> str:
        """The state of the log's file."""
        try:
            found = os.stat(log.place)
        except OSError:
            return ""
        return _file(log.place, "", log.generation, found).stamp

    def events(self, log: Log, since: Mark | None = None) -> Iterator[Row]:
        """The events of the log's file."""
        return read_events(Path(log.place), since)

    def _header(self, file: _File) -> Header:
        known = self._headers.get(file.path)
        if known is None or known[0] != file.stamp:
            try:
                header = read_header(Path(file.path))
            except StoreError:
                header = None
            known = self._headers[file.path] = (file.stamp, header)
        return known[1] or Header(id=unescaped(file.folder), refused=UNREAD)

    def _files(self) -> tuple[list[_File], list[Fault]]:
        """The log files that count, and the folders that cannot be looked into."""
        if not os.path.isdir(self._path):
            state_of(self._path)
        faults: list[Fault] = []
        files: list[_File] = []
        for project in _entries(str(self._path), faults):
            if not _is_folder(project, faults):
                continue
            for entry in _entries(project.path, faults):
                if _is_folder(entry, faults):
                    files += _highest(entry, faults)
                elif (file := _by_name(entry, _stem(entry.name), OLD_LAYOUT)) is not None:
                    files.append(file)
        return files, faults


def _entries(folder: str, faults: list[Fault]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        words = f"the folder cannot be looked into: {error.strerror or error}"
        faults.append(Fault("SOURCE_UNREADABLE", folder, words))
        return []


def _is_folder(entry: os.DirEntry[str], faults: list[Fault]) -> bool:
    """Whether it is a folder; a link that leads nowhere may be one that is out of reach."""
    if entry.is_dir():
        return True
    if entry.is_symlink() and not os.path.exists(entry.path):
        words = "the link leads nowhere; what was there is not taken for deleted"
        faults.append(Fault("SOURCE_UNREADABLE", entry.path, words))
    return False


def _highest(folder: os.DirEntry[str], faults: list[Fault]) -> list[_File]:
    """The log of the highest generation in a session's folder; two where it has two encodings."""
    found = [_by_name(entry, folder.name, LOG) for entry in _entries(folder.path, faults)]
    files = [file for file in found if file is not None]
    highest = max((file.generation for file in files), default=0)
    return [file for file in files if file.generation == highest]


def _stem(name: str) -> str:
    return name.removesuffix(".zstd").removesuffix(".jsonl")


def _log(file: _File, header: Header) -> Log:
    return Log(file.path, header, file.stamp, file.size, file.written, file.generation)


def _together(files: Sequence[_File]) -> str:
    told = "\n".join(f"{file.path}\0{file.stamp}" for file in files)
    return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()


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


def unescaped(name: str) -> str:
    """The session id that a folder's name stands for: `~XXXX` is one UTF-16 unit."""
    units = re.sub(r"~([0-9A-F]{4})", lambda found: chr(int(found.group(1), 16)), name)
    return units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
