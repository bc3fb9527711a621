"""A producer's store is read whole in whatever state it lies, and no trace of it is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from store.errors import StoreError
from store.read_only import fetch_readable, file_state, read_source
from tests.makers import (
    MessageSpec,
    PartSpec,
    SessionSpec,
    Writer,
    as_nobody,
    empty_file,
    fingerprint,
    folder_in_place,
    garbage,
    half,
    killed_writer,
    live_writer,
    mimocode_db,
    open_folder,
    opencode_db,
    set_data,
    text,
    unprivileged,
    unrelated_tables,
)

TALK = SessionSpec(
    "Talk",
    [MessageSpec("user", [PartSpec(text("first"), id="prt_first")], id="msg_talk")],
    id="ses_talk",
)
LATER = [f"later {place}" for place in range(60)]
STORED = ["first"]
ALL = [*STORED, *LATER]


def new_store(folder: Path) -> Path:
    return opencode_db(folder / "opencode.db", sessions=[TALK])


def said(path: Path) -> list[str]:
    """The texts that we see in the store."""
    return read_source(path, texts)[0]


def texts(connection: apsw.Connection) -> list[str]:
    sql = "select data ->> '$.text' from part order by time_created, id"
    return sorted((row[0] for row in connection.execute(sql)), key=_place)


def _place(words: str) -> int:
    return 0 if words == "first" else int(words.split()[1]) + 1


def add_later(writer: Writer) -> None:
    writer.add_texts("msg_talk", "ses_talk", LATER)


def dead_store(folder: Path, *, shm: bool) -> Path:
    """A store of a killed writer: what came later is in the log alone."""
    path = new_store(folder)
    writer = Writer(path)
    add_later(writer)
    writer.kill()
    if not shm:
        (folder / "opencode.db-shm").unlink()
    return path


@contextmanager
def untouched(folder: Path, *, shm: bool = True) -> Iterator[None]:
    """Checks that names and bytes are the same after, and that no name came and went."""
    before, changed = fingerprint(folder, shm=shm), folder.stat().st_mtime_ns
    yield
    assert fingerprint(folder, shm=shm) == before
    assert folder.stat().st_mtime_ns == changed


# At rest -------------------------------------------------------------------------------------


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_at_rest(tmp_path: Path, journal: str) -> None:
    make: Callable[..., Path] = opencode_db
    path = make(tmp_path / "opencode.db", sessions=[TALK], journal=journal)
    with untouched(tmp_path):
        assert said(path) == STORED


def test_a_store_of_mimocode_at_rest(tmp_path: Path) -> None:
    path = mimocode_db(tmp_path / "mimocode.db", sessions=[TALK])
    with untouched(tmp_path):
        assert said(path) == STORED


def test_an_empty_log_beside_it(tmp_path: Path) -> None:
    path = new_store(tmp_path)
    (tmp_path / "opencode.db-wal").write_bytes(b"")
    with untouched(tmp_path):
        assert said(path) == STORED


def test_a_shm_file_without_a_log(tmp_path: Path) -> None:
    path = dead_store(tmp_path, shm=True)
    (tmp_path / "opencode.db-wal").unlink()
    with untouched(tmp_path):
        assert said(path) == STORED


def test_names_with_signs_of_an_address(tmp_path: Path) -> None:
    folder = tmp_path / "a?b #1 %41 项目"
    folder.mkdir()
    path = dead_store(folder, shm=False)
    with untouched(folder):
        assert said(path) == ALL


# After a killed writer -----------------------------------------------------------------------


@pytest.mark.parametrize("shm", [True, False])
def test_after_a_killed_writer(tmp_path: Path, shm: bool) -> None:
    path = dead_store(tmp_path, shm=shm)
    with untouched(tmp_path):
        assert said(path) == ALL


def test_a_log_with_a_torn_end(tmp_path: Path) -> None:
    path = dead_store(tmp_path, shm=False)
    log = tmp_path / "opencode.db-wal"
    whole = log.read_bytes()
    log.write_bytes(whole + whole[32:2000])
    with untouched(tmp_path):
        assert said(path) == ALL


def test_a_transaction_without_its_end_does_not_count(tmp_path: Path) -> None:
    path = dead_store(tmp_path, shm=False)
    log = tmp_path / "opencode.db-wal"
    log.write_bytes(log.read_bytes()[:-100])
    with untouched(tmp_path):
        assert said(path) == STORED


def test_a_journal_that_waits_to_be_played_back(tmp_path: Path) -> None:
    path = opencode_db(tmp_path / "opencode.db", sessions=[TALK], journal="delete")
    journal = bytes.fromhex("d9d505f920a163d7") + bytes(504)
    (tmp_path / "opencode.db-journal").write_bytes(journal)
    with untouched(tmp_path), pytest.raises(StoreError) as caught:
        said(path)
    assert caught.value.code == "SOURCE_BUSY"


# Folders that cannot be written --------------------------------------------------------------


def test_a_read_only_folder() -> None:
    with open_folder() as folder:
        path = new_store(folder)
        with as_nobody(folder), untouched(folder):
            assert said(path) == STORED


@pytest.mark.parametrize("shm", [True, False])
def test_a_read_only_folder_after_a_killed_writer(shm: bool) -> None:
    with open_folder() as folder:
        path = dead_store(folder, shm=shm)
        with as_nobody(folder), untouched(folder):
            assert said(path) == ALL


def test_a_file_that_may_not_be_read() -> None:
    with open_folder() as folder:
        path = new_store(folder)
        path.chmod(0)
        with unprivileged(), pytest.raises(StoreError, match="cannot be read") as caught:
            said(path)
    assert caught.value.code == "SOURCE_UNREADABLE"
    assert caught.value.about == str(path)


# Beside a live writer ------------------------------------------------------------------------


def test_beside_a_live_writer(tmp_path: Path) -> None:
    path = new_store(tmp_path)
    with live_writer(path) as writer:
        add_later(writer)
        with untouched(tmp_path, shm=False):
            assert said(path) == ALL
        writer.close()
    assert [item.name for item in tmp_path.iterdir()] == ["opencode.db"]


def test_beside_a_live_writer_after_a_checkpoint(tmp_path: Path) -> None:
    path = new_store(tmp_path)
    with live_writer(path) as writer:
        writer.add_texts("msg_talk", "ses_talk", LATER[:30])
        writer.checkpoint()
        writer.say("prt_live_0", "later 0")  # the log begins anew over its old frames
        with untouched(tmp_path, shm=False):
            assert said(path) == ["first", *LATER[:30]]


def test_we_never_block_a_writer(tmp_path: Path) -> None:
    path = new_store(tmp_path)
    with live_writer(path) as writer:
        add_later(writer)
        calls: list[int] = []

        def read(connection: apsw.Connection) -> list[str]:
            rows = texts(connection)
            if not calls:
                calls.append(1)
                writer.checkpoint("truncate")  # fails where anybody holds a lock
            return rows

        assert read_source(path, read)[0] == ALL


def test_a_writer_that_closes_while_we_read(tmp_path: Path) -> None:
    path = new_store(tmp_path)
    with live_writer(path) as writer:
        add_later(writer)

        def read(connection: apsw.Connection) -> list[str]:
            writer.close()
            return texts(connection)

        assert read_source(path, read)[0] == ALL
    assert [item.name for item in tmp_path.iterdir()] == ["opencode.db"]


@pytest.mark.parametrize("mode", ["passive", "restart", "truncate"])
def test_a_read_is_never_half_old_and_half_new(tmp_path: Path, mode: str) -> None:
    path = new_store(tmp_path)
    both = [
        ("update session set title = ?", ("new",)),
        ("update message set data = ?", ('{"role":"new"}',)),
    ]
    with live_writer(path) as writer:
        writer.commit(("update session set title = 'old'", ()))
        attempts = []

        def read(connection: apsw.Connection) -> tuple[object, object]:
            title = connection.execute("select title from session").fetchall()[0][0]
            attempts.append(title)
            if len(attempts) == 1:
                writer.commit(*both)
                writer.checkpoint(mode)
                writer.commit(("update session set slug = 'again'", ()))
            role = connection.execute("select data ->> '$.role' from message").fetchall()[0][0]
            return title, role

        assert read_source(path, read)[0] in {("old", "user"), ("new", "new")}


def test_what_is_committed_between_two_reads_is_seen(tmp_path: Path) -> None:
    path = new_store(tmp_path)
    with live_writer(path) as writer:
        first = file_state(path)
        assert said(path) == STORED
        add_later(writer)
        assert said(path) == ALL
        assert str(file_state(path)) != str(first)


# No store, or a damaged one ------------------------------------------------------------------


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    with untouched(tmp_path), pytest.raises(StoreError) as caught:
        said(tmp_path / "opencode.db")
    assert caught.value.code == "SOURCE_NOT_FOUND"


@pytest.mark.parametrize("make", [empty_file, garbage, folder_in_place])
def test_what_is_no_store(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    path = make(tmp_path / "opencode.db")
    with untouched(tmp_path), pytest.raises(StoreError) as caught:
        said(path)
    assert caught.value.code == "SOURCE_UNREADABLE"
    assert caught.value.about == str(path)


def test_unrelated_tables_can_be_looked_at(tmp_path: Path) -> None:
    path = unrelated_tables(tmp_path / "opencode.db")
    with untouched(tmp_path):
        names = "select name from sqlite_master where type = 'table' order by name"
        found = read_source(path, lambda connection: connection.execute(names).fetchall())[0]
    assert found == [("recipe",), ("session",)]


def test_half_a_database_gives_the_readable_rest(tmp_path: Path) -> None:
    messages = [MessageSpec("user", [text(f"line {number} " + "x" * 900)]) for number in range(200)]
    talk = SessionSpec(messages=messages)
    path = half(opencode_db(tmp_path / "opencode.db", version="1.2.1", sessions=[talk]))
    with untouched(tmp_path):
        rows, reason = read_source(
            path, lambda connection: fetch_readable(connection, "select id, data from part")
        )[0]
    assert 0 < len(rows) < 200
    assert reason != ""


def test_a_broken_row_does_not_hide_the_others(tmp_path: Path) -> None:
    talk = SessionSpec(messages=[MessageSpec("user", [PartSpec(text("a"), id="p1"), text("b")])])
    path = opencode_db(tmp_path / "opencode.db", sessions=[talk])
    set_data(path, "p1", b"\xff\xfe")
    with untouched(tmp_path):
        sql = "select count(*), sum(typeof(data) = 'blob') from part"
        found = read_source(path, lambda connection: connection.execute(sql).fetchall())[0]
    assert found == [(2, 1)]


def test_killed_with_a_statement_of_its_own(tmp_path: Path) -> None:
    path = killed_writer(new_store(tmp_path), [("delete from part", ())])
    with untouched(tmp_path):
        assert said(path) == []
