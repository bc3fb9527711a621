"""Bytes that went wrong, in a store or in the index: errors of ours and the rest, no traceback."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from store.errors import StoreError
from store.library import Library
from tests.makers import MessageSpec, opencode_db, text, tool
from tests.store.shelf import edit, library, synced, talk

CALLS: tuple[Callable[[Library], object], ...] = (
    lambda held: held.sync(threading.Event()),
    lambda held: held.search("common", limit=100),
    lambda held: held.search("", limit=100),
    lambda held: held.search("com", sort="relevance"),
    lambda held: held.search("=>"),
    lambda held: held.sessions(limit=None),
    lambda held: held.around("msg_3"),
    lambda held: held.page("ses_a", 0, 100),
    lambda held: held.show("msg_5"),
    lambda held: held.raw("msg_5"),
    lambda held: held.coverage(),
    lambda held: held.health(),
    lambda held: held.sync(threading.Event(), rebuild=True),
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    messages = [
        MessageSpec(
            "assistant",
            [text(f"word{n} common" + "x" * 200), tool("bash", {"n": n}, "y" * 500)],
            id=f"msg_{n}",
            extra={"agent": "planner"},
        )
        for n in range(40)
    ]
    return opencode_db(tmp_path / "opencode.db", sessions=[talk("a", *messages, title="A title")])


def answers(held: Library) -> list[str]:
    """The codes of the calls that fail; anything but a StoreError gets through."""
    codes: list[str] = []
    for call in CALLS:
        try:
            call(held)
        except StoreError as error:
            codes.append(error.code)
    held.close()
    return codes


def damage(path: Path, seed: int, first: int) -> None:
    """Overwrites a few stretches of a file behind its first bytes, and may cut it."""
    chance = Random(seed)
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice([1, 3, 20])):
        at, length = chance.randrange(first, len(data)), chance.choice([1, 4, 64, 600])
        length = min(length, len(data) - at)
        noise = chance.choice([chance.randbytes(length), b"\0" * length, b"\xff" * length])
        data[at : at + length] = noise
    if chance.random() < 0.2:
        del data[chance.randrange(first, len(data)) :]
    path.write_bytes(data)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("known", [True, False])
def test_a_store_with_wrong_bytes(store: Path, index: Path, seed: int, known: bool) -> None:
    if known:
        synced(index, store)
    damage(store, seed, 0)
    assert not {"INDEX_FAILED", "INDEX_BUSY"} & set(answers(library(index, store)))


@pytest.mark.parametrize("seed", range(12))
def test_an_index_with_wrong_bytes(store: Path, index: Path, seed: int) -> None:
    synced(index, store)
    damage(index, seed, 100)
    edit(store, ("update part set time_updated = time_updated + 1", ()))
    answers(library(index, store))


@pytest.mark.parametrize(
    "word", [b"A title", b"planner", b"msg_3", b"ses_a", b"assistant", b"bash"]
)
def test_texts_of_the_index_that_are_none(store: Path, index: Path, word: bytes) -> None:
    synced(index, store)
    index.write_bytes(index.read_bytes().replace(word, b"\xff" * len(word)))
    assert set(answers(library(index, store))) <= {"INDEX_FAILED"}
    assert answers(library(index, store)) == [], "what could be read was saved"
