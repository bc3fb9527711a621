"""The library over the newer and older shapes of opencode: searching, reading, changes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from store.errors import StoreError
from store.library import Library
from store.model import Text
from tests.makers import MessageSpec, SessionSpec, opencode_db, text, tool, two_talks
from tests.makers.opencode_files import exported, opencode_files
from tests.makers.opencode_v2 import (
    Generation,
    RowSpec,
    V2Spec,
    answered,
    called,
    opencode_v2_db,
    printed,
)
from tests.store.shelf import edit, library, sync

NEW = V2Spec(
    "New",
    [
        RowSpec("user", {"text": "连接池用哪个端口？"}, id="msg_q"),
        RowSpec(
            "assistant",
            answered(
                called("shell", "completed", {"command": "ss -ltn"}, content=printed("LISTEN\n")),
                "Port 4096.",
            ).data,
            id="msg_a",
        ),
        RowSpec("idle", {"outcome": "succeeded"}, id="msg_i"),
    ],
    id="ses_new",
)
OLD = SessionSpec(
    "Old", [MessageSpec("assistant", [tool("bash", {"command": "ls"}, "b.py\n")])], id="ses_old"
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return opencode_v2_db(tmp_path / "opencode.db", sessions=[NEW], old=[OLD])


@pytest.fixture
def held(tmp_path: Path, store: Path) -> Library:
    made = library(tmp_path / "index.db", store)
    sync(made)
    return made


@pytest.mark.parametrize(("generation", "table"), [("1.18", "session"), ("2.x", "session_v2")])
def test_rows_without_a_session_are_shown_and_a_fault(
    tmp_path: Path, generation: Generation, table: str
) -> None:
    store = opencode_v2_db(tmp_path / "opencode.db", generation=generation, sessions=[NEW])
    edit(store, ("pragma foreign_keys = off", ()), (f"delete from {table}", ()))
    held = library(tmp_path / "index.db", store)
    (info,) = sync(held).sources
    assert [(one.code, one.about) for one in info.faults] == [("CORRUPT_SESSION", "ses_new#row")]
    assert [one.id for one in held.sessions().sessions] == ["ses_new"]
    assert parts(held, "连接池") == ["msg_q#0"]


def parts(held: Library, query: str) -> list[str | None]:
    return [hit.part for hit in held.search(query).hits]


def test_everything_is_found(held: Library) -> None:
    assert parts(held, "端口") == ["msg_q#0"]
    assert parts(held, "kind:tool_input ltn") == ["msg_a#0"]
    assert parts(held, "kind:tool_output listen") == ["msg_a#0"]
    assert parts(held, "4096") == ["msg_a#1"]
    assert held.coverage().complete


@pytest.mark.parametrize("name", ["bash", "shell", "Shell"])
def test_either_name_of_a_tool_finds_both(held: Library, name: str) -> None:
    hits = held.search(f"tool:{name} kind:tool_input").hits
    assert {hit.tool for hit in hits} == {"bash", "shell"}
    assert held.search(f"-tool:{name} kind:tool_input").hits == ()


def test_the_beginning_of_a_message_is_not_one_of_its_parts(held: Library) -> None:
    assert held.around("msg_a").anchor == "msg_a"
    window = held.around("msg_a#1")
    assert (window.anchor, window.part) == ("msg_a", "msg_a#1")
    assert held.show("msg_a#1").parts[0].content == Text("Port 4096.")
    assert held.raw("msg_a#1") == '{"type": "text", "text": "Port 4096."}'
    with pytest.raises(StoreError, match="there is no"):
        held.show("msg_a#7")


def test_a_rewritten_row_is_read_again(held: Library, store: Path) -> None:
    data = '{"agent":"build","content":[{"type":"text","text":"Port 5432."}]}'
    edit(
        store,
        (
            "update session_message set data = ?, time_updated = time_updated + 1 where id = ?",
            (data, "msg_a"),
        ),
    )
    sync(held)
    assert parts(held, "is:live 5432") == ["msg_a#0"]
    assert parts(held, "is:live 4096") == []
    assert parts(held, "is:removed 4096") == ["msg_a#1"]


def test_removed_rows_stand_in_their_place(held: Library, store: Path) -> None:
    edit(store, ("delete from session_message where id = ?", ("msg_a",)))
    sync(held)
    window = held.page("ses_new", 0, 10)
    assert [(one.message.id, one.message.fate) for one in window.messages] == [
        ("msg_q", "live"),
        ("msg_a", "removed"),
        ("msg_i", "live"),
    ]


def test_the_archive_keeps_the_order_of_a_session_that_is_gone(held: Library, store: Path) -> None:
    edit(
        store,
        ("update session_message set time_created = 5 where id = ?", ("msg_i",)),
        ("update event_sequence set seq = seq + 1", ()),
    )
    sync(held)
    edit(store, ("delete from session_v2", ()))
    sync(held)
    window = held.page("ses_new", 0, 10)
    assert [one.message.id for one in window.messages] == ["msg_q", "msg_a", "msg_i"]
    assert {one.message.fate for one in window.messages} == {"deleted"}


def test_files_of_an_old_version_are_searched(tmp_path: Path) -> None:
    opencode_files(tmp_path / "storage", sessions=two_talks())
    held = library(tmp_path / "index.db", tmp_path)
    sync(held)
    assert len(held.search("5432").hits) == 1
    assert held.search("kind:tool_output listen").total == 1
    (told,) = held.sources()
    assert (told.sessions, told.messages, told.parts, told.behind) == (2, 5, 8, 0)
    held.close()


@pytest.mark.parametrize("listed_first", [True, False])
def test_an_upgrade_from_files_to_a_database_calls_nothing_gone(
    tmp_path: Path, listed_first: bool
) -> None:
    opencode_files(tmp_path / "storage", sessions=two_talks())
    held = library(tmp_path / "index.db", tmp_path)
    sync(held)
    opencode_db(tmp_path / "opencode.db", sessions=two_talks())
    if listed_first:
        held.refresh()
    sync(held)
    assert held.search("is:leftover").hits == ()
    assert [(one.source, one.fate) for one in held.sessions().sessions] == [
        ("opencode-2", "live")
    ] * 2
    assert [hit.source for hit in held.search("5432").hits] == ["opencode-2"]
    assert [(one.sessions, one.parts) for one in held.sources()] == [(0, 0), (2, 8)]
    held.close()


def test_an_exported_session_is_read_alone(tmp_path: Path) -> None:
    path = exported(
        tmp_path / "talk.json", SessionSpec("T", [MessageSpec("user", [text("hi")])], id="ses_t")
    )
    held = library(tmp_path / "index.db", path)
    sync(held)
    assert [one.title for one in held.sessions().sessions] == ["T"]
    assert [hit.snippet for hit in held.search("hi").hits] == ["hi"]
    held.close()


def test_an_upgrade_to_2_reads_the_same_talk_once(tmp_path: Path) -> None:
    path = opencode_db(tmp_path / "opencode.db", sessions=[OLD])
    held = library(tmp_path / "index.db", path)
    sync(held)
    row = RowSpec("assistant", answered("x").data, id="msg_x")
    newer = V2Spec("Old", [row], id="ses_old")
    later = opencode_v2_db(tmp_path / "later.db", sessions=[newer], old=[OLD])
    shutil.copy(later, path)
    sync(held)
    (session,) = held.sessions().sessions
    assert (session.id, session.messages) == ("ses_old", 2)
    held.close()
