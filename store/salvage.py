"""Saving what can be read of a damaged index: our archive has what no source can tell any more.

The damaged file is never changed and never deleted: a new index is filled beside it, the old one
with its log gets a name of its own, the new one takes its place. A kill at any moment leaves either
the damaged index, to be saved again, or the new one.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw
import zstandard

from store.archive import open_block
from store.errors import StoreError
from store.schema import is_there, open_writer, translated
from store.sqlite import fetch_readable, insert_rows, one, rows_of, transaction

DAMAGE = (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError)
"""What reading a damaged index raises."""
ROWS = 500
DAY_S = 86_400
TABLES = ("source", "session", "message", "part", "block")
"""Tables that cannot be had again, those that others name first."""
BESIDE = ".damaged-"
"""What the name of a damaged file that was put aside goes on with; then come day and time."""
BY_NAME = ("forgotten",)
"""Tables without numbers, which are read as far as that goes."""
_MARK = ".damaged"
_NEW = ".saved"
_READY = "saved"
_SIDES = ("-wal", "-shm")
_LOST_SOURCES = """
INSERT INTO source(id, name, producer, path)
SELECT DISTINCT source, 'lost-' || source, 'opencode', 'lost-' || source FROM session
WHERE source NOT IN (SELECT id FROM source)
"""
_LOST_SESSIONS = """
INSERT INTO session(id, source, native, title, created, updated, fate, messages)
SELECT session, (SELECT min(id) FROM source), 'lost_' || session, 'Saved from a damaged index',
       min(time), max(time), 'deleted', count(*) FROM message
