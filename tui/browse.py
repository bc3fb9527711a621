"""The one main screen: sessions or hits at the left, one thing to read at the right."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.timer import Timer

from store.door import Door
from store.model import Change, Looked, Part, Session, SourceInfo
from tui import kept, states
from tui.jobs import Jobs
from tui.keys import hints
from tui.messages import Followed, JobFailed, SessionsRead, SyncEnded, SyncProgress
from tui.queries import Queries
from tui.review import ReviewScreen
from tui.searching import SearchScreen
from tui.settings import Fold
from tui.widgets.header import Header
from tui.widgets.hits import HitList
from tui.widgets.listpane import ListPane
from tui.widgets.nothing import Nothing
from tui.widgets.panes import HitsPane
from tui.widgets.reader import Reader
from tui.widgets.rowlist import RowList
from tui.widgets.searchbar import QueryInput, SearchBar
from tui.widgets.sessions import SessionList
from tui.widgets.sessionspane import SessionsPane
from tui.widgets.statusline import StatusLine

REFRESH_EVERY = 0.5
"""Seconds between two refreshes of what is shown while the stores change."""
PREVIEW_AFTER = 0.12
"""Seconds that the cursor rests on a row before the pane follows."""

FOLDS: dict[Fold, Literal["folded", "open"] | None] = {
    "auto": None,
    "all": "folded",
    "none": "open",
}


class BrowseScreen(SearchScreen):
    """Composition, layout and focus; the panes ask for what they show."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "hit(1)", "Next hit", id="hit.next", show=False),
        Binding("N", "hit(-1)", "Previous hit", id="hit.previous", show=False),
        Binding(
            "alt+left",
            "visit(-1)",
            "Place before",
            tooltip="Back to the place visited before",
            id="visit.back",
            show=False,
        ),
        Binding(
            "alt+right",
            "visit(1)",
            "Place after",
            tooltip="On to the place visited after",
            id="visit.on",
            show=False,
        ),
        Binding("L", "review", "Leftovers", id="leftovers", show=False),
        Binding("F", "app.sources", "Sources and faults", id="sources", show=False),
        Binding("f5", "look", "Look again for what is new", id="look", show=False),
    ]

    def __init__(self, door: Door, now: Callable[[], float], *, demo: bool) -> None:
        super().__init__()
        self._now = now
        self._demo = self._own = demo  # the demo is offered beside a person's own stores
        self.keymap: dict[str, str] = {}
        self.queries = Queries()
        self.fold: Fold = "auto"
        self.jobs = Jobs(door)
        self.sources: tuple[SourceInfo, ...] = ()
        self.looked: tuple[Looked, ...] = ()
        self._twice = (0, 0)
        self._syncing = self._looked_once = self._first_run = False
        self._rests: Timer | None = None
        self._changes: list[Change] = []
        self._refreshes: Timer | None = None
        self._behind = False

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
        self._status = self.query_one(StatusLine)
        self.reader.transcript.usual_fold = FOLDS[self.fold]
        self.bindings_updated_signal.subscribe(self, lambda _: self._say_keys())
        self.use(self.jobs.door)

    def use(self, door: Door) -> None:
        """Browses through this door from now on."""
        if door is not self.jobs.door:
            self._own = False
            self.jobs.close()
            self.jobs = Jobs(door)
        self.sessions.jobs = self.hits.jobs = self.reader.jobs = self.jobs
        self.remove_class("-nothing")
        self.sessions.list.say(states.READING)
        self.reader.empty(states.PICK)
        self.sessions.list.focus()
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
        self.reader.again()
        self.jobs.read_sessions(self.post_message, look=True)

    @on(SessionsRead)
    def _sessions_read(self, event: SessionsRead) -> None:
        if not self.jobs.current(event.topic, event.number):
            return
        self._take_sources(event.sources)
        self.looked = event.looked
        self._twice = states.twice(event.page)
        known = event.fresh or self._looked_once or event.sources
        self._first_run = self._first_run or not known
        if event.fresh or (event.sources and self.has_class("-nothing")):
            self._show_nothing(not event.sources)
        if event.fresh and event.sources:
            self._syncing = True
            self.jobs.sync(self.post_message)
        self._say_sources()
        self._looked_once = self._looked_once or event.fresh
        none = states.no_sessions(self.sources) if self._looked_once else [states.READING]
        self.sessions.list.say(*none)
        self.sessions.show(event.page)

    def _show_nothing(self, nothing: bool) -> None:
        self.set_class(nothing, "-nothing")
        if nothing:
            page = self.query_one(Nothing)
            page.set_lines(states.nothing_here(self.looked, str(Path.home()), demo=self._demo))
            page.focus()
            self.jobs.follow(self.post_message)  # a store may appear
            self._syncing = False
            self._status.show_state("")

    def _take_sources(self, sources: tuple[SourceInfo, ...]) -> None:
        """Where the state of the index is what stands below, it is that of these sources."""
        stands = self._status.state == states.indexed(self.sources)
        self.sources = sources
        if stands:
            self._status.show_state(states.indexed(sources))

    def _say_sources(self) -> None:
        header = self.query_one(Header)
        header.show(self.sources, twice=self._twice, catching_up=self._syncing)

    @on(SyncProgress)
    def _sync_progress(self, event: SyncProgress) -> None:
        if self.jobs.current("sync", event.number):
            self._status.show_state(states.progress(event.progress, self.size.width))
            self.hits.catch_up(finished=False)

    @on(SyncEnded)
    def _sync_ended(self, event: SyncEnded) -> None:
        if not self.jobs.current("sync", event.number):
            return
        self._syncing = False
        self.sources = event.report.sources
        self._say_sources()
        self._status.show_state(states.indexed(self.sources))
        self.jobs.read_sessions(self.post_message, look=False)
        self.bar.forget_values()
        self.hits.catch_up(finished=True)
        self.jobs.follow(self.post_message)
        if self._first_run and self._own:
            self._first_run = False
            self.jobs.tell(self.post_message, "kept", partial(kept.note, self.jobs.door))

    # Following the stores ------------------------------------------------------------------

    @on(Followed)
    def _followed(self, event: Followed) -> None:
        if not self.jobs.current(event.topic, event.number):
            return
        problem = event.change.problem
        if problem is not None or self._behind:
            self._behind = problem is not None
            self._status.show_state(
                "index not up to date" if problem else states.indexed(self.sources)
            )
        if problem is not None:
            self._status.say(problem.message, bad=True)
            return
        self._changes.append(event.change)
        if self._refreshes is None:
            self.refresh_shown()

    def refresh_shown(self) -> None:
        """Shows what changed; what changes in the next moment waits for that to be over."""
        changes, self._changes = self._changes, []
        self._refreshes = None
        if not changes:
            return
        self._refreshes = self.set_timer(REFRESH_EVERY, self.refresh_shown)
        self.jobs.read_sessions(self.post_message, look=False)
        self.bar.forget_values()
        self.hits.follow()
        self.reader.follow(
            {one for change in changes for one in change.sessions},
            everything=any(change.everything for change in changes),
        )

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
            self.jobs.follow(self.post_message)
        if event.topic == "follow":
            self._status.show_state("following ended · f5 begins anew")
        if event.topic in ("look", "sessions"):
            self._status.show_state("sessions not up to date")
            self.sessions.list.say(*states.failed(event.text))
        if event.code != "INDEX_BUSY":
            self._status.say(event.text, bad=True)

    def action_review(self) -> None:
        """What reverts, deletions and edits left behind; what is chosen there is read here."""
        self.app.push_screen(ReviewScreen(self.jobs, self._now), self._read_leftover)

    def _read_leftover(self, ident: str | None) -> None:
        if ident:
            self.reader.open_found(ident, lambda door: door.around(ident))
            self.action_pane("reader")

    # Searching -----------------------------------------------------------------------------

    @on(SearchBar.Asked)
    def _asked(self, event: SearchBar.Asked) -> None:
        self.bar.note("")
        if event.text.strip():
            self.add_class("-query")
            self.add_class("-hits")
            self.hits.search(event.text)
            return
        self.bar.found("")
        self.remove_class("-query", "-hits")
        self.hits.clear()
        self._preview(self.sessions.list)

    @on(HitsPane.Told)
    def _told(self, event: HitsPane.Told) -> None:
        self.bar.found(event.found)
        self.bar.note(event.note)
        if event.first:
            self.action_pane("hits")
            self._show(self.hits.list)
        elif self.hits.answer is not None and not self.hits.list.hits:
            self.reader.empty("no hit, nothing to read")

    @on(SearchBar.Entered)
    def _entered(self) -> None:
        if self.bar.value.strip():
            self.hits.open_first()
        else:
            self.action_pane("sessions")

    @on(QueryInput.Left)
    def _left(self) -> None:
        self.action_pane("hits" if self.has_class("-hits") else "sessions")

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
            self.sessions.glance()
            self._preview(self._resting)

    def _preview(self, rows: RowList[Any]) -> None:
        wanted = self.hits.list if self.has_class("-hits") else self.sessions.list
        if self.reader.display and (rows is wanted or rows.has_focus):
            self._show(rows)

    def _show(self, rows: RowList[Any]) -> bool:
        """Asks for what the cursor of a list stands on; whether there is anything."""
        if isinstance(rows, HitList) and rows.hit is not None:
            terms = self.hits.answer.terms if self.hits.answer else ()
            self.reader.open_hit(rows.hit, terms)
            return True
        if isinstance(rows, SessionList) and rows.session is not None:
            self.reader.open_session(rows.session)
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
        if self.hits.list.hits:
            self.hits.list.action_move(step)
            self._show(self.hits.list)

    def action_visit(self, by: int) -> None:
        """To the place visited before or after."""
        self.reader.visit(by)
        self.action_pane("reader")

    @property
    def current_session(self) -> Session | None:
        """The session that is read, else the one under the cursor."""
        window = self.reader.window
        listed = self.sessions.list
        if listed.has_focus and listed.session is not None:
            return listed.session
        return window.session if window else listed.session

    def source_of(self, part: Part) -> str:
        """The prefix that makes the id of a part being read one of its source alone."""
        window = self.reader.window
        return f"{window.session.source}:" if window else ""
