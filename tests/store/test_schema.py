"""The index file: made for its owner alone, known again, never anybody else's touched."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from store import documents as store_documents
from store import refill, schema
from store.errors import StoreError
from store.index import Writer
from store.layout import LATE
from store.library import Library
from store.model import Unknown
from store.sqlite import open_index
from tests.makers import as_nobody, half, open_folder, opencode_db, two_talks, unprivileged
from tests.store.shelf import documents, edit, every_hit, fates, found, library, sync, synced


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return opencode_db(tmp_path / "opencode.db", sessions=two_talks())


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "ours" / "deep" / "index.db"


def other_database(path: Path, journal: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"pragma journal_mode = {journal}")
        db.execute("create table recipe(id integer primary key, name text)")
        db.commit()


FOREIGN: dict[str, Callable[[Path], object]] = {
    "database": lambda path: other_database(path, "delete"),
    "wal": lambda path: other_database(path, "wal"),
    "text": lambda path: path.write_text("# My notes\n" * 50),
    "short": lambda path: path.write_text("x"),
    "noise": lambda path: path.write_bytes(bytes(range(256)) * 64),
    "folder": lambda path: path.mkdir(),
    "store": lambda path: opencode_db(path, sessions=two_talks()),
}
CALLS: dict[str, Callable[[Library], object]] = {
    "sync": lambda held: held.sync(threading.Event()),
    "refresh": lambda held: held.refresh(),
    "search": lambda held: held.search("x"),
    "sessions": lambda held: held.sessions(),
    "health": lambda held: held.health(),
    "coverage": lambda held: held.coverage(),
    "show": lambda held: held.show("prt_x"),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("what", FOREIGN)
def test_a_file_that_is_not_ours_is_left_as_it_is(
    tmp_path: Path, store: Path, what: str, call: str
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    index = place / "index.db"
    FOREIGN[what](index)
    before = {path.name: path.is_file() and path.read_bytes() for path in place.iterdir()}
    held = library(index, store)
    with pytest.raises(StoreError) as caught:
        CALLS[call](held)
    held.close()
    assert caught.value.code == "INDEX_FAILED"
    assert str(index) in caught.value.message
    after = {path.name: path.is_file() and path.read_bytes() for path in place.iterdir()}
    assert after == before


def test_an_empty_file_becomes_an_index(store: Path, index: Path) -> None:
    index.parent.mkdir(parents=True)
    index.touch()
    held = library(index, store)
    assert held.search("port").hits == ()
    sync(held)
    assert len(found(held, "port")) == 2


def test_an_index_whose_making_was_cut_short_is_none_yet(store: Path, index: Path) -> None:
    index.parent.mkdir(parents=True)
    with closing(apsw.Connection(str(index))) as db:
        db.pragma("application_id", schema.APPLICATION_ID)
        db.pragma("journal_mode", "wal")
    held = library(index, store)
    assert held.search("port").hits == ()
    assert held.health().problem == "there is no index yet"
    sync(held)
    assert len(found(held, "port")) == 2


def test_a_new_index_is_never_there_without_its_mark(
    store: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program that looks meanwhile must not take it for somebody else's."""
    heads: list[bytes] = []
    opener = open_index

    def seen(path: Path, *, write: bool, cache_kib: int = 0) -> apsw.Connection:
        connection = opener(path, write=write)
        connection.set_profile(lambda sql, ns: heads.append(path.read_bytes()[:72]))
        return connection

    monkeypatch.setattr(schema, "open_index", seen)
    schema.open_writer(index).close()
    mark = schema.APPLICATION_ID.to_bytes(4, "big")
    assert {head[68:] for head in heads} == {b"", mark}


def test_only_its_owner_may_read_an_index(store: Path, index: Path) -> None:
    held = library(index, store)
    sync(held)
    held.search("port")
    modes = {path.name: path.stat().st_mode & 0o777 for path in index.parent.iterdir()}
    assert set(modes.values()) == {0o600}
    assert {"index.db", "index.db.lock"} <= set(modes)
    assert index.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("call", CALLS)
def test_the_index_of_a_newer_program_is_left_alone(store: Path, index: Path, call: str) -> None:
    synced(index, store)
    with closing(apsw.Connection(str(index))) as db:
        db.pragma("user_version", schema.VERSION + 1)
    before = index.read_bytes()
    held = library(index, store)
    with pytest.raises(StoreError) as caught:
        CALLS[call](held)
    assert caught.value.code == "INDEX_NEWER"
    held.close()
    assert index.read_bytes() == before


