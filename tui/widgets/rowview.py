"""A scrolling view of rows that paints only what is seen; text can be selected with the mouse."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual.cache import LRUCache
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style

from tui.render.row import Row
from tui.widgets.scrolled import Scrolled

MUTED = "$text-muted"

Gutter = list[tuple[str, str]]
"""Cells left of a row that are no part of its text: (text, style)."""


class RowView(Scrolled, can_focus=True, inherit_bindings=False):
    """The base of the widgets that show rows; they say which row is where."""

    DEFAULT_CSS = """
    RowView {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        background: $background;
        & > .rowview--current { background: $surface; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"rowview--current"}
    ALLOW_SELECT = True

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._strips: LRUCache[int, Strip] = LRUCache(512)

    # What a subclass says ------------------------------------------------------------------

    def row(self, place: int) -> Row | None:
        """The row at a place, None behind the last one."""
        raise NotImplementedError

    def gutter_cells(self, row: Row, place: int) -> Gutter:
        """What stands left of a row."""
        return []

    def is_current(self, row: Row, place: int) -> bool:
        """Whether the row belongs to what the reader is at."""
        return False

    # Painting --------------------------------------------------------------------------------

    @property
    def room(self) -> int:
        """Cells a row has, the gutter included."""
        return max(self.scrollable_content_region.width, 1)

    @property
    def lines_seen(self) -> int:
        """How many rows are on the screen."""
        return max(self.scrollable_content_region.height, 1)

    def scroll_rows(self, top: int) -> None:
        """Puts a row at the top at once, even before a scrollbar is there."""
        self.scroll_to(y=top, animate=False, force=True)

    def repaint(self) -> None:
        """Forgets what was painted."""
        self._strips.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        """Forgets what was painted in other styles."""
        super().notify_style_update()
        self._strips.clear()

    def selection_updated(self, selection: Selection | None) -> None:
        """Paints anew what is selected."""
        self.repaint()

    def render_line(self, y: int) -> Strip:
        """The line at `y` on the screen."""
        place = self.scroll_offset.y + y
        strip = self._strips.get(place)
        if strip is None or strip.cell_length != self.size.width:
            strip = self._paint(place)
            self._strips[place] = strip
        return strip

    def _paint(self, place: int) -> Strip:
        width = self.size.width
        row = self.row(place)
        if row is None:
            return Strip.blank(width, self.visual_style.rich_style)
        base = self._base(row, place)
        content = row.content()
        if (span := self._selected(place)) is not None:
            start, end = span
            content = content.stylize(
                Style.from_styles(self.screen.get_component_styles("screen--selection")),
                start,
                len(row.text) if end == -1 else end,
            )
        # Every cell of the gutter is a segment of its own that leads a selection to the text.
        front = [
            Segment(cell, (base + self._style(style)).rich_style_with_offset(0, place))
            for text, style in [*self.gutter_cells(row, place), (" " * row.indent, "")]
            for cell in text
        ]
        text: list[Segment] = []
        x = 0
        for piece, style in content.render(base, end="", parse_style=self._style):
            text.append(Segment(piece, (base + style).rich_style_with_offset(x, place)))
            x += len(piece)
        return Strip([*front, *text]).crop_extend(
            self.scroll_offset.x, self.scroll_offset.x + width, base.rich_style
        )

    def _base(self, row: Row, place: int) -> Style:
        base = self.visual_style
        if self.is_current(row, place):
            base = self.get_visual_style("rowview--current")
        if row.base:
            base += self._style(row.base)
        return base + Style(dim=True) if row.fate != "live" else base

    def _style(self, style: str | Style) -> Style:
        if isinstance(style, str) and MUTED in style:
            # Parsed as a variable, "auto 60%" would lose its share and come out at full strength.
            style = style.replace(MUTED, self.app.theme_variables.get("text-muted", "auto 60%"))
        return self.app.stylesheet.parse_style(style)

    def _selected(self, place: int) -> tuple[int, int] | None:
        selection = self.text_selection
        return selection.get_span(place) if selection is not None else None

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, indents and gutter left out."""
        start = selection.start.y if selection.start else 0
        end = selection.end.y if selection.end else int(self.virtual_size.height)
        lines = []
        for place in range(start, end + 1):
            row = self.row(place)
            if row is None:
                break
            first, last = selection.get_span(place) or (0, -1)
            lines.append(row.text[first : len(row.text) if last == -1 else last])
        return "\n".join(lines), "\n"
