"""The two list panes: the sessions, and the hits of the query, each with its heading."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Static

from store.door import Sort
from store.model import Answer, Facets
from tui import answers, words
from tui.jobs import PAGE, Jobs
from tui.messages import Diagnosed, FacetsRead, HitsCome, JobFailed, Searched
from tui.render.words import many
from tui.widgets.facetline import FacetLine
from tui.widgets.hits import HitList
from tui.widgets.listpane import ListPane, Now

WAYS = 9
"""Ways out of a query that finds nothing, each with a digit as its key."""


class HitsPane(ListPane):
    """Asks the queries of the search bar and shows what they found."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "resort", "Newest or relevance", id="hits.sort"),
        Binding("equals_sign", "literal", "Literal", tooltip="The exact text, or words",
                id="hits.literal", show=False),
        Binding("i", "screen.narrow", "Narrow", tooltip="What the hits are, to keep some of them",
                id="hits.narrow", show=False),
        Binding("x", "screen.synthetic", "Synthetic",
                tooltip="With what the agent put in by itself, or without", id="hits.synthetic",
                show=False),
        *(Binding(str(n), f"way({n})", f"Way {n} out of nothing found", id=f"hits.way{n}",
                  show=False) for n in range(1, WAYS + 1)),
    ]  # fmt: skip

    class Answered(Message):
        """A query has its first page; `found`: there are hits on it."""

        def __init__(self, text: str, found: bool) -> None:
            super().__init__()
            self.text = text
            self.found = found

    class Out(Message):
        """A way out of a query that finds nothing: the query to ask instead."""

        def __init__(self, text: str, literal: bool) -> None:
            super().__init__()
            self.text = text
            self.literal = literal

    class Told(Message):
        """What is to be said in the search bar; `first` asks to open the first hit."""

        def __init__(self, found: str, note: str, *, first: bool = False) -> None:
            super().__init__()
            self.found = found
            self.note = note
            self.first = first

    def __init__(self, *, now: Now = time.time, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._now = now
        self.jobs: Jobs | None = None
        self.text = ""
        self.sort: Sort = "newest"
        self.answer: Answer | None = None
        self.literal = False
        self.facets: Facets | None = None
        self.ways: Sequence[answers.Way] = ()
        self._keep = False
        self._open_first = False
        self._waiting = False

    def compose(self) -> ComposeResult:
        """A heading and the list."""
        yield Static("", classes="pane-title", markup=False)
        yield FacetLine(id="facets")
        yield HitList(now=self._now, id="hits")

    @property
    def list(self) -> HitList:
        """The list."""
        return self.query_one(HitList)

    def search(self, text: str, *, keep: bool = False) -> None:
        """Asks a query; the one asked before is given up. With `keep` the cursor stays."""
        if self.jobs is None:
            return
        self.text, self._keep, self._open_first = text, keep, False
        self._waiting = True
        if self.answer is None:
            self.list.say("searching…")
        self.ways, self.facets = (), None  # what is shown of them stays until there are new ones
        if self.literal:
            self._show_facets(None)
            self.jobs.scan(self.post_message, text)
        else:
            self.jobs.search(self.post_message, text, sort=self.sort)

    def catch_up(self, *, finished: bool) -> None:
        """Asks again as the index grows: until there is a hit, and once when it is complete.

        Where the person went on to further pages the hits stay as they are.
        """
        answer = self.answer
        if answer is None or self._waiting or answer.coverage.complete:
            return
        if not answer.hits or (finished and len(self.list.hits) <= PAGE):
            self.search(self.text, keep=True)

    def follow(self) -> None:
        """Asks again after a change, where the first page by time is all that is shown."""
        shown = self.answer is not None and len(self.list.hits) <= PAGE
        if shown and not self._waiting and self.sort == "newest":
            self.search(self.text, keep=True)

    def clear(self) -> None:
        """Forgets the query and its hits."""
        if self.jobs is not None:
            self.jobs.drop("search")
        self.text, self.answer, self._waiting = "", None, False
        self.ways = ()
        self._show_facets(None)
        self.list.set_hits((), more=False)
        self.list.say()

    def open_first(self) -> None:
        """Opens the first hit, as soon as there is one."""
        if self._waiting:
            self._open_first = True
        elif self.list.hits:
            self.post_message(self.Told(self._found(), "", first=True))

    @on(Searched)
    def _searched(self, event: Searched) -> None:
        event.stop()
        if self.jobs is None or not self.jobs.current("search", event.number):
            return
        answer, self._waiting = event.answer, False
        self.answer = answer
        if event.first:
            self.list.say(*answers.no_hits(answer, event.text))
            self.list.set_hits(answer.hits, more=answer.more, keep=self._keep)
        else:
            self.list.add_hits(answer.hits, more=answer.more)
        self.on_resize()
        first, self._open_first = self._open_first and bool(answer.hits), False
        if event.first and not answer.hits:
            self._show_facets(None)
        if event.first:
            self.post_message(self.Told(self._found(), answers.remarks(answer), first=first))
            self.post_message(self.Answered(event.text, bool(answer.hits)))

    @on(HitsCome)
    def _come(self, event: HitsCome) -> None:
        event.stop()
        if self.jobs is None or not self.jobs.current("search", event.number):
            return
        if event.hits and self.answer is None:
            self.list.add_hits(event.hits, more=True)
        self.post_message(self.Told(answers.scanned(event.looked, event.of), ""))

    @on(Diagnosed)
    def _diagnosed(self, event: Diagnosed) -> None:
        event.stop()
        if self.jobs and self.answer and self.jobs.current("diagnosis", event.number):
            self.answer = replace(self.answer, diagnosis=event.checks)
            self.ways = answers.ways(event.checks)[:WAYS]
            self.list.say(*answers.no_hits(self.answer, event.text))

    @on(FacetsRead)
    def _facets_read(self, event: FacetsRead) -> None:
        event.stop()
        if self.jobs and self.jobs.current("facets", event.number):
            found, total = event.facets, self.answer.total if self.answer else None
            # Of few hits among many texts that have to be read, a count about them tells nothing.
            astray = not found.exact and total is not None and found.hits > total
            self._show_facets(None if astray else found)

    def _show_facets(self, facets: Facets | None) -> None:
        self.facets = facets
        self.query_one(FacetLine).show(facets)

    def set_literal(self, on: bool) -> None:
        """Looks for the exact text from now on, or for words."""
        self.literal = on

    def action_literal(self) -> None:
        """The exact text, or words; asks again."""
        self.set_literal(not self.literal)
        self.answer = None
        self.list.set_hits((), more=False)
        self.search(self.text)

    def action_way(self, number: int) -> None:
        """Takes a way out of a query that finds nothing."""
        way = self.ways[number - 1]
        self.post_message(self.Out(way.query, way.literal))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A way out can be taken where there is one."""
        if action == "way":
            return isinstance(parameters[0], int) and parameters[0] <= len(self.ways)
        return True

    @on(JobFailed)
    def _failed(self, event: JobFailed) -> None:
        event.stop()
        if self.jobs is None or not self.jobs.current("search", event.number):
            return
        self._waiting = self._open_first = False
        if self.answer is None:
            self.list.say()
        self.post_message(self.Told("", words.flat(event.text)))

    def _found(self) -> str:
        return answers.found(self.answer, self.sort, self.screen.size.width) if self.answer else ""

    def on_resize(self) -> None:
        """Writes the heading anew."""
        sessions = len({(hit.source, hit.session) for hit in self.list.hits})
        shown = words.number(len(self.list.hits)) + ("+" if self.list.more else "")
        self.title(
            "Hits, literal" if self.literal else "Hits",
            f"{shown} in {many(sessions, 'session')}" if sessions else "",
        )

    @on(HitList.Wanted)
    def _wanted(self, event: HitList.Wanted) -> None:
        event.stop()
        if self.jobs and self.answer and self.answer.cursor and not self._waiting:
            self._waiting = True
            cursor = self.answer.cursor
            if self.literal:
                self.jobs.scan(self.post_message, self.text, cursor=cursor)
            else:
                self.jobs.search(self.post_message, self.text, sort=self.sort, cursor=cursor)

    def action_resort(self) -> None:
        """Newest first, or by relevance."""
        self.sort = "relevance" if self.sort == "newest" else "newest"
        self.search(self.text)
