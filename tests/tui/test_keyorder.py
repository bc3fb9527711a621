"""Keys that come faster than the screen answers go where the ones before them led."""

from __future__ import annotations

import asyncio

import pytest
from textual import events
from textual.widgets import Static

from tests.tui.fake import FakeLibrary, hit, other_hit
from tests.tui.helpers import Shell, shell
from tui.render.part import plain_text

HITS = [hit(n) for n in range(5)]


async def burst(sh: Shell, text: str) -> None:
    """All the keys at once, as a paste into the terminal sends them."""
    for one in text:
        key = {"/": "slash", "\n": "enter"}.get(one, one)
        sh.app.post_message(events.Key(key, one if one.isprintable() else None))
    for _ in range(200):
        await sh.pilot.pause()
        if sh.app._key_patience is None and not sh.app._keys_waiting:
            break
    await sh.rest()


@pytest.mark.parametrize("text", ["query", "sq", "Shell", "needle_59", "export", "LTq"])
async def test_a_query_typed_at_once_is_a_query(text: str) -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await burst(sh, f"/{text}")
        assert sh.app.is_running
        assert sh.app.screen is sh.screen
        assert sh.bar.value == text
        assert sh.bar.field.has_focus


async def test_what_follows_enter_is_for_the_list_that_it_leads_to() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.type("connection")
        await burst(sh, "\nj")
        assert sh.bar.value == "connection"
        assert sh.hits.hit == HITS[1]


async def test_a_key_whose_widget_went_away_holds_up_no_other() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await burst(sh, "LhLh/walrus")
        assert sh.app.is_running
        assert sh.bar.value == "walrus"


async def test_a_key_for_a_part_waits_until_that_part_is_there() -> None:
    library = FakeLibrary(hits=HITS)
    copied: list[str] = []
    async with shell(library, clipboard=copied.append) as sh:
        await sh.type("connection")
        await sh.press("enter", "enter", "y")
        await sh.press("h")
        gate = library.hold(f"around {HITS[1].source}:{HITS[1].part}")
        await sh.pilot.press("j")
        await asyncio.to_thread(gate.arrived.wait, 5)
        await sh.pilot.press("l", "y")
        assert len(copied) == 1
        gate.opened.set()
        await sh.rest()
        await sh.rest()
        assert sh.transcript.current_part is not None
        assert sh.transcript.current_part.id == HITS[1].part
        assert copied[1] == plain_text(sh.transcript.current_part)


async def test_a_part_that_does_not_come_takes_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.keyorder.PATIENCE_S", 0.05)
    monkeypatch.setattr("tui.widgets.pane.SLOW_S", 0.01)
    library = FakeLibrary(hits=[*HITS, other_hit(0)])
    copied: list[str] = []
    async with shell(library, clipboard=copied.append) as sh:
        await sh.type("connection")
        await sh.press("enter")
        gate = library.hold("around")
        await sh.pilot.press("G")
        await asyncio.to_thread(gate.arrived.wait, 5)
        await sh.pilot.press("l", "y")
        for _ in range(100):
            await asyncio.sleep(0.01)
            if sh.status.said:
                break
        assert sh.status.said == "still opening; press it again when it is there"
        assert "opening…" in sh.text
        heading = sh.screen.query_one("#reading-title", Static)
        assert str(heading.render()) == ""
        assert copied == []
        gate.opened.set()
        await sh.rest()
        assert "opening…" not in sh.text
        assert str(heading.render()).startswith("Migrate CI to the new runner")


async def test_moving_in_a_conversation_does_not_write_its_heading_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("enter")
        written: list[bool] = []
        monkeypatch.setattr(sh.screen.reader, "head", lambda: written.append(True))
        await sh.press("j", "j", "k")
        assert written == []
