"""Choosing a theme: the screen wears the one under the cursor."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.widgets.rowlist import RowList


class ThemeList(RowList[str]):
    """Names of themes, one a row."""

    def key_of(self, row: str) -> Hashable:
        """The name."""
        return row

    def paint(self, row: str, width: int, selected: bool) -> list[Content]:
        """The name."""
        return [Content.assemble(("▌ " if selected else "  ", "$accent"), row)]


class ThemePicker(ModalScreen[str]):
    """Answers with the chosen theme; esc answers with the one there was."""

    DEFAULT_CSS = """
    ThemePicker {
        align: right bottom;
        background: $background 0%;
        & > Vertical { width: 38; height: auto; max-height: 80%; background: $panel;
                       padding: 1 1; margin: 0 2 2 0; }
        & Static { height: 1; padding: 0 2; text-style: bold; }
        & ThemeList { height: 12; margin: 1 0 0 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back to the theme there was", id="theme.leave"),
        Binding("q", "app.quit", "Quit", id="quit", show=False),
    ]

    def __init__(self, names: Sequence[str], current: str) -> None:
        super().__init__()
        self._names = names
        self._before = current

    def compose(self) -> ComposeResult:
        """A heading and the names."""
        with Vertical():
            yield Static("Theme   enter keeps   esc leaves", markup=False)
            yield ThemeList()

    def on_mount(self) -> None:
        """Stands on the theme in use."""
        rows = self.query_one(ThemeList)
        rows.set_rows(self._names)
        if self._before in self._names:
            self.call_after_refresh(rows.go, self._names.index(self._before))
        rows.focus()

    @on(RowList.Highlighted)
    def _try(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.rows.selected is not None:
            self.app.theme = event.rows.selected

    @on(RowList.Opened)
    def _keep(self, event: RowList.Opened) -> None:
        event.stop()
        self.dismiss(self.app.theme)

    def action_leave(self) -> None:
        """Puts the old theme back."""
        self.app.theme = self._before
        self.dismiss(self._before)
