"""The reading pane: a heading, the transcript, and where in the session one is."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
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
GROWTH = 50
"""Messages by which a conversation read to its end grows at most at once."""


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
        self._before: int | None = None
        self._asked_again: Window | None = None

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

    def follow(self, sessions: Collection[tuple[str, str]], *, everything: bool) -> None:
        """Reads what is shown once more if its session changed, and at its end what came after."""
        window = self.window
        if window is None or self.jobs is None:
            return
        session = window.session
        if everything or (session.source, session.id) in sessions:
            self._asked_again = window
            length = len(window.messages) + (0 if window.more_after else GROWTH)
            ident = f"{session.source}:{session.id}"
            self.jobs.again(self.post_message, ident, window.first, length, self.terms)

    # Showing -------------------------------------------------------------------------------

    @on(WindowRead)
    def _read(self, event: WindowRead) -> None:
        event.stop()
        if self.jobs is None or not self.jobs.current(event.topic, event.number):
            return
        if event.topic == "again":
            self._read_again(event.window)
            return
        self.window = event.window
        self._before = None
        if event.widened:
            self.transcript.extend(event.window)
        else:
            self.transcript.show(event.window, event.terms)
        self._head()
        self._say_position("")

    def _read_again(self, window: Window) -> None:
        shown, asked = self.window, self._asked_again
        if shown is None or asked is None or window == shown:
            return
        if shown is not asked:  # the reader went on meanwhile
            key = (shown.session.source, shown.session.id)
            self.follow({key}, everything=False)
            return
        if window.total > shown.total and self._before is None:
            self._before = shown.total
        self.window = window
        self.transcript.extend(window)
        self._head()

    def _new_below(self) -> str:
        """How many messages came since, below what can be seen."""
        if self._before is None or self.window is None:
            return ""
        count = self.window.total - max(self._before, self.transcript.last_place + 1)
        if count <= 0:
            self._before = None
        return f"{count} new below" if count > 0 else ""

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
        said = " · ".join(piece for piece in (where, more, self._new_below()) if piece)
        self.query_one("#position", Static).update(Content(said))
