"""The one line to type in: a query, how many it found and how fast; below it, what is wrong."""

from __future__ import annotations

import time
from typing import ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from tui import words
from tui.keyorder import KeyOrder
from tui.messages import ValuesRead
from tui.widgets.field import Field
from tui.widgets.typed import Colours, completed, proposals, unfinished

DEBOUNCE = 0.04
"""Seconds after a keystroke before the query is asked, where another one came just before: a burst
of keys is one query."""
FOUND_STEP = 8
"""Cells by which the room for what was found grows and shrinks."""


class QueryInput(Field):
    """The field itself: enter and esc are the only keys it hands on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Open the first hit", id="search.open"),
        Binding("escape,down", "leave", "Back to the list", id="search.leave"),
        Binding("tab", "complete", "Complete a key or a value", id="search.complete"),
    ]

    class Left(Message):
        """The person wants back to the list."""

    class Completed(Message):
        """The person wants what is proposed."""

    async def action_submit(self) -> None:
        """Opens the first hit; keys that follow are for where it leads."""
        if self.value.strip() and isinstance(self.app, KeyOrder):
            self.app.hold_keys()
        await super().action_submit()

    def action_complete(self) -> None:
        """Takes the first proposal."""
        self.post_message(self.Completed())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a proposal tab is no key of this field."""
        return action != "complete" or self.proposes

    proposes = False

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
        & #found { width: 0; color: $text-muted; padding: 0 1; text-align: right; }
        & #note { height: 1; color: $warning; padding: 0 3; display: none; }
        & #note.-shown { display: block; }
        & #proposals { height: 1; color: $text-muted; padding: 0 3; display: none; }
        & #proposals.-shown { display: block; }
    }
    """

    class Asked(Message):
        """The query changed and the keys rest."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Values(Message):
        """The values of a key are wanted, as a `ValuesRead` to this bar."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Entered(Message):
        """Enter was pressed in the field."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._pause: Timer | None = None
        self._last_key = 0.0
        self.asked = ""
        self._aside = False
        self._known: dict[str, tuple[tuple[str, int], ...]] = {}
        self._proposed: list[tuple[str, int]] = []

    def compose(self) -> ComposeResult:
        """A prompt, the field, what was found; a line for what is wrong."""
        with Horizontal():
            yield Static("/", id="prompt")
            yield QueryInput(
                placeholder="search everything that was said and printed", highlighter=Colours()
            )
            yield Static("", id="found", markup=False)
        yield Static("", id="proposals", markup=False)
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
        """What stands at the right: number found, time taken.

        Its width goes in steps: laying out the screen anew takes longer than the search.
        """
        said = self.query_one("#found", Static)
        needed = cell_len(text) and cell_len(text) + 2
        said.styles.width = -(-needed // FOUND_STEP) * FOUND_STEP
        said.update(Content(text), layout=False)

    def note(self, text: str) -> None:
        """A quiet line under the bar; "" takes it away."""
        line = self.query_one("#note", Static)
        line.set_class(bool(text), "-shown")
        line.update(Content(text), layout=False)

    @on(Input.Changed)
    def _rest(self, event: Input.Changed) -> None:
        event.stop()
        if self._aside:
            self.asked, self._aside = "", False
        if self._pause is not None:
            self._pause.stop()
        before, self._last_key = self._last_key, time.monotonic()
        if self._last_key - before > DEBOUNCE:
            self.ask()
        else:
            self._pause = self.set_timer(DEBOUNCE, self.ask)
        self._propose()

    def _propose(self) -> None:
        """Shows how what stands at the cursor may go on."""
        at = unfinished(self.value, self.field.cursor_position)
        self._proposed = []
        if at is not None and self.field.has_focus:
            if at.key and at.key not in self._known:
                self.post_message(self.Values(at.key))
            self._proposed = proposals(at, self._known.get(at.key, ()))
        self.field.proposes = bool(self._proposed)
        line = self.query_one("#proposals", Static)
        line.set_class(bool(self._proposed), "-shown")
        said = [words.flat(one) + (f" {count:,}" if count else "") for one, count in self._proposed]
        line.update(Content("tab  " + " · ".join(said) if said else ""), layout=False)

    @on(Input.Blurred)
    def _blurred(self, event: Input.Blurred) -> None:
        event.stop()
        self._propose()

    @on(ValuesRead)
    def _values_read(self, event: ValuesRead) -> None:
        event.stop()
        self._known[event.key] = event.values
        self._propose()

    @on(QueryInput.Completed)
    def _completed(self, event: QueryInput.Completed) -> None:
        event.stop()
        at = unfinished(self.value, self.field.cursor_position)
        if at is not None and self._proposed:
            text, place = completed(
                self.value, self.field.cursor_position, at, self._proposed[0][0]
            )
            self.field.value = text
            self.field.cursor_position = place
            self._propose()

    def forget_values(self) -> None:
        """The values may be others now."""
        self._known = {}

    def put_aside(self) -> None:
        """Its hits are not shown any more: typing asks, be it the same text again."""
        self._aside = True

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
