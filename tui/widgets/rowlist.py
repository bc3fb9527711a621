"""A list painted line by line: its cost is that of the lines on screen, not of its rows."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Hashable, Sequence
from itertools import accumulate
from typing import Any, ClassVar, Generic, TypeVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from tui.widgets.scrolled import Scrolled

Row = TypeVar("Row")


def _without_colours(line: Content) -> Content:
    # Of sixteen colours most cannot be told from the bar under the cursor.
    kept = [span for span in line.spans if str(span.style).startswith("reverse")]
    return Content(line.plain, kept, strip_control_codes=False)


class RowList(Scrolled, Generic[Row], can_focus=True):
    """Rows of one or more lines with a cursor; subclasses say how a row looks.

    Where there are no rows, the lines of `say` stand in their place. `is_placed` tells whether the
    person put the cursor where it is.
    """

    DEFAULT_CSS = """
    RowList {
        scrollbar-size-vertical: 1;
        overflow-x: hidden;
        & > .rowlist--cursor { color: $block-cursor-blurred-foreground;
                               background: $block-cursor-blurred-background; }
        & > .rowlist--hover { background: $block-hover-background; }
        &:focus > .rowlist--cursor { color: $block-cursor-foreground;
                                     background: $block-cursor-background;
                                     text-style: $block-cursor-text-style; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"rowlist--cursor", "rowlist--hover"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Down", id="rows.down", show=False),
        Binding("k,up", "move(-1)", "Up", id="rows.up", show=False),
        Binding("g,home", "top", "First", id="rows.top", show=False),
        Binding("G,end", "bottom", "Last", id="rows.bottom", show=False),
        Binding("ctrl+d", "half(1)", "Half a page down", id="rows.half_down", show=False),
        Binding("ctrl+u", "half(-1)", "Half a page up", id="rows.half_up", show=False),
        Binding("pagedown,ctrl+f", "page(1)", "Page down", id="rows.page_down", show=False),
        Binding("pageup,ctrl+b", "page(-1)", "Page up", id="rows.page_up", show=False),
        Binding("enter,l,right", "open", "Read", id="rows.open"),
    ]

    class Highlighted(Message):
        """The cursor came to stand on another row."""

        def __init__(self, rows: RowList[Any]) -> None:
            super().__init__()
            self.rows = rows

        @property
        def control(self) -> RowList[Any]:
            """The list it happened in."""
            return self.rows

    class Opened(Message):
        """The row under the cursor is to be opened."""

        def __init__(self, rows: RowList[Any]) -> None:
            super().__init__()
            self.rows = rows

        @property
        def control(self) -> RowList[Any]:
            """The list it happened in."""
            return self.rows

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows: Sequence[Row] = ()
        self.cursor = -1
        self.is_placed = False
        self._hover = -1
        self._starts: list[int] = [0]
        self._said: list[Content] = []
        self._painted: LRUCache[tuple[int, bool, int], list[Content]] = LRUCache(512)

    # What a subclass says ------------------------------------------------------------------

    @abstractmethod
    def paint(self, row: Row, width: int, selected: bool) -> list[Content]:
        """The lines of a row, as many as `height_of` says."""

    def height_of(self, row: Row) -> int:
        """How many lines a row takes."""
        return 1

    def can_select(self, row: Row) -> bool:
        """Whether the cursor may stand on a row."""
        return True

    def key_of(self, row: Row) -> Hashable:
        """What tells a row from others, so that the cursor stays with it when rows change."""
        return id(row)

    # Rows ----------------------------------------------------------------------------------

    @property
    def selected(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def set_rows(self, rows: Sequence[Row], *, keep: bool = True) -> None:
        """Shows other rows. With `keep` the cursor's row stays where it is on the screen."""
        before = self.selected
        line = self._starts[self.cursor] - self.scroll_offset.y if before is not None else 0
        self.rows = rows
        self._starts = [0, *accumulate(map(self.height_of, rows))]
        self._hover = -1
        self._painted.clear()
        kept = self._place_of(self.key_of(before)) if keep and before is not None else -1
        self.cursor = kept if kept >= 0 else self._next_from(0, 1)
        self.extend_to(self.size.width, self._starts[-1])
        top = self._starts[self.cursor] - line if kept >= 0 else 0
        self.scroll_to(y=max(0, top), animate=False)
        self.refresh()
        if kept < 0 and self.selected is not None:
            self.post_message(self.Highlighted(self))

    def say(self, *lines: Content | str) -> None:
        """What stands in place of rows while there are none. Strings are plain text."""
        self._said = [line if isinstance(line, Content) else Content(line) for line in lines]
        self.refresh()

    def repaint(self) -> None:
        """Paints every row anew, for what rows show has changed."""
        self._painted.clear()
        self.refresh()

    def _place_of(self, key: Hashable) -> int:
        return next((at for at, other in enumerate(self.rows) if self.key_of(other) == key), -1)

    def _next_from(self, at: int, step: int) -> int:
        while 0 <= at < len(self.rows):
            if self.can_select(self.rows[at]):
                return at
            at += step
        return -1

    # The cursor ----------------------------------------------------------------------------

    def go(self, at: int) -> None:
        """Moves the cursor to a row and shows it."""
        if not 0 <= at < len(self.rows):
            return
        self.is_placed = True
        if at != self.cursor:
            self.cursor = at
            self.refresh()
            self.post_message(self.Highlighted(self))
        self._show_cursor()

    def stand_on(self, key: Hashable) -> bool:
        """Puts the cursor on the row of a key without a word; whether there is one."""
        at = self._place_of(key)
        if at >= 0:
            self.is_placed = True
            self.cursor = at
            self.refresh()
            self._show_cursor()
        return at >= 0

    def _show_cursor(self) -> None:
        first, last = self._starts[self.cursor], self._starts[self.cursor + 1]
        heading = self.cursor
        while heading > 0 and not self.can_select(self.rows[heading - 1]):
            heading -= 1
        height = self.scrollable_content_region.height
        if last - self._starts[heading] <= height:
            first = self._starts[heading]
        self.scroll_to_region(
            Region(0, first, 1, last - first), animate=False, force=True, immediate=True
        )

    def _row_at(self, line: int) -> int:
        return min(bisect_right(self._starts, line) - 1, len(self.rows) - 1)

    def _go_near(self, line: int, step: int) -> None:
        at = self._row_at(max(0, min(line, self._starts[-1] - 1)))
        found = self._next_from(at, step)
        self.go(found if found >= 0 else self._next_from(at, -step))

    def action_move(self, step: int) -> None:
        """One row up or down."""
        self.go(self._next_from(self.cursor + step, step))

    def action_top(self) -> None:
        """To the first row."""
        self.go(self._next_from(0, 1))

    def action_bottom(self) -> None:
        """To the last row."""
        self.go(self._next_from(len(self.rows) - 1, -1))

    def action_page(self, step: int) -> None:
        """A page up or down."""
        self._jump(step * max(1, self.scrollable_content_region.height - 1), step)

    def action_half(self, step: int) -> None:
        """Half a page up or down."""
        self._jump(step * max(1, self.scrollable_content_region.height // 2), step)

    def _jump(self, lines: int, step: int) -> None:
        if self.selected is not None:
            self._go_near(self._starts[self.cursor] + lines, step)

    def action_open(self) -> None:
        """Opens the row under the cursor."""
        self.is_placed = True
        if self.selected is not None:
            self.post_message(self.Opened(self))

    # Painting ------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """One line of the list."""
        line, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        if not self.rows:
            return self._said_line(y, width)
        if line >= self._starts[-1]:
            return Strip.blank(width, self.rich_style)
        at = self._row_at(line)
        selected = at == self.cursor
        content = self._lines_of(at, selected, width)[line - self._starts[at]]
        style = self.visual_style
        if selected:
            style = self.get_visual_style("rowlist--cursor")
        elif at == self._hover and self.can_select(self.rows[at]):
            style = self.get_visual_style("rowlist--hover")
        segments: list[Segment] = content.render_segments(style)
        return Strip(segments).adjust_cell_length(width, style.rich_style)

    def _said_line(self, y: int, width: int) -> Strip:
        at = y - 1
        if not 0 <= at < len(self._said):
            return Strip.blank(width, self.rich_style)
        content = Content.assemble("  ", self._said[at]).truncate(width, ellipsis=True, pad=True)
        return Strip(content.render_segments(self.visual_style))

    def _lines_of(self, at: int, selected: bool, width: int) -> list[Content]:
        key = (at, selected, width)
        lines = self._painted.get(key)
        if lines is None:
            painted = self.paint(self.rows[at], width, selected)
            if selected and self.app.current_theme.ansi:
                painted = [_without_colours(line) for line in painted]
            lines = [line.truncate(width, ellipsis=True, pad=True) for line in painted]
            self._painted.set(key, lines)
        return lines

    def notify_style_update(self) -> None:
        """The theme or the focus changed: every row looks different."""
        super().notify_style_update()
        self._painted.clear()

    def on_resize(self) -> None:
        """Keeps the cursor in sight and the lines as wide as the list."""
        self.extend_to(self.size.width, self._starts[-1])
        if self.selected is not None:
            self._show_cursor()

    # The mouse -----------------------------------------------------------------------------

    def _row_under(self, event: events.MouseEvent) -> int:
        line = event.y + self.scroll_offset.y
        return self._row_at(line) if self.rows and line < self._starts[-1] else -1

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Marks the row under the mouse."""
        hover = self._row_under(event)
        if hover != self._hover:
            self._hover = hover
            self.refresh()

    def on_leave(self) -> None:
        """Forgets the row under the mouse."""
        self._hover = -1
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Moves to the row that was clicked; a second click on it opens it."""
        at = self._row_under(event)
        if at < 0 or not self.can_select(self.rows[at]):
            return
        if at == self.cursor:
            self.action_open()
        else:
            self.go(at)
