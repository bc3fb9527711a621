"""The reading pane as far as it shows one window: a heading, the transcript, where one is."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from store.door import Door
from store.model import Hit, Session, Window
from tui import heading
from tui.jobs import Jobs
from tui.keyorder import KeyOrder
from tui.messages import JobFailed, WindowRead
from tui.spots import Spot
from tui.ways import joined, name_of
from tui.widgets.sessions import columns
from tui.widgets.transcript import Transcript
from tui.widgets.windowview import Aim

BEGINNING = 11
"""Messages that a session opens with."""
MORE = 10
"""Messages that one widening adds."""
SLOW_S = 0.25
"""Seconds for which what was read before stays until the next is there."""


class ReadingPane(Vertical):
    """Asks for one window of a session, shows it and remembers which it is."""

    DEFAULT_CSS = """
    ReadingPane {
        & #reading-title, & #position { height: 1; padding: 0 1; }
        & #position { color: $text-muted; text-align: right; }
        & Transcript { height: 1fr; }
    }
    """

    def __init__(self, *, now: Callable[[], float] = time.time, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._now = now
        self.jobs: Jobs | None = None
        self.window: Window | None = None
        self.terms: tuple[str, ...] = ()
        self.ident = ""
        self.slice = ""
        self._spot: Spot | None = None
        self._position = ""
        self._slow: Timer | None = None
        self._headed: Window | None = None

    def compose(self) -> ComposeResult:
        """A heading, the transcript, the position."""
        yield Static("", id="reading-title", markup=False)
        yield Transcript()
        yield Static("", id="position", markup=False)

    @property
    def transcript(self) -> Transcript:
        """The transcript."""
        return self.query_one(Transcript)

    # Asking --------------------------------------------------------------------------------

    def open_hit(self, hit: Hit, terms: tuple[str, ...]) -> None:
        """Shows the conversation around a hit, unless it is shown already."""
        if self.jobs and self._is_new(hit.id, terms):
            self.jobs.around(self.post_message, hit.id, terms)

    def open_session(self, session: Session) -> None:
        """Shows a session from its beginning, unless it is shown already."""
        ident = name_of(session)
        if self.jobs and self._is_new(ident, ()):
            self.jobs.page(self.post_message, ident, 0, BEGINNING)

    def open_found(
        self,
        ident: str,
        find: Callable[[Door], Window],
        terms: tuple[str, ...] = (),
        *,
        slice_id: str = "",
    ) -> None:
        """Shows the window that `find` gets from the door; it runs in a thread.

        `slice_id` is the one agent slice that it holds, "" for all.
        """
        if self.jobs and self._is_new(ident, terms):
            self.slice = slice_id
            self.jobs.window(self.post_message, find, terms)

    def open_spot(self, spot: Spot) -> None:
        """Shows a window that was left, as it was."""
        if self.jobs and self._is_new(f"{spot.session} {spot.first}", spot.choice.terms):
            self._spot, self.slice = spot, spot.slice
            self._ask_spot(spot)

    def _ask_spot(self, spot: Spot) -> None:
        if self.jobs is not None:
            self.jobs.page(
                self.post_message,
                spot.session,
                spot.first,
                spot.length,
                spot.choice.terms,
                slice_id=spot.slice,
            )

    def again(self) -> None:
        """Asks once more for what could not be shown."""
        ident, self.ident = self.ident, ""
        if self.jobs and ident and self.window is None and self._is_new(ident, self.terms):
            self.jobs.around(self.post_message, ident, self.terms)

    def _is_new(self, ident: str, terms: tuple[str, ...]) -> bool:
        if (ident, terms) == (self.ident, self.terms):
            return False
        self.leaving()
        self._spot, self.slice = None, ""
        self.ident, self.terms = ident, terms
        if self.window is None:
            self.transcript.busy("opening…")
        self.transcript.await_another()
        if self._slow is not None:
            self._slow.stop()
        self._slow = self.set_timer(SLOW_S, self._say_opening)
        return True

    def _say_opening(self) -> None:
        """What was read before is not left under another's name."""
        if self.transcript.is_awaiting:
            self.transcript.opening()
            self._bare()

    def leaving(self) -> None:
        """Called before another window is asked for."""

    def here(self) -> Spot | None:
        """The window that is shown, as it is."""
        window = self.window
        if window is None or not window.messages:
            return None
        return self._spot_of(window.first, len(window.messages))

    def _spot_of(self, first: int, length: int) -> Spot | None:
        if self.window is None:
            return None
        name, view = name_of(self.window.session), self.transcript
        return Spot(name, first, length, view.choice, view.here(), self.slice)

    @on(Transcript.Widen)
    def _widen(self, event: Transcript.Widen) -> None:
        event.stop()
        window = self.window
        if self.jobs is None or window is None:
            return
        if not (window.more_before if event.before else window.more_after):
            return
        end = window.first + len(window.messages)
        first = max(0, window.first - MORE) if event.before else end
        length = min(MORE, window.first - first if event.before else window.total - end)
        self.jobs.page(
            self.post_message,
            name_of(window.session),
            first,
            length,
            self.terms,
            widened=True,
            slice_id=self.slice,
        )

    @on(Transcript.End)
    def _to_the_end(self, event: Transcript.End) -> None:
        event.stop()
        window = self.window
        if window is None:
            return
        first = max(0, window.total - BEGINNING) if event.bottom else 0
        aim = Aim(edge="bottom" if event.bottom else "top")
        choice = self.transcript.choice
        self.open_spot(Spot(name_of(window.session), first, BEGINNING, choice, aim, self.slice))

    # Showing -------------------------------------------------------------------------------

    @on(WindowRead)
    def _read(self, event: WindowRead) -> None:
        event.stop()
        if self.jobs is None or not self.jobs.current(event.topic, event.number):
            return
        if event.topic == "again":
            self.read_again(event.window)
            return
        self.shows_another()
        if event.widened:
            self._take_more(event.window)
        elif self._spot is not None:
            spot, self._spot = self._spot, None
            self.window = event.window
            self.transcript.restore(event.window, spot.choice, spot.aim)
        else:
            self.window = event.window
            self.transcript.show(event.window, event.terms)

    def _take_more(self, more: Window) -> None:
        """Adds messages to the window; where the session changed meanwhile all is read again."""
        if self.window is None or self.jobs is None:
            return
        whole = joined(self.window, more)
        if whole is None:
            first = min(self.window.first, more.first)
            length = len(self.window.messages) + len(more.messages)
            self._spot = self._spot_of(first, length)
            if self._spot is not None:
                self._ask_spot(self._spot)
            return
        self.window = whole
        self.transcript.extend(whole)

    @on(JobFailed)
    def _not_read(self, event: JobFailed) -> None:
        event.stop()
        if event.topic == "again":  # what is shown was right a moment ago
            return
        if self.jobs is None or not self.jobs.current("window", event.number):
            return
        self._clear()
        self.transcript.failed(f"{event.text}  ·  f5 tries again")

    def empty(self, text: str) -> None:
        """Says why there is nothing to read."""
        if self.jobs is not None:
            self.jobs.drop("window")
        self.ident = ""
        self._clear()
        self.transcript.empty(text)

    def _clear(self) -> None:
        self.window = None
        self._bare()

    def _bare(self) -> None:
        """Neither a heading nor a position."""
        self._headed = None
        self.query_one("#reading-title", Static).update("")
        self.query_one("#position", Static).update("")

    def head(self) -> None:
        """Writes the heading."""
        self._headed = self.window
        if self.window is None:
            return
        session = self.window.session
        width = max(10, self.size.width - 2)
        if self.query_one("#position").display:
            title, about = heading.reading(session, self.window, self._now(), _home(), width)
        else:  # low: the position stands in the heading
            title, about = heading.title_of(session), self._position.split(" · ")[0]
        right = Content.styled(about, "not bold $text-muted")
        line = columns(Content(title), right, width)
        self.query_one("#reading-title", Static).update(line, layout=False)

    def on_resize(self) -> None:
        """Lays the heading out anew."""
        self.head()

    @on(Transcript.Moved)
    def _moved(self, event: Transcript.Moved) -> None:
        event.stop()
        if self.transcript.is_awaiting:
            return
        if self._headed is not self.window:
            self.head()
        self._say_position(event.position.text)
        if isinstance(self.app, KeyOrder):
            self.app.release_keys()

    def _say_position(self, where: str) -> None:
        window = self.window
        if window is None:
            return
        more = {
            (True, True): "[ ] more",
            (True, False): "[ more before",
            (False, True): "] more after",
        }.get((window.more_before, window.more_after), "")
        self._position = " · ".join(
            piece
            for piece in (where, self._marked(), self.found_words(), more, self.new_words())
            if piece
        )
        self.query_one("#position", Static).update(Content(self._position), layout=False)
        if not self.query_one("#position").display:
            self.head()

    def _marked(self) -> str:
        count = len(self.transcript.marked)
        return f"◆ {count} marked" if count else ""

    def read_again(self, window: Window) -> None:
        """Called with what was asked for once more."""

    def shows_another(self) -> None:
        """Called before another window is shown, or more of this one."""

    def new_words(self) -> str:
        """What came since, for the position; "" for nothing."""
        return ""

    def found_words(self) -> str:
        """What was found here, for the position; "" for nothing."""
        return ""


def _home() -> str:
    return str(Path.home())
