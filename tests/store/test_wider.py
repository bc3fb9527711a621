"""Words that are not in one document are looked for in one part, then in one message."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.library import Library
from tests.makers import MessageSpec, PartSpec, opencode_db, text, tool
from tests.store.shelf import library, sync, talk


@pytest.fixture
def held(tmp_path: Path) -> Library:
    spoken = MessageSpec(
        "assistant",
        [
            PartSpec(tool("bash", {"command": "make lampstand"}, "heron => built"), id="prt_tool"),
            PartSpec(text("The kettle is done."), id="prt_say"),
        ],
        id="msg_one",
    )
    other = MessageSpec("user", [PartSpec(text("a heron"), id="prt_ask")], id="msg_two")
    store = opencode_db(tmp_path / "opencode.db", sessions=[talk("one", spoken, other)])
    made = library(tmp_path / "index.db", store)
    sync(made)
    return made


@pytest.mark.parametrize("sort", ["newest", "relevance"])
def test_words_of_what_a_tool_was_asked_and_put_out(held: Library, sort: str) -> None:
    answer = held.search("lampstand heron", sort=sort)  # type: ignore[arg-type]
    assert answer.widened == "part"
    assert [hit.part for hit in answer.hits] == ["prt_tool"]
    assert held.search("lampstand built kind:tool_output").hits[0].kind == "tool_output"


def test_words_of_one_message(held: Library) -> None:
    answer = held.search("kettle lamp")
    assert answer.widened == "message"
    assert [hit.message for hit in answer.hits] == ["msg_one"]
    assert len(answer.hits) == 1


def test_bare_punctuation_beside_a_word(held: Library) -> None:
    answer = held.search("lampstand =>")
    assert (answer.widened, [hit.part for hit in answer.hits]) == ("part", ["prt_tool"])


def test_a_word_left_out_counts_for_all_of_it(held: Library) -> None:
    assert not held.search("kettle lampstand -heron").hits
    assert held.search("kettle lampstand -owl").widened == "message"


def test_nothing_is_widened_where_one_document_has_all(held: Library) -> None:
    answer = held.search("heron built")
    assert (answer.widened, len(answer.hits)) == (None, 1)
