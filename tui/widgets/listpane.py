"""A pane with a list: a heading line over it, and word of where its cursor is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui.widgets.hits import HitList
from tui.widgets.rowlist import RowList
from tui.widgets.sessions import SessionList, columns

Now = Callable[[], float]


class ListPane(Vertical):
    """A heading line over a list."""

    DEFAULT_CSS = """
    ListPane {
        & > Static { height: 1; padding: 0 1; }
        & > #facets { display: none; height: auto; max-height: 3; color: $text-muted; }
        & > #facets.-shown { display: block; }
        & > #session-filter { height: 1; border: none; padding: 0 1; background: $panel;
                              display: none; }
        & > #session-filter.-shown { display: block; }
        & > #glance { height: 2; background: $surface; }
    }
    """

    class Moved(Message):
        """The cursor of the list came to stand on another row."""

        def __init__(self, rows: SessionList | HitList) -> None:
            super().__init__()
            self.rows: RowList[Any] = rows

    @property
    @abstractmethod
    def list(self) -> SessionList | HitList:
        """The list."""

    @abstractmethod
    def on_resize(self) -> None:
        """Writes the heading anew."""

    @on(RowList.Highlighted)
    def _moved(self, event: RowList.Highlighted) -> None:
        # Textual ends the way of a message at the parent that caused it, and this may be us.
        event.stop()
        self.on_resize()
        self.post_message(self.Moved(self.list))

    def title(self, left: str, right: str) -> None:
        """Writes the heading."""
        about = Content.styled(right, "not bold $text-muted")
        line = columns(Content(left), about, max(8, self.size.width - 3))
        self.query(Static).first().update(line, layout=False)
