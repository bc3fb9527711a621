"""What a tool printed is shown by what it is, and never loses a word by it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Span

from store.model import Tool
from tests.tui.samples import part
from tui.render.excerpt import AROUND, Look, output_rows
from tui.render.message import render_message
from tui.render.paints import (
    Paint,
    diff_paint,
    grep_paint,
    is_log,
    log_paint,
    paths_paint,
    read_paint,
)
from tui.render.part import copied, render_part
from tui.render.printed import as_json, command_rows, is_markdown, paint_for, printed_rows
from tui.render.row import Marker, Spans
from tui.render.separated import separated
from tui.render.todos import todo_rows

MUTED = "$text-muted"


def painted(paint: Paint, lines: list[str]) -> dict[int, Spans]:
    """The colours of all lines."""
    return paint(lines, range(len(lines)))


def texts(tool: Tool, width: int = 80) -> list[str]:
    return [
        " " * row.indent + row.text for row in render_part(part(tool), width=width, folded=False)
    ]


def test_a_file_that_was_read_has_quiet_numbers_and_the_colours_of_its_language() -> None:
    lines = ["<content>", "1: def f():", "2:     return 'x'", "(End of file - total 2 lines)"]
    spans = painted(read_paint("src/a.py"), lines)
    assert spans[0] == (Span(0, 9, MUTED),)
    assert spans[1][:2] == (Span(0, 3, MUTED), Span(3, 6, "$accent"))
    assert spans[2][-1] == Span(16, 17, "$success")
    assert painted(read_paint("unheard.of"), lines)[1] == (Span(0, 3, MUTED),)


def test_matches_stand_under_their_files() -> None:
    lines = ["Found 1 match", "/src/a.go:", "  Line 12: store.Open(x)", "b.py:3:Open"]
    spans = painted(grep_paint("Open|Close"), lines)
    assert spans[1] == (Span(0, 10, "bold"),)
    assert spans[2] == (Span(0, 10, MUTED), Span(17, 21, "bold $accent"))
    assert spans[3] == (
        Span(0, 4, "$secondary"), Span(4, 7, MUTED), Span(7, 11, "bold $accent")
    )  # fmt: skip


def test_a_pattern_of_someone_else_is_never_run() -> None:
    assert painted(grep_paint("(a+)+$"), ["f:1:" + "a" * 50])[0] == (
        Span(0, 1, "$secondary"), Span(1, 4, MUTED)
    )  # fmt: skip


def test_folders_of_paths_step_back() -> None:
    paths = ["/a/b/c.py", "c.py", "two words/x"]
    assert painted(paths_paint, paths) == {0: (Span(0, 5, MUTED),)}


def test_a_log_is_known_by_its_times_and_levels() -> None:
    lines = ["2026-11-28T10:00:01Z ERROR no pool", "10:00:02 WARN slow", "10:00:03 ok"]
    assert is_log(lines)
    assert painted(log_paint, lines)[0] == (Span(0, 20, MUTED), Span(21, 26, "$error"))
    assert not is_log(["total 12", "drwx 10:00", "x"])


def test_a_diff_that_was_printed_is_coloured() -> None:
    assert paint_for("diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b") is diff_paint
    assert paint_for("\x1b[31mdiff --git a b") is None


def test_json_becomes_a_tree_and_markdown_is_read() -> None:
    look = Look(60)
    assert [row.text for row in printed_rows('{"a": [1, "x"]}', look)] == ["a:", "- 1", "- x"]
    assert as_json("[1, 2") is None
    assert is_markdown("# Title\n\n- one\n- two")
    assert not is_markdown("- one\n- two")
    assert printed_rows("# Title\n\n* **one**", look)[-1].text == "• one"


def test_a_question_shows_its_choices_and_the_answer() -> None:
    tool = Tool(
        "question", status="completed",
        input={"questions": [{"question": "Which port?", "header": "Fix", "options": [
            {"label": "Config", "description": "read it"}, {"label": "6432"}]}]},
        output="User has answered", meta={"answers": [["6432", "other"]]},
    )  # fmt: skip
    rows = texts(tool)
    assert rows[0].split("  ")[1:3] == ["✓ question", "Which port? → 6432, other"]
    assert rows[1:] == [
        "    Fix",
        "    Which port?",
        "      ( ) Config  read it",
        "      (•) 6432",
        "      (•) other  typed",
    ]


def test_a_list_of_things_to_do_says_what_changed() -> None:
    look = Look(60, earlier=(("pending", "test"), ("pending", "write"), ("pending", "drop")))
    rows = todo_rows([("completed", "test"), ("pending", "write"), ("pending", "ship")], look)
    assert [row.text for row in rows] == [
        "[x] test  · was pending",
        "[ ] write",
        "[ ] ship  · new",
        "--- drop  · taken off the list",
    ]


def test_the_list_before_is_that_of_the_same_slice() -> None:
    from tests.tui.samples import conversation

    item = conversation().messages[1]
    calls = [
        replace(part(Tool("todowrite", status="completed", input={"todos": [
            {"content": "test", "status": status}]})), id=f"prt_{status}")
        for status in ("pending", "completed")
    ]  # fmt: skip
    rows = render_message(replace(item, parts=tuple(calls)), width=80, earlier={})
    assert [row.text for row in rows if "test" in row.text] == [
        "[ ] test",
        "[x] test  · was pending",
    ]


@given(st.text(max_size=200))
def test_a_paint_fits_any_lines(text: str) -> None:
    lines = text.split("\n")
    for paint in (read_paint("a.py"), grep_paint("a|b"), paths_paint, log_paint, diff_paint):
        for place, spans in painted(paint, lines).items():
            assert all(0 <= span.start <= span.end <= len(lines[place]) for span in spans)


@given(st.lists(st.text("ab 连\t", max_size=30), max_size=30), st.booleans())
def test_an_excerpt_is_head_tail_and_matches_of_the_whole(lines: list[str], words: bool) -> None:
    text, look = "\n".join(lines), Look(8, marker=Marker(["aba"]))
    whole = output_rows(text, look, indent=0, words=words, head=10_000)
    rows = output_rows(text, look, indent=0, words=words, head=4, tail=3)
    kept = {*range(4), *range(len(whole) - 3, len(whole))}
    for place, row in enumerate(whole[4:-3], 4):
        kept |= set(range(place - AROUND, place + AROUND + 1)) if row.match else set()
    kept |= {place for place in range(len(whole)) if {place - 1, place + 1} <= kept}
    expected = [row for place, row in enumerate(whole) if place in kept]
    shown = [row for row in rows if row.role != "gap"]
    assert shown in (whole, expected)
    assert len(shown) == len(rows) or shown == expected


def test_only_what_is_shown_is_coloured() -> None:
    asked: list[int] = []

    def paint(lines: list[str], places: Iterable[int]) -> dict[int, Spans]:
        asked.extend(places)
        return {}

    text = "\n".join(f"line {number}" for number in range(1000))
    output_rows(text, Look(40, marker=Marker(["line 500"])), head=3, tail=2, paint=paint)
    assert asked == [0, 1, 2, *range(497, 504), 998, 999]


def test_lines_with_a_match_are_found_at_once_and_not_over_their_ends() -> None:
    lines = ["no pool", "of Pöols", "pool", "start", "pool start", ""]
    assert Marker(["pool start"]).lines(lines) == [4]
    assert Marker(["pool start", "pool"]).lines(lines) == [0, 1, 2, 4]
    assert Marker(["pool"]).lines([]) == []


CSV = 'name,size,owner\npool.py,1204,ada\n"a, b.txt",3,连接\n'


def test_values_between_commas_stand_in_columns() -> None:
    rows = command_rows(CSV, Look(80), indent=0)
    assert [row.text for row in rows] == [
        "name      size  owner",
        "────────  ────  ─────",
        "pool.py   1204  ada",
        "a, b.txt  3     连接",
    ]


def test_a_shell_shows_such_a_table_and_copies_what_was_printed() -> None:
    tool = Tool("bash", status="completed", input={"command": "cat a.csv"}, output=CSV)
    assert texts(tool, 60)[2] == "    name      size  owner"
    assert copied(part(tool), "text")[0] == CSV


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a,b\n1,2\n", "too few lines"),
        ("a,b\n1,2\n3\n", "a line with other cells"),
        ("1,2\n3,4\n5,6\n", "a head of numbers"),
        ("a,a\n3,4\n5,6\n", "a name twice"),
        ("Well, yes\nNo, not so\nSo, what\n", "sentences"),
        ('a,b\n"1,2\n3,4\n', "a quote that is not closed"),
        ("a,b\n1,\x1b[31m2\n3,4\n", "colours"),
        ("a,b\n" + "1,2\n" * 600, "too many lines"),
    ],
)
def test_what_is_not_surely_a_table_stays_as_it_was_printed(text: str, why: str) -> None:
    assert separated(text) is None, why


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separators(separator: str) -> None:
    lines = ["x,y", "1,2", "3,"]
    text = "\r\n".join(lines).replace(",", separator)
    assert separated(text) == [["x", "y"], ["1", "2"], ["3", ""]]
