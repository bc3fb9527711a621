"""Beside the hits: colours, completion, history, facets, literal mode, ways out of nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.model import Facets
from tests.tui.fake import FakeLibrary, hit
from tests.tui.helpers import shell
from tui.answers import facets
from tui.queries import Queries
from tui.widgets.searchbar import QueryInput
from tui.widgets.typed import Unfinished, completed, proposals, unfinished

HITS = [hit(n) for n in range(3)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("err to", Unfinished(4, "", "to")),
        ("tool:ba", Unfinished(5, "tool", "ba")),
        ("-tool:read,ba", Unfinished(11, "tool", "ba")),
        ("foo:ba", None),
        ("word", None),
        ("t", None),
    ],
)
def test_what_can_go_on(text: str, expected: Unfinished | None) -> None:
    assert unfinished(text, len(text)) == expected


def test_a_value_is_put_in_and_quoted_where_it_must_be() -> None:
    at = Unfinished(8, "project", "a")
    assert completed("project:a", 9, at, "api") == ("project:api ", 12)
    assert completed("project:a", 9, at, "my api") == ('project:"my api" ', 17)
    assert proposals(at, [("web", 9), ("api", 4), ("data", 2)]) == [("api", 4), ("data", 2)]


async def test_a_key_and_then_a_value_are_completed_with_tab() -> None:
    library = FakeLibrary(hits=HITS)
    library.all_values["tool"] = [("bash", 1234), ("batch", 5), ("read", 3)]
    async with shell(library) as sh:
        await sh.press("slash", *"too", "tab")
        assert sh.bar.value == "tool:"
        await sh.press(*"ba")
        assert "tab  bash 1,234 · batch 5" in sh.text
        await sh.press("tab")
        assert sh.bar.value == "tool:bash "
        await sh.press("tab")
        assert not sh.bar.field.has_focus


async def test_values_that_came_since_are_offered_too() -> None:
    library = FakeLibrary(hits=HITS)
    library.all_values["tool"] = [("bash", 1)]
    async with shell(library) as sh:
        await sh.press("slash", *"tool:ba")
        assert "bash 1" in sh.text

        library.all_values["tool"] = [("batch", 5), ("bash", 1)]
        await sh.press("f5", "ctrl+u", *"tool:ba")
        assert "batch 5" in sh.text


async def test_the_query_is_coloured_as_it_is_understood() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.type('kind:foo "a b"')
        field = sh.screen.query_one(QueryInput)
        styles = {(span.start, span.end): span.style for span in field._value.spans}
        assert styles == {(0, 5): "bold cyan", (5, 8): "underline red", (9, 14): "green"}


async def test_a_query_comes_back_from_the_history() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        sh.screen.queries = Queries()
        await sh.type("connection")
        await sh.type("refused")
        await sh.press("ctrl+r", "down", "enter")
        assert sh.bar.value == "connection"
        assert sh.screen.queries.asked[:2] == ["connection", "refused"]


def test_queries_outlive_the_program_and_a_broken_file_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "own" / "queries.json"
    told = Queries(path)
    for text in ("one", "two", "one", " "):
        told.add(text)
    assert told.keep("two")
    again = Queries(path)
    assert (again.asked, again.kept) == (["one", "two"], ["two"])
    assert path.stat().st_mode & 0o777 == 0o600
    assert not again.keep("two")
    path.write_text("[")
    assert Queries(path).asked == []


async def test_a_facet_narrows_the_query() -> None:
    library = FakeLibrary(hits=HITS)
    library.counted_facets = Facets({"tool": (("bash", 3),), "project": (("my api", 2),)}, 3, True)
    async with shell(library) as sh:
        await sh.type("connection")
        assert "i  bash 3 · my api 2" in sh.text
        await sh.press("escape", "i", "down", "enter")
        assert sh.bar.value == 'connection project:"my api"'


async def test_counts_about_more_than_the_hits_are_not_shown() -> None:
    library = FakeLibrary(hits=HITS)
    about: dict[str, tuple[tuple[str, int], ...]] = {"tool": (("bash", 61),)}
    library.counted_facets = Facets(about, 61, False)
    async with shell(library) as sh:
        await sh.type("connection")
        assert "bash 61" not in sh.text
        library.counted_facets = Facets(about, len(HITS), False)
        await sh.type("refused")
        assert "i  about: bash 61" in sh.text


async def test_facets_take_the_lines_they_need() -> None:
    library = FakeLibrary(hits=HITS)
    kinds = (("tool_output", 2), ("tool_input", 2))
    tools = (("grep", 2), ("bash", 1))
    library.counted_facets = Facets({"kind": kinds, "tool": tools}, 7, True)
    async with shell(library) as sh:
        await sh.type("connection")
        lines = [line.split("│")[0].rstrip() for line in sh.text.splitlines()]
        at = next(n for n, line in enumerate(lines) if line.startswith(" i  "))
        assert lines[at : at + 2] == [" i  tool_output 2 · tool_input 2 · grep 2", "    bash 1"]
        await sh.pilot.resize_terminal(90, 40)
        await sh.rest()
        assert "i  tool_output 2 · tool_input 2 · grep 2 · bash 1" in sh.text


async def test_what_the_hits_are_is_counted_once_the_query_is_typed() -> None:
    """Not for each letter; what was counted before stays until then, so that no list jumps."""
    library = FakeLibrary(hits=HITS)
    library.counted_facets = Facets({"tool": (("bash", 3),)}, 3, True)
    async with shell(library) as sh:
        await sh.type("connect")
        top = sh.hits.region.y
        library.counted_facets = Facets({"tool": (("grep", 2),)}, 2, True)
        await sh.pilot.press(*"ion")
        while "search connection" not in library.asked or sh.screen.hits.answer is None:
            await sh.pilot.pause()
        assert sum(call.startswith("facets") for call in library.asked) == 1
        assert "i  bash 3" in sh.text
        assert sh.hits.region.y == top
        await sh.rest()
        assert "facets connection" in library.asked
        assert "i  grep 2" in sh.text


async def test_literal_mode_scans_and_back() -> None:
    library = FakeLibrary(hits=HITS)
    async with shell(library) as sh:
        await sh.type("connection")
        await sh.press("escape", "equals_sign")
        assert "scan connection" in library.asked
        assert "Hits, literal" in sh.text
        assert len(sh.hits.hits) == 3
        await sh.press("equals_sign")
        assert library.asked.count("search connection") == 2


async def test_a_digit_takes_a_way_out() -> None:
    library = FakeLibrary(hits=HITS)
    library.diagnosis = (
        {"check": "word", "message": "“conection” does not occur anywhere", "query": "connection"},
        {"check": "coverage", "message": "2 of 9 parts are not indexed yet", "query": None},
        {"check": "literal", "message": "as exact text it is there", "query": "conection",
         "literal": True},
    )  # fmt: skip
    async with shell(library) as sh:
        await sh.type("conection")
        assert "“conection” does not occur anywhere" in sh.text
        assert "  1   ask connection" in sh.text
        await sh.press("escape", "2")
        assert "scan conection" in library.asked
        await sh.press("equals_sign")
        await sh.press("1")
        assert sh.bar.value == "connection"
        assert len(sh.hits.hits) == 3


async def test_synthetic_text_and_back() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.type("connection")
        await sh.press("escape", "x")
        assert sh.bar.value == "connection is:synthetic"
        await sh.press("x")
        assert sh.bar.value == "connection"


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (80, ["i  output 9 · error 4 · bash 12"]),
        (24, ["i  output 9 · error 4", "   bash 12"]),
        (4, ["i  output 9", "   error 4", "   bash 12"]),
    ],
)
def test_facets_break_between_two_of_them(width: int, lines: list[str]) -> None:
    counts = {"kind": (("output", 9), ("error", 4)), "tool": (("bash", 12),)}
    assert facets(Facets(counts, 13, True), width) == lines
