"""Looser readings of a query: synthetic text, pieces; and which stores answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import StoreError
from store.library import Library
from tests.makers import (
    MessageSpec,
    PartSpec,
    opencode_db,
    text,
    tool,
)
from tests.store.shelf import (
    found,
    library,
    sync,
    synced,
    talk,
)


@pytest.fixture
def mixed(tmp_path: Path) -> Library:
    """Three texts, one of them synthetic, and one that only synthetic text has."""
    messages = MessageSpec(
        "user",
        [
            PartSpec(text("apple real"), id="prt_1"),
            PartSpec(text("apple catalogue foo-bar", synthetic=True), id="prt_2"),
            PartSpec(text("apple again foo bar"), id="prt_3"),
        ],
    )
    held = library(
        tmp_path / "index.db", opencode_db(tmp_path / "o.db", sessions=[talk("one", messages)])
    )
    sync(held)
    return held


def test_synthetic_text_is_left_out_and_counted(mixed: Library) -> None:
    answer = mixed.search("apple")
    assert {hit.part for hit in answer.hits} == {"prt_1", "prt_3"}
    assert (answer.synthetic_left_out, answer.synthetic_shown, answer.total) == (1, False, 2)


def test_synthetic_text_is_shown_where_nothing_else_matches(mixed: Library) -> None:
    answer = mixed.search("catalogue")
    assert [(hit.part, hit.flags) for hit in answer.hits] == [("prt_2", ("synthetic",))]
    assert (answer.synthetic_left_out, answer.synthetic_shown, answer.total) == (0, True, 1)


def test_synthetic_text_can_be_asked_for(mixed: Library) -> None:
    answer = mixed.search("apple is:synthetic")
    assert [hit.part for hit in answer.hits] == ["prt_2"]
    assert answer.synthetic_left_out == 0
    assert set(found(mixed, "apple -is:synthetic")) == {"prt_1", "prt_3"}


def test_the_count_of_what_was_left_out_is_exact_or_unknown(mixed: Library) -> None:
    assert mixed.search('"foo bar"').synthetic_left_out in (0, None)


def test_pieces_are_looked_for_where_the_whole_is_nowhere(tmp_path: Path) -> None:
    messages = MessageSpec("user", [PartSpec(text("bar then foo"), id="prt_1"), text("foo only")])
    held = library(
        tmp_path / "index.db", opencode_db(tmp_path / "o.db", sessions=[talk("one", messages)])
    )
    sync(held)
    answer = held.search("foo.bar")
    assert ([hit.part for hit in answer.hits], answer.widened) == (["prt_1"], "pieces")
    assert held.search('"foo.bar"').hits == ()
    assert held.search("foo only").widened is None


def test_pages_go_on_with_the_reading_they_began_with(tmp_path: Path) -> None:
    parts = [PartSpec(text(f"bar then foo {n}"), id=f"prt_{n}") for n in range(9)]
    held = library(
        tmp_path / "index.db",
        opencode_db(tmp_path / "o.db", sessions=[talk("one", MessageSpec("user", parts))]),
    )
    sync(held)
    assert len(found(held, "foo.bar", limit=2)) == 9


def test_the_first_word_of_every_line_is_found(tmp_path: Path) -> None:
    parts = [PartSpec(tool("bash", {"s": "one\nsecond\tthird"}, "out\nnext\tlast"), id="prt_1")]
    held = library(
        tmp_path / "index.db",
        opencode_db(tmp_path / "o.db", sessions=[talk("one", MessageSpec("user", parts))]),
    )
    sync(held)
    for word in ("second", "third", "next", "last"):
        assert set(found(held, word)) == {"prt_1"}
    assert found(held, "nsecond") == []


def test_without_an_index_there_is_nothing(tmp_path: Path) -> None:
    held = library(tmp_path / "index.db", opencode_db(tmp_path / "o.db"))
    answer = held.search("x")
    assert (answer.hits, answer.total, answer.coverage.known) == ((), 0, 0)
    assert not (tmp_path / "index.db").exists()


def test_only_the_named_stores_answer(tmp_path: Path) -> None:
    said = MessageSpec("user", [text("shared")])
    stores = [opencode_db(tmp_path / f"{n}.db", sessions=[talk(n, said)]) for n in ("a", "b")]
    synced(tmp_path / "index.db", *stores)
    held = library(tmp_path / "index.db", stores[1])
    assert [hit.session for hit in held.search("shared").hits] == ["ses_b"]
    assert held.coverage().known == 1
    assert [one.id for one in held.sessions().sessions] == ["ses_b"]
    assert [hit.session for hit in held.search("shared").hits] == ["ses_b"]
    assert [one.name for one in held.sources()] == ["opencode-2"]
    with pytest.raises(StoreError, match="SESSION_NOT_FOUND"):
        held.around("ses_a")
