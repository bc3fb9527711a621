"""Every part type has rows of its own, quiet ones on a single line."""

from __future__ import annotations

import pytest

from store.model import (
    Compaction,
    Content,
    File,
    Reasoning,
    Retry,
    Snapshot,
    StepFinish,
    Text,
    Tool,
    Unknown,
)
from tests.tui.samples import ANSWER, CONTENTS, part, said
from tui.render.part import (
    can_fold,
    copied,
    heading,
    is_quiet,
    plain_text,
    render_part,
    usual_fold,
)


@pytest.mark.parametrize(
    ("sample", "left", "right"),
    [
        ("patch", "✎ patch  1 file changed", "9fceb02d ▸"),
        ("file", "@ file  pool.log text/plain", "4 B ▸"),
        ("picture", "@ file  screen.png image/png", "48.2 kB"),
        ("subtask", "↳ subtask  general: sums up", "▸"),
        ("unknown", "? hologram  depth, layers, note", "▸"),
        ("step-start", "· step  started", ""),
        (
            "step-finish",
            "· step  $0.0123 · 10,120 input · 412 output · 64 reasoning · "
            "8,192 cached · tool-calls",
            "",
        ),
        ("snapshot", "· snapshot  9fceb02d", ""),
        ("agent", "@ agent  explore", ""),
        ("retry", "↻ retry  attempt 2 429 Too Many Requests", ""),
        ("todos", "☐ todos  1 of 2 todos done", "▸"),
        ("checkpoint", "· checkpoint  3 /home/ada/.mimo/checkpoints up to msg_22d0000000", ""),
    ],
)
def test_a_part_says_in_one_row_what_it_is(sample: str, left: str, right: str) -> None:
    row = said(render_part(part(sample), width=100, folded=True))
    edge = 100 if right.endswith("▸") else 98
    assert row == [f"  {left}" + right.rjust(edge - 2 - len(left)) if right else f"  {left}"]


def test_every_part_type_has_a_sample_that_renders() -> None:
    for name in CONTENTS:
        for folded in (True, False):
            assert render_part(part(name), width=80, folded=folded), name


def test_thinking_is_folded_to_its_first_words_and_its_size() -> None:
    found = part(Reasoning("Look at the start.\n\nThen *wait*."))
    assert usual_fold(found) == "folded"
    row = "  ∴ thinking  “Look at the start. Then *wait*.”"
    assert said(render_part(found, width=80, folded=True)) == [row + "32 B ▸".rjust(80 - len(row))]
    assert said(render_part(found, width=80, folded=False))[1:] == [
        "    Look at the start.",
        "",
        "    Then wait.",
    ]


def test_text_put_in_by_the_program_is_folded_and_labelled() -> None:
    found = part(Text("Called the Read tool"), flags=("synthetic",))
    assert usual_fold(found) == "folded"
    assert said(render_part(found, width=60, folded=True))[0].startswith(
        "  ↪ injected  “Called the Read tool”"
    )


def test_what_was_said_is_never_folded() -> None:
    found = part("text")
    assert usual_fold(found) == "open"
    assert not can_fold(found)
    assert said(render_part(found, width=80, folded=True))[0].startswith("  The pool is created")


def test_ignored_and_empty_text_say_so() -> None:
    assert said(render_part(part(Text("a"), flags=("ignored",)), width=60, folded=False)) == [
        "  not sent to the model",
        "  a",
    ]
    assert said(render_part(part(Text(" \n")), width=60, folded=False)) == ["  (no text)"]


def test_a_compaction_is_a_rule_across_the_pane() -> None:
    row = "── compacted the context was full · from here on the agent knew a summary "
    assert said(render_part(part("compaction"), width=90, folded=False)) == [row.ljust(90, "─")]
    found = part(Compaction(text="The *summary*."))
    assert said(render_part(found, width=90, folded=False))[1:] == ["    The summary."]


def test_what_is_no_longer_live_says_what_became_of_it() -> None:
    rows = render_part(part("bash", fate="removed"), width=80, folded=True)
    assert said(rows)[0].startswith("  ✗ bash  removed  pytest -x tests/pool")
    assert rows[0].fate == "removed"
    said_so = render_part(part(Text("x"), fate="reverted"), width=80, folded=False)
    assert said(said_so) == ["  reverted", "  x"]
    assert heading(part("bash", fate="reverted")).endswith("213 lines  (reverted)")


def test_fields_of_an_unknown_part_are_a_tree() -> None:
    assert said(render_part(part("unknown"), width=60, folded=False))[1:] == [
        "    depth: 3",
        "    layers:",
        "      - a",
        "      - b",
        "    note: new in 2.0",
    ]


def test_deep_and_large_fields_stay_readable() -> None:
    deep: object = "end"
    for _ in range(3000):
        deep = {"in": deep}
    found = part(Unknown("deep", {"deep": deep, **{f"k{n}": n for n in range(100)}}))
    rows = said(render_part(found, width=60, folded=False))
    assert rows[1].endswith("deep:")
    assert rows[-1] == "    ⋯ 41 entries hidden · space shows them · enter opens all"


def test_steps_and_snapshots_are_passed_by() -> None:
    quiet = {name for name in CONTENTS if is_quiet(part(name))}
    assert quiet == {"step-start", "step-finish", "snapshot"}


@pytest.mark.parametrize(
    ("content", "copied"),
    [
        (Text(ANSWER), ANSWER),
        (Reasoning(" as it is\n"), " as it is\n"),
        (File(text="body", path="/a"), "body"),
        (File(url="https://example.org/a.png", filename="a.png"), "https://example.org/a.png"),
        (Retry(1, "429"), "429"),
        (StepFinish("stop"), ""),
        (Unknown("x", {"a": [1]}), '{"a": [1]}'),
    ],
)
def test_what_a_copy_holds(content: Text, copied: str) -> None:
    assert plain_text(part(content)) == copied


def test_a_list_of_things_to_do_is_boxes() -> None:
    found = part("todos")
    assert said(render_part(found, width=60, folded=False))[1:] == [
        "    [x] read the pool",
        "    [>] 补测试",
    ]
    assert plain_text(found) == "completed  read the pool\nin_progress  补测试"


@pytest.mark.parametrize(
    ("content", "first"),
    [
        (Text("Find out\nwhy."), "text  13 B"),
        (Reasoning("Look at it."), "∴ thinking  11 B"),
        (Retry(2, "429 Too Many Requests"), "↻ retry  attempt 2"),
        (Snapshot("9fceb02d0ae598e95"), "· snapshot"),
        (Tool("bash", status="completed", input={"command": "ls"}, output="ls"),
         "✓ bash  ls  1 line"),
    ],
)  # fmt: skip
def test_a_heading_above_a_copy_does_not_say_the_text_again(content: Content, first: str) -> None:
    text, name = copied(part(content), "whole")
    assert text == f"{first}\n\n{plain_text(part(content))}"
    assert name == "text with heading"
