"""Logs of DeepSeek Harness in folders, as dsh lays them out.

A root is `<project>/<session>/session[.vN].jsonl[.zstd]`. One session may hold several generations
side by side (a migration leaves the old one): only the highest N counts. Nothing else in the folder
is opened. A person may also name a project's or a session's folder.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from store.errors import StoreError
from store.model import Fault
from store.sources.harness_events import Header
from store.sources.harness_log import Mark, Row, read_events, read_header
from store.sources.harness_logs import (
    LOG,
    UNREAD,
    Found,
    Log,
    LogFile,
    LogFiles,
    each_once,
    file_of,
    log_of,
    state_of,
)

SESSION, ROOT, PROJECT = "session*.jsonl*", "*/*/session*.jsonl*", "*/session*.jsonl*"
"""Where logs lie in the folder of a session, in one with folders of projects, and in one of these;
looked for in this order."""
BELOW = "subagents"
"""The folder of an unpacked export that has the logs of descendants."""
OLD_LAYOUT = re.compile(r".+\.jsonl(\.zstd)?")
"""Before a session had a folder of its own, its log lay in the project's."""


def pattern_of(folder: Path) -> str:
    """Which of the patterns finds logs in a folder; "" where there are none."""
    for pattern in (SESSION, ROOT, PROJECT):
        try:
            if any(LOG.fullmatch(one.name) and one.is_file() for one in folder.glob(pattern)):
                return pattern
        except OSError:
            continue
    return ""


class FolderKeeper(LogFiles):
    """A folder of projects, or one of these, or a session's; an empty one will be of projects.

    Headers stay known while their files do not change.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pattern = pattern_of(path)
        self._headers: dict[str, tuple[str, Header | None]] = {}

    def state(self) -> str:
        """One text for the states of all logs."""
        return _together(self._files()[0])

    def find(self) -> Found:
        """All logs, the highest generation of each, a session once."""
        files, faults = self._files()
        logs = [log_of(file, self._header(file)) for file in files]
        self._headers = {log.place: self._headers[log.place] for log in logs}
        once, doubled = each_once(logs)
        return Found(once, _together(files), (*faults, *doubled), complete=not faults)

    def stamp(self, log: Log) -> str:
        """The state of the log's file."""
        try:
            found = os.stat(log.place)
        except OSError:
            return ""
        return file_of(log.place, "", log.generation, found).stamp

    def events(self, log: Log, since: Mark | None = None) -> Iterator[Row]:
        """The events of the log's file."""
        return read_events(Path(log.place), since)

    def _header(self, file: LogFile) -> Header:
        known = self._headers.get(file.path)
        if known is None or known[0] != file.stamp:
            try:
                header = read_header(Path(file.path))
            except StoreError:
                header = None
            known = self._headers[file.path] = (file.stamp, header)
        return known[1] or Header(id=unescaped(file.folder), refused=UNREAD)

    def _files(self) -> tuple[list[LogFile], list[Fault]]:
        """The log files that count, and the folders that cannot be looked into."""
        if not os.path.isdir(self._path):
            state_of(self._path)
        faults: list[Fault] = []
        path = str(self._path)
        if self._pattern == SESSION:
            below = os.path.join(path, BELOW)
            more = _in_project(below, faults) if os.path.isdir(below) else []
            return [*_highest(path, self._path.name, faults), *more], faults
        if self._pattern == PROJECT:
            return _in_project(path, faults), faults
        projects = [one.path for one in _entries(path, faults) if _is_folder(one, faults)]
        return [file for one in projects for file in _in_project(one, faults)], faults


def _in_project(folder: str, faults: list[Fault]) -> list[LogFile]:
    """The log files that count in the folder of a project."""
    files: list[LogFile] = []
    for entry in _entries(folder, faults):
        if _is_folder(entry, faults):
            files += _highest(entry.path, entry.name, faults)
        elif (file := _by_name(entry, _stem(entry.name), OLD_LAYOUT)) is not None:
            files.append(file)
    return files


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


def _highest(folder: str, name: str, faults: list[Fault]) -> list[LogFile]:
    """The log of the highest generation in a session's folder; two where it has two encodings."""
    found = [_by_name(entry, name, LOG) for entry in _entries(folder, faults)]
    files = [file for file in found if file is not None]
    highest = max((file.generation for file in files), default=0)
    return [file for file in files if file.generation == highest]


def _stem(name: str) -> str:
    return name.removesuffix(".zstd").removesuffix(".jsonl")


def _by_name(entry: os.DirEntry[str], folder: str, pattern: re.Pattern[str]) -> LogFile | None:
    named = pattern.fullmatch(entry.name)
    if named is None or not entry.is_file():
        return None
    generation = int(named.group(1) or 0) if pattern is LOG else 0
    return file_of(entry.path, folder, generation, entry.stat())


def _together(files: Sequence[LogFile]) -> str:
    told = "\n".join(f"{file.path}\0{file.stamp}" for file in files)
    return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()


def unescaped(name: str) -> str:
    """The session id that a folder's name stands for: `~XXXX` is one UTF-16 unit."""
    units = re.sub(r"~([0-9A-F]{4})", lambda found: chr(int(found.group(1), 16)), name)
    return units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
