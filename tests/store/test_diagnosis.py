"""A query that finds nothing says why, and each way out finds something."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.library import Library
from store.nearest import distance, nearest_of
from tests.makers import MessageSpec, PartSpec, opencode_db, text, tool
from tests.store.shelf import library, sync, talk


@pytest.fixture
def held(tmp_path: Path) -> Library:
    parts = [
        PartSpec(text("The kettle boils at noon."), id="prt_1"),
        PartSpec(tool("bash", {"command": "date"}, "kettle (8)"), id="prt_2"),
    ]
    other = MessageSpec("user", [PartSpec(text("lantern light, half-lit"), id="prt_3")])
    spec = [talk("one", MessageSpec("assistant", parts)), talk("two", other)]
    made = library(tmp_path / "index.db", opencode_db(tmp_path / "opencode.db", sessions=spec))
    sync(made)
    return made


def ways(held: Library, query: str) -> dict[object, object]:
    """The checks of a query that finds nothing: what each proposes."""
    assert not held.search(query).hits
    return {one["check"]: one["query"] for one in held.diagnose(query)}


def test_a_missing_word_and_the_nearest_that_occurs(held: Library) -> None:
    assert ways(held, "ketle noon")["word"] == "kettle noon"
    (check,) = [one for one in held.diagnose("ketle") if one["check"] == "word"]
    assert (check["word"], check["nearest"]) == ("ketle", ["kettle"])
    assert ways(held, "zzzz noon")["word"] == "noon"


def test_a_filter_that_excludes_everything_and_what_is_left_without(held: Library) -> None:
    (check,) = [one for one in held.diagnose("lantern tool:bash") if one["check"] == "filter"]
    assert (check["filter"], check["found"], check["query"]) == ("tool:bash", 1, "lantern")
    assert "without tool:bash: 1 hit" in str(check["message"])
    assert ways(held, "kettle tool:bush")["filter"] == "kettle tool:bash"


def test_words_that_are_never_together(held: Library) -> None:
    found = [one for one in held.diagnose("kettle lantern") if one["check"] == "fewer"]
    assert [(one["query"], one["found"]) for one in found] == [("lantern", 1), ("kettle", 2)]


@pytest.mark.parametrize(("query", "there"), [('"ettle boi"', True), ('"noon kettle"', False)])
def test_whether_the_exact_text_is_there(held: Library, query: str, there: bool) -> None:
    plain = query.strip('"')
    (check,) = [one for one in held.diagnose(plain) if one["check"] == "literal"]
    assert check["found"] is there
    assert bool(held.scan(plain).hits) is there


@pytest.mark.parametrize(
    ("query", "there", "text"),
    [
        ('"ettle boi"', True, "ettle boi"),
        ('"kettle b" tool:bash', False, None),
        ('"ettle boi" kind:assistant_text', True, "ettle boi kind:assistant_text"),
        ('"ettle boi" -lantern', True, "ettle boi"),
        ('boils "at n"', True, "boils at n"),
        ("ntern | ight,", False, None),
    ],
)
def test_a_phrase_is_looked_for_without_its_quotes(
    held: Library, query: str, there: bool, text: str | None
) -> None:
    (check,) = [one for one in held.diagnose(query) if one["check"] == "literal"]
    assert (check["found"], check["query"]) == (there, text)
    if text is not None:
        assert held.scan(text).hits


def test_text_that_has_quotes_is_looked_for_with_them(tmp_path: Path) -> None:
    said = MessageSpec("user", [PartSpec(text('he said "so it is"ly'), id="prt_1")])
    held = library(
        tmp_path / "index.db", opencode_db(tmp_path / "opencode.db", sessions=[talk("a", said)])
    )
    sync(held)
    (check,) = [one for one in held.diagnose('said "so it is"') if one["check"] == "literal"]
    assert (check["found"], check["query"]) == (True, 'said "so it is"')
    assert check["message"] == "as exact text it is there"


def test_how_near_words_are() -> None:
    assert [distance("kettle", one, 2) for one in ("kettle", "ketle", "ktetle", "kettles")] == [
        0,
        1,
        1,
        1,
    ]
    assert distance("kettle", "cattle", 2) == 2
    assert distance("kettle", "battery", 2) == 3
    assert nearest_of("bush", ["zsh", "bash", "task"]) == ["bash"]
