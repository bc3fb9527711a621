"""The one main screen: sessions or hits at the left, one thing to read at the right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Literal

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from store.door import Door
from store.model import Looked, Part, SourceInfo
from tui import states
from tui.jobs import Jobs
from tui.keys import hints
from tui.messages import JobFailed, SessionsRead, SyncEnded, SyncProgress
from tui.widgets.header import Header
from tui.widgets.hits import HitList
from tui.widgets.nothing import Nothing
from tui.widgets.panes import HitsPane, ListPane, SessionsPane
from tui.widgets.reader import Reader
from tui.widgets.rowlist import RowList
from tui.widgets.searchbar import QueryInput, SearchBar
from tui.widgets.sessions import SessionList
from tui.widgets.statusline import StatusLine

WIDE, NARROW, LOW = 160, 100, 20
"""Columns from which on three panes fit, below which one does; lines below which it is low."""
PREVIEW_AFTER = 0.12
"""Seconds that the cursor rests on a row before the pane follows."""

Pane = Literal["sessions", "hits", "reader"]


class BrowseScreen(Screen[None]):
    """Composition, layout and focus; the panes ask for what they show."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", id="search"),
        Binding("1", "pane('sessions')", "Sessions", id="pane.sessions", show=False),
        Binding("2", "pane('hits')", "Hits", id="pane.hits", show=False),
        Binding("3", "pane('reader')", "Reading", id="pane.reader", show=False),
        Binding("tab", "next_pane(1)", "Next pane", id="pane.next", show=False),
        Binding("shift+tab", "next_pane(-1)", "Pane before", id="pane.previous", show=False),
        Binding("plus", "enlarge", "Enlarge the pane, or back", id="pane.enlarge", show=False),
        Binding("n", "hit(1)", "Next hit", id="hit.next", show=False),
        Binding("N", "hit(-1)", "Previous hit", id="hit.previous", show=False),
        Binding("F", "app.sources", "Sources and faults", id="sources", show=False),
        Binding("f5", "look", "Look again for what is new", id="look", show=False),
        Binding("escape,h,left", "back", "Back", id="back"),
    ]

    def __init__(self, door: Door, now: Callable[[], float], *, demo: bool) -> None:
        super().__init__()
        self._now = now
        self._demo = demo
        self.keymap: dict[str, str] = {}
        self.jobs = Jobs(door)
        self.sources: tuple[SourceInfo, ...] = ()
        self.looked: tuple[Looked, ...] = ()
        self._syncing = self._looked_once = False
        self._rests: Timer | None = None

    def compose(self) -> ComposeResult:
        """Header, search bar, panes, status line."""
        yield Header(id="header")
        yield SearchBar(id="search")
        yield Nothing(id="nothing")
        with Horizontal(id="panes"):
            yield SessionsPane(now=self._now, id="sessions-pane")
            yield HitsPane(now=self._now, id="hits-pane")
            yield Reader(now=self._now, id="reader")
        yield StatusLine(id="status")

    def on_mount(self) -> None:
        """Asks for the sessions: those we know at once, then those that are there now."""
        self._bar, self._status = self.query_one(SearchBar), self.query_one(StatusLine)
        self._sessions, self._hits = self.query_one(SessionsPane), self.query_one(HitsPane)
        self._reader = self.query_one(Reader)
        self.bindings_updated_signal.subscribe(self, lambda _: self._say_keys())
        self.use(self.jobs.door)

    def use(self, door: Door) -> None:
        """Browses through this door from now on."""
        if door is not self.jobs.door:
            self.jobs.close()
            self.jobs = Jobs(door)
        self._hits.jobs = self._reader.jobs = self.jobs
        self.remove_class("-nothing")
        self._sessions.list.say(states.READING)
        self._reader.empty(states.PICK)
        self._sessions.list.focus()
        self.jobs.read_sessions(self.post_message, look=False)
        self.action_look()

    def on_unmount(self) -> None:
        """Lets nothing go on that nobody will see."""
        self.jobs.close()

    def _say_keys(self) -> None:
        self._status.show_keys(hints(self, self.keymap))

    # What the stores say -------------------------------------------------------------------

    def action_look(self) -> None:
        """Looks at the stores again, then brings the index up to date."""
        self._status.show_state(states.LOOKING)
        self._reader.again()
        self.jobs.read_sessions(self.post_message, look=True)

    @on(SessionsRead)
    def _sessions_read(self, event: SessionsRead) -> None:
        if not self.jobs.current(event.topic, event.number):
            return
        self.sources, self.looked = event.sources, event.looked
        if event.fresh:
            self._show_nothing(not event.sources)
        if event.fresh and event.sources:
            self._syncing = True
            self.jobs.sync(self.post_message)
        self._say_sources()
        self._looked_once = self._looked_once or event.fresh
        self._sessions.list.say(*(states.no_sessions() if self._looked_once else [states.READING]))
        self._sessions.show(event.page)

    def _show_nothing(self, nothing: bool) -> None:
        self.set_class(nothing, "-nothing")
        if nothing:
            page = self.query_one(Nothing)
            page.set_lines(states.nothing_here(self.looked, str(Path.home()), demo=self._demo))
            page.focus()
            self._syncing = False
            self._status.show_state("")

    def _say_sources(self) -> None:
        self.query_one(Header).show(self.sources, catching_up=self._syncing)

    @on(SyncProgress)
    def _sync_progress(self, event: SyncProgress) -> None:
        if self.jobs.current("sync", event.number):
            self._status.show_state(states.progress(event.progress, self.size.width))
            if self._hits.answer and not self._hits.answer.hits:
                self._hits.search(self._hits.text)

    @on(SyncEnded)
    def _sync_ended(self, event: SyncEnded) -> None:
        if not self.jobs.current("sync", event.number):
            return
        self._syncing = False
        self.sources = event.report.sources
        self._say_sources()
        self._status.show_state(states.indexed(self.sources))
        self.jobs.read_sessions(self.post_message, look=False)
        if self._hits.answer and not self._hits.answer.coverage.complete:
            self._hits.search(self._hits.text, keep=True)

    @on(JobFailed)
    def _failed(self, event: JobFailed) -> None:
        event.stop()
        if not self.jobs.current(event.topic, event.number):
            return
        if event.topic == "sync":
            self._syncing = False
            self._say_sources()
            busy = event.code == "INDEX_BUSY"
            self._status.show_state("another program indexes" if busy else "index not up to date")
        if event.topic in ("look", "sessions"):
            self._status.show_state("sessions not up to date")
            self._sessions.list.say(*states.failed(event.text))
        if event.code != "INDEX_BUSY":
            self._status.say(event.text, bad=True)

    # Searching -----------------------------------------------------------------------------

    @on(SearchBar.Asked)
    def _asked(self, event: SearchBar.Asked) -> None:
        self._bar.note("")
        if event.text.strip():
            self.add_class("-query")
            self.add_class("-hits")
            self._hits.search(event.text)
            return
        self._bar.found("")
        self.remove_class("-query", "-hits")
        self._hits.clear()
        self._preview(self._sessions.list)

    @on(HitsPane.Told)
    def _told(self, event: HitsPane.Told) -> None:
        self._bar.found(event.found)
        self._bar.note(event.note)
        if event.first:
            self.action_pane("hits")
            self._open(self._hits.list)
        elif self._hits.answer is not None and not self._hits.list.hits:
            self._reader.empty("no hit, nothing to read")

    @on(SearchBar.Entered)
    def _entered(self) -> None:
        if self._bar.value.strip():
            self._hits.open_first()
        else:
            self.action_pane("sessions")

    @on(QueryInput.Left)
    def _left(self) -> None:
        self.action_pane("hits" if self.has_class("-hits") else "sessions")

    def action_search(self) -> None:
        """To the search bar, its query selected."""
        self.remove_class("-reading", "-large")
        if not self.has_class("-nothing"):
            self._bar.start()

    # Opening -------------------------------------------------------------------------------

    @on(ListPane.Moved)
    def _rested(self, event: ListPane.Moved) -> None:
        if self._rests is not None:
            self._rests.stop()
        self._resting = event.rows
        self._rests = self.set_timer(PREVIEW_AFTER, self.flush)

    def flush(self) -> None:
        """Previews at once what the cursor came to rest on."""
        if self._rests is not None:
            self._rests.stop()
            self._rests = None
            self._preview(self._resting)

    def _preview(self, rows: RowList[Any]) -> None:
        wanted = self._hits.list if self.has_class("-hits") else self._sessions.list
        if self._reader.display and (rows is wanted or rows.has_focus):
            self._show(rows)

    def _show(self, rows: RowList[Any]) -> bool:
        """Asks for what the cursor of a list stands on; whether there is anything."""
        if isinstance(rows, HitList) and rows.hit is not None:
            terms = self._hits.answer.terms if self._hits.answer else ()
            self._reader.open_hit(rows.hit, terms)
            return True
        if isinstance(rows, SessionList) and rows.session is not None:
            self._reader.open_session(rows.session)
            return True
        return False

    @on(RowList.Opened)
    def _opened(self, event: RowList.Opened) -> None:
        self._open(event.rows)

    def _open(self, rows: RowList[Any]) -> None:
        if self._show(rows):
            self.action_pane("reader")

    def action_hit(self, step: int) -> None:
        """Opens the next or previous hit of the list, whatever pane one is in."""
        if self._hits.list.hits:
            self._hits.list.action_move(step)
            self._show(self._hits.list)

    def source_of(self, part: Part) -> str:
        """The prefix that makes the id of a part being read one of its source alone."""
        window = self._reader.window
        return f"{window.session.source}:" if window else ""

    # Panes ---------------------------------------------------------------------------------

    def _focusable(self, pane: Pane) -> Widget:
        places: dict[Pane, Widget] = {
            "sessions": self._sessions.list,
            "hits": self._hits.list,
            "reader": self._reader.transcript,
        }
        return places[pane]

    def _pane(self) -> Pane | None:
        panes: tuple[Pane, ...] = ("sessions", "hits", "reader")
        return next((pane for pane in panes if self._focusable(pane).has_focus), None)

    def action_pane(self, pane: Pane) -> None:
        """Shows a pane and moves to it."""
        if self.has_class("-nothing") or (pane == "hits" and not self.has_class("-query")):
            return
        if pane != "reader":
            self.set_class(pane == "hits", "-hits")
        self.set_class(pane == "reader", "-reading")
        for other in ("sessions", "hits", "reader"):
            self.set_class(other == pane, f"-at-{other}")
        self._focusable(pane).focus()

    def action_next_pane(self, step: int) -> None:
        """To the next pane that there is, the search bar being one."""
        left: list[Pane] = ["hits" if self.has_class("-hits") else "sessions"]
        if self.has_class("-wide") and self.has_class("-query"):
            left = ["sessions", "hits"]
        ring: list[Pane | None] = [None, *left, "reader"]
        pane = ring[(ring.index(self._pane() if self._pane() in ring else None) + step) % len(ring)]
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

    def action_back(self) -> None:
        """One step back: from reading to the list, from hits to sessions, to all projects."""
        pane = self._pane()
        if self.has_class("-large"):
            self.remove_class("-large")
        elif pane == "reader":
            self.action_pane("hits" if self.has_class("-hits") else "sessions")
        elif pane == "hits":
            self.action_pane("sessions")
            self._preview(self._sessions.list)
        elif self._sessions.list.project:
            self._sessions.list.action_all_projects()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers `back` only where there is something to go back to, `search` where one can."""
        if self.has_class("-nothing"):
            return action in ("look", "sources")
        if action == "back" and self._pane() == "sessions" and not self.has_class("-large"):
            return bool(self._sessions.list.project)
        return True

    def on_resize(self, event: events.Resize) -> None:
        """Chooses the layout for the size."""
        self.set_class(event.size.width >= WIDE, "-wide")
        self.set_class(event.size.width < NARROW, "-narrow")
        self.set_class(event.size.height < LOW, "-low")
