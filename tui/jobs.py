"""Everything that may take time: threads that ask the door and post what it says.

One thread a role, so that each keeps its own connections and does one thing after another.
The threads are daemons: quitting asks them to stop, and waits for none but the writers'.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from queue import Queue
from threading import Event, Thread

from textual.message import Message

from store.door import Door, Sort
from store.errors import StoreError
from store.model import Change, Hit, Looked, SourceInfo, Window
from tui.messages import (
    Done,
    Followed,
    Glanced,
    HitsCome,
    JobFailed,
    Searched,
    SessionsChanged,
    SessionsRead,
    SyncEnded,
    SyncProgress,
    WindowRead,
)

PAGE = 50
WRITER_GRACE = 0.3
"""Seconds that quitting waits for the backfill to keep what it did."""
SYNC_SWITCH = 0.0005
"""Seconds between thread switches while a backfill runs, so that keys are not kept waiting."""

Work = Callable[[int], Message]
Post = Callable[[Message], object]
"""Where an answer goes: the `post_message` of the widget that asked, safe from any thread."""


class Lane:
    """A daemon thread that works off its queue, one call after another."""

    def __init__(self, name: str) -> None:
        self.queue: Queue[Callable[[], None] | None] = Queue()
        self.thread = Thread(target=self._run, name=f"backscroll-{name}", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while True:
            call = self.queue.get()
            try:
                if call is None:
                    return
                call()
                call = None  # what asked may go while this waits for the next
            finally:
                self.queue.task_done()


class Jobs:
    """The requests of one screen to one door, each numbered within its topic."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self._stop = Event()
        self._lanes: dict[str, Lane] = {}
        self._latest: dict[str, int] = {}
        self.asked = 0
        self.following = False

    def current(self, topic: str, number: int) -> bool:
        """Whether nothing newer was asked for since."""
        return not self._stop.is_set() and self._latest.get(topic) == number

    def drop(self, topic: str) -> None:
        """Makes every answer under way to this topic stale."""
        self._latest[topic] = self._latest.get(topic, 0) + 1

    def wait(self, but: str = "") -> None:
        """Returns once all lanes, `but` one, have nothing left to do; following never ends."""
        for name, lane in list(self._lanes.items()):
            if name not in (but, "follow"):
                lane.queue.join()

    def close(self) -> None:
        """Asks every thread to stop; returns within WRITER_GRACE seconds."""
        self._stop.set()
        self.door.interrupt()
        for lane in self._lanes.values():
            lane.queue.put(None)
        end = time.monotonic() + WRITER_GRACE
        for name in ("sync", "follow"):
            if name in self._lanes:
                self._lanes[name].thread.join(max(0.0, end - time.monotonic()))

    def _ask(self, to: Post, lane: str, topic: str, work: Work) -> int:
        number = self._latest[topic] = self._latest.get(topic, 0) + 1
        self.asked += 1

        def call() -> None:
            if self.current(topic, number):
                self._answer(to, topic, number, work)

        if lane not in self._lanes:
            self._lanes[lane] = Lane(lane)
        self._lanes[lane].queue.put(call)
        return number

    def _answer(self, to: Post, topic: str, number: int, work: Work, *, again: bool = True) -> None:
        try:
            message = work(number)
        except StoreError as error:
            if error.code == "ABORTED" and again and self.current(topic, number):
                # The interrupt was meant for the request before this one.
                self._answer(to, topic, number, work, again=False)
                return
            message = JobFailed(topic, number, error.code, error.message)
        except Exception as error:
            message = JobFailed(topic, number, "", f"{type(error).__name__}: {error}")
        self._send(to, message)

    def _send(self, to: Post, message: Message) -> None:
        if not self._stop.is_set():
            to(message)

    # What can be asked ---------------------------------------------------------------------

    def read_sessions(self, to: Post, *, look: bool, limit: int | None = None) -> int:
        """The list of sessions from our index; with `look`, after a look at the stores.

        `limit` asks for the latest ones only.
        """
        topic = "look" if look else "sessions"

        def work(number: int) -> Message:
            sources = self._look() if look else self.door.sources()
            page = self.door.sessions("", limit=limit)
            looked: tuple[Looked, ...] = () if sources else self.door.places()
            return SessionsRead(topic, number, sources, page, looked, look)

        return self._ask(to, "sessions", topic, work)

    def read_changed(self, to: Post, natives: frozenset[str]) -> int:
        """What the list has now of the sessions with these native ids."""

        def work(number: int) -> Message:
            sources, listed = self.door.sources(), self.door.some_sessions(natives)
            return SessionsChanged("changed", number, sources, natives, listed)

        return self._ask(to, "sessions", "changed", work)

    def _look(self) -> tuple[SourceInfo, ...]:
        try:
            return self.door.refresh()
        except StoreError as error:
            if error.code != "INDEX_BUSY":
                raise
            return self.door.sources()

    def sync(self, to: Post) -> int:
        """Catches up with the stores; SyncProgress on the way, SyncEnded at the end."""

        def work(number: int) -> Message:
            usual = sys.getswitchinterval()
            sys.setswitchinterval(SYNC_SWITCH)
            try:
                report = self.door.sync(
                    self._stop,
                    lambda now: self._send(to, SyncProgress("sync", number, now)),
                )
            finally:
                sys.setswitchinterval(usual)
            return SyncEnded("sync", number, report)

        return self._ask(to, "sync", "sync", work)

    def follow(self, to: Post) -> None:
        """Follows the stores from now on, if not done already: Followed for each change."""
        if self.following:
            return
        self.following = True

        def work(number: int) -> Message:
            try:
                self.door.follow(
                    self._stop,
                    lambda change: self._send(to, Followed("follow", number, change)),
                )
            finally:
                self.following = False
            return Followed("follow", number, Change())

        self._ask(to, "follow", "follow", work)

    def search(
        self, to: Post, text: str, *, sort: Sort = "newest", cursor: str | None = None
    ) -> int:
        """A page of hits. A first page ends a search that still runs."""
        self._instead(cursor)

        def work(number: int) -> Message:
            answer = self.door.search(text, limit=PAGE, sort=sort, cursor=cursor)
            return Searched("search", number, text, answer, cursor is None)

        return self._ask(to, "search", "search", work)

    def scan(self, to: Post, text: str, *, cursor: str | None = None) -> int:
        """A page of hits in literal mode: HitsCome on the way, Searched at the end."""
        self._instead(cursor)

        def work(number: int) -> Message:
            def told(hits: tuple[Hit, ...], looked: int, of: int) -> None:
                self._send(to, HitsCome("search", number, hits, looked, of))

            answer = self.door.scan(text, limit=PAGE, cursor=cursor, report=told)
            return Searched("search", number, text, answer, cursor is None)

        return self._ask(to, "search", "search", work)

    def _instead(self, cursor: str | None) -> None:
        """Ends what was asked about another query, where this is no further page of it."""
        if cursor is None:
            for topic in ("search", "facets", "diagnosis"):
                self.drop(topic)
            self.door.interrupt()

    def around(self, to: Post, ident: str, terms: tuple[str, ...] = ()) -> int:
        """The window at a hit."""

        def work(number: int) -> Message:
            return WindowRead("window", number, self.door.around(ident), terms, False)

        return self._ask(to, "read", "window", work)

    def glance(self, to: Post, session: str) -> int:
        """The first prompt and the last answer of a session."""

        def work(number: int) -> Message:
            return Glanced("glance", number, self.door.glance(session))

        return self._ask(to, "glance", "glance", work)

    def page(
        self,
        to: Post,
        session: str,
        first: int,
        length: int,
        terms: tuple[str, ...] = (),
        *,
        widened: bool = False,
        slice_id: str = "",
    ) -> int:
        """`length` messages of a session, or of one slice of it, from place `first` on."""

        def work(number: int) -> Message:
            window = self.door.page(session, first, length, slice_id=slice_id)
            return WindowRead("window", number, window, terms, widened)

        return self._ask(to, "read", "window", work)

    def window(self, to: Post, find: Callable[[Door], Window], terms: tuple[str, ...]) -> int:
        """The window that `find` gets from the door."""

        def work(number: int) -> Message:
            return WindowRead("window", number, find(self.door), terms, False)

        return self._ask(to, "read", "window", work)

    def again(
        self,
        to: Post,
        session: str,
        first: int,
        length: int,
        terms: tuple[str, ...],
        slice_id: str = "",
    ) -> int:
        """The same messages once more, for they may have changed; no request makes way for it."""

        def work(number: int) -> Message:
            window = self.door.page(session, first, length, slice_id=slice_id)
            return WindowRead("again", number, window, terms, True)

        return self._ask(to, "read", "again", work)

    def make(self, to: Post, topic: str, work: Work) -> int:
        """Any other thing that takes time; `work` returns its answer."""
        return self._ask(to, "aside", topic, work)

    def tell(self, to: Post, topic: str, work: Callable[[], str]) -> int:
        """Any small thing done in a thread; what it returns is said in the status line."""
        return self.make(to, topic, lambda number: Done(topic, number, work()))
