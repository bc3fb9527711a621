"""Copies of stores with one fault of some kind, chosen by a seed, and a visit that reads it all."""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

from store.errors import StoreError
from store.library import Library

SIDES = ("", "-wal", "-shm", "-journal")


def recorded_stores(folder: Path) -> list[Path]:
    """Stores of a folder: databases, exported sessions, folders of files, logs."""
    found = sorted(folder.rglob("*.db")) + sorted(folder.rglob("*.zip"))
    found += sorted(path for path in folder.rglob("*.jsonl*") if "trajectory" not in path.name)
    found += sorted(folder.rglob("*export*.json"))
    found += sorted(path for path in folder.rglob("storage") if path.is_dir())
    return found


def damaged(stores: list[Path], seed: int, folder: Path) -> tuple[str, str, Path]:
    """A copy of one of the stores with a fault: the fault's kind, the store's name, the copy."""
    chance = Random(seed)
    databases = [one for one in stores if one.suffix == ".db"]
    original = chance.choice(databases if databases and chance.random() < 0.7 else stores)
    folder.mkdir(parents=True)
    path = copied(original, folder)
    kinds = list(KINDS) if path.suffix == ".db" else [*BYTES, "text"]
    kind = chance.choice(kinds)
    with suppress(sqlite3.Error):  # a schema that forbids the fault, or a reader that holds it
        KINDS[kind](path, chance)
    return kind, original.name, path


def copied(original: Path, folder: Path) -> Path:
    """A writable copy with its side files."""
    if original.is_dir():
        return Path(shutil.copytree(original, folder / original.name))
    for side in SIDES:
        beside = original.with_name(original.name + side)
        if beside.exists():
            shutil.copyfile(beside, folder / beside.name)
    return folder / original.name


# Bytes -------------------------------------------------------------------------------------------


def _file(path: Path, chance: Random) -> Path:
    if path.is_dir():
        return chance.choice(sorted(one for one in path.rglob("*") if one.is_file()))
    beside = [path.with_name(path.name + side) for side in ("", "-wal")]
    return chance.choice([one for one in beside if one.exists() and one.stat().st_size])


def flip(path: Path, chance: Random) -> None:
    """Flips a few bits."""
    file = _file(path, chance)
    data = bytearray(file.read_bytes())
    for _ in range(chance.choice([1, 8, 64])):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    file.write_bytes(data)


def cut(path: Path, chance: Random) -> None:
    """Cuts the end off, or a piece out."""
    file = _file(path, chance)
    data = file.read_bytes()
    at = chance.randrange(len(data))
    rest = data[at + chance.randrange(5_000) :] if chance.random() < 0.4 else b""
    file.write_bytes(data[:at] + rest)


