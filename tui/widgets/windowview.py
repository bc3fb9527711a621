"""A view of a window of messages: rows are made in a thread, late ones are dropped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from textual import events
from textual.worker import Worker, WorkerState

from store.model import Message, Part, Window
from tui.render.excerpt import Fold
from tui.render.layout import Choice, Layout, lay_out, stops
from tui.render.message import Rendered
from tui.render.part import can_fold
from tui.render.row import Row
from tui.render.safe import one_line
from tui.widgets.blockview import BlockView

GUTTER = 3  # cells: the bar of the current part, the rule of leftovers, one on the right
Built = tuple[Layout, Rendered]


@dataclass(frozen=True, slots=True)
class Position:
    """Where the reader is. `text` is for the status line: `3 of 44 messages`."""

    text: str
    place: int
    total: int
    part: Part | None
    message: Message | None


@dataclass(frozen=True, slots=True)
class Aim:
    """Where to look: at a block, `offset` rows below the top of the screen, or at an edge."""

    ident: str = ""
    offset: int = 0
    hit: bool = False
    edge: Literal["", "top", "bottom"] = ""


class WindowView(BlockView):
    """Shows a window, or one quiet line where there is none, and keeps the reader in place."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.choice = Choice()
        self.usual_fold: Fold | None = None
        self._window: Window | None = None
        self._seen: Window | None = None
        self._rendered: Rendered = {}
        self._notice: list[Row] = []
        self._aim = Aim()
        self._seek = False
        self._go_on = 0
        self._worker: Worker[Built] | None = None
        self._awaits: Literal["", "window", "rows"] = ""

    # What others ask -------------------------------------------------------------------------

    def await_another(self) -> None:
        """Another window was asked for: until its rows are there, no key acts on these."""
        self._awaits = "window"

    @property
    def is_awaiting(self) -> bool:
        """Whether what is shown is not what was asked for."""
        return bool(self._awaits)

    def opening(self) -> None:
        """Says that the other window takes a moment."""
        self._stand("… opening…", "$text-muted")

    def show(self, window: Window, terms: tuple[str, ...] = ()) -> None:
        """Shows a window, the part or message it was asked for in view, its first match too.

        What was shown before stays until the new rows are there. Leftovers that were hidden are
        shown again where one of them is asked for.
        """
        folds = self._usual_folds(window)
        if window.part:
            folds[window.part] = "open"
        self._window, self._rendered = window, {}
        self._awaits = "rows" if self._awaits else ""
        left = self.choice.leftovers or _is_left(window)
        self.choice = replace(self.choice, terms=terms, folds=folds, leftovers=left)
        self.lay_out(Aim(window.part or window.anchor, hit=True))

    def extend(self, window: Window) -> None:
        """Takes a larger window of the same session; what the reader looks at stays in place."""
        aim = self.here()
        self._window = window
        self.choice = replace(self.choice, folds=self._usual_folds(window) | self.choice.folds)
        self.lay_out(aim)

    def restore(self, window: Window, choice: Choice, aim: Aim) -> None:
        """Shows a window as it was left: the same folds, filters and place."""
        self._window, self._rendered, self.choice = window, {}, choice
        self._awaits = "rows" if self._awaits else ""
        self.lay_out(aim)

    def mark(self, terms: tuple[str, ...], *, seek: bool = False) -> None:
        """Marks other terms in the window that is shown; with `seek` goes to the next of them."""
        self._rendered, self._seek = {}, seek
        self.choice = replace(self.choice, terms=terms)
        self.lay_out(self.here())

    def jump(self, ident: str) -> bool:
        """To a part or message of the window, at the top; whether it is there."""
        place = self.layout_rows.find(ident) if self.layout_rows else None
        if place is None or self.layout_rows is None:
            return False
        self.go(place)
        self.scroll_rows(max(self.blocks[place].start - 1, 0))
        return True

    def _usual_folds(self, window: Window) -> dict[str, Fold]:
        if self.usual_fold is None:
            return {}
        parts = (part for message in window.messages for part in message.parts)
        return {part.id: self.usual_fold for part in parts if can_fold(part)}

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
    def is_settled(self) -> bool:
        """Whether what is shown is what was asked for; not so while rows are being made."""
        return self._worker is None and self._seen is self._window

    @property
    def current_part(self) -> Part | None:
        """The part that keys act on."""
        return self.current.part if self.current and not self._awaits else None

    @property
    def current_message(self) -> Message | None:
        """The message that the current part belongs to."""
        return self.current.item.message if self.current and not self._awaits else None

    @property
    def last_place(self) -> int:
        """The place in its session of the last message in view; -1 where there is none."""
        layout = self.layout_rows
        if layout is None or not layout.blocks or self._seen is None:
            return -1
        bottom = min(self.scroll_offset.y + self.lines_seen, len(layout.rows)) - 1
        return layout.blocks[layout.block_at(max(bottom, 0))].place

    @property
    def position(self) -> Position:
        """Where the reader is."""
        block, window = self.current, self._seen
        if block is None or window is None:
            return Position("", 0, window.total if window else 0, None, None)
        noun = "message" if window.total == 1 else "messages"
        text = f"{block.place + 1:,} of {window.total:,} {noun}{self.choice.words()}"
        return Position(text, block.place + 1, window.total, block.part, block.item.message)

    # Layout ----------------------------------------------------------------------------------

    def _say(self, sign: str, text: str, style: str) -> None:
        self._worker, self._awaits = None, ""
        self._window = self._seen = self.layout_rows = None
        self._stand(f"{sign} {text}", style)
        self.moved()

    def _stand(self, text: str, style: str) -> None:
        """One quiet line instead of rows."""
        self._notice = [Row(""), Row(one_line(text, 400), (), 0, style)]
        self.extend_to(self.size.width, len(self._notice))
        self.scroll_rows(0)
        self.repaint()

    def lay_out(self, aim: Aim) -> None:
        """Makes the rows anew in a thread, then looks where `aim` says."""
        self._aim = aim
        if self._window is None or not self.size.width:
            return
        width = self._width()
        if self.layout_rows is None or self.layout_rows.width != width:
            self._rendered = {}
        task = partial(_build, self._window, self.choice, width, self._rendered)
        self._worker = self.run_worker(
            task,
            description="layout",  # else it would be the text of the whole window
            thread=True,
            exclusive=True,
            group="layout",
            exit_on_error=False,
        )

    def _width(self) -> int:
        return max(self.room - GUTTER, 10)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Takes a finished layout, unless a newer one was asked for."""
        event.stop()
        if event.worker is not self._worker or self._worker is None:
            return
        if event.state == WorkerState.ERROR:
            self.failed(f"this could not be shown: {event.worker.error!r}")
        elif event.state == WorkerState.SUCCESS and self._worker.result is not None:
            layout, self._rendered = self._worker.result
            self._take(layout)

    def _take(self, layout: Layout) -> None:
        self._worker, self._seen, self._notice = None, self._window, []
        if self._awaits == "rows":
            self._awaits = ""
        self.layout_rows, self.match = layout, None
        if layout.rows:
            self.extend_to(self.size.width, len(layout.rows))
            self._look(layout, self._aim)
            self._follow_up(layout)
        elif self._window is not None and self._window.messages:
            self._stand("· nothing here passes the filter", "$text-muted")
        else:
            self._stand("· no messages", "$text-muted")
        self.moved()

    def _follow_up(self, layout: Layout) -> None:
        """What the reader wanted to do and could not before these rows were there."""
        seek, step = self._seek, self._go_on
        self._seek, self._go_on = False, 0
        if seek and layout.matches:
            at = self.blocks[self.block].start
            self.go_to_row(next((row for row in layout.matches if row >= at), layout.matches[0]))
        elif step:
            self._jump(step, stops(layout))

    def _look(self, layout: Layout, aim: Aim) -> None:
        if aim.edge:
            places = stops(layout)
            self.block = places[-1 if aim.edge == "bottom" else 0] if places else 0
            self.scroll_rows(self.max_scroll_y if aim.edge == "bottom" else 0)
            return
        found = layout.find(aim.ident)
        if found is not None:
            self.block = found
        else:  # a conversation that is opened at no place in particular begins at its beginning
            self.block = 0 if aim.hit else min(self.block, len(layout.blocks) - 1)
        block = layout.blocks[self.block]
        if not aim.hit:
            top = block.start - aim.offset
            if top >= block.end:  # it was folded while its beginning was out of sight
                top = block.start - 1
            self.scroll_rows(max(top, 0))
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

    def here(self) -> Aim:
        """What the reader looks at, or is about to once a layout is done."""
        if self.current is None or not self.is_settled:
            return self._aim
        return Aim(self.current.id, self.current.start - self.scroll_offset.y)

    def on_resize(self, event: events.Resize) -> None:
        """Lays out anew where the width changed."""
        self._catch_up()

    def on_show(self, event: events.Show) -> None:
        """Lays out what was asked for while the pane was hidden and had no width."""
        self._catch_up()

    def _catch_up(self) -> None:
        fits = self.layout_rows is not None and self.layout_rows.width == self._width()
        if not fits or not (self.is_settled or self._worker):
            self.lay_out(self.here())

    def row(self, place: int) -> Row | None:
        """The row at a place: of the notice where one stands, else of the layout."""
        if self._notice:
            return self._notice[place] if place < len(self._notice) else None
        return super().row(place)


def _build(window: Window, choice: Choice, width: int, rendered: Rendered) -> Built:
    """Runs in a thread; works on a copy of the known rows, since an older layout may still run."""
    known = dict(rendered)
    return lay_out(window, choice, width, known), known


def _is_left(window: Window) -> bool:
    """Whether the part or message that a window was asked for is not live."""
    for one in window.messages:
        if one.message.id == window.anchor:
            fates = [part.fate for part in one.parts if part.id == window.part]
            return any(fate != "live" for fate in fates or [one.message.fate])
    return False
