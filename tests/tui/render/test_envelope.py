"""What programs put around a text for a model is not shown; copies keep it."""

from __future__ import annotations

import pytest

from store.model import Compaction, Content, Text, Tool
from tests.tui.samples import part, said
from tui.render.envelope import inside, lines_read
from tui.render.part import heading, plain_text, render_part

CODE = "\n".join(f"{number}: line {number}" for number in range(40, 61))
FILE = (
    "<path>/home/ada/a.py</path>\n<type>file</type>\n<content>\n"
    f"{CODE}\n\n(End of file - total 60 lines)\n</content>"
)
TASK = (
    '<task id="ses_2" state="completed">\n<task_result>\nThree **places**.\n</task_result>\n</task>'
)


def shown(content: Content, *terms: str, flags: tuple[str, ...] = ()) -> str:
    rows = render_part(part(content, flags=flags), width=80, folded=False, terms=terms)
    return "\n".join(said(rows))


def tool(name: str, output: str, title: str = "") -> Tool:
    return Tool(name, status="completed", output=output, title=title)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        (FILE, CODE),
        ("<file>\n00001| a\n\n(End of file - total 1 lines)\n</file>", "00001| a"),
        (
            "<path>/x</path>\n<type>x</type>\n<entries>\na/\nb.py\n\n(2 entries)\n</entries>",
            "a/\nb.py",
        ),
        (f"{FILE}\n\n<system-reminder>\nMind it.\n</system-reminder>",
         f"{CODE}\n\n<system-reminder>\nMind it.\n</system-reminder>"),
        (TASK, "Three **places**."),
        ("task_id: ses_2 (for resuming)\n\n<task_result>\nDone.\n</task_result>", "Done."),
        ('actor_id: a-1 (for resuming)\n\n<actor_result status="unknown">\nDone.\n</actor_result>',
         "Done."),
        ('<skill_content name="pdf">\n# Skill\n</skill_content>', "# Skill"),
        ("<summary>\nSo far.\n</summary>", "So far."),
        ("<summary>a</summary> and <summary>b</summary>",
         "<summary>a</summary> and <summary>b</summary>"),
        ("<summary>\nnever closed", "<summary>\nnever closed"),
        ("</summary><summary>", "</summary><summary>"),
        ("<html>\n<p>own</p>\n</html>", "<html>\n<p>own</p>\n</html>"),
        ("", ""),
    ],
)  # fmt: skip
def test_only_what_is_inside_is_left(text: str, held: str) -> None:
    assert inside(text) == held


def test_a_file_read_counts_its_own_lines_and_says_where_it_began() -> None:
    read = tool("read", FILE, title="a.py")
    assert heading(part(read)) == "✓ read  a.py 40-60  21 lines"
    assert "content>" not in shown(read)
    assert "End of file" not in shown(read)
    assert plain_text(part(read)) == FILE


def test_a_whole_file_has_no_range_and_one_cut_short_keeps_the_note() -> None:
    whole = FILE.replace("40: ", "1: ")
    assert lines_read(whole) == (1, 60, True)
    short = "<file>\n1: a\n2: b\n\n(File has more lines. Use 'offset' to read on)\n</file>"
    assert heading(part(tool("read", short, title="a.py"))) == "✓ read  a.py 1-2  2 lines"
    assert "File has more" in shown(tool("read", short))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (tool("task", TASK), "Three places."),
        (tool("skill", '<skill_content name="pdf">\nRead it.\n</skill_content>'), "Read it."),
        (Compaction(text="<summary>\nSo far.\n</summary>"), "So far."),
        (Text(FILE), "40: line 40"),
    ],
)
def test_nothing_of_the_wrapping_is_on_the_screen(content: Content, words: str) -> None:
    rows = shown(content, flags=("synthetic",))
    assert words in rows
    assert "<" not in rows
    assert "‹" not in rows


def test_a_match_in_the_wrapping_alone_is_shown() -> None:
    assert "task_result" in shown(tool("task", TASK), "task_result")


def test_what_a_command_printed_is_its_own() -> None:
    printed = Tool("bash", status="completed", input={"command": "cat x"}, output=TASK)
    assert "<task_result>" in shown(printed)


def test_a_title_that_is_the_name_is_not_said_again() -> None:
    call = tool("postgres_query", "1", title="postgres_query")
    assert heading(part(call)) == "✓ postgres_query  1 line"
