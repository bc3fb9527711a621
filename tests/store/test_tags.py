"""Our own words in the full text lead a filter to its documents, and are never found as words."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from store.model import KINDS
from store.query import parse
from store.tags import MARK, tags, wanted
from tests.store.shelf import found, library, one_talk, sync

OUTPUT = KINDS.index("tool_output")


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index.db"


def test_a_document_has_its_session_its_kind_and_its_tool() -> None:
    words = [f"{MARK}s7", f"{MARK}k{OUTPUT}", f"{MARK}tbe0582dc"]
    assert tags(7, OUTPUT, "Bash").decode().split() == words
    assert tags(7, OUTPUT, "").decode() == f"{MARK}s7 {MARK}k{OUTPUT} "


@pytest.mark.parametrize(
    ("query", "sessions", "told"),
    [
        ("w tool:Query_DB kind:tool_output", None, '("{0}tb359b4e1") AND ("{0}k{1}")'),
        ("w", [3, 4], '("{0}s3" OR "{0}s4")'),
        ("w -tool:bash is:live", None, ""),
        ("w", list(range(100)), ""),
    ],
)
def test_what_a_query_wants(query: str, sessions: list[int] | None, told: str) -> None:
    assert wanted(parse(query, 0), sessions) == told.format(MARK, OUTPUT)


def test_the_full_text_alone_narrows_by_tool_and_kind(tmp_path: Path, index: Path) -> None:
    held = library(index, one_talk(tmp_path / "opencode.db"))
    sync(held)
    hits = held.search("kind:tool_output").hits
    expression = wanted(parse("kind:tool_output tool:bash", 0), None)
    with closing(apsw.Connection(str(index))) as db:
        rows = db.execute("SELECT rowid FROM fts WHERE fts MATCH ?", (expression,)).fetchall()
    assert 0 < len(rows) == len(hits)
    held.close()


def test_our_words_are_none_that_a_search_finds(tmp_path: Path, index: Path) -> None:
    held = library(index, one_talk(tmp_path / "opencode.db"))
    sync(held)
    assert [found(held, word) for word in ("be0582dc", "be0582", f"k{OUTPUT}")] == [[], [], []]
    held.close()
