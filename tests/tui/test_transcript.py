"""The reading pane opens at the hit, moves part by part, folds, filters, and tells the rest."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.message import Message as Event
from textual.pilot import Pilot
from textual.selection import Selection

from store.model import Text, Tool, Window
from tests.tui.samples import FAILURE, conversation, message, part, window
from tui.widgets.transcript import Transcript


class Pane(App[None]):
    """A transcript alone; keeps what it posts."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[Event] = []

    def compose(self) -> ComposeResult:
        yield Transcript()

    def keep(self, event: Event) -> None:
        self.told.append(event)

    on_transcript_widen = keep
    on_transcript_open_part = keep
    on_transcript_copy = keep
    on_transcript_show_raw = keep
    on_transcript_moved = keep


class Reader:
    """A person at the pane."""

    def __init__(self, app: Pane, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot
        self.pane = app.query_one(Transcript)

    async def show(self, window: Window, *terms: str) -> None:
        self.pane.focus()
        self.pane.show(window, terms)
        await self.settle()

    async def settle(self) -> None:
        await self.pilot.pause()
        await self.app.workers.wait_for_complete()
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    @property
    def part(self) -> str:
        found = self.pane.current_part
        return found.id if found else ""

    def screen(self) -> list[str]:
        height = self.pane.scrollable_content_region.height
        return [self.pane.render_line(y).text.rstrip() for y in range(height)]

    def told(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.app.told if isinstance(event, kind)]


@asynccontextmanager
async def reading(width: int = 80, height: int = 24) -> AsyncIterator[Reader]:
    app = Pane()
    async with app.run_test(size=(width, height)) as pilot:
        yield Reader(app, pilot)


HIT = conversation(part="prt_3_2", anchor="msg_3")


async def test_it_opens_at_the_hit_with_the_match_in_the_upper_half() -> None:
    async with reading() as reader:
        await reader.show(HIT, "connection refused")
        assert reader.part == "prt_3_2"
        row = next(y for y, text in enumerate(reader.screen()) if "connection refused" in text)
        assert row == 24 // 3
        assert reader.pane.position.text == "4 of 44 messages"


async def test_a_hit_in_what_is_usually_folded_is_unfolded_and_others_are_not() -> None:
    async with reading(height=60) as reader:
        await reader.show(conversation(part="prt_3_1"), "retry")
        text = "\n".join(reader.screen())
        assert "The retry code is not to be touched." in text
        assert "test_case_020" not in text
        assert " line\n" not in text


async def test_without_a_part_it_opens_at_the_message() -> None:
    async with reading() as reader:
        await reader.show(conversation(anchor="msg_4"))
        assert reader.part == "prt_4_0"
        assert any("Go on." in text for text in reader.screen())


async def test_another_conversation_opens_at_its_beginning() -> None:
    async with reading() as reader:
        await reader.show(conversation())
        await reader.press("j", "j", "j")
        await reader.show(conversation())
        assert reader.part == "prt_2_0"
        assert reader.pane.scroll_offset.y == 0


async def test_folding_a_part_whose_beginning_is_out_of_sight_keeps_it_in_view() -> None:
    long = Tool("bash", status="completed", output="line\n" * 500)
    later = [message(number, "user", Text(f"later {number}\n\n" * 9)) for number in range(2, 60)]
    async with reading() as reader:
        await reader.show(window(message(1, "assistant", long), *later))
        await reader.press("space", "space", "ctrl+d", "ctrl+d", "ctrl+d")
        assert reader.part == "prt_1_0"
        await reader.press("space")
        assert reader.part == "prt_1_0"
        assert any("bash" in text for text in reader.screen())


async def test_j_and_k_move_part_by_part_and_skip_steps() -> None:
    async with reading(height=70) as reader:
        await reader.show(conversation())
        seen = [reader.part]
        for _ in range(8):
            await reader.press("j")
            seen.append(reader.part)
        assert seen == [
            "prt_2_0",
            *(f"prt_3_{number}" for number in range(1, 7)),
            "prt_4_0",
            "prt_5_0",
        ]
        await reader.press("k", "k")
        assert reader.part == "prt_3_6"


async def test_a_part_taller_than_the_screen_is_read_through_first() -> None:
    async with reading(height=10) as reader:
        await reader.show(window(message(1, "user", Text("line\n\n" * 12), Text("last"))))
        tops = [reader.pane.scroll_offset.y]
        while reader.part == "prt_1_0":
            await reader.press("j")
            tops.append(reader.pane.scroll_offset.y)
        assert tops[:4] == [0, 5, 10, 14]
        assert reader.part == "prt_1_1"


async def test_capital_j_and_k_move_by_message_and_u_by_prompt() -> None:
    async with reading() as reader:
        await reader.show(conversation())
        await reader.press("J")
        assert reader.part == "prt_3_1"
        await reader.press("J")
        assert reader.part == "prt_4_0"
        await reader.press("J", "K")
        assert reader.part == "prt_4_0"
        await reader.press("U")
        assert reader.part == "prt_2_0"
        await reader.press("u")
        assert reader.part == "prt_4_0"


async def test_g_goes_to_the_ends() -> None:
    async with reading() as reader:
        await reader.show(conversation())
        await reader.press("G")
        assert (reader.part, reader.pane.scroll_offset.y) == ("prt_5_2", reader.pane.max_scroll_y)
        await reader.press("g")
        assert (reader.part, reader.pane.scroll_offset.y) == ("prt_2_0", 0)


async def test_pages_take_the_current_part_along() -> None:
    async with reading() as reader:
        await reader.show(conversation())
        await reader.press("pagedown")
        assert reader.pane.scroll_offset.y == 23
        assert reader.part == "prt_3_2"
        await reader.press("ctrl+u")
        assert reader.pane.scroll_offset.y == 11


async def test_n_goes_from_match_to_match() -> None:
    async with reading(height=20) as reader:
        await reader.show(HIT, "pool.py")
        assert reader.part == "prt_3_2"
        await reader.press("n")
        assert reader.part == "prt_3_3"
        await reader.press("n", "n")
        assert reader.part == "prt_3_4"
        await reader.press("N", "N")
        assert reader.part == "prt_3_3"


async def test_n_goes_into_a_folded_part() -> None:
    async with reading(height=30) as reader:
        await reader.show(conversation(part="prt_4_0"), "health.py")
        assert any("✓ task  match inside" in text for text in reader.screen())
        await reader.press("n")
        assert reader.part == "prt_5_1"
        assert any("• health.py" in text for text in reader.screen())
        await reader.press("n")
        assert reader.part == "prt_5_1"


async def test_text_dragged_over_with_the_mouse_is_selected() -> None:
    async with reading() as reader:
        await reader.show(conversation())
        await reader.pilot.mouse_down(Transcript, offset=(8, 1))
        await reader.pilot.hover(Transcript, offset=(20, 1))
        await reader.pilot.mouse_up(Transcript, offset=(20, 1))
        await reader.settle()
        assert reader.app.screen.get_selected_text() == "pool times ou"


async def test_space_folds_opens_and_shows_all() -> None:
    async with reading() as reader:
        await reader.show(HIT)
        heights = [reader.pane.virtual_size.height]
        for _ in range(3):
            await reader.press("space")
            heights.append(reader.pane.virtual_size.height)
        whole = FAILURE.count("\n") + 1
        assert heights[1] - heights[0] == whole - 61
        assert heights[3] == heights[0]
        assert heights[2] < heights[0]
        assert reader.part == "prt_3_2"


async def test_z_unfolds_everything_and_folds_it_again() -> None:
    async with reading(height=40) as reader:
        await reader.show(conversation())
        usual = reader.pane.virtual_size.height
        await reader.press("z")
        assert reader.pane.virtual_size.height > usual + 100
        await reader.press("z")
        assert not any("│" in text or "self.lock" in text for text in reader.screen()[:12])
        assert reader.pane.virtual_size.height < usual


async def test_filters_keep_the_reader_near_and_an_empty_one_says_so() -> None:
    async with reading() as reader:
        await reader.show(conversation(anchor="msg_3"))
        await reader.press("j", "exclamation_mark")
        assert reader.part == "prt_3_2"
        await reader.press("j")
        assert reader.part == "prt_3_5"
        assert reader.pane.position.text == "4 of 44 messages · errors only"
        await reader.press("exclamation_mark")
        assert reader.part == "prt_3_5"
        await reader.show(window(message(1, "user", Text("only text"))))
        await reader.press("t")
        assert "nothing here passes the filter" in "\n".join(reader.screen())
        await reader.press("t")
        assert "only text" in "\n".join(reader.screen())


async def test_a_wider_window_does_not_move_what_is_read() -> None:
    messages = [message(n, "user", Text(f"message {n}\n\nbody")) for n in range(30)]
    async with reading(height=12) as reader:
        await reader.show(window(*messages[10:15], first=10, total=30, anchor="msg_12"))
        await reader.press("j")
        before = reader.screen()
        assert reader.pane.position.text == "14 of 30 messages"
        reader.pane.extend(window(*messages[0:15], first=0, total=30))
        await reader.settle()
        assert reader.screen() == before
        assert reader.pane.position.text == "14 of 30 messages"


async def test_a_resize_keeps_the_current_part_in_its_row() -> None:
    async with reading(width=100) as reader:
        await reader.show(conversation(part="prt_3_6"))
        block = reader.pane.current
        assert block is not None
        row = block.start - reader.pane.scroll_offset.y
        await reader.pilot.resize_terminal(60, 24)
        await reader.settle()
        block = reader.pane.current
        assert block is not None
        assert reader.part == "prt_3_6"
        assert block.start - reader.pane.scroll_offset.y == row


async def test_keys_ask_for_what_others_do() -> None:
    async with reading() as reader:
        await reader.show(HIT, "refused")
        await reader.press("enter", "R", "y", "Y", "i", "full_stop", "left_square_bracket")
        await reader.press("right_square_bracket")
        asked = reader.told(Transcript.OpenPart)
        assert [(event.part.id, event.terms) for event in asked] == [("prt_3_2", ("refused",))]
        assert [event.part.id for event in reader.told(Transcript.ShowRaw)] == ["prt_3_2"]
        assert [(event.what, event.text) for event in reader.told(Transcript.Copy)] == [
            ("text", FAILURE),
            (
                "text with heading",
                f"✗ bash  pytest -x tests/pool  exit 1  8.4 s  213 lines\n\n{FAILURE}",
            ),
            ("input", "pytest -x tests/pool"),
            ("id", "prt_3_2"),
        ]
        assert [event.before for event in reader.told(Transcript.Widen)] == [True, False]


async def test_a_session_that_has_no_more_is_not_widened() -> None:
    async with reading() as reader:
        await reader.show(window(message(1, "user", Text("all there is"))))
        await reader.press("left_square_bracket", "right_square_bracket")
        assert reader.told(Transcript.Widen) == []


async def test_moving_is_told() -> None:
    async with reading() as reader:
        await reader.show(conversation())
        await reader.press("J")
        position = reader.told(Transcript.Moved)[-1].position
        assert (position.text, position.part.id) == ("4 of 44 messages", "prt_3_1")
        assert position.message.id == "msg_3"


async def test_a_click_makes_a_part_current_and_a_second_one_folds() -> None:
    async with reading(height=60) as reader:
        await reader.show(conversation())
        row = next(y for y, text in enumerate(reader.screen()) if "✎ edit" in text)
        usual = reader.pane.virtual_size.height
        await reader.pilot.click(Transcript, offset=(10, row))
        await reader.settle()
        assert reader.part == "prt_3_4"
        assert reader.pane.virtual_size.height == usual
        await reader.pilot.click(Transcript, offset=(10, row + 20))
        await reader.pilot.click(Transcript, offset=(10, row))
        await reader.settle()
        assert reader.part == "prt_3_4"


async def test_a_double_click_opens_a_part() -> None:
    async with reading(height=60) as reader:
        await reader.show(conversation())
        row = next(y for y, text in enumerate(reader.screen()) if "✓ read" in text)
        await reader.pilot.double_click(Transcript, offset=(10, row))
        await reader.settle()
        assert [event.part.id for event in reader.told(Transcript.OpenPart)] == ["prt_3_3"]


async def test_selected_text_has_no_gutter_and_no_indent() -> None:
    async with reading(height=60) as reader:
        await reader.show(conversation())
        rows = reader.pane.layout_rows
        assert rows is not None
        top = next(y for y, row in enumerate(rows.rows) if "self.lock" in row.text)
        selection = Selection(Offset(3, top), Offset(13, top + 1))
        assert reader.pane.get_selection(selection) == (
            "          self.lock = Lock()\n40           ",
            "\n",
        )


async def test_late_layouts_are_dropped() -> None:
    async with reading() as reader:
        reader.pane.show(conversation())
        reader.pane.show(window(message(1, "user", Text("the later one"))))
        await reader.settle()
        assert "the later one" in "\n".join(reader.screen())
        reader.pane.show(conversation())
        reader.pane.empty("nothing was said here")
        await reader.settle()
        assert reader.screen()[:2] == ["", "  · nothing was said here"]
        assert reader.pane.window is None
        assert reader.part == ""


async def test_what_was_shown_stays_until_the_new_rows_are_there() -> None:
    async with reading() as reader:
        await reader.show(conversation())
        before = reader.screen()
        reader.pane.show(window(message(1, "user", Text("new"))))
        assert reader.screen() == before
        assert reader.pane.position.text == "3 of 44 messages"
        await reader.settle()
        assert reader.pane.position.text == "1 of 1 message"


async def test_a_session_without_messages_says_so() -> None:
    async with reading() as reader:
        await reader.show(window())
        assert reader.screen()[1] == "  · no messages"


async def test_j_goes_on_from_what_is_seen_after_the_wheel_was_used() -> None:
    async with reading(height=10) as reader:
        await reader.show(conversation())
        reader.pane.scroll_rows(45)
        await reader.press("j")
        assert reader.part == "prt_3_5"
        assert reader.pane.scroll_offset.y == 45


async def test_notices_are_one_quiet_line() -> None:
    async with reading() as reader:
        for say, row in (
            (reader.pane.busy, "  … reading [b]x[/b]"),
            (reader.pane.failed, "  ⚠ reading [b]x[/b]"),
        ):
            say("reading [b]x[/b]\x1b[31m")
            await reader.settle()
            assert reader.screen()[:3] == ["", row, ""]
        await reader.show(conversation())
        assert "28 Nov" in reader.screen()[0]


async def test_nothing_that_reaches_the_screen_is_a_control_character() -> None:
    nasty = "\x1b[31m\x9b2J\x00\u202e\ud800\r\n\tx [/b] [@click=app.exit()]y[/]"
    tool = Tool(nasty, status="completed", input={"command": nasty}, output=nasty)
    parts = [part(Text(nasty), "p0"), part(tool, "p1")]
    async with reading() as reader:
        await reader.show(window(message(1, "assistant", *parts, agent=nasty, error=nasty)), "x")
        await reader.press("z")
        letters = set("".join(reader.screen()))
        assert not {c for c in letters if unicodedata.category(c) in ("Cc", "Cs", "Cf")}
        assert any("[@click=app.exit()]y[/]" in text for text in reader.screen())


async def test_bindings_can_be_remapped_by_their_id() -> None:
    ids = [binding.id for binding in Transcript.BINDINGS if not isinstance(binding, tuple)]
    assert all(ids)
    assert len(set(ids)) == len(ids)
    async with reading() as reader:
        reader.app.set_keymap({"context.next_message": "x"})
        await reader.show(conversation())
        await reader.press("x")
        assert reader.part == "prt_3_1"


@pytest.mark.parametrize("key", ["J", "u"])
async def test_the_next_message_comes_to_the_top_where_it_would_begin_low(key: str) -> None:
    async with reading(height=20) as reader:
        tall = message(0, "user", Text("\n\n".join(["a line"] * 8)))
        await reader.show(window(tall, *(message(n, "user", Text("x")) for n in range(1, 9))))
        await reader.press(key)
        assert reader.part == "prt_1_0"
        assert reader.screen()[0].strip().startswith("you")
        assert reader.screen()[1].startswith("▌")
        await reader.press("K", "k")
        assert reader.part == "prt_0_0"
