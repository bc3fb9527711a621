"""The ZIP that DeepSeek Harness exports: a session's log and those of its descendants.

Entries are read where they are and never written anywhere, so their names cannot lead out of the
archive; only names of logs count (0.1.1: session.jsonl, 0.2.1: session.v4.jsonl).
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from store.errors import StoreError
from store.model import Fault
from store.sources.content import decode
from store.sources.harness_events import LARGEST_ROW, Damage, Event, Header, header_of
from store.sources.harness_log import Mark, Row, events_in
from store.sources.harness_logs import UNREAD, Found, Log, each_once, state_of
from store.sqlite import unreadable

BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,
    OSError,
    RuntimeError,
    ValueError,
)
"""What the standard library raises for archives that are damaged, encrypted or packed oddly."""
ENTRY = re.compile(r"(subagents/[^/]+/)?session(?:\.v([1-9]\d{0,3}))?\.jsonl")


def has_logs(path: Path) -> bool:
    """Whether a file is a ZIP with logs in it."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(ENTRY.fullmatch(name) for name in archive.namelist())
    except BROKEN:
        return False


class ZipKeeper:
    """An exported ZIP."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def state(self) -> str:
        """The file's state."""
        found = state_of(self._path)
        return f"{found.st_dev}:{found.st_ino}:{found.st_size}:{found.st_mtime_ns}"

    def find(self) -> Found:
        """The logs in it. Raises SOURCE_UNREADABLE where it is no ZIP."""
        state = self.state()
        faults: list[Fault] = []
        logs: list[Log] = []
        with self._open() as archive:
            for entry in archive.infolist():
                named = ENTRY.fullmatch(entry.filename)
                if named is None:
                    continue
                header = _header(archive, entry)
                if header is None:
                    header = Header(
                        id=(named.group(1) or self._path.stem).rstrip("/"), refused=UNREAD
                    )
                written = state_of(self._path).st_mtime_ns // 1_000_000
                stamp = f"{state}:{entry.CRC}:{entry.file_size}"
                number = int(named.group(2) or 0)
                logs.append(
                    Log(
                        entry.filename, header, stamp, entry.file_size, written, number, closed=True
                    )
                )
        once, doubled = each_once(logs)
        return Found(once, state, (*faults, *doubled))

    def stamp(self, log: Log) -> str:
        """An archive does not change without its file."""
        return log.stamp if log.stamp.startswith(self.state()) else ""

    def events(self, log: Log, since: Mark | None = None) -> Iterator[Row]:
        """The events of one entry; what its checksum or its end spoils is damage."""
        with self._open() as archive:
            try:
                with archive.open(log.place) as file:
                    yield from events_in(file)
            except BROKEN as error:
                yield Damage(f"the entry is damaged: {error}")

    def goes_on(self, log: Log, mark: Mark) -> bool:
        """An archive does not grow."""
        return False

    def holds(self, log: Log, sought: bytes) -> bool:
        """Whether these bytes stand in an entry."""
        rows = (event.line for event in self.events(log) if isinstance(event, Event))
        return any(sought in line for line in rows)

    def _open(self) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(self._path)
        except BROKEN as error:
            raise self._cannot(error) from None

    def _cannot(self, error: Exception) -> StoreError:
        return unreadable(self._path, str(error) or "it is no ZIP archive")


def _header(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Header | None:
    try:
        with archive.open(entry) as file:
            return header_of(decode(file.readline(LARGEST_ROW)))
    except BROKEN:
        return None
