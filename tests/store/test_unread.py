"""Answers where nothing was taken in yet, or where a store can only be read in part."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import StoreError
from tests.makers import MessageSpec, PartSpec, opencode_db, text
from tests.makers.pages import without_leaf
from tests.store.shelf import library, sync, talk


def store(path: Path, name: str, count: int = 24) -> Path:
    messages = [
        MessageSpec("user", [PartSpec(text("x" * 900), id=f"prt_{name}{n:02}")])
        for n in range(count)
    ]
    return opencode_db(path, sessions=[talk(name, *messages)])


def test_without_an_index_nothing_is_complete(tmp_path: Path, index: Path) -> None:
    held = library(index, store(tmp_path / "opencode.db", "a"))
    for told in (held.search("x").coverage, held.coverage()):
        assert (told.known, told.begun, told.complete) == (0, False, False)
    assert not held.health().coverage.complete
    sync(held)
    assert held.search("x").coverage.complete
    held.close()


def test_a_store_that_an_index_does_not_know_is_not_complete(tmp_path: Path, index: Path) -> None:
    held = library(index, store(tmp_path / "opencode.db", "a"))
    sync(held)
    held.close()
    other = library(index, store(tmp_path / "other.db", "b"))
    assert not other.search("x").coverage.complete
    (check,) = [one for one in other.diagnose("xy") if one["check"] == "coverage"]
    assert check["message"] == "nothing is indexed yet"
    other.close()


def test_the_documents_of_each_store_are_counted(tmp_path: Path, index: Path) -> None:
    held = library(
        index, store(tmp_path / "one.db", "a", count=3), store(tmp_path / "two.db", "b", count=5)
    )
    report = sync(held)
    counts = held.health().documents_of
    assert counts == {one.name: one.documents for one in report.sources}
    assert sorted(counts.values()) == [4, 6], "the title is one"
    held.close()


def test_what_is_not_found_may_be_in_what_cannot_be_read(tmp_path: Path, index: Path) -> None:
    torn = without_leaf(store(tmp_path / "opencode.db", "a"), "part", 1)
    held = library(index, torn, store(tmp_path / "other.db", "b"))
    sync(held)
    with pytest.raises(StoreError, match="opencode can only be read in part, it may be") as caught:
        held.around("prt_nowhere")
    assert caught.value.code == "PART_NOT_FOUND"
    with pytest.raises(StoreError, match=r"part opencode-2:prt_nowhere$"):
        held.around("opencode-2:prt_nowhere")
    held.close()
