"""Leaving for the shell and coming back; help wherever one is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tui.fake import FakeLibrary, hit
from tests.tui.helpers import shell
from tui.pages import PageScreen
from tui.widgets.viewer import PartViewer


async def test_ctrl_c_says_how_to_leave() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("ctrl+c")
        assert sh.app.is_running
        assert sh.status.said == "q quits"


async def test_ctrl_z_hands_over_to_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shell(FakeLibrary()) as sh:
        asked: list[bool] = []
        monkeypatch.setattr(sh.app, "action_suspend_process", lambda: asked.append(True))
        await sh.press("ctrl+z")
        await sh.press("slash", "ctrl+z")
        assert asked == [True, True]


async def test_coming_back_paints_everything_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shell(FakeLibrary()) as sh:
        painted: list[Any] = []
        monkeypatch.setattr(sh.screen, "refresh", lambda **how: painted.append(how))
        sh.app.app_resume_signal.publish(sh.app)
        await sh.pilot.pause()
        assert {"layout": True} in painted


async def test_the_keys_are_listed_over_a_part_alone() -> None:
    async with shell(FakeLibrary(hits=[hit(0)])) as sh:
        await sh.type("connection")
        await sh.press("enter", "enter", "enter")
        assert isinstance(sh.app.screen, PartViewer)
        await sh.press("question_mark")
        assert isinstance(sh.app.screen, PageScreen)
        assert "A part alone" in sh.text
        await sh.press("escape")
        assert isinstance(sh.app.screen, PartViewer)
