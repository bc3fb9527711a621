"""The base of the views that paint line by line."""

from __future__ import annotations

from textual.scroll_view import ScrollView


class PaintedView(ScrollView):
    """A view that paints its lines itself; what it painted goes with it."""

    def on_unmount(self) -> None:
        """Forgets what was painted: Textual keeps up to a thousand removed views by it."""
        self.refresh()
