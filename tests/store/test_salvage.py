"""A damaged index is put aside, never deleted; what can be read of it lives on in a new one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import apsw
import pytest

from store import salvage, schema
from store.errors import StoreError
from store.lock import writing
from store.model import Text
from store.schema import APPLICATION_ID
from tests.makers import MessageSpec, PartSpec, half, opencode_db, text
from tests.store.shelf import documents, edit, fates, found, library, sync, synced, talk

PAGE = 4096
COUNT = 400


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Two sessions of many messages, so that every table has many pages."""
    return opencode_db(
        tmp_path / "opencode.db",
        sessions=[
            talk(
                name,
                *(
                    MessageSpec(
                        "user",
                        [PartSpec(text(f"common {name}{n} " + "z" * 90), id=f"prt_{name}{n}")],
                        id=f"msg_{name}{n}",
                    )
                    for n in range(COUNT)
                ),
            )
            for name in ("a", "b")
        ],
    )


@pytest.fixture
def leftovers(store: Path, index: Path) -> Path:
    """The index after one of the sessions was deleted in the store: only the archive has it."""
    synced(index, store)
    edit(store, ("delete from session where id = 'ses_b'", ()))
    synced(index, store)
    assert not list(index.parent.glob("*-wal"))
    return index


def aside(index: Path) -> list[Path]:
    found = sorted(index.parent.glob(f"index.db{salvage.BESIDE}*"))
    return [path for path in found if not path.name.endswith(("-wal", "-shm"))]


def pages_of(index: Path, table: str) -> list[int]:
    with closing(apsw.Connection(str(index))) as db:
        rows = db.execute(
            "select pageno from dbstat where name = ? and pagetype = 'leaf'", (table,)
        ).fetchall()
    return [int(str(row[0])) for row in rows]


