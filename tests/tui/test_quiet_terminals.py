"""Without colours everything is still said, and nothing moves unless the reader moved it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual import constants
from textual.widgets import Input

from store.model import Tool, Window
from tests.tui.fake import FakeLibrary, hit, part
from tests.tui.helpers import Shell, shell
from tui.widgets.field import Field


def colours(sh: Shell) -> set[tuple[int, ...]]:
    """Every colour that reaches the terminal."""
    found = set()
    for strip in sh.app.screen._compositor.render_strips():
        for segment in strip:
            for colour in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                if colour is not None and not colour.is_default:
                    found.add(tuple(colour.get_truecolor()))
    return found


class Outcomes(FakeLibrary):
    """A library of calls that ended in each way there is."""

    def _window(self, session_id: str, first: int, count: int) -> Window:
        window = super()._window(session_id, first, count)
        tools = (
            Tool("bash", status="completed", input={"command": "one"}, output="x", exit=0),
            Tool("bash", status="completed", input={"command": "two"}, output="x", exit=1),
            Tool("bash", status="error", input={"command": "three"}, error="no"),
            Tool("bash", status="running", input={"command": "four"}),
        )
        parts = tuple(part(f"prt_{n}", "m", tool, session_id) for n, tool in enumerate(tools))
        head = replace(window.messages[0], parts=parts)
        return replace(window, messages=(head, *window.messages[1:]))


@pytest.mark.parametrize("keys", [(), ("enter",), ("enter", "enter"), ("question_mark",), ("T",)])
async def test_no_colour_leaves_shades_of_grey(
    keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with shell(FakeLibrary(hits=[hit(0)])) as sh:
        await sh.press(*keys)
        seen = colours(sh)
        assert seen
        assert all(max(colour) - min(colour) <= 1 for colour in seen)


async def test_with_colours_there_are_some() -> None:
    async with shell(FakeLibrary()) as sh:
        assert any(max(colour) - min(colour) > 1 for colour in colours(sh))


async def test_how_a_call_ended_is_said_in_signs_and_words() -> None:
    async with shell(Outcomes()) as sh:
        await sh.press("enter")
        rows = {word: line for line in sh.text.split("\n") for word in
                ("one", "two", "three", "four") if f"bash  {word}" in line}  # fmt: skip
        assert "✓ bash  one" in rows["one"]
        assert "✗ bash  two" in rows["two"]
        assert "exit 1" in rows["two"]
        assert "✗ bash  three" in rows["three"]
        assert "failed" in rows["three"]
        assert "… bash  four" in rows["four"]
        assert "running" in rows["four"]


async def test_nothing_is_animated_and_no_cursor_blinks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "TEXTUAL_ANIMATIONS", "full")
    async with shell(FakeLibrary()) as sh:
        assert sh.app.animation_level == "none"
        for keys in (("slash",), ("escape", "f"), ("escape", "e", "slash"), ("escape", "escape")):
            await sh.press(*keys)
            fields = list(sh.app.screen.query(Input))
            assert all(isinstance(field, Field) and not field.cursor_blink for field in fields)
            assert all(field._cursor_visible for field in fields if field.has_focus)
