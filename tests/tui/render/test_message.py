"""A message shows who spoke, when, and its parts; a window knows where each of them is."""

from __future__ import annotations

from datetime import timedelta, timezone

from store.model import Text
from tests.tui.samples import NOON, conversation, message, part, said, window
from tui.render.layout import Choice, Layout, lay_out, stops
from tui.render.message import Rendered, render_message

UTC = timezone.utc  # noqa: UP017
BEIJING = timezone(timedelta(hours=8))


def laid(choice: Choice | None = None, width: int = 80) -> Layout:
    return lay_out(conversation(), choice or Choice(), width, {})


def test_the_heading_says_who_when_and_how_long() -> None:
    mine = render_message(message(0, "user", Text("Go on.")), width=50, zone=UTC)
    assert said(mine) == ["you" + "28 Nov 12:00:00".rjust(47), "  Go on.", ""]
    row = said(render_message(message(1, "assistant", "agent"), width=50, before=NOON, zone=UTC))[0]
    assert row == "build · 3.2 s · gpt-5.2" + "12:00:03".rjust(27)


def test_a_narrow_heading_cuts_what_it_says_between_name_and_time() -> None:
    for width in range(22, 50):
        one = render_message(message(1, "assistant", "agent"), width=width, zone=UTC)
        row = said(one)[0]
        assert len(row) == width
        assert row.startswith("build ")
        assert row.endswith(" 28 Nov 12:00:03")
    row = said(render_message(message(1, "assistant", "agent"), width=34, zone=UTC))[0]
    assert row == "build · 3.2 s · g… 28 Nov 12:00:03"


def test_a_new_day_is_named_in_the_zone_of_the_reader() -> None:
    late = message(0, "user", Text("x"), time=NOON + 5 * 3_600_000)
    assert said(render_message(late, width=40, before=NOON, zone=UTC))[0].endswith(" 17:00:00")
    row = said(render_message(late, width=40, before=NOON, zone=BEIJING))[0]
    assert row == "you" + "29 Nov 01:00:00".rjust(37)


def test_parts_with_a_body_stand_apart_and_single_rows_do_not() -> None:
    rows = said(
        render_message(message(1, "assistant", "agent", "retry", "todo", "agent"), width=60)
    )
    assert [row.strip()[:8] for row in rows[1:]] == [
        "@ agent ",
        "↻ retry ",
        "✓ todowr",
        "[x] Find",
        "[>] 修复连接",
        "[ ] Run ",
        "[-] Rewr",
        "",
        "@ agent ",
        "",
    ]


def test_the_end_of_a_step_stands_close_to_what_was_said() -> None:
    rows = said(render_message(message(1, "assistant", Text("Done."), "step-finish"), width=60))
    assert rows[1] == "  Done."
    assert rows[2].startswith("  · step  $0.0123")


def test_a_step_shows_only_its_end_and_a_step_without_one_its_start() -> None:
    whole = render_message(message(1, "assistant", "step-start", "agent", "step-finish"), width=60)
    assert [row.part for row in whole] == ["", "prt_1_1", "prt_1_2", ""]
    broken = render_message(message(1, "assistant", "step-start", "agent"), width=60)
    assert "· step  started" in said(broken)[1]


def test_the_error_of_a_message_stands_below_it() -> None:
    rows = render_message(message(1, "assistant", error="APIError: 429\nslow down"), width=60)
    assert said(rows)[1:] == ["  ✗ error", "    APIError: 429", "    slow down", ""]


def test_a_message_that_is_gone_carries_its_parts_along() -> None:
    rows = render_message(message(1, "user", Text("x"), fate="reverted"), width=60)
    assert "you  reverted" in rows[0].text
    assert [row.fate for row in rows] == ["reverted"] * 3
    assert said(rows)[1] == "  x"


def test_blocks_cover_the_rows_of_their_parts() -> None:
    layout = laid()
    for block in layout.blocks:
        assert block.part is not None
        assert {row.part for row in layout.rows[block.start : block.end]} == {block.part.id}
    found = layout.find("prt_3_2")
    assert found is not None
    assert layout.block_at(layout.blocks[found].end - 1) == found
    first = layout.find("msg_3")
    assert first is not None
    assert layout.blocks[first].id == "prt_3_1"


def test_moving_stops_at_parts_but_not_at_steps() -> None:
    layout = laid()
    assert [layout.blocks[place].id for place in stops(layout)][:7] == [
        "prt_2_0",
        "prt_3_1",
        "prt_3_2",
        "prt_3_3",
        "prt_3_4",
        "prt_3_5",
        "prt_3_6",
    ]


def test_a_message_without_parts_is_a_stop_of_its_own() -> None:
    layout = lay_out(window(message(1, "assistant", error="aborted")), Choice(), 60, {})
    assert [(block.id, block.part) for block in layout.blocks] == [("msg_1#", None)]


def test_the_error_of_a_message_with_parts_is_a_stop_behind_them() -> None:
    layout = lay_out(window(message(1, "assistant", "agent", error="aborted")), Choice(), 60, {})
    assert [(block.id, block.start, block.end) for block in layout.blocks] == [
        ("prt_1_0", 1, 2),
        ("msg_1#", 2, 4),
    ]
    assert layout.find("msg_1") == 0


def test_filters_leave_only_what_is_asked_for() -> None:
    tools = [block.id for block in laid(Choice(tools_only=True)).blocks]
    assert tools == ["prt_3_2", "prt_3_3", "prt_3_4", "prt_3_5", "prt_5_0", "prt_5_1", "prt_5_2"]
    errors = [block.id for block in laid(Choice(errors_only=True)).blocks]
    assert errors == ["prt_3_2", "prt_3_5"]
    gone = window(
        message(1, "user", Text("a"), part(Text("b"), "prt_b", fate="removed")),
        message(2, "user", Text("c"), fate="reverted"),
    )
    kept = lay_out(gone, Choice(leftovers=False), 60, {})
    assert [block.id for block in kept.blocks] == ["prt_1_0"]


def test_a_text_that_said_something_else_before_is_labelled() -> None:
    told = message(1, "user", part(Text("b"), "prt_b", flags=("edited",)))
    rows = render_message(told, width=60)
    assert [row.text for row in rows][1:3] == ["edited", "b"]
    assert rows[1].base == "$text-muted"


def test_rows_of_unchanged_parts_are_made_once() -> None:
    known: Rendered = {}
    lay_out(conversation(), Choice(), 80, known)
    made = known["prt_3_6", NOON, "live", "open"]
    lay_out(conversation(), Choice(folds={"prt_3_1": "open"}), 80, known)
    assert known["prt_3_6", NOON, "live", "open"] is made
    assert ("prt_3_1", NOON, "live", "open") in known


def test_rows_of_a_part_that_went_on_are_made_anew() -> None:
    known: Rendered = {}
    render_message(message(1, "assistant", part("running", "p")), width=60, known=known)
    later = part("bash", "p", updated=NOON + 1)
    rows = render_message(message(1, "assistant", later), width=60, known=known)
    assert "✗ bash" in rows[1].text


def test_matches_are_found_in_reading_order() -> None:
    layout = laid(Choice(terms=("pool.py",)))
    assert [layout.rows[row].part for row in layout.matches] == [
        "prt_3_3",
        "prt_3_4",
        "prt_3_4",
        "prt_5_1",
    ]
    assert [layout.rows[row].role for row in layout.matches][-1] == "inside"


def test_a_message_that_the_program_put_in_is_not_mine() -> None:
    (heading, *_) = render_message(message(1, "user", "text", flags=("synthetic",)), width=60)
    assert heading.text.startswith("system ")
