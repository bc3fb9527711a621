"""The ways of searching from the main screen: history, facets, completion, ways out of nothing."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.timer import Timer

from tui.jobs import Jobs
from tui.messages import Diagnosed, FacetsRead, ValuesRead
from tui.places import PaneScreen
from tui.queries import Queries
from tui.render.words import many
from tui.widgets.panes import HitsPane
from tui.widgets.picker import Item, Picker
from tui.widgets.searchbar import SearchBar

TYPING_RESTS = 0.25
"""Seconds without a key after which a query is taken to be typed; before, only its hits are shown.
"""


class SearchScreen(PaneScreen):
    """Asks what belongs to a search beside its hits."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "history", "Queries", tooltip="Queries asked before", id="search.history",
                show=False),
        Binding("ctrl+s", "keep", "Keep this query", id="search.keep", show=False),
    ]  # fmt: skip

    jobs: Jobs
    queries: Queries
    _uncounted = ""
    _counts: Timer | None = None

    def ask(self, text: str) -> None:
        """Puts a query into the search bar and asks it."""
        self.bar.field.value = text
        self.bar.field.cursor_position = len(text)
        self.bar.ask()

    def action_history(self) -> None:
        """The queries asked before, to be asked again."""
        kept = [Item(text, text, "kept") for text in self.queries.kept]
        items = kept + [
            Item(one, one) for one in self.queries.asked if one not in self.queries.kept
        ]
        self.app.push_screen(
            Picker("Queries asked before", items), lambda text: self.ask(text) if text else None
        )

    def action_keep(self) -> None:
        """Keeps the query for the palette, or keeps it no more."""
        if text := self.bar.value.strip():
            kept = self.queries.keep(text)
            self.notify("The palette has it now." if kept else "The palette has it no more.")

    def action_narrow(self) -> None:
        """What the hits are, to keep some of them only."""
        found = self.hits.facets
        if found is None or not found.counts:
            return
        about = "" if found.exact else "about "
        items = [
            Item(f"{key}:{_quoted(value)}", f"{key}:{value}", f"{about}{many(count, 'hit')}")
            for key, values in found.counts.items()
            for value, count in values
        ]
        self.app.push_screen(Picker("Only hits with", items), self._narrowed)

    def _narrowed(self, chosen: str | None) -> None:
        if chosen:
            self.ask(f"{self.bar.value.strip()} {chosen}")

    def action_synthetic(self) -> None:
        """What the agent put in by itself, or all else again."""
        words = self.bar.value.split(" ")
        if "is:synthetic" in words:
            self.ask(" ".join(word for word in words if word != "is:synthetic"))
        else:
            self.ask(f"{self.bar.value.strip()} is:synthetic".strip())

    @on(HitsPane.Out)
    def _way_out(self, event: HitsPane.Out) -> None:
        if event.literal:
            self.hits.set_literal(True)
        if event.text != self.bar.value:
            self.ask(event.text)
        else:
            self.hits.search(event.text)

    @on(HitsPane.Answered)
    def _answered(self, event: HitsPane.Answered) -> None:
        door, text = self.jobs.door, event.text
        if self._counts is not None:
            self._counts.stop()
        self._uncounted = ""
        if event.found:
            self.queries.add(text)
            if not self.hits.literal:
                self._uncounted = text
                self._counts = self.set_timer(TYPING_RESTS, self.count)
        elif not self.hits.literal:
            self.jobs.make(
                self.hits.post_message,
                "diagnosis",
                lambda number: Diagnosed("diagnosis", number, text, door.diagnose(text)),
            )

    def count(self) -> None:
        """Asks now what the hits are, if that was put off until the query is typed."""
        door, text, self._uncounted = self.jobs.door, self._uncounted, ""
        if text and text == self.hits.text:
            self.jobs.make(
                self.hits.post_message,
                "facets",
                lambda number: FacetsRead("facets", number, door.facets(text)),
            )

    @on(SearchBar.Values)
    def _values(self, event: SearchBar.Values) -> None:
        door, key = self.jobs.door, event.key
        self.jobs.make(
            self.bar.post_message,
            "values",
            lambda number: ValuesRead("values", number, key, tuple(door.values(key))),
        )


def _quoted(value: str) -> str:
    return '"' + value.replace('"', "") + '"' if any(sign in value for sign in ' ,"') else value