def zero(path: Path, chance: Random) -> None:
    """Zeroes some pages."""
    file = _file(path, chance)
    data = bytearray(file.read_bytes())
    for _ in range(chance.choice([1, 3, 10])):
        at = chance.randrange(max(1, len(data) // 4096)) * 4096
        data[at : at + 4096] = bytes(len(data[at : at + 4096]))
    file.write_bytes(data)


def noise(path: Path, chance: Random) -> None:
    """Writes noise over a stretch."""
    file = _file(path, chance)
    data = bytearray(file.read_bytes())
    at, length = chance.randrange(len(data)), chance.choice([16, 400, 9_000])
    data[at : at + length] = chance.randbytes(len(data[at : at + length]))
    file.write_bytes(data)


def text(path: Path, chance: Random) -> None:
    """Puts odd characters, or deep nesting, somewhere into a file of text."""
    file = _file(path, chance)
    data = file.read_bytes()
    at = chance.randrange(len(data))
    file.write_bytes(data[:at] + chance.choice(ODD) + data[at:])


ODD: tuple[bytes, ...] = (
    b"\0",
    b"\\u0000",
    b"\\ud800",
    b"\xed\xa0\x80",
    b"[" * 20_000,
    b'{"a":' * 20_000,
    b"1e999",
)
ODD += (b"null", b'"', b"\\", b"\x1b]0;title\x07", b"NaN", b"-", b"99999999999999999999999")

# Rows --------------------------------------------------------------------------------------------

TABLES = ("session", "message", "part", "session_message", "session_input", "event", "project")
JSON_COLUMNS = ("data", "revert", "payload", "prompt", "metadata")


def _tables(db: sqlite3.Connection) -> dict[str, list[str]]:
    names = [row[0] for row in db.execute("select name from sqlite_master where type = 'table'")]
    return {
        name: [row[1] for row in db.execute(f"pragma table_info({name})")]
        for name in names
        if name in TABLES and db.execute(f"select 1 from {name} limit 1").fetchone()
    }


def _somewhere(db: sqlite3.Connection, chance: Random) -> tuple[str, list[str], int]:
    tables = _tables(db)
    table = chance.choice(sorted(tables))
    places = [row[0] for row in db.execute(f"select rowid from {table}")]
    return table, tables[table], chance.choice(places)


def _put(path: Path, chance: Random, make: Callable[[Any], Any], columns: list[str] | None) -> None:
    with closing(sqlite3.connect(path)) as db:
        for _ in range(chance.choice([1, 5, 30])):
            table, names, place = _somewhere(db, chance)
            column = chance.choice([name for name in names if name in (columns or names)] or names)
            old = db.execute(f"select {column} from {table} where rowid = ?", (place,)).fetchone()
            with suppress(sqlite3.Error):
                sql = f"update {table} set {column} = ? where rowid = ?"
                db.execute(sql, (make(old[0]), place))
        db.commit()


def broken_json(path: Path, chance: Random) -> None:
    """Cuts JSON, or puts odd characters in."""

    def make(old: Any) -> Any:
        text = str(old)
        at = chance.randrange(len(text) + 1)
        odd = chance.choice(ODD).decode("utf-8", "surrogateescape")
        return chance.choice(
            [text[:at], text[:at] + odd + text[at:], "[]", "7", '"x"', "{}", "nul"]
        )

    _put(path, chance, lambda old: _storable(make(old)), list(JSON_COLUMNS))


def _storable(text: str) -> Any:
    raw = text.encode("utf-8", "surrogateescape")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


def wrong_types(path: Path, chance: Random) -> None:
    """Another type in any column of any row."""
    odd = [None, -1, 2**62, 1.5, float("inf"), "", "x", b"\xff\0", b"", "1970", "null"]
    _put(path, chance, lambda _: chance.choice(odd), None)


def wrong_values(path: Path, chance: Random) -> None:
    """Another type somewhere inside the JSON of a row."""

    def make(old: Any) -> Any:
        try:
            value = json.loads(old)
        except (TypeError, ValueError):
            return old
        _twist(value, chance)
        return json.dumps(value)

    _put(path, chance, make, list(JSON_COLUMNS))


def _twist(value: Any, chance: Random) -> None:
    odd: tuple[Any, ...] = (
        None,
        1,
        -1.5,
        1e300,
        True,
        "",
        "x\0y",
        "\ud800",
        [],
        [[]],
        {},
        {"": None},
        ["a", 1],
    )
    while isinstance(value, (dict, list)) and value:
        key: Any = chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
        inner = value[key]
        if not isinstance(inner, (dict, list)) or not inner or chance.random() < 0.3:
            if isinstance(value, dict) and chance.random() < 0.2:
                del value[key]
            else:
                value[key] = chance.choice(odd)
            return
        value = inner


def nesting(path: Path, chance: Random) -> None:
    """10,000 levels of nesting in the JSON of a row."""
    deep = chance.choice(["[" * 10_000 + "]" * 10_000, '{"a":' * 10_000 + "1" + "}" * 10_000])

    def make(old: Any) -> Any:
        return deep if chance.random() < 0.3 else str(old).rstrip("}") + f',"deep":{deep}}}'

    _put(path, chance, make, list(JSON_COLUMNS))


def columns(path: Path, chance: Random) -> None:
    """Drops, renames or adds a column, or drops a table."""
    with closing(sqlite3.connect(path)) as db:
        tables = _tables(db)
        table = chance.choice(sorted(tables))
        column = chance.choice(tables[table])
        change = chance.choice(
            [
                f"alter table {table} drop column {column}",
                f"alter table {table} rename column {column} to other",
                f"alter table {table} add column more text default 'x'",
                f"drop table {table}",
                f"alter table {table} rename to other",
            ]
        )
        db.execute("pragma foreign_keys = off")
        db.execute(change)
        db.commit()


def lost_rows(path: Path, chance: Random) -> None:
    """Deletes rows without what belongs to them."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma foreign_keys = off")
        for _ in range(chance.choice([1, 10])):
            table, _, place = _somewhere(db, chance)
            db.execute(f"delete from {table} where rowid = ?", (place,))
            db.commit()


BYTES = {"flip": flip, "cut": cut, "zero": zero, "noise": noise}
KINDS: dict[str, Callable[[Path, Random], None]] = {
    **BYTES,
    "text": text,
    "broken json": broken_json,
    "wrong types": wrong_types,
    "wrong values": wrong_values,
    "nesting": nesting,
    "columns": columns,
    "lost rows": lost_rows,
}


# A visit -----------------------------------------------------------------------------------------


def visit(path: Path, index: Path) -> str:
    """Reads everything that can be read: `read`, `faults`, or the code of the error that ends it.

    Raises what is no StoreError, and AssertionError where a part can be listed but not shown.
    """
    held = Library.open(sources=[path], index=index)
    try:
        report = held.sync(threading.Event())
        for session in held.sessions(limit=None).sessions:
            _read(lambda one=session: held.page(f"{one.source}:{one.id}", 0, 200))  # type: ignore[misc]
        for text in ("", "the", "error | 的", '"a b"', "has:error"):
            for hit in held.search(text, limit=50).hits[:25]:
                _read(lambda one=hit: held.around(one.id))  # type: ignore[misc]
                _read(lambda one=hit: held.show(one.id))  # type: ignore[misc]
                _read(lambda one=hit: held.raw(one.id))  # type: ignore[misc]
        held.coverage()
        held.health()
        faults = [fault for one in report.sources for fault in one.faults]
        again = held.sync(threading.Event())
        assert not any(one.code.startswith("INDEX") for one in faults)
        assert len(again.sources) == len(report.sources)
        if any(one.opened in ("failed", "missing") for one in report.sources):
            return faults[0].code if faults else "failed"
        return "faults" if faults else "read"
    except StoreError as error:
        if error.code.startswith("INDEX"):
            raise AssertionError(f"the index has nothing to do with it: {error}") from error
        return error.code
    finally:
        held.close()


def _read(call: Callable[[], object]) -> None:
    with suppress(StoreError):
        call()
