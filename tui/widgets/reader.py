"""The reading pane: a heading, the transcript, and where in the session one is."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from store.model import Hit, Session, Window
from tui import states
from tui.jobs import Jobs
from tui.messages import JobFailed, WindowRead
from tui.widgets.sessions import columns
from tui.widgets.transcript import Transcript

BEGINNING = 11
"""Messages that a session opens with."""
MORE = 10
"""Messages that one widening adds."""


class Reader(Vertical):
    """Asks for one window of a session, shows it and remembers which it is."""

    DEFAULT_CSS = """
    Reader {
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
        ident = f"{session.source}:{session.id}"
        if self.jobs and self._is_new(ident, ()):
            self.jobs.page(self.post_message, ident, 0, BEGINNING)

    def again(self) -> None:
        """Asks once more for what could not be shown."""
        ident, self.ident = self.ident, ""
        if self.jobs and ident and self.window is None and self._is_new(ident, self.terms):
            self.jobs.around(self.post_message, ident, self.terms)

    def _is_new(self, ident: str, terms: tuple[str, ...]) -> bool:
        if (ident, terms) == (self.ident, self.terms):
            return False
        self.ident, self.terms = ident, terms
        if self.window is None:
            self.transcript.busy("opening…")
        return True

    @on(Transcript.Widen)
    def _widen(self, event: Transcript.Widen) -> None:
        event.stop()
        window = self.window
        if self.jobs is None or window is None:
            return
        if not (window.more_before if event.before else window.more_after):
            return
        first = max(0, window.first - MORE) if event.before else window.first
        end = window.first + len(window.messages) + (0 if event.before else MORE)
        ident = f"{window.session.source}:{window.session.id}"
        length = min(end, window.total) - first
        self.jobs.page(self.post_message, ident, first, length, self.terms, widened=True)

    # Showing -------------------------------------------------------------------------------

    @on(WindowRead)
    def _read(self, event: WindowRead) -> None:
        event.stop()
        if self.jobs is None or not self.jobs.current("window", event.number):
            return
        self.window = event.window
        if event.widened:
            self.transcript.extend(event.window)
        else:
            self.transcript.show(event.window, event.terms)
        self._head()
        self._say_position("")

    @on(JobFailed)
    def _not_read(self, event: JobFailed) -> None:
        event.stop()
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
        self.query_one("#reading-title", Static).update("")
        self.query_one("#position", Static).update("")

    def _head(self) -> None:
        if self.window is None:
            return
        session = self.window.session
        width = max(10, self.size.width - 2)
        home = str(Path.home())
        title, about = states.reading(session, self.window, self._now(), home, width)
        right = Content.styled(about, "not bold $text-muted")
        line = columns(Content(title), right, width)
        self.query_one("#reading-title", Static).update(line)

    def on_resize(self) -> None:
        """Lays the heading out anew."""
        self._head()

    @on(Transcript.Moved)
    def _moved(self, event: Transcript.Moved) -> None:
        event.stop()
        self._say_position(event.position.text)

    def _say_position(self, where: str) -> None:
        window = self.window
        if window is None:
            return
        more = {
            (True, True): "[ ] more",
            (True, False): "[ more before",
            (False, True): "] more after",
        }.get((window.more_before, window.more_after), "")
        said = " · ".join(piece for piece in (where, more) if piece)
        self.query_one("#position", Static).update(Content(said))
