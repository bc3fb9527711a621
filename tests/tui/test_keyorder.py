"""Keys that come faster than the screen answers go where the ones before them led."""

from __future__ import annotations

import pytest
from textual import events

from tests.tui.fake import FakeLibrary, hit
from tests.tui.helpers import Shell, shell

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
        await burst(sh, "LqLq/walrus")
        assert sh.app.is_running
        assert sh.bar.value == "walrus"
