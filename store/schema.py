"""The tables of our own index, their version, and opening the file.

Two sorts of tables. Derived ones (`doc`, `fts`, `run`) may be dropped and made anew from the
archive; their layout has its own version. What cannot be had again (`source`, `session`,
`message`, `part`, `block`) is migrated, never dropped.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

import apsw

from store.errors import StoreError
from store.layout import (
    DERIVED,
    DERIVED_NAMES,
    FORGOTTEN,
    INDEXES,
    KEPT,
    MESSAGE,
    MIGRATIONS,
    PART,
)
from store.model import FLAGS, Flag
from store.sqlite import CACHE_KIB, WRITE_KIB, one, open_alone, open_index, transaction

APPLICATION_ID = 0x62616B73
"""`baks`: tells our file from anybody else's."""
_MAGIC = b"SQLite format 3\0"
_ID_PLACE = 68
"""Where the application's id stands in the first page (SQLite file format, section 1.3)."""
VERSION = 4
DERIVED_VERSION = 6

HAS = ("error", "image", "file", "diff", "output")
"""The values of `has:`; bit n of `part.has` stands for HAS[n]."""


def has_bit(value: str) -> int:
    """The bit of `part.has` that stands for one value of HAS."""
    return 1 << HAS.index(value)


def flag_bits(flags: Iterable[Flag]) -> int:
    """Flags as one number: bit n stands for FLAGS[n]."""
    bits = 0
    for flag in flags:
        bits |= 1 << FLAGS.index(flag)
    return bits


@lru_cache(maxsize=256)
def flags_of(bits: int) -> tuple[Flag, ...]:
    """The flags of a number that `flag_bits` made."""
    return tuple(flag for place, flag in enumerate(FLAGS) if bits >> place & 1)


