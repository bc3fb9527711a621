"""Whatever keys are pressed on whatever is shown: no exception, the focus stays somewhere.

Seeded; BACKSCROLL_KEYS=500 presses five hundred sequences instead of a hundred.
"""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path
from threading import Event

import pytest

from store.demo import build
from store.library import Library
from tests.tui.helpers import Shell, make_app, shell
from tui.keys import groups, keys_of
from tui.settings import Loaded, Settings

APPS = 6
SEQUENCES = int(os.environ.get("BACKSCROLL_KEYS", "100")) // APPS
LENGTH = 5
TYPED = ("a", "o", "5", "é", "库", "space", "backspace", "ctrl+w")
LEAVES = {"q", "ctrl+q", "ctrl+c", "ctrl+z", "ctrl+p"}
SIZES = ((120, 40), (80, 24), (50, 15), (180, 50), (10, 3), (1, 1))


def all_keys() -> list[str]:
    """Every key of the help, but those that end the program or open Textual's own palette."""
    found = {key for group in groups() for one in group.bindings() for key in keys_of(one, {})}
    return sorted(found - LEAVES) + list(TYPED)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("demo")
    library = Library.open(sources=[build(folder)], index=folder / "index.db")
    library.sync(Event())
    return library


async def settle(sh: Shell) -> None:
    await sh.pilot.pause()
    await asyncio.to_thread(sh.screen.jobs.wait)
    await sh.app.workers.wait_for_complete()
    await sh.pilot.pause()


async def back(sh: Shell) -> None:
    """Out of whatever is over the main screen."""
    for _ in range(6):
        if sh.app.screen is sh.screen:
            return
        await sh.pilot.press("escape")
    raise AssertionError(f"cannot leave {sh.app.screen!r}")


@pytest.mark.parametrize("seed", range(APPS))
async def test_any_keys_on_any_window(
    library: Library, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EDITOR", "true")
    dice, keys = random.Random(seed), all_keys()
    loaded = Loaded(Settings(), tmp_path / "settings.toml")
    async with shell(library, SIZES[seed % len(SIZES)], loaded=loaded) as sh:
        pressed: list[str] = []
        for _ in range(SEQUENCES):
            if dice.random() < 0.3:
                sh.sessions.go(dice.randrange(max(len(sh.sessions.rows), 1)))
            pressed = [dice.choice(keys) for _ in range(LENGTH)]
            await sh.pilot.press(*pressed)
            assert sh.app._exception is None, pressed
            await settle(sh)
            await back(sh)
            assert sh.app.is_running, pressed
            assert sh.screen.focused is not None, pressed
            assert sh.screen.focused.display, pressed


@pytest.mark.parametrize("size", [(10, 3), (1, 1), (30, 5), (80, 24)])
async def test_the_palette_bears_any_key_in_a_window_of_any_size(
    library: Library, size: tuple[int, int]
) -> None:
    ways = ("pageup", "pagedown", "down", "pageup", "up", "ctrl+end", "ctrl+home", "pagedown")
    async with shell(library, size) as sh:
        for before in ((), ("t", "h"), ("ctrl+u", "~", "~")):
            await sh.pilot.press("ctrl+p", *before)
            await sh.app.workers.wait_for_complete()
            for way in ways:
                await sh.pilot.press(way)
                assert sh.app._exception is None, way
            await back(sh)
        assert sh.app.is_running


def test_the_terminal_gets_back_what_it_was(library: Library) -> None:
    async def leave(pilot: object) -> None:
        from textual.pilot import Pilot

        assert isinstance(pilot, Pilot)
        await pilot.press("enter", "O", "escape", "q")

    app = make_app(library)
    app.run(headless=True, size=(80, 24), auto_pilot=leave)
    assert app.return_code in (None, 0)
    assert app._exception is None
    assert app._driver is None or not app._driver.is_headless or not app.is_running
