"""One part alone: all of its text, found in, copied from, whatever its size."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.app import App
from textual.content import Span
from textual.pilot import Pilot
from textual.widgets import Input, Static

from store.model import Part, Text, Tool
from tests.tui.fake import FakeLibrary, hit
from tests.tui.helpers import shell
from tests.tui.samples import FAILURE, part
from tui.render.lines import CHUNK, LONG, sides, take_lines
from tui.render.row import Marker
from tui.widgets.statusline import StatusLine
from tui.widgets.textview import TextView
from tui.widgets.transcript import Transcript
from tui.widgets.viewer import PartViewer


class Alone(App[None]):
    """An app that opens a part alone; keeps what is copied."""

    def __init__(self) -> None:
        super().__init__()
        self.copies: list[tuple[str, str]] = []

    def on_transcript_copy(self, event: Transcript.Copy) -> None:
        self.copies.append((event.what, event.text))


class Reader:
    """A person at the viewer."""

    def __init__(self, app: Alone, pilot: Pilot[None], viewer: PartViewer) -> None:
        self.app, self.pilot, self.viewer = app, pilot, viewer
        self.view = viewer.query_one(TextView)

    async def settle(self) -> None:
        await self.pilot.pause()
        await self.app.workers.wait_for_complete()
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    def screen(self) -> list[str]:
        height = self.view.scrollable_content_region.height
        return [self.view.render_line(y).text.rstrip() for y in range(height)]

    @property
    def status(self) -> str:
        return str(self.viewer.query_one("#viewer-where", Static).content)


@asynccontextmanager
async def viewing(found: Part, *terms: str, width: int = 60) -> AsyncIterator[Reader]:
    app = Alone()
    async with app.run_test(size=(width, 14)) as pilot:
        viewer = PartViewer(found, terms)
        await app.push_screen(viewer)
        reader = Reader(app, pilot, viewer)
        await reader.settle()
        yield reader


async def test_it_opens_at_the_first_match_with_numbers() -> None:
    async with viewing(part("bash"), "connection refused") as reader:
        rows = reader.screen()
        assert "106 could not connect: connection refused at 10.0.0.7:5432" in rows
        assert reader.status.startswith("output · line 103 of 213 lines · 1 line with a match")
        heading = str(reader.viewer.query_one("#viewer-heading", Static).content)
        assert heading == "✗ bash  pytest -x tests/pool  exit 1  8.4 s  213 lines"


async def test_it_opens_the_input_where_only_that_matches() -> None:
    tool = Tool("bash", status="completed", input={"command": "make all"}, output="done")
    async with viewing(part(tool), "make") as reader:
        assert reader.screen()[0] == "1 make all"
        await reader.press("tab")
        assert reader.screen()[0] == "1 done"


async def test_y_copies_the_side_that_is_shown() -> None:
    tool = Tool("bash", status="completed", input={"command": "make all"}, output="done", diff="-a")
    async with viewing(part(tool)) as reader:
        for _ in range(3):
            await reader.press("y", "tab")
        assert [text for _, text in reader.app.copies] == ["done", "make all", "-a"]


async def test_numbers_and_wrapping_can_be_turned_off() -> None:
    async with viewing(part(Text("word " * 20 + "end\nnext")), width=40) as reader:
        assert [row[:2] for row in reader.screen()[:4]] == ["1 ", "  ", "  ", "2 "]
        await reader.press("W")
        assert [row[:7] for row in reader.screen()[:2]] == ["1 word ", "2 next"]
        await reader.press("number_sign")
        assert reader.screen()[1] == " next"


async def test_finding_marks_other_words_and_n_goes_on() -> None:
    async with viewing(part("bash")) as reader:
        await reader.press("f", *"late_00", "enter")
        assert "10 lines with a match" in reader.status
        assert any("test_late_000" in row for row in reader.screen())
        await reader.press("n", "n", "N")
        assert reader.view.at == 107
        await reader.press("slash", "escape")
        assert not reader.viewer.query_one(Input).has_focus
        assert reader.app.screen is reader.viewer


async def test_the_ends_and_pages() -> None:
    async with viewing(part("bash")) as reader:
        await reader.press("G")
        assert reader.screen()[-1].endswith("test_late_106.py::test_106 PASSED")
        await reader.press("g", "pagedown", "j")
        assert reader.view.scroll_offset.y == 11
        await reader.press("ctrl+u", "k")
        assert reader.view.scroll_offset.y == 5


async def test_copies_and_back() -> None:
    async with viewing(part("bash")) as reader:
        await reader.press("y", "i", "full_stop")
        assert reader.app.copies == [
            ("text", FAILURE),
            ("input", "pytest -x tests/pool"),
            ("id", "prt_1"),
        ]
        await reader.press("escape")
        assert reader.app.screen is not reader.viewer


async def test_a_text_of_ten_megabytes_opens_at_a_match_near_its_end() -> None:
    text = "\n".join(f"{n:06} {'x' * 90}" for n in range(105_000))
    tool = Tool("bash", status="completed", input={"command": "x"}, output=text)
    async with viewing(part(tool), "104000", width=120) as reader:
        assert "104001 104000 " + "x" * 90 in reader.screen()
        assert "of 105,000 lines" in reader.status


def test_lines_are_numbered_and_long_ones_held_in_pieces() -> None:
    lines = take_lines("a\n" + "b" * (2 * LONG + 1) + "\n\nc\n", 100, Marker())
    assert lines.numbers == [1, 2, 0, 0, 3, 4]
    assert lines.count == 4
    assert lines.rows == 1 + 40 + 40 + 1 + 1 + 1
    assert "".join(lines.texts) == "a" + "b" * (2 * LONG + 1) + "c"


def test_lines_are_the_same_taken_in_chunks() -> None:
    text = "\n".join(f"line {number} \x1b[1m连接\x1b[0m" for number in range(CHUNK // 8))
    lines = take_lines(text, 80, Marker(("line 77",)))
    assert lines.count == CHUNK // 8
    assert lines.texts[4321] == "line 4321 连接"
    assert lines.whole
    assert lines.matches[:2] == [77, 770]


def test_the_beginning_alone_is_not_the_whole() -> None:
    lines = take_lines("a\n" * CHUNK, 80, Marker(), most=1000)
    assert not lines.whole
    assert lines.count == 500


def test_what_there_is_to_see_of_a_part() -> None:
    assert [name for name, _ in sides(part("edit"))] == ["output", "input", "diff"]
    assert [name for name, _ in sides(part("error"))] == ["error", "input"]
    assert sides(part(Text("x"))) == [("text", "x")]
    assert sides(part("step-finish"))[0][1].startswith("· step  $0.0123")


async def test_a_copy_is_confirmed_where_the_person_is() -> None:
    async with shell(FakeLibrary(hits=[hit(0)])) as sh:
        await sh.type("connection")
        await sh.press("enter", "enter", "enter", "y")

        assert sh.text.rstrip().endswith("copied bash output, 25 lines, 948 B")


async def test_a_line_is_gone_to_by_its_number() -> None:
    async with viewing(part("bash")) as reader:
        await reader.press("colon", *"150", "enter")
        assert "150 tests/pool/test_late_043.py::test_43 PASSED" in "\n".join(reader.screen())
        await reader.press("colon", *"99999", "enter")
        assert reader.view.at == 212


async def test_a_number_of_any_length_is_the_last_line() -> None:
    async with viewing(part("bash")) as reader:
        await reader.press("colon")
        reader.viewer.query_one(Input).value = "9" * 5000
        await reader.press("enter")
        assert reader.view.at == 212


def test_a_phrase_over_the_end_of_a_piece_is_found() -> None:
    lines = take_lines("x" * (LONG - 5) + "needle in hay", 100, Marker(("needle in",)))
    assert lines.matches == [0, 1]
    first = lines.row(39, Marker(("needle in",)))
    assert first is not None
    assert first.text.endswith("needl")
    assert first.match


def test_colours_go_on_from_line_to_line_and_piece_to_piece() -> None:
    lines = take_lines(
        "\x1b[31mred\nstill\x1b[0m not\n" + "y" * CHUNK + "\n\x1b]0;t\x07z", 80, Marker()
    )
    assert lines.texts[:2] == ["red", "still not"]
    assert lines.styles == {0: (Span(0, 3, "$error"),), 1: (Span(0, 5, "$error"),)}
    assert lines.texts[-1] == "z"


async def test_at_fifty_columns_what_has_no_room_is_left_out_whole() -> None:
    tool = Tool("bash", status="completed", input={"command": "make all"}, output="done\n" * 900)
    async with viewing(part(tool), "done", width=50) as reader:
        assert reader.status == "output · line 1 of 900 lines · 900 lines with a…"
    async with viewing(part(tool), width=50) as reader:
        assert reader.status == "output · line 1 of 900 lines · tab: input"
        keys = str(reader.viewer.query_one(StatusLine).render()).split()
        assert keys == ["f", "find", "y", "copy", "w", "save", "esc", "back", "?", "keys"]
