"""The one main screen: sessions or hits at the left, one thing to read at the right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.timer import Timer

from store.door import Door
from store.model import Happening, Part, Session
from tui.keyorder import KeyOrder
from tui.keys import hints
from tui.queries import Queries
from tui.searching import TYPING_RESTS
from tui.settings import Fold
from tui.stores import StoresScreen
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

PREVIEW_AFTER = 0.12
"""Seconds that the cursor rests on a row before the pane follows."""

FOLDS: dict[Fold, Literal["folded", "open"] | None] = {
    "auto": None,
    "all": "folded",
    "none": "open",
}


class BrowseScreen(StoresScreen):
    """Composition, layout and focus; the panes ask for what they show."""

    AUTO_FOCUS = "SessionList"
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
        super().__init__(door, demo=demo)
        self._now = now
        self.keymap: dict[str, str] = {}
        self.queries = Queries()
        self.fold: Fold = "auto"
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
        self.reader.transcript.usual_fold = FOLDS[self.fold]
        self.bindings_updated_signal.subscribe(self, lambda _: self._say_keys())
        self.use(self.jobs.door)

    def on_unmount(self) -> None:
        """Lets nothing go on that nobody will see."""
        self.jobs.close()

    def _say_keys(self) -> None:
        self._status.show_keys(*hints(self, self.keymap))

    def action_review(self) -> None:
        """What reverts, deletions and edits left behind; what is chosen there is read here."""
        from tui.review import ReviewScreen  # nothing that is first seen needs it

        self.app.push_screen(ReviewScreen(self.jobs, self._now), self._read_leftover)

    def _read_leftover(self, one: Happening | None) -> None:
        if one is not None:
            self.sessions.stand_on(one.session)
            self.reader.open_found(one.id, lambda door: door.around(one.id))
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
        if isinstance(self.app, KeyOrder):
            self.app.release_keys()

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
        typing = self.bar.field.has_focus
        self._rests = self.set_timer(TYPING_RESTS if typing else PREVIEW_AFTER, self.flush)

    def flush(self) -> None:
        """Does at once what waits for the keys to rest: counting hits, and previewing what the
        cursor stands on."""
        self.count()
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