def spoil(index: Path, page: int, noise: bytes = b"\x5a") -> None:
    with index.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(noise * (PAGE // len(noise)))


def total(index: Path, table: str) -> int:
    with closing(apsw.Connection(str(index))) as db:
        return len(db.execute(f"select 1 from {table}").fetchall())


@pytest.mark.parametrize("table", ["part", "message", "block", "doc", "fts_data", "meta"])
def test_a_page_that_is_gone(store: Path, leftovers: Path, table: str) -> None:
    before, had = documents(leftovers), total(leftovers, "part")
    pages = pages_of(leftovers, table)
    spoilt = pages[len(pages) // 2]
    spoil(leftovers, spoilt)
    edit(store, ("update part set time_updated = time_updated + 1", ()))
    held = library(leftovers, store)
    for _ in range(2):
        sync(held)
        sync(held)
        with suppress(StoreError):
            found(held, "common", sort="relevance")
    assert "prt_a7" in found(held, "common a7")
    (kept,) = aside(leftovers)
    assert kept.read_bytes()[(spoilt - 1) * PAGE :].startswith(b"\x5a" * PAGE)
    assert "damaged" in held.health().problem
    held.close()
    after = documents(leftovers)
    live = [one for one in before if one.session == "ses_a"]
    assert [one for one in after if one.session == "ses_a"] == live, "sources tell it anew"
    lost = 0 if table in ("doc", "fts_data", "meta") else had // 4
    assert total(leftovers, "part") >= had - lost
    if not lost:
        assert after == before


def test_half_an_index(store: Path, leftovers: Path) -> None:
    half(leftovers)
    held = library(leftovers, store)
    sync(held)
    assert len(found(held, "common is:live")) == COUNT
    assert len(aside(leftovers)) == 1
    held.close()


def test_what_was_only_ours_can_be_read_as_before(store: Path, leftovers: Path) -> None:
    spoil(leftovers, pages_of(leftovers, "doc")[0])
    held = library(leftovers, store)
    edit(store, ("update part set time_updated = time_updated + 1", ()))
    sync(held)
    content = held.show("prt_b7").parts[0].content
    assert isinstance(content, Text)
    assert content.text.startswith("common b7 ")
    assert {fate[0] for ident, fate in fates(leftovers, "part").items() if "_b" in ident} == {
        "deleted"
    }
    held.close()


def test_a_search_that_meets_damage_tells_the_next_writer(store: Path, leftovers: Path) -> None:
    before = documents(leftovers)
    for page in pages_of(leftovers, "doc"):
        spoil(leftovers, page)
    held = library(leftovers, store)
    with pytest.raises(StoreError, match="backscroll index") as caught:
        held.search("common", sort="relevance")
    assert caught.value.code == "INDEX_FAILED"
    sync(held)
    assert len(found(held, "common")) == 2 * COUNT
    held.close()
    assert documents(leftovers) == before
    assert not salvage.is_marked(leftovers)


def test_a_reader_of_the_old_file_reads_the_new_one(store: Path, leftovers: Path) -> None:
    reader, writer = library(leftovers, store), library(leftovers, store)
    assert len(found(reader, "common")) == 2 * COUNT
    salvage.mark(leftovers)
    sync(writer)
    edit(store, ("update session set title = 'quartz'", ()))
    sync(writer)
    assert found(reader, "quartz") == ["ses_a"]
    reader.close()
    writer.close()


def test_the_log_of_the_old_index_goes_with_it(store: Path, index: Path) -> None:
    """Played back into the new file it would damage that too."""
    synced(index, store)
    keeper = apsw.Connection(str(index))
    keeper.execute("update meta set value = value").fetchall()
    edit(store, ("update session set title = 'quartz'", ()))
    synced(index, store)
    assert index.with_name("index.db-wal").stat().st_size
    salvage.mark(index)
    held = library(index, store)
    sync(held)
    (kept,) = aside(index)
    assert kept.with_name(kept.name + "-wal").stat().st_size
    assert len(found(held, "quartz")) == 2
    held.close()
    keeper.close()
    with closing(apsw.Connection(str(aside(index)[0]))) as old:
        assert old.pragma("application_id") == APPLICATION_ID


def test_what_fails_again_and_again_does_not_fill_the_disk(store: Path, leftovers: Path) -> None:
    for _ in range(3):
        salvage.mark(leftovers)
        synced(leftovers, store)
    assert len(aside(leftovers)) == 1
    synced(leftovers, store, rebuild=True)
    assert len(aside(leftovers)) == 2


def test_a_file_that_is_not_ours_is_never_put_aside(store: Path, index: Path) -> None:
    index.parent.mkdir(parents=True)
    index.write_bytes(b"my notes" * 1000)
    salvage.mark(index)
    held = library(index, store)
    with pytest.raises(StoreError, match="left as it is"):
        sync(held)
    assert index.read_bytes() == b"my notes" * 1000
    assert aside(index) == []


def test_it_waits_for_another_writer(store: Path, leftovers: Path) -> None:
    salvage.mark(leftovers)
    held = library(leftovers, store)
    with writing(leftovers), pytest.raises(StoreError, match="INDEX_BUSY"):
        sync(held)
    assert aside(leftovers) == []
    sync(held)
    assert len(aside(leftovers)) == 1


@pytest.mark.parametrize("statements", [1, 3, 9, 20, 24, 27, 30])
def test_a_kill_while_it_is_saved(
    store: Path, leftovers: Path, tmp_path: Path, statements: int
) -> None:
    before = documents(leftovers)
    spoil(leftovers, pages_of(leftovers, "fts_data")[0])
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(leftovers), str(statements)],
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.returncode in (-signal.SIGKILL, 0)
    salvage.mark(leftovers)
    synced(leftovers, store)
    assert documents(leftovers) == before
    assert len(aside(leftovers)) >= 1


KILLED = """
import os, signal, sys
from pathlib import Path
import apsw
from store import salvage
left = int(sys.argv[2])
def trace(cursor, sql, values):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return True
apsw.connection_hooks.append(lambda connection: setattr(connection, "exec_trace", trace))
salvage.save(Path(sys.argv[1]))
"""


@pytest.mark.parametrize("step", ["rename", "link", "replace"])
def test_a_kill_between_the_last_steps(
    store: Path, leftovers: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = documents(leftovers)

    class Killed(BaseException):
        pass

    def killed(*given: object) -> None:
        raise Killed

    wal = leftovers.with_name("index.db-wal")
    wal.write_bytes(b"")
    original = getattr(os, step)
    monkeypatch.setattr(os, step, killed)
    with pytest.raises(Killed):
        salvage.save(leftovers)
    monkeypatch.setattr(os, step, original)
    salvage.mark(leftovers)
    synced(leftovers, store)
    assert documents(leftovers) == before
    assert aside(leftovers) != []


@pytest.mark.parametrize("seed", range(10))
def test_noise_anywhere_never_ends_in_a_traceback(
    store: Path, leftovers: Path, tmp_path: Path, seed: int
) -> None:
    chance = Random(seed)
    pages = leftovers.stat().st_size // PAGE
    for _ in range(chance.choice([1, 5, 30])):
        spoil(leftovers, chance.randrange(2, pages + 1), chance.randbytes(PAGE))
    whole = tmp_path / "whole.db"
    shutil.copyfile(leftovers, whole)
    held = library(leftovers, store)
    salvage.mark(leftovers)
    sync(held)
    assert len(found(held, "common is:live")) == COUNT
    held.close()
    assert aside(leftovers)[0].read_bytes() == whole.read_bytes()


def test_an_index_of_an_older_version_is_saved_too(store: Path, leftovers: Path) -> None:
    before = documents(leftovers)
    with closing(apsw.Connection(str(leftovers))) as db:
        db.execute("alter table message drop column seq")
        db.pragma("user_version", 1)
    salvage.mark(leftovers)
    synced(leftovers, store)
    assert documents(leftovers) == before
    with closing(apsw.Connection(str(leftovers))) as db:
        assert db.pragma("user_version") == schema.VERSION


def test_a_row_of_noise_among_good_ones(store: Path, leftovers: Path) -> None:
    with closing(apsw.Connection(str(leftovers))) as db:
        db.execute("update part set time = 'soon' where native = 'prt_b3'")
        db.execute("update message set native = cast(x'ff' as text) where native = 'msg_b5'")
    salvage.mark(leftovers)
    held = library(leftovers, store)
    sync(held)
    assert len(found(held, "common is:deleted")) == COUNT - 2
    held.close()


def test_stopping_while_it_is_filled_again(store: Path, leftovers: Path) -> None:
    before = documents(leftovers)
    salvage.mark(leftovers)
    stop = threading.Event()
    stop.set()
    held = library(leftovers, store)
    assert held.sync(stop).stopped
    sync(held)
    held.close()
    assert documents(leftovers) == before
