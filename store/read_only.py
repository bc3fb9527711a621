"""Reading a producer's SQLite file without leaving a trace.

A producer's store is read through a file layer of ours that can only read: it takes no lock,
creates nothing and never opens a file for writing. SQLite then rebuilds the index of the
write-ahead log in its own memory (exclusive locking mode), so neither `-shm` nor a lock is needed
and a store is seen whole beside a live writer, after a killed one, and in a read-only folder.
Without locks a writer may move pages under a read; so the files' state is compared before and
after, and a read during which it moved is thrown away and done again.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import apsw

from store.errors import StoreError

T = TypeVar("T")

VFS_NAME = "backscroll-read-only"
ATTEMPTS = 40
PAUSE_S = 0.025
SETTLE_NS = 20_000_000
"""Times of files move in ticks of a few ms; a state younger than this may hide a later write."""
JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
"""First bytes of a rollback journal that is to be played back (SQLite file format, section 3)."""


@dataclass(frozen=True, slots=True)
class FileState:
    """What tells one state of a store's files from another. `log_head` is the log's 32 bytes."""

    device: int
    inode: int
    size: int
    modified: int
    log_inode: int = 0
    log_size: int = 0
    log_modified: int = 0
    log_head: str = ""

    def __str__(self) -> str:
        values = [self.device, self.inode, self.size, self.modified]
        values += [self.log_inode, self.log_size, self.log_modified]
        return ":".join(map(str, values)) + ":" + self.log_head

    @property
    def pages(self) -> tuple[object, ...]:
        """The part that must not move during a read: appending to the log is harmless."""
        return (self.device, self.inode, self.size, self.modified, self.log_head, self.log_inode)


def file_state(path: Path) -> FileState:
    """The present state of a store's files. Raises SOURCE_NOT_FOUND, SOURCE_UNREADABLE."""
    try:
        main = os.stat(path)
        if not stat.S_ISREG(main.st_mode):
            raise StoreError("SOURCE_UNREADABLE", f"{path} is not a file", str(path))
        if not os.access(path, os.R_OK):
            raise unreadable(path, "you have no permission to read it")
        state = FileState(main.st_dev, main.st_ino, main.st_size, main.st_mtime_ns)
        try:
            log = os.stat(f"{path}-wal")
            if log.st_size == 0:
                return state
            with open(f"{path}-wal", "rb") as file:
                head = file.read(32)
        except FileNotFoundError:
            return state
    except FileNotFoundError:
        raise StoreError("SOURCE_NOT_FOUND", f"{path} does not exist", str(path)) from None
    except OSError as error:
        raise unreadable(path, error.strerror or str(error)) from None
    return FileState(
        main.st_dev,
        main.st_ino,
        main.st_size,
        main.st_mtime_ns,
        log.st_ino,
        log.st_size,
        log.st_mtime_ns,
        head.hex(),
    )


def unreadable(path: Path, reason: str) -> StoreError:
    """The error for a store that is there but cannot be read."""
    return StoreError("SOURCE_UNREADABLE", f"{path} cannot be read: {reason}", str(path))


class _ReadOnlyFile(apsw.VFSFile):
    """A file that can be read and nothing else; its locks are words only."""

    def xLock(self, level: int) -> None:
        """Takes no lock: a lock could block the writer."""

    def xUnlock(self, level: int) -> None:
        """Gives no lock back."""

    def xCheckReservedLock(self) -> bool:
        """Nobody is asked."""
        return False

    def xSync(self, flags: int) -> None:
        """There is nothing to sync."""

    def xWrite(self, data: bytes, offset: int) -> None:
        """Refuses."""
        raise apsw.ReadOnlyError("a producer's store is never written")

    def xTruncate(self, size: int) -> None:
        """Refuses."""
        raise apsw.ReadOnlyError("a producer's store is never written")


class _ReadOnlyLayer(apsw.VFS):
    """Opens every file read-only and creates and deletes none, whatever SQLite asks for."""

    def xOpen(self, name: Any, flags: list[int]) -> _ReadOnlyFile:
        """Opens an existing file for reading."""
        writing = (
            apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_DELETEONCLOSE
        )
        given = [(flags[0] & ~writing) | apsw.SQLITE_OPEN_READONLY, 0]
        file = _ReadOnlyFile("", name, given)
        flags[1] = given[1]
        return file

    def xDelete(self, name: str, sync: bool) -> None:
        """Refuses."""
        raise apsw.ReadOnlyError("a producer's store is never written")


_layer: list[_ReadOnlyLayer] = []


def _vfs() -> str:
    """The read-only layer's name, registered once a process."""
    if not _layer:
        _layer.append(_ReadOnlyLayer(VFS_NAME, ""))
    return VFS_NAME


