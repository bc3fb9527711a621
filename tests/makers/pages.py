"""Stores with pages that cannot be read."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw


def without_indexes(path: Path, *tables: str) -> Path:
    """Spoils every page of every index of these tables, the log being folded in before."""
    with closing(_whole(path)) as db:
        names = [
            row[0]
            for table in tables
            for row in db.execute(
                "select name from sqlite_master where type = 'index' and tbl_name = ?", (table,)
            )
        ]
        pages = [page for name in names for page, _ in _pages(db, name)]
    return _spoiled(path, pages)


def without_leaf(path: Path, table: str, place: int) -> Path:
    """Spoils one page of a table's rows, the first being 0 and the last -1."""
    with closing(_whole(path)) as db:
        leaves = [page for page, kind in _pages(db, table) if kind == "leaf"]
    assert len(leaves) > 1
    return _spoiled(path, [leaves[place]])


def _whole(path: Path) -> apsw.Connection:
    db = apsw.Connection(str(path))
    db.pragma("journal_mode", "delete")
    return db


def _pages(db: apsw.Connection, name: str) -> list[tuple[int, str]]:
    sql = "select pageno, pagetype from dbstat where name = ? order by path"
    return [(row[0], row[1]) for row in db.execute(sql, (name,))]


def _spoiled(path: Path, pages: list[int]) -> Path:
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[16:18], "big")
    for page in pages:
        data[(page - 1) * size : page * size] = b"\xff" * size
    path.write_bytes(data)
    return path
