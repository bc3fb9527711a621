"""Leaving for the shell and coming back; help wherever one is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest
from textual.dom import DOMNode

import tui
from tests.tui.fake import FakeLibrary, hit
from tests.tui.helpers import shell
from tui import copying
from tui.commands import Palette
from tui.keys import groups
from tui.pages import PageScreen
from tui.settings import Loaded, Settings, template
from tui.widgets.picker import Picker
from tui.widgets.statusline import StatusLine
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


async def test_the_settings_are_opened_in_the_editor_made_of_their_template(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "settings.toml"
    opened: list[tuple[Path, str]] = []
    monkeypatch.setattr(copying, "edit_file", lambda *given: opened.append(given))
    loaded = Loaded(Settings(editor="ed -s"), path)
    async with shell(FakeLibrary(), loaded=loaded) as sh:
        monkeypatch.setattr(sh.app, "suspend", nullcontext)
        await sh.press("comma")
        assert opened == [(path, "ed -s")]
        assert path.read_text() == template()
        assert "next start" in sh.status.said


@pytest.mark.parametrize("editor", ["/no/such/editor", "'"])
async def test_the_terminal_is_taken_back_from_an_editor_that_is_not_there(
    editor: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    back: list[bool] = []

    @contextmanager
    def suspend() -> Iterator[None]:
        """As Textual's own, which does nothing more where something is raised inside."""
        yield
        back.append(True)

    loaded = Loaded(Settings(editor=editor), tmp_path / "settings.toml")
    async with shell(FakeLibrary(), loaded=loaded) as sh:
        monkeypatch.setattr(sh.app, "suspend", suspend)
        await sh.press("comma")
        assert back == [True]
        assert sh.status.said.startswith(f"{editor} cannot be run: ")


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


@pytest.mark.parametrize(
    "keys", [("enter", "enter"), ("enter", "O"), ("T",), ("question_mark",), ("L",), ("S",)]
)
async def test_q_quits_wherever_no_text_is_typed(keys: tuple[str, ...]) -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press(*keys)
        assert sh.app.screen is not sh.screen
        await sh.pilot.press("q")
        assert not sh.app.is_running


async def test_what_concerns_the_session_works_over_a_part_alone_too() -> None:
    async with shell(FakeLibrary(hits=[hit(0)])) as sh:
        await sh.type("connection")
        await sh.press("enter", "enter", "enter", "e")
        assert isinstance(sh.app.screen, Picker)
        await sh.press("escape", "c")
        assert isinstance(sh.app.screen, PartViewer)
        assert "opencode -s ses_pool" in sh.app.screen.query_one(StatusLine).said
        await sh.press("ctrl+p")
        assert isinstance(sh.app.screen, Palette)


def test_every_key_has_an_id_and_stands_in_the_help() -> None:
    for module in walk_packages(tui.__path__, "tui."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    helped = {binding.id for place in groups() for binding in place.bindings()}
    for owner in owners(DOMNode):
        for binding in owner.__dict__.get("BINDINGS", ()) if _is_ours(owner) else ():
            assert binding.id in helped, (owner, binding)


def _is_ours(owner: type[DOMNode]) -> bool:
    return owner.__module__.startswith("tui.")


def owners(node: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for below in node.__subclasses__():
        yield below
        yield from owners(below)