def create_private(path: Path) -> None:
    """Makes the file and its folder for the user alone, before anything is written to it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def open_writer(path: Path) -> apsw.Connection:
    """The index for writing, made where it is not there and brought to the present version.

    Raises INDEX_FAILED (not ours, damaged, or the disk says no), INDEX_NEWER, INDEX_BUSY.
    """
    there = is_there(path)
    try:
        create_private(path)
        if not there:
            _claim(path)
        connection = open_index(path, write=True, cache_kib=WRITE_KIB)
    except (OSError, apsw.Error) as error:
        raise translated(path, error) from error
    try:
        _ready(connection, path)
    except apsw.Error as error:
        connection.close()
        raise translated(path, error) from error
    except BaseException:
        connection.close()
        raise
    return connection


def open_reader(path: Path, *, cache_kib: int = CACHE_KIB) -> apsw.Connection | None:
    """The index for reading; None where there is none yet. Raises as `open_writer`."""
    if not is_there(path):
        return None
    try:
        connection, version = _opened(
            path, lambda: open_index(path, write=False, cache_kib=cache_kib)
        )
    except (apsw.CantOpenError, apsw.ReadOnlyError):  # what SQLite needs beside it cannot be made
        try:
            connection, version = _opened(path, lambda: open_alone(path))
        except apsw.Error as error:
            raise translated(path, error) from error
    except apsw.Error as error:
        raise translated(path, error) from error
    if version == VERSION:
        return connection
    connection.close()
    if version == 0:  # another program is just making it
        return None
    open_writer(path).close()  # brings an older one to this version
    return open_reader(path, cache_kib=cache_kib)


def _opened(path: Path, opener: Callable[[], apsw.Connection]) -> tuple[apsw.Connection, int]:
    connection = opener()
    try:
        return connection, _check_ours(connection, path)
    except BaseException:
        connection.close()
        raise


def is_there(path: Path) -> bool:
    """Whether there is an index to open; an empty file is none yet.

    Raises INDEX_FAILED for a file that is not ours. Its head tells, so that SQLite, which leaves
    files beside even what it only reads, never opens anybody else's.
    """
    try:
        regular = stat.S_ISREG(os.stat(path).st_mode)
        head = _head(path) if regular else b""
    except FileNotFoundError:
        return False
    except OSError as error:
        raise translated(path, error) from error
    if regular and not head:
        return False
    ours = APPLICATION_ID.to_bytes(4, "big")
    if head[: len(_MAGIC)] != _MAGIC or head[_ID_PLACE : _ID_PLACE + 4] != ours:
        raise _not_ours(path)
    return True


def _head(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(_ID_PLACE + 4)


def _claim(path: Path) -> None:
    """Writes our mark into an empty file, before write-ahead mode keeps it out of the head.

    Pages that become free can be given back: merging the full text leaves many. All in one
    transaction, so that nobody ever sees a database without the mark.
    """
    with contextlib.closing(open_index(path, write=False)) as connection:
        connection.execute("BEGIN")  # deferred: what is not begun can still get its auto_vacuum
        connection.pragma("auto_vacuum", "incremental")
        connection.pragma("application_id", APPLICATION_ID)
        connection.execute("COMMIT")


def translated(path: Path, error: Exception) -> StoreError:
    """An error on our own file as one of ours."""
    about = str(path)
    if isinstance(error, apsw.BusyError):
        return StoreError("INDEX_BUSY", f"{path} is being written by another backscroll", about)
    if isinstance(error, apsw.InterruptError):
        return StoreError("ABORTED", "the search was stopped", "")
    if isinstance(error, apsw.NotADBError):
        return _not_ours(path)
    if isinstance(error, (apsw.CorruptError, UnicodeDecodeError)):
        words = f"the index {path} is damaged; `backscroll index` saves what can be read of it"
        return StoreError("INDEX_FAILED", words, about)
    if isinstance(error, apsw.FullError):
        return StoreError("INDEX_FAILED", f"the disk that holds {path} is full", about)
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return StoreError("INDEX_FAILED", f"the index {path} cannot be used: {reason}", about)


def _not_ours(path: Path) -> StoreError:
    words = f"{path} is not an index of backscroll and is left as it is; name another with --index"
    return StoreError("INDEX_FAILED", words, str(path))


def _check_ours(connection: apsw.Connection, path: Path) -> int:
    """The version of the file (0: empty). Raises INDEX_FAILED, INDEX_NEWER."""
    tables = one(connection, "SELECT count(*) FROM sqlite_master")
    if not tables:
        return 0
    if connection.pragma("application_id") != APPLICATION_ID:
        raise _not_ours(path)
    version = int(connection.pragma("user_version"))
    if version > VERSION:
        words = f"{path} was made by a newer backscroll (version {version}, this one: {VERSION})"
        raise StoreError("INDEX_NEWER", words, str(path))
    return version


def _ready(connection: apsw.Connection, path: Path) -> None:
    version = _check_ours(connection, path)
    if version == VERSION and derived_version(connection) == DERIVED_VERSION:
        return
    with transaction(connection):
        version = _check_ours(connection, path)
        if version == 0:
            _run(connection, KEPT + FORGOTTEN + MESSAGE + PART + INDEXES)
        for step in range(version + 1, VERSION + 1) if version else ():
            _run(connection, MIGRATIONS[step])
        connection.pragma("user_version", VERSION)
        if version == 0 or derived_version(connection) != DERIVED_VERSION:
            make_derived(connection, "all" if version else "done")


def derived_version(connection: apsw.Connection) -> int:
    """The version of the derived tables (0: none)."""
    return int(one(connection, "SELECT value FROM meta WHERE key = 'derived'") or 0)


def make_derived(connection: apsw.Connection, refill: str = "all") -> None:
    """Drops the derived tables and makes them anew, empty; `store.refill` fills them.

    `refill` says from which parts of the archive: `all`, `gone` where the sources are read too,
    or `done` where there are none.
    """
    for name in DERIVED_NAMES:
        connection.execute(f"DROP TABLE IF EXISTS {name}")
    _run(connection, DERIVED)
    connection.execute("INSERT OR REPLACE INTO meta VALUES('derived', ?)", (DERIVED_VERSION,))
    connection.execute("INSERT OR REPLACE INTO meta VALUES('refill', ?)", (refill,))
    connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'vocabulary'")


def _run(connection: apsw.Connection, script: str) -> None:
    for _ in connection.execute(script):
        pass
