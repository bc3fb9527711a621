"""Small pieces that many commits left are put together, and everything is found as before."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from store import tidy
from store.index import Writer
from store.library import Library
from store.schema import open_writer
from tests.makers import MessageSpec, PartSpec, opencode_db, text, tool
from tests.makers.rows import to_json
from tests.store.shelf import documents, edit, found, library, sync, talk

TURNS = 40


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """An index that took in a conversation turn by turn, each tool first running, then done."""
    store, path = tmp_path / "opencode.db", tmp_path / "index.db"
    spec = MessageSpec("user", [PartSpec(text("word0 common"), id="prt_0")], id="msg_0")
    opencode_db(store, sessions=[talk("one", spec)])
    held = library(path, store)
    for turn in range(1, TURNS):
        moment = 1_790_000_000_000 + turn * 1000
        done = tool("bash", {"n": turn}, f"word{turn} common 连接池")
        times = {"start": moment, "end": moment + 1}
        done["state"] = {**done["state"], "time": times}
        row = (f"prt_{turn}", moment, moment, to_json(done))
        edit(
            store,
            ("insert into part values(?, 'msg_0', 'ses_one', ?, ?, ?)", row),
            ("update part set time_updated = time_updated + 1 where id = 'prt_1'", ()),
        )
        sync(held)
    held.close()
    return path


def count(index: Path, table: str) -> int:
    with closing(apsw.Connection(str(index))) as db:
        return len(db.execute(f"select * from {table}").fetchall())


def tidied(index: Path) -> None:
    with closing(open_writer(index)) as connection:
        tidy.tidy(Writer(connection), threading.Event())


def test_runs_and_blocks_are_put_together(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tidy, "FEW_RUNS", 4)
    monkeypatch.setattr(tidy, "FEW_BLOCKS", 4)
    before = documents(index)
    held = library(index, tmp_path / "opencode.db")
    order, every = found(held, "common"), found(held, "")
    contents = [held.show(f"prt_{n}").parts[0].content for n in range(TURNS)]
    held.close()
    runs, blocks = count(index, "run"), count(index, "block")
    tidied(index)
    assert documents(index) == before
    assert count(index, "run") < runs / 4
    assert count(index, "block") < blocks / 4
    held = library(index, tmp_path / "opencode.db")
    assert found(held, "common") == order
    assert found(held, "") == every
    held.close()
    held = Library.open(index=index)
    assert [held.show(f"prt_{n}").parts[0].content for n in range(TURNS)] == contents
    held.close()
    tidied(index)
    assert documents(index) == before


def test_little_is_left_as_it_is(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tidy, "FEW_RUNS", 1_000)
    monkeypatch.setattr(tidy, "FEW_BLOCKS", 1_000)
    before = index.read_bytes()
    tidied(index)
    assert index.read_bytes() == before


def test_a_text_that_cannot_be_had_again_stays_where_it_is(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tidy, "FEW_RUNS", 4)
    monkeypatch.setattr(tidy, "FEW_BLOCKS", 4)
    with closing(apsw.Connection(str(index))) as db:
        db.execute("update block set bytes = x'00' where id = 5")
    runs, blocks = count(index, "run"), count(index, "block")
    tidied(index)
    assert (count(index, "run"), count(index, "block")) == (runs, blocks)


def test_a_stop_ends_it(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tidy, "FEW_RUNS", 4)
    before = index.read_bytes()
    stop = threading.Event()
    stop.set()
    with closing(open_writer(index)) as connection:
        tidy.tidy(Writer(connection), stop)
    assert index.read_bytes() == before
