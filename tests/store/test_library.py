"""Which stores there are: found on the machine or named, each with a name that stays."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from store.errors import StoreError
from store.library import Library
from tests.makers import (
    MessageSpec,
    empty_file,
    folder_in_place,
    garbage,
    half,
    mimocode_db,
    open_folder,
    opencode_db,
    text,
    unprivileged,
    unrelated_tables,
)
from tests.store.shelf import found, library, sync, talk


def store(path: Path, name: str) -> Path:
    """A store of opencode with one session that says its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    said = MessageSpec("user", [text(f"shared {name}")])
    return opencode_db(path, sessions=[talk(name, said)])


def mimo(path: Path, name: str) -> Path:
    """The same of MiMo Code."""
    path.parent.mkdir(parents=True, exist_ok=True)
    said = MessageSpec("user", [text(f"shared {name}")])
    return mimocode_db(path, sessions=[talk(name, said)])


def names(held: Library) -> list[tuple[str, str]]:
    return [(one.name, Path(one.path).name) for one in sync(held).sources]


BARE = """
create table session(id text, title text, directory text, time_created, time_updated);
create table message(id text, session_id text, time_created, time_updated, data text);
create table part(id text, message_id text, session_id text, time_created, time_updated, data text);
"""


# On this machine -----------------------------------------------------------------------------


def test_a_machine_without_any_store(tmp_path: Path) -> None:
    held = Library.open(index=tmp_path / "index.db")
    assert [(one.producer, one.found) for one in held.places()] == [
        ("opencode", False),
        ("mimocode", False),
    ]
    data = os.environ["XDG_DATA_HOME"]
    assert [one.path for one in held.places()] == [
        f"{data}/opencode/opencode*.db",
        f"{data}/mimocode/mimocode*.db",
    ]
    assert sync(held).sources == ()
    assert held.search("x").hits == ()
    assert held.sessions().sessions == ()


def test_channels_and_homes_are_all_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("MIMOCODE_HOME", str(tmp_path / "mimo"))
    store(tmp_path / "data" / "opencode" / "opencode.db", "a")
    store(tmp_path / "data" / "opencode" / "opencode-nightly.db", "b")
    mimo(tmp_path / "mimo" / "data" / "mimocode.db", "c")
    mimo(tmp_path / "data" / "mimocode" / "mimocode.db", "not looked at")
    held = Library.open(index=tmp_path / "index.db")
    assert names(held) == [
        ("opencode", "opencode-nightly.db"),
        ("opencode-2", "opencode.db"),
        ("mimocode", "mimocode.db"),
    ]
    assert {one.session for one in held.search("shared").hits} == {"ses_a", "ses_b", "ses_c"}
    assert [one.found for one in held.places()] == [True, True]


@pytest.mark.parametrize("absolute", [True, False])
@pytest.mark.parametrize("producer", ["opencode", "mimocode"])
def test_a_store_named_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, absolute: bool, producer: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = tmp_path / producer / "my.sqlite"
    {"opencode": store, "mimocode": mimo}[producer](path, "a")
    variable = f"{producer.upper()}_DB"
    monkeypatch.setenv(variable, str(path) if absolute else "my.sqlite")
    held = Library.open(index=tmp_path / "index.db")
    assert names(held) == [(producer, "my.sqlite")]
    assert str(path) in [one.path for one in held.places() if one.found]


def test_a_store_named_by_the_environment_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENCODE_DB", str(tmp_path / "my.sqlite"))
    held = Library.open(index=tmp_path / "index.db")
    assert (str(tmp_path / "my.sqlite"), False) in [(p.path, p.found) for p in held.places()]


def test_a_store_in_memory_is_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCODE_DB", ":memory:")
    monkeypatch.setenv("MIMOCODE_DB", ":memory:")
    assert len(Library.open(index=tmp_path / "index.db").places()) == 2


def test_the_same_file_by_two_ways_is_one_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = store(tmp_path / "opencode" / "opencode.db", "a")
    path.with_name("opencode-link.db").symlink_to(path)
    monkeypatch.setenv("OPENCODE_DB", str(path))
    assert names(Library.open(index=tmp_path / "index.db")) == [("opencode", "opencode.db")]


