"""A tool's call says what ran, how it went, and shows what was given and what came of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from store.model import Part, Tool
from tests.tui.samples import CONTENTS, FAILURE, NOON, marked, part, said
from tui.render.excerpt import Look
from tui.render.part import (
    heading,
    input_text,
    is_error,
    part_rows,
    plain_text,
    render_part,
    usual_fold,
)


def shown(found: Part, *, width: int = 80, folded: bool = False, **more: Any) -> list[str]:
    return said(render_part(found, width=width, folded=folded, **more))


@pytest.mark.parametrize(
    ("sample", "left", "figures"),
    [
        ("bash", "✗ bash  pytest -x tests/pool", ("exit 1", "8.4 s", "213 lines")),
        ("read", "✓ read  src/db/pool.py 1-80", ("", "12 ms", "80 lines")),
        ("edit", "✎ edit  src/db/pool.py", ("", "31 ms", "+3 −2")),
        ("write", "✎ write  notes.md", ("", "", "+3")),
        ("error", "✗ webfetch  http://127.0.0.1:9/nothing", ("failed", "5 ms", "")),
        ("running", "… bash  sleep 600", ("running", "", "")),
        ("todo", "✓ todowrite  1 of 4 todos done", ("", "", "1 line")),
        ("task", "✓ task  explore: who opens connections", ("", "1 m 35 s", "5 lines")),
        ("grep", "✓ grep  PoolTimeout *.py in /home/ada/src/api", ("", "", "3 lines")),
        ("mcp", "✓ tracker_search", ("", "", "1 line")),
    ],
)
def test_headings_say_what_ran_and_line_up(
    sample: str, left: str, figures: tuple[str, str, str]
) -> None:
    right = "{:>11}{:>9}{:>13} ▸".format(*figures).lstrip()
    assert shown(part(sample), folded=True) == [f"  {left}" + right.rjust(78 - len(left))]


def test_an_interrupted_call_says_so() -> None:
    found = part("running", flags=("interrupted",))
    assert "interrupted" in shown(found, folded=True)[0]


def test_a_narrow_heading_keeps_the_sign_the_name_and_what_failed() -> None:
    assert shown(part("bash"), width=24, folded=True) == ["  ✗ bash  py…   exit 1 ▸"]


def test_a_shell_shows_its_command_and_the_ends_of_a_long_output() -> None:
    rows = shown(part("bash"))
    assert rows[1:3] == [
        "    $ pytest -x tests/pool",
        "    tests/pool/test_case_000.py::test_0 PASSED",
    ]
    assert rows[42] == "    ⋯ 153 lines hidden · space shows them · enter opens all"
    assert len(rows) == 2 + 40 + 1 + 20


def test_all_of_the_output_is_there_when_expanded() -> None:
    assert shown(part("bash"), expanded=True)[2:] == [f"    {line}" for line in FAILURE.split("\n")]


def test_a_match_inside_the_hidden_middle_is_shown_with_its_neighbours() -> None:
    rows = render_part(part("bash"), width=80, folded=False, terms=("connection refused",))
    place = next(number for number, row in enumerate(rows) if row.match)
    assert said(rows)[place - 4 : place + 5] == [
        "    ⋯ 62 lines hidden · space shows them · enter opens all",
        "    tests/pool/test_case_102.py::test_102 PASSED",
        "    tests/pool/test_case_103.py::test_103 PASSED",
        "    tests/pool/test_start.py:31: OperationalError",
        "    could not connect: connection refused at 10.0.0.7:5432",
        "    tests/pool/test_late_000.py::test_0 PASSED",
        "    tests/pool/test_late_001.py::test_1 PASSED",
        "    tests/pool/test_late_002.py::test_2 PASSED",
        "    ⋯ 84 lines hidden · space shows them · enter opens all",
    ]
    assert marked(rows) == ["connection refused"]


def test_a_folded_call_says_that_a_match_is_inside() -> None:
    rows = render_part(part("bash"), width=80, folded=True, terms=("refused",))
    assert said(rows)[0].startswith("  ✗ bash  match inside  pytest -x")
    assert [(row.role, row.match) for row in rows] == [("inside", True)]
    seen = render_part(part("bash"), width=80, folded=True, terms=("pytest",))
    assert said(seen)[0].startswith("  ✗ bash  pytest -x")
    assert marked(seen) == ["pytest"]


def test_hidden_letters_of_one_long_line_are_counted() -> None:
    tool = Tool(name="bash", status="completed", input={"command": "x"}, output="a" * 76 * 100)
    assert shown(part(tool))[42].startswith(f"    ⋯ {76 * 40:,} characters hidden")


def test_an_error_is_in_the_colour_of_errors() -> None:
    rows = render_part(part("error"), width=80, folded=False)
    assert said(rows)[1:] == [
        "    url: http://127.0.0.1:9/nothing",
        "    format: markdown",
        "    Transport error (GET http://127.0.0.1:9/nothing)",
    ]
    assert rows[-1].base == "$error"
    assert is_error(part("error"))


def test_a_long_error_is_broken_between_words() -> None:
    tool = Tool("x", status="error", error="The model was asked to read the file first")
    assert shown(part(tool), width=30)[1:] == [
        "    The model was asked to",
        "    read the file first",
    ]


def test_an_edit_that_failed_counts_no_lines() -> None:
    given = {"filePath": "a", "oldString": "x", "newString": "y"}
    tool = Tool("edit", status="error", input=given, error="no match")
    rows = shown(part(tool))
    assert rows[0].split() == ["✗", "edit", "a", "failed", "▾"]
    assert rows[1:] == ["    - x", "    + y", "    no match"]


def test_an_edit_shows_its_diff() -> None:
    rows = shown(part("edit"))
    assert rows[1:6] == [
        "    /home/ada/src/api/src/db/pool.py",
        "    38       def __init__(self, size, workers):",
        "    39           self.lock = Lock()",
        "    40           self.free = []",
        "    41 -         self.size = size",
    ]


def test_an_edit_without_a_diff_is_compared() -> None:
    tool = Tool(
        "edit", status="completed", input={"file_path": "a", "old_string": "x", "new_string": "y"}
    )
    assert shown(part(tool))[1:] == ["    - x", "    + y"]


def test_several_edits_in_one_call() -> None:
    edits = [{"oldString": "a", "newString": "b"}, {"oldString": "c", "newString": "d"}]
    tool = Tool("multiedit", status="completed", input={"filePath": "f.py", "edits": edits})
    assert shown(part(tool))[1:] == ["    - a", "    + b", "    ⋯", "    - c", "    + d"]


def test_todos_are_boxes() -> None:
    assert shown(part("todo"))[1:] == [
        "    [x] Find where the pool is made",
        "    [>] 修复连接池的大小",
        "    [ ] Run the tests",
        "    [-] Rewrite the retry code",
    ]


def test_a_sub_agent_is_asked_and_answers_in_prose() -> None:
    assert shown(part("task"))[4:] == [
        "    Find every place that opens a connection.",
        "",
        "    Three places:",
        "",
        "    • pool.py",
        "    • health.py",
        "    • migrate.py",
    ]


def test_an_unknown_tool_shows_its_input_as_a_tree() -> None:
    assert shown(part("mcp"))[1:] == [
        "    query:",
        "      state: open",
        "      labels:",
        "        - pool",
        "        - bug",
        "    limit: 5",
        "    exact: false",
        "",
        "    issues: []",
    ]


def test_attachments_and_spilled_output_are_named() -> None:
    tool = CONTENTS["image"]
    assert isinstance(tool, Tool)
    tool = replace(tool, spilled="/tmp/tool_1")
    assert shown(part(tool))[-2:] == ["    whole output: /tmp/tool_1", "    @ shot.png image/png"]


def test_what_starts_folded() -> None:
    folded = {
        name
        for name in ("bash", "read", "edit", "write", "error", "todo", "task")
        if usual_fold(part(name)) == "folded"
    }
    assert folded == {"read", "task"}
    long = Tool("write", status="completed", input={"filePath": "a", "content": "x\n" * 200})
    assert usual_fold(part(long)) == "folded"


def test_what_failed_shows_how_it_ended_without_being_asked() -> None:
    tool = CONTENTS["bash"]
    assert isinstance(tool, Tool)
    failed = part(replace(tool, output="\n".join(f"line {n}" for n in range(200)), exit=2))
    assert usual_fold(failed) == "brief"
    assert usual_fold(part(replace(tool, exit=0))) == "folded"
    rows = [row.text for row in part_rows(failed, Look(80, brief=True))][2:]
    assert rows[:6] == [f"line {n}" for n in range(6)]
    assert rows[6] == "⋯ 182 lines hidden · space shows them · enter opens all"
    assert rows[7:] == [f"line {n}" for n in range(188, 200)]


def test_copies_are_exactly_what_is_stored() -> None:
    stored = "\x1b[31mred\x1b[0m\ttab\r\nend \n"
    tool = Tool("bash", status="completed", input={"command": "ls\n-l"}, output=stored, ended=NOON)
    assert plain_text(part(tool)) == stored
    assert input_text(part(tool)) == "ls\n-l"
    assert plain_text(part("error")) == "Transport error (GET http://127.0.0.1:9/nothing)"
    assert input_text(part("grep")) == (
        '{\n  "pattern": "PoolTimeout",\n  "path": "/home/ada/src/api",\n  "include": "*.py"\n}'
    )
    assert heading(part("bash")) == "✗ bash  pytest -x tests/pool  exit 1  8.4 s  213 lines"


@pytest.mark.parametrize(
    "given", [None, [], "text", 3, {"command": 5}, {"todos": "x"}, {"edits": [1]}]
)
@pytest.mark.parametrize("name", ["bash", "edit", "todowrite", "task", "read", "grep", "x", ""])
def test_odd_input_is_shown_all_the_same(name: str, given: Any) -> None:
    rows = shown(part(Tool(name, status="completed", input=given, output="done")))
    assert rows[0].startswith(("  ✓", "  ✎"))
    assert rows[-1].strip() == "done"


def test_a_call_of_no_tool_at_all_has_failed() -> None:
    asked = {"tool": "postgres", "error": "Model tried to call unavailable tool 'postgres'."}
    told = Tool("invalid", status="completed", title="Invalid Tool", input=asked, output="None.")
    head = heading(part(told))
    assert head.startswith("✗ invalid")
    assert "failed" in head
    assert is_error(part(told))
    assert not is_error(part(replace(told, name="valid")))


def test_what_a_call_is_about_has_the_room_that_its_figures_leave() -> None:
    long = "docker compose logs --since 1h gateway postgres redis"
    content = CONTENTS["bash"]
    assert isinstance(content, Tool)
    told = replace(content, input={"command": long})
    (row,) = shown(part(told), width=96, folded=True)
    figures = "exit 1  8.4 s  213 lines ▸"
    assert row == f"  ✗ bash  {long}" + figures.rjust(86 - len(long))
    (narrow,) = shown(part(told), width=76, folded=True)
    assert narrow == "  ✗ bash  docker compose logs --since 1h gatew…   exit 1  8.4 s  213 lines ▸"
