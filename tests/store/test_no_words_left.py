"""No word of what went for good is left in the index: not in its vocabulary, nor elsewhere."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from store import forget, limits
from store.library import Library
from store.model import KINDS
from store.rules import Rules
from store.sqlite import one, open_index
from store.vocabulary import Vocabularies
from tests.makers import MessageSpec, PartSpec, opencode_db, text
from tests.store.bare import tables_with
from tests.store.shelf import DELETE, edit, found, library, say, sync, synced, talk

LONG = "hunterxylophone7734secretword"
HEX = "deadbeefcafe4711deadbeefcafe4711"
SECRET = f"please use {LONG} from today on"
MISSPELT = "hunterxylophone7734secretwort"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A session with a secret in its title and its question, and one with nothing of it."""
    asked = [PartSpec(text(SECRET), id="prt_ask"), PartSpec(text("beside it"), id="prt_more")]
    said = [PartSpec(text("hunters say so"), id="prt_say")]
    return opencode_db(
        tmp_path / "opencode.db",
        sessions=[
            talk(
                "one",
                MessageSpec("user", asked, id="msg_ask"),
                MessageSpec("assistant", said, id="msg_say"),
                title=f"about {HEX}",
                directory="/home/mia/src/private",
            ),
            talk("two", MessageSpec("user", [PartSpec(text("quite another"), id="prt_two")])),
        ],
    )


def near(held: Library, word: str) -> list[Any]:
    return [told["nearest"] for told in held.diagnose(word) if told.get("nearest")]


@pytest.mark.parametrize("ident", ["prt_ask", "msg_ask", "ses_one"])
def test_no_table_holds_a_piece_of_it(store: Path, index: Path, ident: str) -> None:
    synced(index, store)
    assert tables_with(index, LONG) >= {"fts", "fts_data", "block", "vocabulary"}
    held = library(index, store)
    held.forget([ident])
    assert tables_with(index, SECRET) == tables_with(index, LONG) == set()
    assert (tables_with(index, HEX) == set()) == (ident == "ses_one")
    held.close()


def test_nor_after_a_query(store: Path, index: Path) -> None:
    synced(index, store)
    library(index, store).forget(query="hunterxylophone7734")
    assert tables_with(index, LONG) == set()


def test_the_words_of_a_later_piece_go_too(store: Path, index: Path) -> None:
    synced(index, store)
    say(store, "prt_more", "the replacementgobbledygookword arrives", 1_796_000_900_000)
    held = library(index, store)
    sync(held)
    assert found(held, "gobbledygook") == ["prt_more"]
    held.forget(["prt_more"])
    assert tables_with(index, "replacementgobbledygookword") == set()
    assert found(held, "xylophone7734") == ["prt_ask"]


def test_who_holds_the_words_notices(store: Path, index: Path) -> None:
    synced(index, store)
    held, other = library(index, store), library(index, store)
    assert near(held, MISSPELT) == near(other, MISSPELT) == [[LONG]]
    held.forget(["prt_ask"])
    assert near(held, MISSPELT) == near(other, MISSPELT) == []
    assert found(other, "unters") == ["prt_say"]


class Killed(BaseException):
    """Nothing catches it."""


def test_killed_before_the_end_no_word_of_it_is_told(
    store: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced(index, store)

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(forget, "wipe", die)
        held = library(index, store)
        with pytest.raises(Killed):
            held.forget(["prt_ask"])
        held.close()
    held = library(index, store)
    assert near(held, MISSPELT) == []
    held.close()
    synced(index, store)
    assert tables_with(index, LONG) == set()
    assert found(library(index, store), "unters") == ["prt_say"]


def test_after_the_last_document_went_the_words_are_whole(store: Path, index: Path) -> None:
    synced(index, store)
    say(store, "prt_ask", SECRET + " again", 1_796_000_900_000)
    held = library(index, store)
    sync(held)
    held.forget(["prt_ask"])
    with closing(open_index(index, write=False)) as db:
        assert Vocabularies(db).get().covered == one(db, "SELECT max(hi) FROM run")


@pytest.mark.parametrize("rules", [{"archive": False}, {"days": 100}, {"megabytes": 1}])
def test_limits_drop_the_words_too(
    store: Path, index: Path, rules: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = PartSpec(text(SECRET), id="prt_say")
    old = MessageSpec("user", [asked], id="msg_say", time=1_700_000_000_000)
    there = MessageSpec("user", [PartSpec(text("hunters stay"), id="prt_stay")])
    spec = talk("one", old, there, time=1_700_000_000_000)
    store = opencode_db(store.with_name("old.db"), version="1.2.1", sessions=[spec])
    synced(index, store)
    edit(store, DELETE["part"])
    monkeypatch.setattr(limits, "MB", 10)
    held = Library.open(sources=[store], index=index, rules=Rules(**rules))
    sync(held)
    assert "vocabulary" not in tables_with(index, LONG)
    assert found(held, "unters") == ["prt_stay"]


@pytest.mark.parametrize("entry", [r"text:\w*xylophone\w*", "private"])
def test_exclusions_drop_the_words_too(store: Path, index: Path, entry: str) -> None:
    synced(index, store)
    held = Library.open(sources=[store], index=index, rules=Rules(exclude=(entry,)))
    sync(held)
    assert tables_with(index, LONG) == set()


def test_a_kind_that_is_no_more_indexed_takes_its_words_along(store: Path, index: Path) -> None:
    synced(index, store)
    kinds = tuple(kind for kind in KINDS if kind != "user_text")
    held = Library.open(sources=[store], index=index, rules=Rules(kinds=kinds))
    sync(held)
    assert "vocabulary" not in tables_with(index, LONG)
    assert found(held, "unters") == ["prt_say"]


def test_nor_of_a_text_that_was_said_again(store: Path, index: Path) -> None:
    """Its first record has no row any more, and goes all the same."""
    for place, words in enumerate((SECRET, "something else", SECRET)):
        say(store, "prt_ask", words, 1_796_000_900_000 + place)
        synced(index, store)
    held = library(index, store)
    held.forget(["prt_ask"])
    assert tables_with(index, LONG) == set()
    assert found(held, "beside") == ["prt_more"]
    held.close()
