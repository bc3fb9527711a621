"""The first line of the screen: the stores that answer, what they hold, whether all is read."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widget import Widget

from store.model import SourceInfo
from tui import states


class Header(Widget):
    """Name, sources and counts on one line."""

    DEFAULT_CSS = "Header { height: 1; background: $panel; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._sources: Sequence[SourceInfo] = ()
        self._twice = (0, 0)
        self._catching_up = True

    def show(
        self, sources: Sequence[SourceInfo], *, twice: tuple[int, int], catching_up: bool
    ) -> None:
        """Shows what is known of the sources now; `twice` as `states.twice` tells it."""
        self._sources, self._twice, self._catching_up = sources, twice, catching_up
        self.refresh()

    def render(self) -> Content:
        """The line, its counts dropped first where it is narrow."""
        return states.header(self._sources, self._twice, self._catching_up, self.size.width)