BAD: dict[str, Callable[[Path], object]] = {
    "empty": empty_file,
    "garbage": garbage,
    "folder": folder_in_place,
    "other": unrelated_tables,
    "cut": lambda path: half(store(path, "x")),
    "link": lambda path: path.symlink_to(path.with_name("nowhere.db")),
    "loop": lambda path: path.symlink_to(path),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_store_on_the_machine_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    store(tmp_path / "opencode" / "opencode.db", "good")
    BAD[bad](tmp_path / "opencode" / "opencode-bad.db")
    held = Library.open(index=tmp_path / "index.db")
    sync(held)
    assert len(found(held, "good")) == 2
    told = {Path(one.path).name: [f.code for f in one.faults] for one in held.sources()}
    assert told["opencode.db"] == []
    assert told.get("opencode-bad.db") == {
        "empty": ["SOURCE_UNREADABLE"],
        "garbage": ["SOURCE_UNREADABLE"],
        "other": ["SOURCE_UNSUPPORTED"],
        "cut": told.get("opencode-bad.db"),
    }.get(bad)
    if bad == "cut":
        assert told["opencode-bad.db"]


def test_a_data_folder_that_cannot_be_entered(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_folder() as folder:
        shut = folder / "shut"
        store(shut / "opencode" / "opencode.db", "a")
        shut.chmod(0o600)
        monkeypatch.setenv("XDG_DATA_HOME", str(shut))
        monkeypatch.setenv("OPENCODE_DB", str(shut / "x.db"))
        (folder / "ours").mkdir()
        (folder / "ours").chmod(0o777)
        with unprivileged():
            held = Library.open(index=folder / "ours" / "index.db")
            assert not any(one.found for one in held.places())
            assert sync(held).sources == ()
            held.close()
            given = library(folder / "ours" / "index.db", shut / "opencode" / "opencode.db", shut)
            assert [one.faults[0].code for one in sync(given).sources] == ["SOURCE_UNREADABLE"] * 2
        shut.chmod(0o755)


def test_a_store_that_went_is_missing_until_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = store(tmp_path / "opencode" / "opencode.db", "a")
    held = Library.open(index=tmp_path / "index.db")
    assert [one.opened for one in held.refresh()] == ["immutable"]
    path.rename(path.with_name("away"))
    assert [one.opened for one in held.refresh()] == ["missing"]
    assert [one.opened for one in Library.open(index=tmp_path / "index.db").refresh()] == [
        "missing"
    ]
    path.with_name("away").rename(path)
    assert [one.opened for one in held.refresh()] == ["unchanged"]


# Named stores --------------------------------------------------------------------------------


def test_names_stay_whoever_is_asked(tmp_path: Path) -> None:
    first, second = store(tmp_path / "a.db", "a"), store(tmp_path / "b.db", "b")
    third = mimo(tmp_path / "c.db", "c")
    index = tmp_path / "index.db"
    assert names(library(index, first)) == [("opencode", "a.db")]
    assert names(library(index, second, third)) == [("opencode-2", "b.db"), ("mimocode", "c.db")]
    assert names(library(index, third, second, first)) == [
        ("opencode", "a.db"),
        ("opencode-2", "b.db"),
        ("mimocode", "c.db"),
    ]
    first.unlink()
    fourth = store(tmp_path / "d.db", "d")
    assert ("opencode-3", "d.db") in names(library(index, second, fourth))


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_store_among_good_ones_is_told(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "bad.db"
    BAD[bad](path)
    held = library(tmp_path / "index.db", store(tmp_path / "good.db", "good"), path)
    infos = {Path(one.path).name: one for one in sync(held).sources}
    assert infos["good.db"].faults == ()
    assert len(found(held, "good")) == 2
    codes = {fault.code for fault in infos["bad.db"].faults}
    assert codes
    assert codes <= {
        "SOURCE_NOT_FOUND",
        "SOURCE_UNREADABLE",
        "SOURCE_UNSUPPORTED",
        "CORRUPT_SESSION",
        "CORRUPT_PART",
    }


def test_none_that_can_be_read(tmp_path: Path) -> None:
    held = library(tmp_path / "index.db", tmp_path / "nowhere.db", garbage(tmp_path / "noise.db"))
    assert [(one.opened, one.faults[0].code) for one in sync(held).sources] == [
        ("failed", "SOURCE_NOT_FOUND"),
        ("failed", "SOURCE_UNREADABLE"),
    ]
    assert held.sessions().sessions == ()
    assert held.search("x").hits == ()
    with pytest.raises(StoreError, match="NOT_FOUND"):
        held.around("ses_x")


def test_a_folder_stands_for_the_stores_in_it(tmp_path: Path) -> None:
    store(tmp_path / "one" / "opencode.db", "a")
    store(tmp_path / "one" / "opencode-beta.db", "b")
    mimo(tmp_path / "two" / "data" / "mimocode.db", "c")
    held = library(tmp_path / "index.db", tmp_path / "one", tmp_path / "two")
    assert sorted(name for _, name in names(held)) == [
        "mimocode.db",
        "opencode-beta.db",
        "opencode.db",
    ]


def test_a_bad_file_in_a_folder_hides_no_good_one(tmp_path: Path) -> None:
    garbage(tmp_path / "opencode-a.db")
    store(tmp_path / "opencode-b.db", "good")
    held = library(tmp_path / "index.db", tmp_path)
    sync(held)
    assert len(found(held, "good")) == 2
    assert {Path(one.path).name: bool(one.faults) for one in held.sources()} == {
        "opencode-a.db": True,
        "opencode-b.db": False,
    }


def test_a_folder_without_a_store(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    held = library(tmp_path / "index.db", tmp_path / "empty")
    (info,) = sync(held).sources
    assert info.faults[0].code == "SOURCE_UNREADABLE"
    assert "opencode*.db" in info.faults[0].message


@pytest.mark.parametrize("name", ["~nobody-has-this-name/x.db", "~", "a" * 5000, "a\0b"])
def test_a_path_that_cannot_be(tmp_path: Path, name: str) -> None:
    held = library(tmp_path / "index.db", store(tmp_path / "good.db", "good"), Path(name))
    infos = sync(held).sources
    assert [bool(one.faults) for one in infos] == [False, True]
    assert infos[1].faults[0].code in ("SOURCE_NOT_FOUND", "SOURCE_UNREADABLE")


def test_the_home_of_a_user_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    store(tmp_path / "o.db", "a")
    held = library(tmp_path / "index.db", Path("~/o.db"))
    assert names(held) == [("opencode", "o.db")]


def test_a_store_of_an_old_version_without_optional_tables(tmp_path: Path) -> None:
    path = tmp_path / "bare.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            BARE
            + "insert into session values('ses_1', null, null, null, null), (null, 'x', 'y', 1, 1);"
            "insert into message values('msg_1', 'ses_1', null, null, null),"
            " (null, 'ses_1', 1, 1, '');"
            "insert into part values('prt_1', 'msg_1', 'ses_1', null, null,"
            ' \'{"type":"text","text":"bare word"}\'), (null, null, \'ses_1\', 1, 1, null);'
        )
    held = library(tmp_path / "index.db", path)
    sync(held)
    assert found(held, "bare") == ["prt_1"]
    (one,) = held.sessions().sessions
    assert (one.id, one.title, one.directory, one.created) == ("ses_1", "", "", 0)
    assert [message.message.id for message in held.around("ses_1").messages] == ["msg_1"]
    assert held.around("prt_1").anchor == "msg_1"
    assert held.raw("prt_1") == '{"type":"text","text":"bare word"}'
    assert isinstance(held.raw("msg_1"), str)


def test_ids_that_come_twice_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "bare.db"
    said = '{"type":"text","text":"bare word"}'
    with closing(sqlite3.connect(path)) as db:
        db.executescript(BARE)
        sessions = [("ses_1", "a", "d", 1, 1)] * 2 + [("", "b", "d", 1, 1)]
        db.executemany("insert into session values(?, ?, ?, ?, ?)", sessions)
        messages = [("msg_1", "ses_1", 1, 1, "{}")] * 2 + [("", "ses_1", 1, 1, "{}")]
        db.executemany("insert into message values(?, ?, ?, ?, ?)", messages)
        parts = [(name, above) for name in ("prt_1", "prt_1", "") for above in ("msg_1", "", None)]
        for name, above in parts:
            row = (name, above, "ses_1", 1, 1, said)
            db.execute("insert into part values(?, ?, ?, ?, ?, ?)", row)
        db.commit()
    held = library(tmp_path / "index.db", path)
    (info,) = sync(held).sources
    assert [fault.message for fault in info.faults] == ["10 rows have no id of their own"]
    assert found(held, "bare") == ["prt_1"]
    assert [one.id for one in held.sessions().sessions] == ["ses_1"]
    assert [len(one.parts) for one in held.around("ses_1").messages][:1] == [1]


# Our own state -------------------------------------------------------------------------------


def test_health_counts_what_there_is(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    held = library(index, store(tmp_path / "a.db", "a"))
    assert held.health().problem == "there is no index yet"
    sync(held)
    health = held.health()
    assert (health.documents, health.archived_parts, health.problem) == (2, 1, "")
    assert health.coverage.complete
    assert health.bytes >= index.stat().st_size > 0
    assert health.archive_bytes > 0


def test_the_index_lies_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKSCROLL_INDEX", str(tmp_path / "mine.db"))
    Library.open().refresh()
    assert (tmp_path / "mine.db").exists()
    monkeypatch.delenv("BACKSCROLL_INDEX")
    held = Library.open()
    held.refresh()
    assert Path(held.health().path).name == "index.db"
    assert os.environ["XDG_DATA_HOME"] in held.health().path
