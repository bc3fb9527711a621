"""Which panes there are at a size, which one the person is in, and the ways between them."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual import events, on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from tui.widgets.panes import HitsPane
from tui.widgets.reader import Reader
from tui.widgets.searchbar import SearchBar
from tui.widgets.sessionspane import SessionsPane

WIDE, NARROW, LOW = 160, 100, 20
"""Columns from which on three panes fit, below which one does; lines below which it is low."""

LEAST = 24
"""Columns that a list has at least."""

Pane = Literal["sessions", "hits", "reader"]


class PaneScreen(Screen[None]):
    """A search bar and three panes; classes of the screen tell the stylesheet what to show."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", id="search"),
        Binding("1", "pane('sessions')", "Sessions", id="pane.sessions", show=False),
        Binding("2", "pane('hits')", "Hits", id="pane.hits", show=False),
        Binding("3", "pane('reader')", "Reading", id="pane.reader", show=False),
        Binding("tab", "next_pane(1)", "Next pane", id="pane.next", show=False),
        Binding("shift+tab", "next_pane(-1)", "Pane before", id="pane.previous", show=False),
        Binding("plus", "enlarge", "Enlarge the pane, or back", id="pane.enlarge", show=False),
        Binding(
            "left_curly_bracket", "widen_list(-4)", "Narrower list", id="pane.narrower", show=False
        ),
        Binding("right_curly_bracket", "widen_list(4)", "Wider list", id="pane.wider", show=False),
        Binding("escape,h,left", "back", "Back", id="back"),
    ]

    list_width = 0
    """Cells of the list pane that the person chose; 0 leaves it to the layout."""

    class Resized(Message):
        """The person chose another width for the list."""

        def __init__(self, width: int) -> None:
            super().__init__()
            self.width = width

    @property
    def bar(self) -> SearchBar:
        """The search bar."""
        return self.query_one(SearchBar)

    @property
    def sessions(self) -> SessionsPane:
        """The pane of sessions."""
        return self.query_one(SessionsPane)

    @property
    def hits(self) -> HitsPane:
        """The pane of hits."""
        return self.query_one(HitsPane)

    @property
    def reader(self) -> Reader:
        """The reading pane."""
        return self.query_one(Reader)

    def action_search(self) -> None:
        """To the search bar, its query selected."""
        self.remove_class("-reading", "-large")
        if not self.has_class("-nothing"):
            self.bar.start()

    def _focusable(self, pane: Pane) -> Widget:
        places: dict[Pane, Widget] = {
            "sessions": self.sessions.list,
            "hits": self.hits.list,
            "reader": self.reader.transcript,
        }
        return places[pane]

    def _pane(self) -> Pane | None:
        panes: tuple[Pane, ...] = ("sessions", "hits", "reader")
        return next((pane for pane in panes if self._focusable(pane).has_focus), None)

    @on(events.DescendantFocus)
    def _mark_place(self) -> None:
        pane = self._pane() or "search"
        places = ("sessions", "hits", "reader", "search")
        self.update_classes({f"-at-{other}": other == pane for other in places})
        self.refresh_bindings()

    def action_pane(self, pane: Pane) -> None:
        """Shows a pane and moves to it."""
        if self.has_class("-nothing") or (pane == "hits" and not self.has_class("-query")):
            return
        if pane != "reader":
            self.set_class(pane == "hits", "-hits")
        self.set_class(pane == "reader", "-reading")
        self._focusable(pane).focus()

    def action_next_pane(self, step: int) -> None:
        """To the next pane that there is, the search bar being one."""
        left: list[Pane] = ["hits" if self.has_class("-hits") else "sessions"]
        if self.has_class("-wide") and self.has_class("-query"):
            left = ["sessions", "hits"]
        ring: list[Pane | None] = [None, *left, "reader"]
        here = self._pane()
        pane = ring[(ring.index(here if here in ring else None) + step) % len(ring)]
        if pane is None:
            self.action_search()
        else:
            self.action_pane(pane)

    def action_enlarge(self) -> None:
        """Gives the whole screen to the pane one is in, or takes it back."""
        pane = self._pane()
        if pane is not None:
            self.toggle_class("-large")
            self.action_pane(pane)
            self.fit_list()
            self.refresh_bindings()

    def action_widen_list(self, cells: int) -> None:
        """Makes the list wider or narrower, where it stands beside the reading pane."""
        if self.has_class("-narrow") or self.has_class("-large"):
            return
        shown = self.hits if self.has_class("-hits") else self.sessions
        most = self.size.width // (3 if self.has_class("-wide") else 2) + 10
        self.list_width = min(max((self.list_width or shown.outer_size.width) + cells, LEAST), most)
        self.fit_list()
        self.post_message(self.Resized(self.list_width))

    def fit_list(self) -> None:
        """Gives the lists the width that was chosen, unless the layout needs another."""
        chosen = self.list_width
        if self.has_class("-narrow") or self.has_class("-large"):
            chosen = 0
        for pane in (self.sessions, self.hits):
            for rule in ("width", "min_width", "max_width"):
                if chosen:
                    setattr(pane.styles, rule, chosen)
                else:
                    pane.styles.clear_rule(rule)

    def action_back(self) -> None:
        """One step back: from reading to the list, from hits to sessions, to all projects."""
        pane = self._pane()
        if self.has_class("-large"):
            self.remove_class("-large")
            self.fit_list()
            self.refresh_bindings()
        elif pane == "reader":
            self.action_pane("hits" if self.has_class("-hits") else "sessions")
        elif pane == "hits":
            self.bar.put_aside()
            self.action_pane("sessions")
            self.sessions.post_message(SessionsPane.Moved(self.sessions.list))
        elif self.sessions.list.project:
            self.sessions.list.action_all_projects()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers `back` only where there is something to go back to, `search` where one can."""
        if self.has_class("-nothing"):
            return action in ("look", "sources")
        if action == "search":
            return not self.has_class("-at-search")
        if action == "back" and self.has_class("-at-sessions") and not self.has_class("-large"):
            return bool(self.sessions.list.project)
        return True

    def on_resize(self, event: events.Resize) -> None:
        """Chooses the layout for the size."""
        width, height = event.size
        self.update_classes(
            {"-wide": width >= WIDE, "-narrow": width < NARROW, "-low": height < LOW}
        )
        self.fit_list()
