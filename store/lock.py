"""One program at a time writes the index: a lock that the system takes back at any death."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from store.errors import StoreError
from store.schema import create_private


@contextmanager
def writing(index: Path, patience_ms: int = 0) -> Iterator[None]:
    """Holds the lock beside the index. Raises INDEX_BUSY where another program has it that long."""
    with _held(index.with_name(index.name + ".lock"), patience_ms) as mine:
        if not mine:
            words = f"another backscroll is bringing {index} up to date"
            raise StoreError("INDEX_BUSY", words, str(index))
        yield


@contextmanager
def leading(index: Path) -> Iterator[bool]:
    """Whether this program is the one, of all that follow the stores, that writes what it sees."""
    with _held(index.with_name(index.name + ".lead")) as mine:
        yield mine


@contextmanager
def _held(path: Path, patience_ms: int = 0) -> Iterator[bool]:
    """Holds a lock where nobody else does. Raises INDEX_FAILED where there can be no lock."""
    try:
        create_private(path)
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    except (OSError, apsw.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StoreError("INDEX_FAILED", f"{path} cannot be made: {reason}", str(path)) from error
    try:
        connection.set_busy_timeout(patience_ms)
        try:
            connection.execute("BEGIN EXCLUSIVE")
            mine = True
        except apsw.BusyError:
            mine = False
        except apsw.Error as error:
            raise StoreError("INDEX_FAILED", f"{path} is not ours: {error}", str(path)) from error
        yield mine
    finally:
        connection.close()
