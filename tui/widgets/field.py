"""A line to type in, in which nothing moves by itself and pasted control characters only show."""

from __future__ import annotations

from typing import Any

from rich.highlighter import Highlighter
from rich.text import Text
from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input

from tui.words import flat


class Harmless(Highlighter):
    """Puts a visible stand-in into the place of each character that could steer the terminal."""

    def __call__(self, text: str | Text) -> Text:
        """The text to show, letter by letter that of the field."""
        shown = text.copy() if isinstance(text, Text) else Text(text)
        shown.plain = flat(shown.plain)
        self.highlight(shown)
        return shown

    def highlight(self, text: Text) -> None:
        """Adds no colours."""


class Field(Input):
    """An input whose cursor does not blink, and whose size does not change with what it holds."""

    virtual_size = Reactive(Size(0, 0), layout=False)

    def __init__(self, *given: Any, **more: Any) -> None:
        more.setdefault("highlighter", Harmless())
        super().__init__(*given, **more)
        self.set_reactive(Input.cursor_blink, False)
