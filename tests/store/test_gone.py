"""What left its store stays: to be found, to be read, and to come back."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.library import Library
from store.model import Text
from tests.makers import (
    MessageSpec,
    PartSpec,
    half,
    opencode_db,
    text,
    two_talks,
)
from tests.store.shelf import (
    DELETE,
    LATER,
    documents,
    edit,
    fates,
    found,
    library,
    one_talk,
    sync,
    synced,
    talk,
)


@pytest.mark.parametrize("what", DELETE)
def test_what_is_gone_stays_to_be_found_and_read(store: Path, index: Path, what: str) -> None:
    synced(index, store)
    before = documents(index)
    edit(store, DELETE[what])
    report = synced(index, store)
    assert documents(index) == before
    fate, cause = {
        "part": ("removed", "unknown"),
        "message": ("removed", "unknown"),
        "session": ("deleted", "session_deleted"),
    }[what]
    parts = fates(index, "part")
    assert parts["prt_say"] == (fate, cause, "kept")
    assert report.sources[0].leftovers == {"part": 1, "message": 2, "session": 3}[what]
    held = library(index, store)
    (hit,) = held.search("charlie").hits
    assert (hit.part, hit.fate, hit.evidence) == ("prt_say", fate, "kept")
    assert found(held, "charlie is:leftover") == ["prt_say"]
    assert found(held, "charlie is:live") == []
    shown = held.show("prt_say").parts[0]
    assert (shown.content, shown.fate, shown.evidence) == (Text("charlie answer"), fate, "kept")
    window = held.around("prt_say")
    assert [one.message.id for one in window.messages] == ["msg_ask", "msg_say"]
    assert [one.matched for one in window.messages] == [False, True]
    assert [part.id for part in window.messages[1].parts] == ["prt_tool", "prt_say"]


@pytest.mark.parametrize("what", DELETE)
def test_what_comes_back_is_live_again(tmp_path: Path, index: Path, what: str) -> None:
    store = one_talk(tmp_path / "opencode.db")
    whole = store.read_bytes()
    synced(index, store)
    before = documents(index)
    edit(store, DELETE[what])
    synced(index, store)
    store.write_bytes(whole)
    report = synced(index, store)
    assert set(fates(index, "part").values()) == {("live", None, "source")}
    assert set(fates(index, "message").values()) == {("live", None)}
    assert fates_of_sessions(index) == {"ses_one": "live"}
    assert documents(index) == before
    assert report.sources[0].leftovers == 0


def fates_of_sessions(index: Path) -> dict[str, str]:
    held = Library.open(sources=(), index=index)
    return {one.id: one.fate for one in held.sessions(limit=None).sessions}


def test_a_part_that_moved_to_another_message_is_found_where_it_is(
    store: Path, index: Path
) -> None:
    synced(index, store)
    edit(
        store,
        (
            "update part set message_id = 'msg_ask', time_updated = ? where id = 'prt_say'",
            (LATER,),
        ),
    )
    synced(index, store)
    held = library(index, store)
    assert sorted((one.message, one.fate) for one in held.search("charlie").hits) == [
        ("msg_ask", "live"),
        ("msg_say", "removed"),
    ]
    assert held.show("prt_say").message.id == "msg_ask"


def test_a_replaced_store_leaves_its_sessions_deleted(store: Path, index: Path) -> None:
    synced(index, store)
    store.unlink()
    opencode_db(store, sessions=two_talks())
    report = synced(index, store)
    assert (report.sources[0].sessions, report.sources[0].leftovers) == (2, 3)
    assert found(library(index, store), "charlie") == ["prt_say"]


def test_a_vanished_store_is_missing_and_keeps_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, index: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "opencode").mkdir()
    store = one_talk(tmp_path / "opencode" / "opencode.db")
    held = Library.open(index=index)
    sync(held)
    assert [one.opened for one in held.sources()] == ["immutable"]
    store.unlink()
    assert [(one.opened, one.sessions) for one in sync(held).sources] == [("missing", 1)]
    assert fates(index, "part")["prt_say"] == ("live", None, "source")
    for again in (held, Library.open(index=index)):
        assert found(again, "charlie") == ["prt_say"]
        assert again.show("prt_say").parts[0].content == Text("charlie answer")
        assert [one.id for one in again.sessions().sessions] == ["ses_one"]
    one_talk(store)
    assert [one.opened for one in sync(held).sources] == ["immutable"]


def test_a_damaged_store_changes_no_fate(tmp_path: Path, index: Path) -> None:
    messages = [
        MessageSpec("user", [PartSpec(text(f"w{n} " + "x" * 3000), id=f"prt_{n}")])
        for n in range(20)
    ]
    talks = [talk(name, *messages) for name in ("a",)]
    store = opencode_db(tmp_path / "opencode.db", version="1.2.1", sessions=talks)
    synced(index, store)
    before = documents(index)
    half(store)
    report = synced(index, store)
    assert set(fates(index, "part").values()) == {("live", None, "source")}
    assert fates_of_sessions(index) == {"ses_a": "live"}
    assert documents(index) == before
    assert report.sources[0].faults != ()


def test_a_store_that_is_no_database_any_more_is_a_fault(store: Path, index: Path) -> None:
    synced(index, store)
    store.write_bytes(b"not a database at all" * 400)
    held = Library.open(sources=[store, one_talk(store.parent / "two.db")], index=index)
    report = sync(held)
    assert sorted((one.opened, [f.code for f in one.faults]) for one in report.sources) == [
        ("failed", ["SOURCE_UNREADABLE"]),
        ("immutable", []),
    ]
    assert fates(index, "part")["prt_say"] == ("live", None, "source")
