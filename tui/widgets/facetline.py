"""What the hits are, below the heading of their list."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from store.model import Facets
from tui import answers


class FacetLine(Static):
    """The commonest values of each filter, in as many lines as the width asks for."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("", id=id, markup=False)
        self._facets: Facets | None = None
        self._lines = self._width = 0

    def show(self, facets: Facets | None) -> None:
        """Shows these, or nothing."""
        self._facets = facets
        self.set_class(facets is not None and bool(answers.facets(facets, 0)), "-shown")
        self._fill(self.content_size.width)

    def on_resize(self) -> None:
        """Breaks the lines for the new width."""
        width = self.content_size.width
        if width != self._width:
            self._width, self._lines = width, 0
        self._fill(width)

    def _fill(self, width: int) -> None:
        said = answers.facets(self._facets, width) if self._facets else []
        before = self._lines
        self._lines = max(before, len(said)) if said else 0  # no list jumps from query to query
        said += [""] * (self._lines - len(said))
        self.update(Content("\n".join(said)), layout=self._lines != before)
