"""One image as large as there is room."""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from tui.picture import Cell, Colour, Picture

HALF = "▀"


@lru_cache(maxsize=4096)
def _style(cell: Cell) -> Style:
    upper, lower = cell
    return Style(color=_hex(upper), bgcolor=_hex(lower))


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


class PictureView(Widget, can_focus=True):
    """Shows a picture from its upper left corner; paints it anew at every size."""

    DEFAULT_CSS = "PictureView { width: 1fr; height: 1fr; padding: 0 1; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._picture: Picture | None = None
        self._cells: list[list[Cell]] = []

    def show(self, picture: Picture) -> None:
        """Shows a picture in place of the one before."""
        self._picture = picture
        self.on_resize()

    def on_resize(self) -> None:
        """Fits the picture to the room."""
        size = self.content_size
        if self._picture is not None and size.width and size.height:
            self._cells = self._picture.cells(size.width, size.height)
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """A line of half blocks."""
        width = self.content_size.width
        cells = self._cells[y] if y < len(self._cells) else []
        strip = Strip([Segment(HALF, _style(cell)) for cell in cells[:width]], len(cells[:width]))
        return strip.adjust_cell_length(width, self.rich_style)
