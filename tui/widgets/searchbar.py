"""The one line to type in: a query, how many it found and how fast; below it, what is wrong."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

DEBOUNCE = 0.04
"""Seconds after a keystroke before the query is asked, so that a burst of keys is one query."""


class QueryInput(Input):
    """The field itself: enter and esc are the only keys it hands on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Open the first hit", id="search.open"),
        Binding("escape,down", "leave", "Back to the list", id="search.leave"),
    ]

    class Left(Message):
        """The person wants back to the list."""

    def action_leave(self) -> None:
        """Back to the list, the query stays."""
        self.post_message(self.Left())


class SearchBar(Vertical):
    """A query field that tells what it found."""

    DEFAULT_CSS = """
    SearchBar {
        height: auto;
        background: $surface;
        & > Horizontal { height: 1; }
        & #prompt { width: 3; color: $text-muted; padding: 0 1; }
        & QueryInput { width: 1fr; border: none; height: 1; padding: 0; background: $surface; }
        & QueryInput:focus { border: none; background: $surface; background-tint: $surface 0%; }
        & #found { width: auto; color: $text-muted; padding: 0 1; }
        & #note { height: 1; color: $warning; padding: 0 3; display: none; }
        & #note.-shown { display: block; }
    }
    """

    class Asked(Message):
        """The query changed and the keys rest."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Entered(Message):
        """Enter was pressed in the field."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._pause: Timer | None = None
        self.asked = ""

    def compose(self) -> ComposeResult:
        """A prompt, the field, what was found; a line for what is wrong."""
        with Horizontal():
            yield Static("/", id="prompt")
            yield QueryInput(placeholder="search everything that was said and printed")
            yield Static("", id="found", markup=False)
        yield Static("", id="note", markup=False)

    @property
    def field(self) -> QueryInput:
        """The field."""
        return self.query_one(QueryInput)

    @property
    def value(self) -> str:
        """The query as it stands."""
        return self.field.value

    def start(self) -> None:
        """Focuses the field and selects the query that is there."""
        self.field.focus()
        self.field.action_select_all()

    def found(self, text: str) -> None:
        """What stands at the right: number found, time taken."""
        self.query_one("#found", Static).update(Content(text))

    def note(self, text: str) -> None:
        """A quiet line under the bar; "" takes it away."""
        line = self.query_one("#note", Static)
        line.set_class(bool(text), "-shown")
        line.update(Content(text))

    @on(Input.Changed)
    def _rest(self, event: Input.Changed) -> None:
        event.stop()
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(DEBOUNCE, self.ask)

    def ask(self) -> None:
        """Asks at once what the field says, if that is not what was asked last."""
        if self._pause is not None:
            self._pause.stop()
        if self.value != self.asked:
            self.asked = self.value
            self.post_message(self.Asked(self.value))

    @on(Input.Submitted)
    def _enter(self, event: Input.Submitted) -> None:
        event.stop()
        self.ask()
        self.post_message(self.Entered())
