"""Nothing is left of what went after all of it was forgotten; a deleted session counts its rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.library import Library
from tests.makers import MessageSpec, PartSpec, opencode_db, text
from tests.makers.upgrades import upgrade
from tests.store.bare import tables_with
from tests.store.shelf import DELETE, add_part, edit, found, library, sync, synced, talk

TITLE = "A title that nobody is to read"
LATER = 1_796_000_900_000


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A session with a question, an answer of two parts, and one that never came."""
    said = [PartSpec(text("charlie answer"), id="prt_say"), PartSpec(text("more"), id="prt_more")]
    return opencode_db(
        tmp_path / "opencode.db",
        sessions=[
            talk(
                "one",
                MessageSpec("user", [PartSpec(text("a question"), id="prt_ask")], id="msg_ask"),
                MessageSpec("assistant", said, id="msg_say"),
                MessageSpec("assistant", [], id="msg_none"),
                title=TITLE,
            )
        ],
    )


def counts(held: Library) -> list[tuple[str, int, int]]:
    return [(one.fate, one.messages, one.parts) for one in held.sessions().sessions]


PIECES = (["prt_ask", "prt_say", "prt_more"], ["msg_ask", "msg_say"], ["prt_ask", "msg_say"])


@pytest.mark.parametrize("pieces", PIECES)
def test_the_last_piece_takes_the_deleted_session_along(
    store: Path, index: Path, pieces: list[str]
) -> None:
    synced(index, store)
    edit(store, DELETE["session"])
    synced(index, store)
    held = library(index, store)
    assert counts(held) == [("deleted", 3, 3)]
    for piece in pieces:
        held.forget([piece])
    assert counts(held) == []
    assert found(held, "nobody") == []
    held.close()
    assert tables_with(index, TITLE) == set()
    for rebuild in (False, True):
        synced(index, store, rebuild=rebuild)
        assert counts(library(index, store)) == []


@pytest.mark.parametrize("pieces", PIECES)
def test_what_was_forgotten_before_it_was_deleted_leaves_nothing(
    store: Path, index: Path, pieces: list[str]
) -> None:
    synced(index, store)
    held = library(index, store)
    for piece in pieces:
        held.forget([piece])
    assert [one[0] for one in counts(held)] == ["live"]
    held.close()
    edit(store, DELETE["session"])
    synced(index, store)
    assert counts(library(index, store)) == []
    assert tables_with(index, TITLE) == set()


def test_a_deleted_session_counts_what_is_left(store: Path, index: Path) -> None:
    synced(index, store)
    edit(store, DELETE["session"])
    synced(index, store)
    held = library(index, store)
    held.forget(["prt_say"])
    assert counts(held) == [("deleted", 3, 2)]
    held.forget(["msg_ask"])
    assert counts(held) == [("deleted", 2, 1)]


def test_a_deleted_session_counts_what_was_indexed(store: Path, index: Path) -> None:
    held = library(index, store)
    held.refresh()  # its store told of three messages, and nobody read them
    edit(store, DELETE["session"])
    sync(held)
    assert counts(held) == [("deleted", 0, 0)]


def test_an_error_is_something_left(store: Path, index: Path) -> None:
    failed = '{"name": "APIError", "data": {"message": "quota ran out"}}'
    fail = "update message set data = json_set(data, '$.error', json(?)) where id = 'msg_none'"
    edit(store, (fail, (failed,)))
    synced(index, store)
    edit(store, DELETE["session"])
    synced(index, store)
    held = library(index, store)
    for piece in PIECES[0]:
        held.forget([piece])
    assert counts(held) == [("deleted", 1, 0)]
    assert [one.text for one in held.leftovers().leftovers] == ["APIError: quota ran out"]
    held.forget(["msg_none"])
    assert counts(held) == []


def test_a_session_that_comes_back_brings_only_what_is_new(store: Path, index: Path) -> None:
    before = store.read_bytes()
    synced(index, store)
    edit(store, DELETE["session"])
    synced(index, store)
    held = library(index, store)
    for piece in PIECES[0]:
        held.forget([piece])
    held.close()
    store.write_bytes(before)
    add_part(store, "prt_new", "msg_none", "ses_one", text("a new answer"), LATER)
    synced(index, store)
    held = library(index, store)
    assert [one[0] for one in counts(held)] == ["live"]
    assert found(held, "answer") == ["prt_new"]


def test_what_the_old_tables_hold_of_it_does_not_bring_it_back(tmp_path: Path, index: Path) -> None:
    asked = MessageSpec("user", [PartSpec(text("a question"), id="prt_ask")], id="msg_ask")
    path = tmp_path / "opencode.db"
    upgrade(path, [talk("one", asked, title=TITLE)])
    edit(path, ("delete from session_v2", ()), ("delete from session_message", ()))
    synced(index, path)
    held = library(index, path)
    assert counts(held) == [("deleted", 1, 1)]
    held.forget(["prt_ask"])
    held.close()
    for rebuild in (False, True):
        path.touch()
        held = library(index, path)
        held.refresh()
        assert counts(held) == []
        held.close()
        synced(index, path, rebuild=rebuild)
        assert counts(library(index, path)) == []
        assert tables_with(index, TITLE) == set()
