"""Pages that cannot be read: what lies on the others is read, and nothing is called gone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from store.library import Library
from store.sources import open_given
from store.sources.tables import TableSource
from tests.makers import BASE, MessageSpec, PartSpec, SessionSpec, opencode_db, text
from tests.makers.opencode_v2 import RowSpec, V2Spec, opencode_v2_db
from tests.makers.pages import without_indexes, without_leaf
from tests.store.shelf import edit, fates, found, library, sync, synced

COUNT = 24
NAMES = [f"{n:02}" for n in range(COUNT)]
LONG = " " + "x" * 900


def old(path: Path) -> Path:
    """One session of 24 messages with a part each, some on every page."""
    messages = [
        MessageSpec("user", [PartSpec(text(f"word{n}" + LONG), id=f"prt_{n}")], id=f"msg_{n}")
        for n in NAMES
    ]
    return opencode_db(path, sessions=[SessionSpec("Talk", messages, id="ses_talk")])


def new(path: Path) -> Path:
    """The same in the tables of 2.x."""
    rows = [RowSpec("user", {"text": f"word{n}" + LONG}, id=f"msg_{n}") for n in NAMES]
    return opencode_v2_db(path, sessions=[V2Spec("Talk", rows, id="ses_talk")])


def source_of(path: Path) -> TableSource:
    (source,), errors = open_given([path])
    assert isinstance(source, TableSource)
    assert errors == []
    return source


Make = Callable[[Path], Path]
OLD = ("session", "message", "part")
NEW = ("session_v2", "session_message")
BOTH = pytest.mark.parametrize(("make", "tables"), [(old, OLD), (new, NEW)], ids=["old", "new"])


def words_found(held: Library) -> list[str]:
    return [name for name in NAMES if found(held, f"word{name}")]


@BOTH
def test_without_its_indexes_all_of_a_store_is_found(
    tmp_path: Path, index: Path, make: Make, tables: tuple[str, ...]
) -> None:
    store = without_indexes(make(tmp_path / "opencode.db"), *tables)
    held = library(index, store)
    (told,) = sync(held).sources
    assert (told.sessions, told.messages, told.parts) == (1, COUNT, COUNT)
    assert {fault.code for fault in told.faults} == {"SOURCE_UNREADABLE", "CORRUPT_SESSION"}
    assert words_found(held) == NAMES
    window = held.around("msg_10", before=2, after=2)
    assert [one.message.id[4:] for one in window.messages] == ["08", "09", "10", "11", "12"]
    assert {part.fate for one in window.messages for part in one.parts} == {"live"}
    assert held.page("ses_talk", 0, 100).total == COUNT
    held.close()


@BOTH
def test_without_its_indexes_a_row_is_found_by_its_id(
    tmp_path: Path, make: Make, tables: tuple[str, ...]
) -> None:
    source = source_of(without_indexes(make(tmp_path / "opencode.db"), *tables))
    assert [one.id for one in source.find("msg_1", 3)] == ["msg_10", "msg_11", "msg_12"]
    (message,) = source.find("msg_07", 3)
    assert (message.kind, message.session) == ("message", "ses_talk")
    assert source.raw(message) is not None
    named = "msg_07#0" if make is new else "prt_07"
    (part,) = source.find(named, 3)
    assert "word07" in (source.raw(part) or "")
    assert [one.id for one in source.find("ses_", 3)] == ["ses_talk"]
    ending = source.ending("ses_talk", 2)
    assert ending is not None
    assert [ref.id for ref in ending.messages] == ["msg_22", "msg_23"]
    assert len(ending.parts) == 2


def test_without_its_indexes_a_session_is_exported_as_it_is_stored(tmp_path: Path) -> None:
    source = source_of(without_indexes(old(tmp_path / "opencode.db"), *OLD))
    stored = source.originals("ses_talk", ["msg_03"])
    assert sorted(stored) == ["msg_03", "prt_03", "ses_talk"]
    assert stored["prt_03"]["text"] == "word03" + LONG


@pytest.mark.parametrize("place", [0, 2, -1])
@pytest.mark.parametrize(("make", "table"), [(old, "part"), (new, "session_message")])
def test_a_page_of_rows_hides_only_its_own(
    tmp_path: Path, index: Path, make: Make, table: str, place: int
) -> None:
    store = make(tmp_path / "opencode.db")
    held = library(index, without_leaf(store, table, place))
    sync(held)
    there = words_found(held)
    assert COUNT - 5 < len(there) < COUNT
    if place == 2:
        assert (there[0], there[-1]) == ("00", "23")
    held.close()


@pytest.mark.parametrize("place", [0, 2, -1])
@pytest.mark.parametrize(("make", "tables"), [(old, OLD), (new, NEW)], ids=["old", "new"])
def test_bad_pages_make_nothing_gone(
    tmp_path: Path, index: Path, make: Make, tables: tuple[str, ...], place: int
) -> None:
    store = make(tmp_path / "opencode.db")
    synced(index, store)
    without_indexes(without_leaf(store, tables[-1], place), *tables)
    held = library(index, store)
    sync(held)
    assert {fate[0] for fate in fates(index, "part").values()} == {"live"}
    assert {fate[0] for fate in fates(index, "message").values()} == {"live"}
    window = held.page("ses_talk", 0, 100)
    assert [one.message.id for one in window.messages] == [f"msg_{n}" for n in NAMES]
    assert {one.message.fate for one in window.messages} == {"live"}
    assert {part.fate for one in window.messages for part in one.parts} == {"live"}
    assert held.leftovers().total == 0
    held.close()


@pytest.mark.parametrize("make", [old, new])
def test_sessions_without_a_row_that_can_be_read(tmp_path: Path, index: Path, make: Make) -> None:
    path, count = tmp_path / "opencode.db", 60
    if make is old:
        talks = [
            SessionSpec("T" * 300, [MessageSpec("user", [text(f"word{n}")])], id=f"ses_{n}")
            for n in range(count)
        ]
        store = without_leaf(opencode_db(path, sessions=talks), "session", 1)
    else:
        newer = [
            V2Spec("T" * 300, [RowSpec("user", {"text": f"word{n}"})], id=f"ses_{n}")
            for n in range(count)
        ]
        store = without_leaf(opencode_v2_db(path, sessions=newer), "session_v2", 1)
    held = library(index, store)
    sync(held)
    sessions = held.sessions(limit=None).sessions
    assert {one.id for one in sessions} == {f"ses_{n}" for n in range(count)}
    nameless = [one for one in sessions if not one.title]
    assert 0 < len(nameless) < 30
    assert all(one.updated >= BASE and one.parts == 1 for one in nameless)
    assert found(held, f"word{nameless[0].id[4:]}") != []
    held.close()


def test_what_only_the_old_tables_have_is_not_gone_with_an_index(
    tmp_path: Path, index: Path
) -> None:
    talks = [
        V2Spec("Both", [RowSpec("user", {"text": "one"}, id="msg_1", time=BASE)], id="ses_both")
    ]
    before = SessionSpec(
        "Both",
        [
            MessageSpec("user", [text("one")], id="msg_1", time=BASE),
            MessageSpec("user", [text("three")], id="msg_3", time=BASE + 9_000),
        ],
        id="ses_both",
    )
    store = opencode_v2_db(tmp_path / "opencode.db", sessions=talks, old=[before])
    synced(index, store)
    without_indexes(store, *OLD)
    held = library(index, store)
    sync(held)
    assert {fate[0] for fate in fates(index, "message").values()} == {"live"}
    window = held.page("ses_both", 0, 10)
    assert [(one.message.id, one.message.fate) for one in window.messages] == [
        ("msg_1", "live"),
        ("msg_3", "live"),
    ]
    held.close()


def test_a_list_of_2x_that_cannot_be_read_deletes_no_session(tmp_path: Path, index: Path) -> None:
    newer = [
        V2Spec("T" * 300, [RowSpec("user", {"text": f"word{n}"})], id=f"ses_{n}") for n in range(60)
    ]
    before = [
        SessionSpec("T" * 300, [MessageSpec("user", [text(f"word{n}")])], id=f"ses_{n}")
        for n in range(60)
    ]
    store = opencode_v2_db(tmp_path / "opencode.db", sessions=newer, old=before)
    _end_import(store)
    synced(index, store)
    edit(store, ("update session_message set time_updated = time_updated + 5", ()))
    without_leaf(store, "session_v2", 1)
    held = library(index, store)
    sync(held)
    assert {one.fate for one in held.sessions(limit=None).sessions} == {"live"}
    assert {fate[0] for fate in fates(index, "part").values()} == {"live"}
    assert len(held.sessions(limit=None).sessions) == 60
    held.close()


def _end_import(store: Path) -> None:
    with closing(sqlite3.connect(store)) as db:
        state = json.dumps({"phase": "completed"})
        row = ("migration.v1-v2", state, BASE, BASE + 400 * 86_400_000)
        db.execute("insert into kv values (?, ?, ?, ?)", row)
        db.commit()
