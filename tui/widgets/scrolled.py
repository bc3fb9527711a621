"""A view that is painted line by line and scrolls, and grows without laying out the screen."""

from __future__ import annotations

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.widget import Widget


class Scrolled(ScrollView):
    """Says itself how large its content is."""

    def extend_to(self, width: int, height: int) -> None:
        """The content takes so many cells now.

        Setting `virtual_size` would lay out the whole screen, which costs more than painting it;
        here only a scroll bar that comes or goes does (Textual 8.2).
        """
        size = Size(width, height)
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
            self._scroll_update(size)
            self.refresh()

    def _scroll_update(self, virtual_size: Size) -> None:
        """Tells a bar that comes where the view is: Textual does so only while one is there."""
        super()._scroll_update(virtual_size)
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = self.scroll_y
        if self.show_horizontal_scrollbar:
            self.horizontal_scrollbar.position = self.scroll_x
