"""One program at a time writes the index: a lock that the system takes back at any death."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from store.errors import StoreError
from store.schema import create_private


@contextmanager
def writing(index: Path) -> Iterator[None]:
    """Holds the lock beside the index. Raises INDEX_BUSY where another program has it."""
    path = index.with_name(index.name + ".lock")
    try:
        create_private(path)
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    except (OSError, apsw.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StoreError("INDEX_FAILED", f"{path} cannot be made: {reason}", str(path)) from error
    try:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except apsw.BusyError:
            words = f"another backscroll is bringing {index} up to date"
            raise StoreError("INDEX_BUSY", words, str(index)) from None
        except apsw.Error as error:
            raise StoreError("INDEX_FAILED", f"{path} is not ours: {error}", str(path)) from error
        yield
    finally:
        connection.close()
