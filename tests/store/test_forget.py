"""Forgetting: no piece of a text is left in the file, and it does not come back."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import StoreError
from store.library import Library
from tests.makers import MessageSpec, PartSpec, opencode_db, text
from tests.store.shelf import found, library, sync, synced, talk

SECRET = "the password is swordfish-4711-xyzzy"
OTHER = "nothing of the kind is told in here"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Two sessions; the second took a message over from the first, as a fork does."""
    asked = [PartSpec(text(SECRET), id="prt_a"), PartSpec(text(OTHER), id="prt_b")]
    return opencode_db(
        tmp_path / "opencode.db",
        sessions=[
            talk(
                "one",
                MessageSpec("user", asked, id="msg_a", time=1_796_000_000_000),
                MessageSpec("assistant", [PartSpec(text("understood"), id="prt_c")], id="msg_c"),
                title="A talk with swordfish in its title",
            ),
            talk(
                "two",
                MessageSpec(
                    "user",
                    [PartSpec(text(SECRET), id="prt_z")],
                    id="msg_z",
                    time=1_796_000_000_000,
                ),
                title="one (fork #1)",
            ),
        ],
    )


def bytes_in(index: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(index.parent.iterdir()))


def pieces(words: str) -> list[bytes]:
    told = words.encode()
    return [told[at : at + 16] for at in range(len(told) - 15)]


def left_of(index: Path, words: str) -> list[bytes]:
    held = bytes_in(index)
    return [piece for piece in pieces(words) if piece in held]


@pytest.mark.parametrize("ident", ["prt_a", "msg_a", "ses_one"])
def test_no_piece_of_it_is_left(store: Path, index: Path, ident: str) -> None:
    held = library(index, store)
    sync(held)
    assert found(held, "swordfish kind:user_text") == ["prt_a"]
    done = held.forget([ident])
    assert (done.sessions, done.messages) == {
        "prt_a": (0, 0),
        "msg_a": (0, 1),
        "ses_one": (1, 2),
    }[ident]
    assert left_of(index, SECRET) == []
    assert b"swordfish" not in bytes_in(index) or ident != "ses_one"
    if ident == "prt_a":
        assert found(held, '"nothing of the kind"') == ["prt_b"]
    held.close()


@pytest.mark.parametrize("rebuild", [False, True])
@pytest.mark.parametrize("ident", ["prt_a", "msg_a", "ses_one"])
def test_it_stays_forgotten(store: Path, index: Path, ident: str, rebuild: bool) -> None:
    held = library(index, store)
    sync(held)
    held.forget([ident])
    held.close()
    store.touch()
    synced(index, store, rebuild=rebuild)
    again = library(index, store)
    assert found(again, "password") == []
    assert left_of(index, SECRET) == []
    assert again.coverage().complete
    again.close()


def test_a_query_names_what_to_forget(store: Path, index: Path) -> None:
    held = library(index, store)
    sync(held)
    told = held.forget(query='"swordfish-4711"', only_count=True)
    assert (told.sessions, told.messages, told.parts) == (0, 0, 2)
    assert found(held, "password") != []
    held.forget(query='"swordfish-4711"')
    assert found(held, "password") == []
    assert found(held, "understood") == ["prt_c"]


def test_a_session_is_named_by_filters_alone(store: Path, index: Path) -> None:
    held = library(index, store)
    sync(held)
    assert held.forget(query="session:ses_one").sessions == 1
    assert [one.id for one in held.sessions().sessions] == ["ses_two"]


def test_what_is_not_there_cannot_be_forgotten(store: Path, index: Path) -> None:
    held = library(index, store)
    sync(held)
    with pytest.raises(StoreError) as caught:
        held.forget(["prt_nowhere"])
    assert caught.value.code == "PART_NOT_FOUND"
    assert held.forget(query="nowhere to be found").parts == 0


def test_everything_of_ours_goes(store: Path, index: Path) -> None:
    before = store.read_bytes()
    held = library(index, store)
    sync(held)
    assert str(index) in held.forget_all()
    assert list(index.parent.iterdir()) == []
    assert store.read_bytes() == before
    assert found(Library.open(sources=[store], index=index), "password") == []
