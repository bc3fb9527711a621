"""A large text while its lines are counted: no wish is lost, no place is lost."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Static

from store.model import Text
from tests.tui.samples import part
from tui.render.lines import Lines
from tui.render.row import Marker
from tui.widgets import textview
from tui.widgets.textview import TextView
from tui.widgets.viewer import PartViewer

TEXT = "\n".join(f"{number:05} {'x' * 30}" for number in range(1, 20_001))


@pytest.fixture
def may_count(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Counting waits for this."""
    event, take_all = threading.Event(), textview._take_all

    def held(number: int, text: str, width: int, marker: Marker) -> tuple[int, Lines]:
        event.wait(30)
        return take_all(number, text, width, marker)

    monkeypatch.setattr(textview, "_take_all", held)
    yield event
    event.set()


class Reader:
    """A person at a part alone."""

    def __init__(self, pilot: Pilot[None], viewer: PartViewer, event: threading.Event) -> None:
        self.pilot, self.viewer, self.event = pilot, viewer, event
        self.view = viewer.query_one(TextView)

    async def counted(self) -> None:
        self.event.set()
        await self.viewer.app.workers.wait_for_complete()
        await self.pilot.pause()
        await self.pilot.pause()
        self.event.clear()

    @property
    def status(self) -> str:
        return str(self.viewer.query_one("#viewer-where", Static).content)

    @property
    def top(self) -> int:
        return self.view.lines.line_at(self.view.scroll_offset.y) + 1


@asynccontextmanager
async def reading(event: threading.Event) -> AsyncIterator[Reader]:
    app: App[None] = App()
    async with app.run_test(size=(60, 14)) as pilot:
        viewer = PartViewer(part(Text(TEXT)))
        await app.push_screen(viewer)
        await pilot.pause()
        yield Reader(pilot, viewer, event)
        event.set()


async def test_a_line_that_is_not_there_yet_is_gone_to_once_it_is(
    may_count: threading.Event,
) -> None:
    async with reading(may_count) as reader:
        await reader.pilot.press("colon", *"15000", "enter")
        await reader.pilot.pause()
        assert reader.status == "text · line 1 of counting lines… then line 15,000"
        await reader.counted()
        assert reader.view.at == 14_999
        assert reader.view.scroll_offset.y <= 14_999 < reader.view.scroll_offset.y + 12


async def test_who_goes_elsewhere_meanwhile_stays_there(may_count: threading.Event) -> None:
    async with reading(may_count) as reader:
        await reader.pilot.press("colon", *"15000", "enter", "G", "g", "j")
        await reader.counted()
        assert reader.top == 2


async def test_the_end_is_that_of_all_lines(may_count: threading.Event) -> None:
    async with reading(may_count) as reader:
        await reader.pilot.press("G")
        assert 1000 < reader.top < 5000
        await reader.counted()
        assert reader.view.scroll_offset.y == reader.view.max_scroll_y
        assert reader.view.lines.count == 20_000


async def test_a_match_further_down_is_gone_to_once_it_is_found(
    may_count: threading.Event,
) -> None:
    async with reading(may_count) as reader:
        await reader.counted()
        await reader.pilot.press("f", *"1500", "enter", "n")
        assert "with a match" not in reader.status
        await reader.counted()
        assert reader.view.at == 11_499


@pytest.mark.parametrize("key", ["number_sign", "W"])
async def test_the_place_is_kept_while_lines_are_cut_anew(
    may_count: threading.Event, key: str
) -> None:
    async with reading(may_count) as reader:
        await reader.counted()
        await reader.pilot.press("colon", *"14988", "enter")
        top = reader.top
        await reader.pilot.press(key, key, key)
        await reader.pilot.pause()
        assert reader.top == top > 14_900
        await reader.counted()
        assert reader.top == top
        assert (reader.view.lines.width > 60) is (key == "W")


async def test_opening_the_line_to_type_in_counts_nothing_again(
    may_count: threading.Event,
) -> None:
    async with reading(may_count) as reader:
        await reader.counted()
        lines = reader.view.lines
        await reader.pilot.press("colon")
        await reader.pilot.pause()
        assert reader.view.lines_seen == 10
        assert reader.view.lines is lines
        assert not reader.view.counting
