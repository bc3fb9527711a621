"""Files that are no store, or a store with something wrong in it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random


def empty_file(path: Path) -> Path:
    """A file of no bytes."""
    path.write_bytes(b"")
    return path


def garbage(path: Path, size: int = 40_000) -> Path:
    """A file of noise."""
    path.write_bytes(Random(3).randbytes(size))
    return path


def half(path: Path) -> Path:
    """Cuts a database in the middle, at no page's end."""
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2 + 100])
    return path


def folder_in_place(path: Path) -> Path:
    """A folder with the name of a store."""
    path.mkdir()
    return path


def unrelated_tables(path: Path) -> Path:
    """A database that is a store of something else, one table with a familiar name included."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("create table recipe (id integer primary key, name text)")
        db.execute("create table session (id text primary key, user text, cookie text)")
        db.execute("insert into recipe (name) values ('粥')")
        db.commit()
    return path


def set_column(path: Path, table: str, ident: str, column: str, value: object) -> None:
    """Puts anything into a column of one row, whatever its type should be."""
    with closing(sqlite3.connect(path)) as db:
        sql = f"update {table} set {column} = ? where id = ?"
        changed = db.execute(sql, (value, ident)).rowcount
        db.commit()
    assert changed == 1


def set_data(path: Path, ident: str, data: object, *, table: str = "part") -> None:
    """Puts anything into the data column of a row: broken JSON, a number, bytes, nothing."""
    set_column(path, table, ident, "data", data)


def huge_row(path: Path, ident: str, megabytes: int) -> None:
    """Makes a part one text of about so many megabytes, `last-word` at its end."""
    body = "0123456789abcde " * (65_536 * megabytes)
    set_data(path, ident, f'{{"type":"text","text":"{body}last-word"}}')
