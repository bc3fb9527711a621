"""What of the stores the main screen shows: their sessions, how far the index is, what changes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from textual import on
from textual.timer import Timer

from store.door import Door
from store.model import Change, Looked, SessionPage, SourceInfo
from tui import kept, states
from tui.jobs import Jobs
from tui.messages import (
    Followed,
    JobFailed,
    SessionsChanged,
    SessionsRead,
    SyncEnded,
    SyncProgress,
)
from tui.reviewed import Reviewed
from tui.searching import SearchScreen
from tui.widgets.header import Header
from tui.widgets.nothing import Nothing
from tui.widgets.statusline import StatusLine

REFRESH_EVERY = 0.5
"""Seconds between two refreshes of what is shown while the stores change."""
FIRST = 200
"""Sessions that are listed before all others, more than fit on a screen."""


class StoresScreen(SearchScreen):
    """Reads the sessions through a door, brings the index up to date, follows the stores."""

    def __init__(self, door: Door, *, demo: bool) -> None:
        super().__init__(classes="-at-sessions")
        self._demo = self._own = demo  # the demo is offered beside a person's own stores
        self.jobs = Jobs(door)
        self.sources: tuple[SourceInfo, ...] = ()
        self.looked: tuple[Looked, ...] = ()
        self._page = SessionPage((), False, None)
        self._stale: frozenset[str] = frozenset()
        self._syncing = self._looked_once = self._first_run = self._opening = False
        self._changes: list[Change] = []
        self._refreshes: Timer | None = None
        self._behind = False
        self._begun = self._caught_up = False

    @property
    def _status(self) -> StatusLine:
        return self.query_one(StatusLine)

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
        self._opening = True
        self.jobs.read_sessions(self.post_message, look=False, limit=FIRST)

    def _go_on(self, *, more: bool) -> None:
        """Asks for all sessions and for what is new, once the first ones are on the screen."""
        if more:
            self.jobs.read_sessions(self.post_message, look=False)
        self.action_look()

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
        self._hold(event.page)
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
        self.sessions.show(self._page, first=not self._begun)
        self._begun = self._caught_up  # from now on nothing moves unless the person moves it
        if self._opening:
            self._opening = False
            self.call_after_refresh(self._go_on, more=event.page.more)

    def _hold(self, page: SessionPage) -> None:
        if self._page != page:  # else one of the two goes: thousands of sessions are large
            self._page = page

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
        """Where the state of index or list is what stands below, it is that of these sources."""
        stands = self._status.state in (states.indexed(self.sources), states.STALE)
        self.sources = sources
        if stands:
            self._say_indexed()

    def _say_sources(self) -> None:
        twice = states.twice(self._page)
        self.query_one(Header).show(self.sources, twice=twice, catching_up=self._syncing)

    def _say_indexed(self) -> None:
        if self._behind:
            self._status.show_state("index not up to date")
        else:
            idle = states.is_well(self.sources)
            self._status.show_state(states.indexed(self.sources), idle=idle)

    @on(SyncProgress)
    def _sync_progress(self, event: SyncProgress) -> None:
        if self.jobs.current("sync", event.number):
            self._status.show_state(states.progress(event.progress, self.size.width))
            self.hits.catch_up(finished=False)

    @on(SyncEnded)
    def _sync_ended(self, event: SyncEnded) -> None:
        if not self.jobs.current("sync", event.number):
            return
        self._syncing, self._caught_up = False, True
        self.sources = event.report.sources
        self._say_sources()
        self._behind = False
        self._say_indexed()
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
            self._say_indexed()
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
        everything = any(change.everything for change in changes)
        sessions = {one for change in changes for one in change.sessions}
        if everything or not self._page.sessions:
            self.jobs.read_sessions(self.post_message, look=False)
        else:
            self._stale |= {native for _, native in sessions}
            self.jobs.read_changed(self.post_message, self._stale)
        self.bar.forget_values()
        for screen in self.app.screen_stack:
            if isinstance(screen, Reviewed):
                screen.again()
        self.hits.follow()
        self.reader.follow(sessions, everything=everything)

    @on(SessionsChanged)
    def _sessions_changed(self, event: SessionsChanged) -> None:
        if self.jobs.current(event.topic, event.number):
            self._stale = frozenset()
            self._take_sources(event.sources)
            self._hold(event.put_into(self._page))
            self._say_sources()
            self.sessions.show(self._page)

    @on(JobFailed)
    def _failed(self, event: JobFailed) -> None:
        event.stop()
        if not self.jobs.current(event.topic, event.number):
            return
        if event.topic == "sync":
            self._syncing, self._caught_up = False, True
            self._say_sources()
            busy = event.code == "INDEX_BUSY"
            self._status.show_state("another program indexes" if busy else "index not up to date")
            self.jobs.follow(self.post_message)
        if event.topic == "follow":
            self._status.show_state("following ended · f5 begins anew")
        if event.topic in ("look", "sessions", "changed"):
            self._status.show_state(states.STALE)
            self.sessions.list.say(*states.failed(event.text))
        if self._opening and event.topic == "sessions":
            self._opening = False
            self.action_look()
        if event.code != "INDEX_BUSY":
            self._status.say(event.text, bad=True)
