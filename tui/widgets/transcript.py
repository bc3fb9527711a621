"""The reading pane: a window of messages as rows, read part by part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message as Event
from textual.worker import Worker, WorkerState

from store.model import Message, Part, Window
from tui.render.layout import Choice, Layout, lay_out
from tui.render.message import Fold, Rendered
from tui.render.part import can_fold, heading, input_text, plain_text, starts_folded
from tui.render.row import Row
from tui.render.safe import one_line
from tui.widgets.blockview import BlockView

GUTTER = 3  # cells: the bar of the current part, the rule of leftovers, one on the right
Built = tuple[int, Layout, Rendered]


@dataclass(frozen=True, slots=True)
class Position:
    """Where the reader is. `text` is for the status line: `3 of 44 messages`."""

    text: str
    place: int
    total: int
    part: Part | None
    message: Message | None


@dataclass(frozen=True, slots=True)
class _Aim:
    """Where to look once a layout is done: at a block, `offset` rows below the top."""

    ident: str = ""
    offset: int = 0
    hit: bool = False


class Transcript(BlockView):
    """Shows a `Window`. It moves, folds and filters by itself; all else it posts as messages."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "fold", "Fold", id="context.fold"),
        Binding("z", "fold_all", "Fold all", id="context.fold_all", show=False),
        Binding("enter", "open", "Open alone", id="context.open"),
        Binding("left_square_bracket", "widen(True)", "More before", id="context.widen_before"),
        Binding("right_square_bracket", "widen(False)", "More after", id="context.widen_after"),
        Binding("t", "tools_only", "Tool parts only", id="context.tools_only", show=False),
        Binding("exclamation_mark", "errors_only", "Errors only", id="context.errors", show=False),
        Binding("d", "leftovers", "Hide leftovers", id="context.leftovers", show=False),
        Binding("y", "copy('text')", "Copy", id="part.copy"),
        Binding("Y", "copy('whole')", "Copy with heading", id="part.copy_heading", show=False),
        Binding("i", "copy('input')", "Copy input", id="part.copy_input", show=False),
        Binding("full_stop", "copy('id')", "Copy id", id="part.copy_id", show=False),
        Binding("R", "raw", "Stored JSON", id="context.raw", show=False),
    ]

    @dataclass
    class Widen(Event):
        """The reader wants more messages, before or after those here."""

        before: bool

    @dataclass
    class OpenPart(Event):
        """A part is to be shown alone, its first match in view."""

        part: Part
        terms: tuple[str, ...] = ()

    @dataclass
    class Copy(Event):
        """Text for the clipboard; `what` names it in a few words."""

        text: str
        what: str

    @dataclass
    class ShowRaw(Event):
        """The stored JSON of a part is wanted."""

        part: Part

    @dataclass
    class Moved(Event):
        """The reader is elsewhere, or more is known of where the reader is."""

        position: Position

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._window: Window | None = None
        self._choice = Choice()
        self._rendered: Rendered = {}
        self._notice: list[Row] = []
        self._number = 0
        self._aim = _Aim()

    # What others ask -------------------------------------------------------------------------

    def show(self, window: Window, terms: tuple[str, ...] = ()) -> None:
        """Shows a window, the part or message it was asked for in view, its first match too."""
        folds: dict[str, Fold] = {window.part: "open"} if window.part else {}
        self._window, self._rendered = window, {}
        self._choice = replace(self._choice, terms=terms, folds=folds)
        self.layout_rows, self.block, self.match = None, 0, None
        self._lay_out(_Aim(window.part or window.anchor, hit=True))

    def extend(self, window: Window) -> None:
        """Takes a larger window of the same session; what the reader looks at stays in place."""
        self._window = window
        self._lay_out(self._here())

    def busy(self, text: str) -> None:
        """Says that something is on its way."""
        self._say("…", text, "$text-muted")

    def empty(self, text: str) -> None:
        """Says that there is nothing to read, and why."""
        self._say("·", text, "$text-muted")

    def failed(self, text: str) -> None:
        """Says that reading failed, and why."""
        self._say("⚠", text, "$error")

    @property
    def window(self) -> Window | None:
        """The window that is shown; None while a notice stands here."""
        return self._window

    @property
    def current_part(self) -> Part | None:
        """The part that keys act on."""
        return self.current.part if self.current else None

    @property
    def current_message(self) -> Message | None:
        """The message that the current part belongs to."""
        return self.current.item.message if self.current else None

    @property
    def position(self) -> Position:
        """Where the reader is."""
        block, window = self.current, self._window
        if block is None or window is None:
            return Position("", 0, window.total if window else 0, None, None)
        noun = "message" if window.total == 1 else "messages"
        text = f"{block.place + 1:,} of {window.total:,} {noun}"
        return Position(text, block.place + 1, window.total, block.part, block.item.message)

    # Layout ----------------------------------------------------------------------------------

    def _say(self, sign: str, text: str, style: str) -> None:
        self._number += 1
        self._window = self.layout_rows = None
        self._stand(f"{sign} {text}", style)
        self.post_message(self.Moved(self.position))

    def _stand(self, text: str, style: str) -> None:
        """One quiet line instead of rows."""
        self._notice = [Row(""), Row(one_line(text, 400), (), 1, style)]
        self.virtual_size = Size(self.size.width, len(self._notice))
        self.scroll_rows(0)
        self.repaint()

    def _lay_out(self, aim: _Aim) -> None:
        self._aim = aim
        if self._window is None or not self.size.width:
            return
        width = max(self.room - GUTTER, 10)
        if self.layout_rows is not None and self.layout_rows.width != width:
            self._rendered = {}
        self._number += 1
        task = partial(_build, self._number, self._window, self._choice, width, self._rendered)
        self.run_worker(
            task, thread=True, exclusive=True, group="layout", exit_on_error=False, name="layout"
        )

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Takes a finished layout, unless a newer one was asked for."""
        if event.worker.name != "layout":
            return
        event.stop()
        if event.state == WorkerState.ERROR:
            self.failed(f"this could not be shown: {event.worker.error!r}")
        elif event.state == WorkerState.SUCCESS and event.worker.result is not None:
            number, layout, rendered = event.worker.result
            if number == self._number:
                self._take(layout, rendered)

    def _take(self, layout: Layout, rendered: Rendered) -> None:
        self.layout_rows, self._rendered, self._notice = layout, rendered, []
        self.match = None
        if not layout.rows:
            self._stand("· nothing here passes the filter", "$text-muted")
        else:
            self.virtual_size = Size(self.size.width, len(layout.rows))
            self._look(layout, self._aim)
        self.post_message(self.Moved(self.position))

    def _look(self, layout: Layout, aim: _Aim) -> None:
        found = layout.find(aim.ident)
        self.block = min(self.block, len(layout.blocks) - 1) if found is None else found
        block = layout.blocks[self.block]
        if not aim.hit:
            self.scroll_rows(max(block.start - aim.offset, 0))
            self.repaint()
            return
        match = next((row for row in layout.matches if block.start <= row < block.end), None)
        above = self.lines_seen // 3
        row = block.start if match is None else match
        # The heading stays in view with the match where both fit above the middle.
        top = row - above if row - block.start > above else block.start - min(above, 4)
        self.scroll_rows(max(top, 0))
        self.match = match
        self.repaint()

    def _here(self) -> _Aim:
        if self.current is None:
            return self._aim
        return _Aim(self.current.id, self.current.start - self.scroll_offset.y)

    def moved(self) -> None:
        """Tells others where the reader is."""
        super().moved()
        self.post_message(self.Moved(self.position))

    def on_resize(self, event: events.Resize) -> None:
        """Lays out anew where the width changed."""
        width = max(self.room - GUTTER, 10)
        if self.layout_rows is None or self.layout_rows.width != width:
            self._lay_out(self._here())

    def row(self, place: int) -> Row | None:
        """The row at a place: of the notice where one stands, else of the layout."""
        if self._notice:
            return self._notice[place] if place < len(self._notice) else None
        return super().row(place)

    # Folding and filtering ---------------------------------------------------------------------

    def _fold_of(self, part: Part) -> Fold:
        usual: Fold = "folded" if starts_folded(part) else "open"
        return self._choice.folds.get(part.id, usual)

    def _set_folds(self, folds: dict[str, Fold]) -> None:
        self._choice = replace(self._choice, folds=self._choice.folds | folds)
        self._lay_out(self._here())

    def action_fold(self) -> None:
        """Folded, then in excerpt, then (where the excerpt hides something) all, and again."""
        block = self.current
        if block is None or block.part is None or not can_fold(block.part):
            return
        state = self._fold_of(block.part)
        if state == "folded":
            self._set_folds({block.id: "open"})
        elif state == "open" and self._hides(block.start, block.end):
            self._set_folds({block.id: "whole"})
        else:
            self._set_folds({block.id: "folded"})

    def _hides(self, start: int, end: int) -> bool:
        rows = self.layout_rows.rows if self.layout_rows else []
        return any(row.role == "gap" for row in rows[start:end])

    def action_fold_all(self) -> None:
        """Unfolds every part, or folds them all where none is folded."""
        parts = [block.part for block in self.blocks if block.part and can_fold(block.part)]
        folded = any(self._fold_of(part) == "folded" for part in parts)
        self._set_folds({part.id: "open" if folded else "folded" for part in parts})

    def _choose(self, choice: Choice) -> None:
        self._choice = choice
        self._lay_out(self._here())

    def action_tools_only(self) -> None:
        """Shows tool parts only, or everything again."""
        self._choose(replace(self._choice, tools_only=not self._choice.tools_only))

    def action_errors_only(self) -> None:
        """Shows what failed only, or everything again."""
        self._choose(replace(self._choice, errors_only=not self._choice.errors_only))

    def action_leftovers(self) -> None:
        """Hides what is no longer live, or shows it again."""
        self._choose(replace(self._choice, leftovers=not self._choice.leftovers))

    # What others do ----------------------------------------------------------------------------

    def action_widen(self, before: bool) -> None:
        """Asks for more messages where the session has them."""
        window = self._window
        if window is not None and (window.more_before if before else window.more_after):
            self.post_message(self.Widen(before))

    def action_open(self) -> None:
        """Asks for the current part alone."""
        if self.current_part is not None:
            self.post_message(self.OpenPart(self.current_part, self._choice.terms))

    def action_raw(self) -> None:
        """Asks for the stored JSON of the current part."""
        if self.current_part is not None:
            self.post_message(self.ShowRaw(self.current_part))

    def action_copy(self, what: str) -> None:
        """Hands text of the current part (else the error of the message) to the clipboard."""
        part, message = self.current_part, self.current_message
        if part is None:
            if message is not None:
                text = message.id if what == "id" else message.error
                self.post_message(self.Copy(text, "id" if what == "id" else "error"))
            return
        text, name = copied(part, what)
        if text:
            self.post_message(self.Copy(text, name))

    def on_click(self, event: events.Click) -> None:
        """A click makes a part current, on a heading or gap it folds; a double click opens."""
        event.prevent_default()
        row = self.row(event.y + self.scroll_offset.y)
        if row is None or self.layout_rows is None or self.text_selection is not None:
            return
        found = self.layout_rows.find(row.part or row.message)
        if found is None:
            return
        again = found == self.block
        self.go(found)
        if event.chain == 2:
            self.action_open()
        elif event.chain == 1 and (row.role == "gap" or (row.role == "heading" and again)):
            self.action_fold()


def copied(part: Part, what: str) -> tuple[str, str]:
    """What a copy of a part holds, and its name: `text`, `whole`, `input` or `id`."""
    if what == "id":
        return part.id, "id"
    if what == "input":
        return input_text(part), "input"
    text = plain_text(part)
    return (
        (f"{heading(part)}\n\n{text}", "text with heading") if what == "whole" else (text, "text")
    )


def _build(
    number: int, window: Window, choice: Choice, width: int, rendered: Rendered
) -> Built | None:
    """Runs in a thread: lays out; `rendered` is only ever added to by the one layout at work."""
    known = dict(rendered)
    return number, lay_out(window, choice, width, known), known
