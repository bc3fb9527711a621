"""Choosing one of a few things: a list over the screen, narrowed by typing."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tui.render.row import plain_letters
from tui.render.safe import one_line
from tui.widgets.field import Field
from tui.widgets.rowlist import RowList
from tui.widgets.sessions import columns


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to choose: what it is called, what stands at the right, and what it answers."""

    value: str
    text: str
    about: str = ""
    style: str = ""


class ItemList(RowList[Item]):
    """Items, one a line."""

    def key_of(self, row: Item) -> Hashable:
        """What it answers."""
        return row.value

    def paint(self, row: Item, width: int, selected: bool) -> list[Content]:
        """The text, and what is said of it at the right edge."""
        text = one_line(row.text, 400)
        left = Content.assemble(("▌ " if selected else "  ", "$accent"), (text, row.style))
        return [columns(left, one_line(row.about, 40) + " ", width)]


class Narrowing(Field):
    """The line that narrows the list; the list's keys work from here too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,ctrl+n", "screen.step(1)", "Down", id="picker.down", show=False),
        Binding("up,ctrl+p", "screen.step(-1)", "Up", id="picker.up", show=False),
    ]


class Picker(ModalScreen[str]):
    """Answers with the chosen value, None when left."""

    DEFAULT_CSS = """
    Picker {
        align: center middle;
        background: $background 60%;
        & > Vertical { width: 80%; max-width: 110; min-width: 44; height: 80%; max-height: 34;
                       background: $panel; padding: 1 1; }
        & Static { height: 1; padding: 0 2; text-style: bold; }
        & Input { border: none; height: 1; padding: 0 2; background: $surface; margin: 0; }
        & Input:focus { border: none; background-tint: $surface 0%; }
        & ItemList { height: 1fr; margin: 1 0 0 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="picker.leave"),
        Binding("slash", "narrow", "Type to narrow", id="picker.narrow"),
        Binding("q", "app.quit", "Quit", id="quit", show=False),
    ]

    def __init__(self, title: str, items: Sequence[Item], at: str = "") -> None:
        super().__init__()
        self._title = title
        self._items = items
        self._at = at

    def compose(self) -> ComposeResult:
        """A heading, the line to narrow with, the items."""
        with Vertical():
            yield Static(Content(self._title), markup=False)
            yield Narrowing(placeholder="/ narrows   enter chooses   esc leaves")
            yield ItemList()

    def on_mount(self) -> None:
        """Stands on the item one is at."""
        if not self.query(ItemList):
            return  # it was left before it was there
        rows = self.query_one(ItemList)
        rows.set_rows(self._items)
        rows.focus()
        at = [item.value for item in self._items]
        if self._at in at:
            self.call_after_refresh(rows.go, at.index(self._at))

    @on(Input.Changed)
    def _narrowed(self, event: Input.Changed) -> None:
        event.stop()
        words = plain_letters(event.value).split()
        kept = [
            item
            for item in self._items
            if all(word in plain_letters(f"{item.text} {item.about}") for word in words)
        ]
        rows = self.query_one(ItemList)
        rows.say("nothing of that name" if words else "nothing here")
        rows.set_rows(kept)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one(ItemList).action_open()

    @on(RowList.Highlighted)
    def _moved(self, event: RowList.Highlighted) -> None:
        event.stop()

    @on(RowList.Opened)
    def _chosen(self, event: RowList.Opened) -> None:
        event.stop()
        item = event.rows.selected
        if isinstance(item, Item):
            self.dismiss(item.value)

    def action_step(self, by: int) -> None:
        """Moves the cursor of the list from the line."""
        self.query_one(ItemList).action_move(by)

    def action_narrow(self) -> None:
        """To the line."""
        self.query_one(Input).focus()

    def action_leave(self) -> None:
        """From the line to the list, else away."""
        if self.query_one(Input).has_focus:
            self.query_one(ItemList).focus()
        else:
            self.dismiss(None)
