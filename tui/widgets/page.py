"""Lines of text to scroll through, painted line by line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import chop_cells
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.strip import Strip

from tui.widgets.scrolled import Scrolled

PROSE = 4_000
"""Letters up to which a line without colours is broken between words, which costs more."""

Lines = Sequence[Content] | Callable[[int], Sequence[Content]]
"""The lines of a page, or what makes them for a width in cells."""


def lines_for(lines: Lines, width: int) -> Sequence[Content]:
    """The lines at a width."""
    return lines(width) if callable(lines) else lines


def _rows(line: Content, width: int) -> list[Content]:
    if line.cell_length <= width:
        return [line]
    if line.spans or len(line.plain) <= PROSE:
        return list(line.wrap(width))
    return [Content(piece) for piece in chop_cells(line.plain, width)]


class Page(Scrolled, can_focus=True):
    """A page of lines; lines that are too long for it are cut at its width."""

    DEFAULT_CSS = "Page { scrollbar-size-vertical: 1; overflow-x: hidden; padding: 1 2; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll_down", "Down", id="page.down", show=False),
        Binding("k,up", "scroll_up", "Up", id="page.up", show=False),
        Binding("g,home", "scroll_home", "Top", id="page.top", show=False),
        Binding("G,end", "scroll_end", "Bottom", id="page.bottom", show=False),
        Binding("space,pagedown,ctrl+d", "page_down", "Page down", id="page.next", show=False),
        Binding("pageup,ctrl+u", "page_up", "Page up", id="page.previous", show=False),
    ]

    def __init__(self, lines: Lines = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.lines: list[Content] = []
        self._given = lines

    def on_mount(self) -> None:
        """Shows what was given."""
        self.set_lines(self._given)

    def set_lines(self, lines: Lines) -> None:
        """Shows other lines, from the first one on."""
        self._given = lines
        width = max(20, self.scrollable_content_region.width)
        self.lines = [row for line in lines_for(lines, width) for row in _rows(line, width)]
        self.extend_to(width, len(self.lines))
        self.refresh()

    def on_resize(self) -> None:
        """Folds the lines anew."""
        self.set_lines(self._given)

    def render_line(self, y: int) -> Strip:
        """One line of the page."""
        width = self.scrollable_content_region.width
        line = y + self.scroll_offset.y
        if line >= len(self.lines):
            return Strip.blank(width, self.rich_style)
        content = self.lines[line].truncate(width, pad=True)
        return Strip(content.render_segments(self.visual_style))