WHERE session NOT IN (SELECT id FROM session) AND EXISTS (SELECT 1 FROM source) GROUP BY session
"""


def mark(index: Path) -> None:
    """Notes that reading the index met damage, for whoever writes to it next."""
    with contextlib.suppress(OSError):
        os.close(os.open(_beside(index, _MARK), os.O_CREAT | os.O_WRONLY, 0o600))


def is_marked(index: Path) -> bool:
    """Whether damage was met."""
    return os.path.exists(_beside(index, _MARK))


def is_damage(error: StoreError) -> bool:
    """Whether an error of ours came from a damaged index."""
    return error.code == "INDEX_FAILED" and isinstance(error.__cause__, DAMAGE)


def save(index: Path, *, again: bool = False) -> Path | None:
    """Puts a new index with all that can be read in the place of a damaged one.

    The caller holds the lock and has no connection to it open. Returns where the damaged one is
    now; None where it was saved less than a day ago already, and not `again`: what fails time and
    again must not fill the disk with copies. Raises INDEX_FAILED where there is no room, and for a
    file that is not ours.
    """
    if not is_there(index):
        return None
    if not again and abs(time.time() - _saved_at(index)) < DAY_S:
        return None
    try:
        return _save(index)
    except OSError as error:
        raise translated(index, error) from error


def _save(index: Path) -> Path:
    new = _beside(index, _NEW)
    if not _saved_at(new):
        for path in (new, *(_beside(new, side) for side in _SIDES)):
            path.unlink(missing_ok=True)  # begun by a program that died
        _fill(index, new)
    aside = _free_name(index)
    for side in _SIDES:  # else SQLite would play the old log back into the new file
        with contextlib.suppress(FileNotFoundError):
            os.rename(_beside(index, side), _beside(aside, side))
    os.link(index, aside)
    os.replace(new, index)
    _beside(index, _MARK).unlink(missing_ok=True)
    return aside


def put_aside(index: Path) -> list[Path]:
    """The damaged files that were put aside, with their logs; they may hold what was forgotten."""
    beside = f"{index.name}{BESIDE}"
    return sorted(path for path in index.parent.iterdir() if path.name.startswith(beside))


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _free_name(index: Path) -> Path:
    moment = time.strftime("%Y-%m-%d-%H%M%S")
    number = 1
    while (aside := _beside(index, f"{BESIDE}{moment}-{number}")).exists():
        number += 1
    return aside


def _saved_at(path: Path) -> float:
    """When an index was saved from a damaged one, in seconds; 0 where it was not."""
    if not path.exists():
        return 0.0
    try:
        with contextlib.closing(apsw.Connection(str(path))) as connection:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            return saved_at(connection) / 1000
    except (*DAMAGE, apsw.Error):
        return 0.0


def saved_at(connection: apsw.Connection) -> int:
    """When this index was saved from a damaged one, in ms; 0 where it was not."""
    told = one(connection, "SELECT value FROM meta WHERE key = ?", (_READY,))
    return told if isinstance(told, int) else 0


def _fill(index: Path, new: Path) -> None:
    damaged = apsw.Connection(str(index), flags=apsw.SQLITE_OPEN_READWRITE)
    with contextlib.closing(damaged):
        damaged.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        damaged.set_busy_timeout(5000)
        with contextlib.suppress(apsw.Error):
            damaged.pragma("writable_schema", True)  # else a file cut short is refused
        with contextlib.closing(open_writer(new)) as connection:
            for table in (*TABLES, *BY_NAME):
                _take_over(damaged, connection, table)
            with transaction(connection):
                _settle(connection)
                values = (_READY, int(time.time() * 1000))
                connection.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", values)


def _columns(connection: apsw.Connection, table: str) -> dict[str, str]:
    try:
        rows = rows_of(connection, "SELECT name, type FROM pragma_table_info(?)", (table,))
    except DAMAGE:
        return {}
    return dict(rows)


def _take_over(damaged: apsw.Connection, connection: apsw.Connection, table: str) -> None:
    kinds = _columns(connection, table)
    there = _columns(damaged, table)
    names = [name for name in kinds if name in there]
    if not names or (table in TABLES and "id" not in names):
        return
    rows: Iterable[tuple[Any, ...]]
    if table in TABLES:
        rows = _rows(damaged, table, names)
    else:
        rows, _ = fetch_readable(damaged, f"SELECT {', '.join(names)} FROM {table}")
    batch: list[tuple[Any, ...]] = []
    for row in rows:
        if all(_fits(kinds[name], value) for name, value in zip(names, row, strict=True)):
            batch.append(row)
        if len(batch) >= ROWS:
            _insert(connection, table, names, batch)
            batch = []
    _insert(connection, table, names, batch)


def _insert(
    connection: apsw.Connection, table: str, names: Sequence[str], rows: list[tuple[Any, ...]]
) -> None:
    with transaction(connection):
        try:
            with connection:
                insert_rows(connection, table, ", ".join(names), rows)
        except apsw.ConstraintError:  # one of them is noise
            marks = ", ".join("?" * len(names))
            sql = f"INSERT OR IGNORE INTO {table}({', '.join(names)}) VALUES({marks})"
            connection.executemany(sql, rows)


def _fits(kind: str, value: Any) -> bool:
    """Whether a value may stand in a column of that type; noise may have made it anything."""
    wanted = {"INTEGER": int, "TEXT": str, "BLOB": bytes, "REAL": float}.get(kind)
    return value is None or wanted is None or isinstance(value, wanted)


def _rows(damaged: apsw.Connection, table: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """All rows by rising id; over pages that cannot be read it steps to the next that can."""
    sql = f"SELECT {', '.join(names)} FROM {table} WHERE id >= ? ORDER BY id"
    at, place = 1, names.index("id")
    while at is not None:
        try:
            cursor = damaged.execute(sql, (at,))
            while True:
                try:
                    row = next(cursor)
                except UnicodeDecodeError:
                    at += 1
                    continue
                at = max(at, row[place]) + 1
                yield row
        except StopIteration:
            return
        except (apsw.Error, UnicodeDecodeError):
            following = _readable_from(damaged, table, at + 1)
            if following is None:
                return
            at = following


def _readable_from(damaged: apsw.Connection, table: str, at: int) -> int | None:
    """The first id from `at` on from which rows can be read again."""
    step, low = 1, at
    while not _reads(damaged, table, low + step):
        if step > 2**40:
            return None
        step *= 2
    high = low + step
    while low < high:
        middle = (low + high) // 2
        if _reads(damaged, table, middle):
            high = middle
        else:
            low = middle + 1
    return high


def _reads(damaged: apsw.Connection, table: str, at: int) -> bool:
    try:
        rows_of(damaged, f"SELECT * FROM {table} WHERE id >= ? ORDER BY id LIMIT 1", (at,))
    except UnicodeDecodeError:
        return True
    except apsw.Error:
        return False
    return True


def _settle(connection: apsw.Connection) -> None:
    """Lets sources tell anew what was lost; what names nothing any more gets a name of its own."""
    connection.execute(_LOST_SOURCES)
    connection.execute(_LOST_SESSIONS)
    connection.execute("DELETE FROM part WHERE message NOT IN (SELECT id FROM message)")
    for (ident,) in rows_of(connection, "SELECT id FROM block"):
        try:
            open_block(one(connection, "SELECT bytes FROM block WHERE id = ?", (ident,)))
        except zstandard.ZstdError:
            connection.execute("DELETE FROM block WHERE id = ?", (ident,))
    connection.execute(
        "UPDATE part SET updated = -1 WHERE fate IN ('live', 'reverted')"
        " AND block NOT IN (SELECT id FROM block)"
    )
    connection.execute("UPDATE session SET stamp = NULL, done = 0")
    connection.execute("UPDATE source SET state = '', listed = ''")
    connection.execute("INSERT OR REPLACE INTO meta VALUES('refill', 'all')")
