"""Our own SQLite file: opening it, its rows, its transactions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import apsw

from store.read_only import connect, file_state

CACHE_KIB = 16_000
"""Pages that a connection keeps in memory, in KiB."""
WRITE_KIB = 4_000
"""Pages that one which writes keeps: what arrives lies together, and more makes it no quicker."""


def _write_ahead(connection: apsw.Connection) -> None:
    """Readers go on while the index is written; a power cut loses at most the last commits."""
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "normal")


def _patience(connection: apsw.Connection) -> None:
    """Two programs of ours may meet on the file for a moment."""
    connection.set_busy_timeout(5000)


def _memory(connection: apsw.Connection, kibibytes: int) -> None:
    """A bounded page cache; no mmap, which would count as our memory."""
    connection.pragma("cache_size", -kibibytes)
    connection.pragma("mmap_size", 0)


def open_index(path: Path, *, write: bool, cache_kib: int = CACHE_KIB) -> apsw.Connection:
    """A connection to our own index. Raises apsw errors; `store.schema` turns them into ours."""
    flags = apsw.SQLITE_OPEN_READWRITE
    if write:
        flags |= apsw.SQLITE_OPEN_CREATE
    connection = apsw.Connection(str(path), flags=flags)
    try:
        _patience(connection)
        if write:
            _write_ahead(connection)
        _memory(connection, cache_kib)
    except BaseException:
        connection.close()
        raise
    return connection


def open_alone(path: Path) -> apsw.Connection:
    """Our own index as it lies, read without a lock and without files beside it.

    For a folder that cannot be written; another program's commits are not seen.
    """
    return connect(path, file_state(path), damaged=False)


def rows_of(connection: apsw.Connection, sql: str, values: object = ()) -> list[tuple[Any, ...]]:
    """All rows of a bounded query."""
    return list(connection.execute(sql, values))  # type: ignore[arg-type]


def one(connection: apsw.Connection, sql: str, values: object = ()) -> Any:
    """The first value of the first row, or None."""
    for row in connection.execute(sql, values):  # type: ignore[arg-type]
        return row[0]
    return None


def insert_rows(
    connection: apsw.Connection, table: str, names: str, rows: list[tuple[Any, ...]]
) -> None:
    """Inserts rows many to a statement.

    A statement a row would take and give back the interpreter lock for each: beside a busy thread
    that costs 5 ms a row.
    """
    if not rows:
        return
    width = len(rows[0])
    step = max(1, 1024 // width)
    for start in range(0, len(rows), step):
        chunk = rows[start : start + step]
        marks = ",".join(["(" + ",".join("?" * width) + ")"] * len(chunk))
        flat = list(chain.from_iterable(chunk))
        connection.execute(f"INSERT INTO {table}({names}) VALUES {marks}", flat)


@contextlib.contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """One transaction that takes the writer's lock at once; rolled back on any exception."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if not connection.getautocommit():  # an interrupted statement may have rolled back itself
            connection.execute("ROLLBACK")
        raise
