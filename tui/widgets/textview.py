"""A text of any size in a scrolling view: rows are cut when they are painted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from rich.cells import cell_len
from textual import events
from textual.message import Message as Event
from textual.worker import Worker, WorkerState, get_current_worker

from tui.render.lines import CHUNK, Lines, take_lines
from tui.render.row import MATCH, Marker, Row
from tui.render.words import line_count
from tui.widgets.rowview import Gutter, RowView

UNWRAPPED = 1_000_000  # cells; wider than any piece of a line


class TextView(RowView):
    """Shows one text; its beginning is there at once, the rest comes from a thread."""

    DEFAULT_CSS = """
    TextView { overflow-x: auto; scrollbar-size-horizontal: 1; }
    """

    @dataclass
    class Looked(Event):
        """What is seen of the text has changed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.lines = Lines(1)
        self.numbered = True
        self.wrapped = True
        self.at: int | None = None
        self._text = ""
        self._count = 0
        self._marker = Marker()
        self._number = 0
        self._seek = False
        self._top = 0
        self._digits = 1
        self.counting = False
        self.coming = ""
        self._then: Callable[[], None] | None = None

    # What others ask -------------------------------------------------------------------------

    def show(self, text: str, terms: tuple[str, ...] = ()) -> None:
        """Shows a text from its first match on, else from its beginning."""
        self._text, self._marker = text, Marker(terms)
        self._count, self.lines = line_count(text), Lines(1)
        self._seek, self._top, self.at = True, 0, None
        self._stay()
        self._take()

    def mark(self, terms: tuple[str, ...]) -> None:
        """Marks other terms and goes to the next place where one stands."""
        self._marker, self._seek, self.at = Marker(terms), True, None
        self._top = self.lines.line_at(self.scroll_offset.y)
        self.lines.matches = []
        self._stay()
        self._take()

    def toggle_wrap(self) -> None:
        """Cuts lines at the width, or lets them run out of view."""
        self.wrapped = not self.wrapped
        self._again()

    def toggle_numbers(self) -> None:
        """Shows or hides the numbers of the lines."""
        self.numbered = not self.numbered
        self._again()

    def go_to_match(self, step: int) -> None:
        """To the next (1) or previous (-1) line with a match."""
        here = self.at
        if here is None:
            here = self.lines.line_at(self.scroll_offset.y) - (step > 0)
        ahead = [line for line in self.lines.matches if (line - here) * step > 0]
        self._stay()
        if ahead:
            self._go(ahead[0] if step > 0 else ahead[-1])
        elif self.counting and step > 0:
            self._postpone("the next match", partial(self.go_to_match, step))

    def go_to_line(self, number: int) -> None:
        """To the line with this number (1-based), the last one at most.

        The beginning of a large text is there first, its other lines come from a thread: a line
        that is not there yet is gone to once they are, unless the reader goes elsewhere.
        """
        self._stay()
        if number > self.lines.count and self.counting:
            self._postpone(f"line {number:,}", partial(self.go_to_line, number))
        else:
            self._go(self.lines.place_of(number))

    def go_to_end(self) -> None:
        """To the last line: to the last one there is for now, then to the last of all."""
        self.go_to_row(self.max_scroll_y)
        if not self.lines.whole:
            self._postpone("the end", self.go_to_end)

    def go_to_row(self, row: int) -> None:
        """Puts a row at the top; what was to be gone to later is not any more."""
        self._stay()
        self.scroll_rows(row)

    def _postpone(self, where: str, go: Callable[[], None]) -> None:
        self.coming, self._then = where, go
        self.post_message(self.Looked())

    def _go_on(self) -> None:
        if self._then is not None:
            self._then()

    def _stay(self) -> None:
        self.coming, self._then = "", None

    def _go(self, line: int) -> None:
        self.at = line
        row = self.lines.row_of(line, self._marker)
        if not self.scroll_offset.y < row < self.scroll_offset.y + self.lines_seen - 1:
            self.scroll_rows(max(row - self.lines_seen // 3, 0))
        self._reach(self.row(row))
        self.repaint()
        self.post_message(self.Looked())

    def _reach(self, row: Row | None) -> None:
        """Brings the match in a line that is not wrapped into view."""
        found = next((span for span in row.spans if span.style == MATCH), None) if row else None
        if found is None or row is None or self.wrapped:
            return
        start, end = (cell_len(row.text[:edge]) + self._digits for edge in found[:2])
        left = self.scroll_offset.x
        if not left <= start < end < left + self.room:
            self.scroll_to(x=max(end - self.room // 2, 0), animate=False, force=True)

    # Taking the text in ------------------------------------------------------------------------

    def _again(self) -> None:
        self._top = self.lines.line_at(self.scroll_offset.y)
        self._take()

    def _width(self) -> int:
        """Cells that a row of text may have."""
        return max(self.room - self._wanted_digits - 1, 8) if self.wrapped else UNWRAPPED

    def _take(self) -> None:
        if not self.size.width:
            return
        self._number += 1
        width = self._width()
        start = take_lines(self._text, width, self._marker, most=CHUNK)
        self.counting = not start.whole
        # All lines in their old form are better than few in the new one: the place is kept.
        if start.whole or not self.lines.whole:
            self._use(start)
        else:
            self.repaint()
            self.post_message(self.Looked())
        if self.counting:
            task = partial(_take_all, self._number, self._text, width, self._marker)
            self.run_worker(
                task,
                name="lines",
                description="lines",  # else it would be the whole text
                thread=True,
                exclusive=True,
                group="lines",
                exit_on_error=False,
            )

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Takes the whole text in place of its beginning."""
        if event.worker.name != "lines":
            return
        event.stop()
        if event.state == WorkerState.SUCCESS and event.worker.result is not None:
            number, lines = event.worker.result
            if number == self._number:
                self._top = self.lines.line_at(self.scroll_offset.y)
                self.counting = False
                self._use(lines)
                self.call_after_refresh(self._go_on)

    def _use(self, lines: Lines) -> None:
        self.lines, self._digits = lines, self._wanted_digits
        width = self.room if self.wrapped else lines.widest + self._digits + 1
        self.extend_to(width, lines.rows)
        ahead = [line for line in lines.matches if line >= self._top] or lines.matches
        if self._seek and (ahead or lines.whole):
            self._seek = False
            if ahead:
                self._go(ahead[0])
        elif self._top < len(lines.starts):
            self.scroll_rows(lines.starts[self._top])
        self.repaint()
        self.post_message(self.Looked())

    def on_resize(self, event: events.Resize) -> None:
        """Cuts anew where the width changed."""
        if not self.lines.texts or self._width() != self.lines.width:
            self._again()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tells others that other lines are seen."""
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Looked())

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Forgets what was painted further left or right."""
        self._strips.clear()
        super().watch_scroll_x(old_value, new_value)

    @property
    def _wanted_digits(self) -> int:
        return len(f"{self._count}") + 1 if self.numbered else 1

    # Painting --------------------------------------------------------------------------------

    def row(self, place: int) -> Row | None:
        """The row at a place, cut now."""
        return self.lines.row(place, self._marker)

    def is_current(self, row: Row, place: int) -> bool:
        """Whether the row is of the line of the match that was gone to last."""
        return self.at is not None and self.lines.line_at(place) == self.at

    def gutter_cells(self, row: Row, place: int) -> Gutter:
        """The number of the line at its first row."""
        line = self.lines.line_at(place)
        first = place == self.lines.starts[line]
        digits = self._digits
        number = self.lines.numbers[line] if first and digits > 1 else 0
        return [(f"{number or '':>{digits - 1}} ", "$text-muted")]


def _take_all(number: int, text: str, width: int, marker: Marker) -> tuple[int, Lines]:
    """Runs in a thread, and ends early when nobody waits for it any more."""
    worker = get_current_worker()
    return number, take_lines(text, width, marker, stop=lambda: worker.is_cancelled)
