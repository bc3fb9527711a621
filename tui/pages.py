"""Whole-screen pages of text: help, sources and faults, the stored JSON of a part."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

from tui.widgets.page import Lines, Page, lines_for
from tui.widgets.transcript import Transcript

COPIED = 400
"""Cells that a line of a copy may have: all of it is there, however narrow the screen."""


class PageScreen(Screen[None]):
    """A title and lines to scroll through; esc goes back."""

    DEFAULT_CSS = """
    PageScreen {
        & #page-title { height: 1; padding: 0 1; background: $panel; text-style: bold; }
        & #page-keys { height: 1; padding: 0 1; background: $panel; color: $text-muted; }
        & Page { height: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,h", "back", "Back", id="page.back"),
        Binding("y", "copy", "Copy all of it", id="page.copy"),
    ]

    def __init__(self, title: str, lines: Lines, *, what: str = "page") -> None:
        super().__init__()
        self._title = title
        self._lines = lines
        self._what = what

    def compose(self) -> ComposeResult:
        """Title, page, keys."""
        yield Static(self._title, id="page-title", markup=False)
        yield Page(self._lines)
        yield Static("j k scroll   y copy   esc back", id="page-keys", markup=False)

    def action_back(self) -> None:
        """Leaves the page."""
        self.dismiss()

    def action_copy(self) -> None:
        """Copies the page's text."""
        text = "\n".join(line.plain for line in lines_for(self._lines, COPIED))
        self.post_message(Transcript.Copy(text, self._what))
