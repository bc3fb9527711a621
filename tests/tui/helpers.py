"""Opening the app on a fake library, and waiting until it rests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from store.door import Door
from tests.tui.fake import NOW
from tui.app import BackscrollApp
from tui.browse import BrowseScreen
from tui.settings import Loaded, Settings
from tui.widgets.hits import HitList
from tui.widgets.searchbar import SearchBar
from tui.widgets.sessions import SessionList
from tui.widgets.statusline import StatusLine
from tui.widgets.transcript import Transcript


def make_app(door: Door, **more: Any) -> BackscrollApp:
    """The app with a fixed clock and a clipboard that goes nowhere."""
    settings = more.pop("settings", Settings())
    loaded = more.pop("loaded", Loaded(settings, Path("/nowhere/settings.toml")))
    more.setdefault("clipboard", lambda text: None)
    return BackscrollApp(door, loaded, now=lambda: NOW, **more)


class Shell:
    """What a test looks at and presses."""

    def __init__(self, app: BackscrollApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> BrowseScreen:
        """The main screen."""
        return self.app._browse

    @property
    def sessions(self) -> SessionList:
        """The list of sessions."""
        return self.screen.query_one(SessionList)

    @property
    def hits(self) -> HitList:
        """The list of hits."""
        return self.screen.query_one(HitList)

    @property
    def bar(self) -> SearchBar:
        """The search bar."""
        return self.screen.query_one(SearchBar)

    @property
    def transcript(self) -> Transcript:
        """The transcript."""
        return self.screen.query_one(Transcript)

    @property
    def status(self) -> StatusLine:
        """The status line."""
        return self.screen.query_one(StatusLine)

    @property
    def text(self) -> str:
        """Everything that is on the screen now, line by line."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)

    async def press(self, *keys: str) -> None:
        """Presses keys and waits until all they asked for is answered and shown."""
        await self.pilot.press(*keys)
        await self.rest()

    async def type(self, text: str) -> None:
        """Goes to the search bar, puts a query there, and waits for its answer."""
        await self.pilot.press("slash")
        self.bar.field.value = text
        await self.rest()

    async def rest(self, but: str = "") -> None:
        """Waits until nothing is under way: messages, debounced work, threads, layouts.

        `but` names a lane of the jobs that is not waited for, because a test holds it.
        """
        asked = -1
        while asked != self.screen.jobs.asked:
            asked = self.screen.jobs.asked
            await self.pilot.pause()
            self.bar.ask()
            self.screen.flush()
            await self.pilot.pause()
            await asyncio.to_thread(self.screen.jobs.wait, but)
            await self.pilot.pause()
            await self.app.workers.wait_for_complete()
            await self.pilot.pause()
            self.screen.flush()


@asynccontextmanager
async def shell(
    door: Door, size: tuple[int, int] = (120, 40), *, rest: bool = True, **more: Any
) -> AsyncIterator[Shell]:
    """The running app; with `rest`, once it has shown all there is to show."""
    app = make_app(door, **more)
    async with app.run_test(size=size) as pilot:
        opened = Shell(app, pilot)
        if rest:
            await opened.rest()
        yield opened
