"""What an id names: whole, a beginning, with its store before it, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import StoreError
from store.model import Text
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    opencode_db,
    text,
)
from tests.store.shelf import add_part, edit, ids, library, numbers, opened, sync, talk, ten


def test_a_beginning_that_is_unique_is_enough(tmp_path: Path) -> None:
    held = ten(tmp_path)
    assert numbers(held.around("msg_0003", before=0, after=0)) == [3]
    assert held.around("ses_o").session.id == "ses_one"
    with pytest.raises(StoreError, match="AMBIGUOUS_ID") as caught:
        held.around("msg_000")
    assert "msg_0000, msg_0001" in caught.value.message


def test_a_whole_id_that_begins_others_is_itself(tmp_path: Path) -> None:
    messages = [MessageSpec("user", [text("x")], id=name) for name in ("msg_1", "msg_12", "msg_13")]
    held = opened(tmp_path, talk("one", *messages))
    assert held.around("msg_1").anchor == "msg_1"
    with pytest.raises(StoreError, match="AMBIGUOUS_ID"):
        held.around("msg_")


@pytest.mark.parametrize(
    ("ident", "code"),
    [
        ("ses_x", "SESSION_NOT_FOUND"),
        ("msg_x", "MESSAGE_NOT_FOUND"),
        ("prt_x", "PART_NOT_FOUND"),
        ("opencode:prt_x", "PART_NOT_FOUND"),
        ("nostore:msg_0001", "MESSAGE_NOT_FOUND"),
        ("opencode:", "_NOT_FOUND"),
        ("", "_NOT_FOUND"),
        ("%", "_NOT_FOUND"),
        ("_", "_NOT_FOUND"),
        ("MSG_0001", "_NOT_FOUND"),
        ("msg_0001 ", "MESSAGE_NOT_FOUND"),
        ("msg_\udcff", "MESSAGE_NOT_FOUND"),
        ("msg_\0", "MESSAGE_NOT_FOUND"),
        ("x" * 100_000, "_NOT_FOUND"),
        ("数", "_NOT_FOUND"),
    ],
)
def test_an_id_that_names_nothing(tmp_path: Path, ident: str, code: str) -> None:
    held = ten(tmp_path)
    for call in (held.around, held.show, held.raw):
        with pytest.raises(StoreError, match=code):
            call(ident)
    with pytest.raises(StoreError, match="_NOT_FOUND"):
        held.page(ident, 0, 1)


def test_a_store_before_the_colon(tmp_path: Path) -> None:
    said = [MessageSpec("user", [text(f"said {n}")], id=f"msg_{n}") for n in range(3)]
    stores = [
        opencode_db(tmp_path / "a.db", sessions=[talk("one", *said)]),
        opencode_db(tmp_path / "b.db", sessions=[talk("one", *said[:2])]),
    ]
    held = library(tmp_path / "index.db", *stores)
    sync(held)
    assert held.around("msg_1").session.source == "opencode"
    assert held.around("opencode-2:msg_1").session.source == "opencode-2"
    assert ids(held.around("opencode-2:ses_one")) == ["msg_0", "msg_1"]
    with pytest.raises(StoreError, match="MESSAGE_NOT_FOUND"):
        held.around("opencode-2:msg_2")


def test_a_beginning_common_in_one_store_is_unique_in_another(tmp_path: Path) -> None:
    many = [MessageSpec("user", id=f"msg_a{n:03}") for n in range(120)]
    stores = [
        opencode_db(tmp_path / "a.db", sessions=[talk("one", *many)]),
        opencode_db(tmp_path / "b.db", sessions=[talk("two", MessageSpec("user", id="msg_a5x"))]),
    ]
    held = library(tmp_path / "index.db", *stores)
    sync(held)
    edit(stores[1], ("delete from session", ()))
    sync(held)
    assert held.around("opencode-2:msg_a").anchor == "msg_a5x"


def test_what_is_not_indexed_yet_is_found_in_its_store(tmp_path: Path) -> None:
    said = MessageSpec("user", [PartSpec(text("new"), id="prt_1")], id="msg_1")
    store = opencode_db(tmp_path / "opencode.db", sessions=[talk("one", said)])
    held = library(tmp_path / "index.db", store)
    assert held.around("prt_1").anchor == "msg_1"
    assert held.show("prt_1").parts[0].content == Text("new")
    assert held.raw("msg_1").startswith('{"role":"user"')
    add_part(store, "prt_2", "msg_1", "ses_one", text("newer"), BASE + 99_000)
    assert held.show("prt_2").parts[0].content == Text("newer")