@pytest.mark.parametrize("where", [0.02, 0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_damaged_index_is_an_error_of_ours(store: Path, index: Path, where: float) -> None:
    synced(index, store)
    data = bytearray(index.read_bytes())
    start = max(4096, int(len(data) * where))
    data[start : start + 8192] = b"\x5a" * len(data[start : start + 8192])
    index.write_bytes(data)
    edit(store, ("update session set title = 'new title', time_updated = time_updated + 1", ()))
    held = library(index, store)
    codes = set()
    pages: list[Callable[[Library], object]] = [
        lambda one: every_hit(one, "port"),
        lambda one: found(one, ""),
    ]
    for call in (*CALLS.values(), *pages):
        try:
            call(held)
        except StoreError as error:
            codes.add(error.code)
    held.close()
    assert codes <= {"INDEX_FAILED", "PART_NOT_FOUND"}


@pytest.mark.parametrize("call", [name for name in CALLS if name not in ("sync", "refresh")])
def test_half_an_index_is_an_error_of_ours(store: Path, index: Path, call: str) -> None:
    synced(index, store)
    half(index)
    held = library(index, store)
    held._stores.listed = True  # else looking at the stores would save what can be read of it
    with pytest.raises(StoreError, match="INDEX_FAILED"):
        CALLS[call](held)


@pytest.mark.parametrize("damage", [b"no block", b"", b"\x28\xb5\x2f\xfd"])
def test_a_damaged_block_costs_its_own_texts_only(store: Path, index: Path, damage: bytes) -> None:
    synced(index, store)
    edit(store, ("delete from session where title = 'Find the port'", ()))
    synced(index, store)
    with closing(apsw.Connection(str(index))) as db:
        db.execute("update block set bytes = ?", (damage,))
    held = library(index, store)
    (hit,) = held.search("title:find listens").hits
    assert (hit.fate, hit.snippet) == ("deleted", "")
    assert isinstance(held.show(hit.id).parts[0].content, Unknown)
    assert held.search("find kind:title").hits[0].snippet == "Find the port"


LATER_COLUMNS = [
    ("message", "seq"),
    ("message", "evidence"),
    ("message", "removed_at"),
    ("session", "traced"),
    ("source", "since"),
]


@pytest.mark.parametrize("call", ["sync", "search", "sessions"])
def test_an_index_of_the_version_before_is_brought_to_this_one(
    store: Path, index: Path, call: str
) -> None:
    synced(index, store)
    before = documents(index)
    with closing(sqlite3.connect(index)) as db:
        for table, column in LATER_COLUMNS:
            db.execute(f"alter table {table} drop column {column}")
        db.execute("drop table forgotten")
        db.execute("drop index message_gone")
        db.execute("drop index part_gone")
        db.execute("pragma user_version = 1")
        db.commit()
    held = library(index, store)
    CALLS[call](held)
    assert [hit.snippet for hit in held.search("5432").hits] == ["数据库连接池使用 5432 端口。"]
    held.close()
    assert documents(index) == before
    with closing(sqlite3.connect(index)) as db:
        assert db.execute("pragma user_version").fetchone() == (schema.VERSION,)


EARLIER = (("message", "native, session"), ("part", "native, message, version"))
"""What tables of version 3 had indexes of their own for."""
EARLIER_INDEXES = (
    "create index message_session on message(session, time)",
    "create index message_gone on message(session) where fate != 'live'",
    "create index part_message on part(message)",
    "create index part_gone on part(message) where fate != 'live'",
    "create index part_block on part(block, time)",
)


def layout(index: Path) -> set[tuple[str, str]]:
    with closing(apsw.Connection(str(index))) as db:
        rows = db.execute("select name, coalesce(sql, '') from sqlite_master").fetchall()
    return {(str(name), "".join(str(sql).replace('"', "").split())) for name, sql in rows}


def test_tables_with_indexes_of_their_own_are_taken_over(store: Path, index: Path) -> None:
    synced(index, store)
    edit(store, ("delete from session where title = 'Find the port'", ()))
    synced(index, store)
    before, made, gone = documents(index), layout(index), fates(index, "part")
    with closing(sqlite3.connect(index)) as db:
        for table, names in EARLIER:
            (sql,) = db.execute("select sql from sqlite_master where name = ?", (table,)).fetchone()
            db.execute(f"alter table {table} rename to later")
            db.execute(f"{sql.removesuffix(')')}, unique({names}))")
            db.execute(f"insert into {table} select * from later")
            db.execute("drop table later")
        for sql in EARLIER_INDEXES:
            db.execute(sql)
        db.execute("pragma user_version = 3")
        db.commit()
    assert layout(index) != made
    held = library(index, store)
    assert len(found(held, "port is:deleted")) == 2
    held.close()
    assert (documents(index), layout(index), fates(index, "part")) == (before, made, gone)


def test_a_new_index_gets_some_of_its_indexes_at_the_end(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(schema.open_writer(index))
    made = dict(layout(index)).keys()
    writer.fast(True)
    assert made - dict(layout(index)).keys() == LATE.keys()
    writer.fast(False)
    assert dict(layout(index)).keys() == made
    monkeypatch.setattr(store_documents, "NEW_PARTS", 0)
    writer.fast(True)
    assert dict(layout(index)).keys() == made
    writer.connection.close()


def test_another_layout_of_what_is_derived_is_filled_from_the_archive(
    store: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced(index, store)
    before = documents(index)
    store.unlink()
    monkeypatch.setattr(schema, "DERIVED_VERSION", 2)
    held = Library.open(index=index)
    sync(held)
    assert documents(index) == before
    assert len(found(held, "port")) == 2


def test_what_parts_have_is_told_anew_from_the_archive(
    store: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced(index, store)
    has = "select id, has from part order by id"
    with closing(sqlite3.connect(index)) as db:
        before = db.execute(has).fetchall()
        db.execute("update part set has = 1")
        db.commit()
    store.unlink()
    monkeypatch.setattr(schema, "DERIVED_VERSION", 2)
    sync(Library.open(index=index))
    with closing(sqlite3.connect(index)) as db:
        tools = dict(db.execute("select id, has from part where tool is not null"))
    assert tools == {ident: bits for ident, bits in before if ident in tools}
    assert tools


def test_filling_goes_on_where_it_was_cut_short(
    store: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced(index, store)
    before = documents(index)
    store.unlink()
    monkeypatch.setattr(schema, "DERIVED_VERSION", 2)
    monkeypatch.setattr(refill, "BATCH_DOCUMENTS", 1)
    for _ in range(5):
        held = Library.open(index=index)
        stop = threading.Event()
        stop.set()
        held.sync(stop)
        held.close()
    sync(Library.open(index=index))
    assert documents(index) == before


@pytest.mark.parametrize("gone", ["nothing", "a part", "a session", "the store"])
def test_rebuilding_gives_what_there_was(
    store: Path, index: Path, gone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (store.parent / "opencode").mkdir()
    store = Path(shutil.move(store, store.parent / "opencode" / "opencode.db"))
    monkeypatch.setenv("XDG_DATA_HOME", str(store.parent.parent))
    sync(Library.open(index=index))
    before = documents(index)
    if gone == "a part":
        edit(store, ("delete from part where data like '%listens%'", ()))
    elif gone == "a session":
        edit(store, ("delete from session where title = 'Find the port'", ()))
    elif gone == "the store":
        store.unlink()
    held = Library.open(index=index)
    sync(held)
    for _ in range(2):
        held.sync(threading.Event(), rebuild=True)
        assert documents(index) == before
    assert held.coverage().complete


def test_rebuilding_keeps_the_documents_of_stores_that_are_not_asked(
    store: Path, index: Path
) -> None:
    other = opencode_db(store.parent / "other.db", sessions=two_talks())
    synced(index, store, other)
    before = documents(index)
    synced(index, store, rebuild=True)
    assert documents(index) == before


def test_rebuilding_keeps_what_a_damaged_store_cannot_tell(store: Path, index: Path) -> None:
    synced(index, store)
    before = documents(index)
    store.write_bytes(b"not a database at all" * 400)
    other = opencode_db(store.parent / "other.db")
    held = library(index, store, other)
    held.sync(threading.Event(), rebuild=True)
    assert documents(index) == before


def test_rebuilding_does_not_let_the_archive_grow(store: Path, index: Path) -> None:
    synced(index, store)
    sizes = []
    for _ in range(3):
        synced(index, store, rebuild=True)
        sizes.append(library(index, store).health().archive_bytes)
    assert sizes[0] == sizes[1] == sizes[2]


def test_a_folder_that_cannot_be_written() -> None:
    with open_folder() as folder:
        store = opencode_db(folder / "opencode.db", sessions=two_talks())
        with as_nobody(folder):
            held = library(folder / "ours" / "index.db", store)
            for call in ("sync", "refresh"):
                with pytest.raises(StoreError, match="INDEX_FAILED"):
                    CALLS[call](held)
            assert held.search("port").hits == ()
            assert held.sessions().sessions == ()


def test_a_folder_that_cannot_be_entered() -> None:
    with open_folder() as folder:
        (folder / "shut").mkdir()
        (folder / "shut").chmod(0o600)
        with unprivileged():
            held = library(folder / "shut" / "index.db", folder / "shut" / "opencode.db")
            for call in CALLS.values():
                with pytest.raises(StoreError, match="INDEX_FAILED"):
                    call(held)
