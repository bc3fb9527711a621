"""Texts that are not read whole: what is found in them, and what is shown of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.hits import Documents
from store.model import KINDS
from store.records import BEGINNING, LONG
from store.schema import open_reader
from tests.makers import MessageSpec, SessionSpec, opencode_db, text, tool
from tests.store.shelf import library, sync

FILLER = "filler lies here\n" * 10
OUTPUT = KINDS.index("tool_output")
SLOW = FILLER * (2 * LONG // len(FILLER))
"""More than is opened at once."""
LARGER = FILLER * (LONG // len(FILLER) - 3)
"""Opened at once, with little room for more."""


def store(tmp_path: Path, *outputs: str) -> Path:
    messages = [
        MessageSpec("user", [text("run it")]),
        *(MessageSpec("assistant", [tool("bash", {"command": "x"}, out)]) for out in outputs),
    ]
    return opencode_db(tmp_path / "opencode.db", sessions=[SessionSpec("runs", messages)])


FOUND = {
    "at the beginning": ("needle and thread " + SLOW, "needle", "needle and thread"),
    "at the end": (SLOW + "and the needle", "needle", "and the needle"),
    "in another case": (SLOW + "and the NeeDle", "needle", "and the NeeDle"),
    "inside of a word": (SLOW + "aStateOrder", "teorder", "aStateOrder"),
    "with an accent": (SLOW + "ein Café", "cafe", "ein Café"),
    "Han": (SLOW + "这是数据 库", "数据库", "这是数据 库"),
    "a phrase": (SLOW + "not needle thread, needle and thread", '"needle and"', "needle and"),
    "two words, one far": ("needle " + SLOW + "thread", "needle thread", "needle filler"),
    "two words, both far": (SLOW + "needle thread", "needle thread", "needle thread"),
    "two words in a text that is opened": (
        "needle " + LARGER + "needle thread",
        "needle thread",
        "needle thread",
    ),
    "of Han all along": ("数据\n" * LONG + "needle", "needle", "数据 needle"),
    "one line all along": ("x," * LONG + " needle", "needle", "x, needle"),
}


@pytest.mark.parametrize("name", FOUND)
def test_a_hit_in_a_long_text_shows_its_place(tmp_path: Path, name: str) -> None:
    output, query, shown = FOUND[name]
    held = library(tmp_path / "index.db", store(tmp_path, output))
    sync(held)
    (hit,) = held.search(query).hits
    assert shown in hit.snippet
    assert hit.spans
    held.close()


def test_words_that_are_left_out_are_seen_to_the_end(tmp_path: Path) -> None:
    held = library(
        tmp_path / "index.db", store(tmp_path, "=> a " + SLOW + "b-c", "=> a " + SLOW + "c")
    )
    sync(held)
    assert [len(hit.snippet) for hit in held.search("=> -b-c").hits] == [240]
    held.close()


def test_punctuation_is_found_at_the_end(tmp_path: Path) -> None:
    held = library(tmp_path / "index.db", store(tmp_path, SLOW + "a =>> b", SLOW))
    sync(held)
    (hit,) = held.search("=>>").hits
    assert "a =>> b" in hit.snippet
    held.close()


def test_only_the_beginning_of_a_long_text_is_read_before_more_is_asked_for(
    tmp_path: Path,
) -> None:
    held = library(tmp_path / "index.db", store(tmp_path, SLOW, LARGER))
    sync(held)
    held.close()
    connection = open_reader(tmp_path / "index.db")
    assert connection is not None
    ids = [row[0] for row in connection.execute("SELECT id FROM doc WHERE kind = ?", (OUTPUT,))]
    slow, larger = (one.body for one in Documents(connection).found(ids))
    assert (slow.goes_on, slow.is_slow, larger.goes_on) == (True, True, False)
    assert BEGINNING - 100 < len(slow.begin) < BEGINNING
    assert SLOW[len(slow.begin)] in " \n"
    assert slow.text == SLOW
    assert larger.begin == LARGER