def connect(path: Path, state: FileState, damaged: bool) -> apsw.Connection:
    """One connection for one bounded read."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    uri = path.as_uri()
    if state.log_size:
        connection = apsw.Connection(uri, flags=flags, vfs=_vfs())
    else:
        connection = apsw.Connection(f"{uri}?immutable=1", flags=flags)
    try:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        if state.log_size:
            connection.pragma("locking_mode", "exclusive")
        if damaged:  # else SQLite refuses a file that is shorter than its header says
            connection.pragma("writable_schema", True)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _check_journal(path: Path) -> None:
    """Raises SOURCE_BUSY where a change to the store was begun and not ended."""
    with contextlib.suppress(OSError), open(f"{path}-journal", "rb") as file:
        if file.read(8) == JOURNAL_MAGIC:
            raise StoreError(
                "SOURCE_BUSY",
                f"{path} is being changed, or its writer died in the middle of a change; "
                "open it once with its own program",
                str(path),
            )


def _check_place(path: Path) -> None:
    """Raises SOURCE_UNREADABLE where a store, a folder above it or its log is a link elsewhere.

    Stores are known by their real paths; a link that appears there later was not asked for.
    """
    real = os.path.realpath(path)
    if real != str(path):
        raise unreadable(path, f"a link leads from there to {real} now; name that if you mean it")
    if os.path.islink(f"{path}-wal"):
        raise unreadable(path, "its log is a link")


def _settled_state(path: Path) -> FileState:
    state = file_state(path)
    age = time.time_ns() - state.modified
    if 0 <= age < SETTLE_NS:
        time.sleep((SETTLE_NS - age) / 1e9)
        state = file_state(path)
    return state


def read_source(path: Path, work: Callable[[apsw.Connection], T]) -> tuple[T, FileState]:
    """Runs one bounded read on a producer's store and returns its result and the state it saw.

    `work` gets a connection, must fetch all it wants and must not keep it; it runs again where the
    store moved meanwhile. Raises SOURCE_NOT_FOUND, SOURCE_UNREADABLE (not a database, no
    permission), SOURCE_BUSY (it never held still), and whatever `work` raises.
    """
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE_S)
        _check_place(path)
        before = _settled_state(path)
        if before.size == 0:
            raise unreadable(path, "the file is empty")
        try:
            _check_journal(path)
            result = _read_once(path, before, work)
        except StoreError as error:
            if error.code != "SOURCE_BUSY" or attempt == ATTEMPTS - 1:
                raise
            continue
        except (apsw.Error, UnicodeDecodeError) as error:
            if file_state(path).pages == before.pages:
                raise _translated(path, error) from error
            continue
        if file_state(path).pages == before.pages:
            return result, before
    raise StoreError("SOURCE_BUSY", f"{path} changes too fast to be read; try again", str(path))


def _read_once(path: Path, state: FileState, work: Callable[[apsw.Connection], T]) -> T:
    try:
        connection = connect(path, state, damaged=False)
    except (apsw.CorruptError, apsw.NotADBError):
        connection = connect(path, state, damaged=True)
    with contextlib.closing(connection):
        return work(connection)


def _translated(path: Path, error: Exception) -> StoreError:
    if isinstance(error, apsw.NotADBError):
        return unreadable(path, "it is not an SQLite database")
    if isinstance(error, apsw.BusyError):
        return StoreError("SOURCE_BUSY", f"{path} is locked; try again", str(path))
    return unreadable(path, str(error) or type(error).__name__)


def fetch_readable(
    connection: apsw.Connection, sql: str, values: tuple[object, ...] = ()
) -> tuple[list[tuple[Any, ...]], str]:
    """All rows that can be read, and the reason where some cannot ("" where all can).

    A row with bytes that are no text is left out; damage of the file ends the reading.
    """
    rows: list[tuple[Any, ...]] = []
    reason = ""
    try:
        cursor = connection.execute(sql, values)
        while True:
            try:
                rows.append(next(cursor))
            except UnicodeDecodeError as error:
                reason = str(error)
    except StopIteration:
        return rows, reason
    except (apsw.CorruptError, apsw.IOError) as error:
        return rows, str(error) or type(error).__name__


def columns(connection: apsw.Connection) -> dict[str, set[str]]:
    """The tables of a store with the names of their columns."""
    found: dict[str, set[str]] = {}
    rows = connection.execute(
        "SELECT m.name, i.name FROM sqlite_master m JOIN pragma_table_info(m.name) i"
        " WHERE m.type = 'table'"
    )
    for table, column in rows:
        found.setdefault(table, set()).add(column)
    return found
