"""The application: themes, keys, copying, pages; browsing itself is the screen's."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import events, on
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen

from store.door import Door
from store.model import Part, Session, SourceInfo
from tui import copying, keys, memory, settings, states
from tui.attached import Attached
from tui.browse import BrowseScreen
from tui.commands import Actions, Palette
from tui.export.portion import Portion, portions
from tui.exporter import SessionApp
from tui.jobs import Jobs
from tui.messages import DemoOpened, VersionsRead
from tui.pages import PageScreen
from tui.preferences import PreferringApp
from tui.queries import Queries
from tui.remembered import read_width
from tui.reviewed import Reviewed
from tui.undone import version_lines
from tui.widgets.nothing import Nothing
from tui.widgets.page import Lines
from tui.widgets.statusline import StatusLine
from tui.widgets.transcript import Transcript
from tui.widgets.viewer import PartViewer
from tui.words import flat

ACTING = (
    "part.",
    "context.open",
    "context.raw",
    "context.versions",
    "session.export",
    "session.resume",
)
"""How the ids of keys begin that act on the part, or the session, that one is on."""


class BackscrollApp(PreferringApp):
    """Browsing through one door.

    `now` is the clock (seconds since 1970), `clipboard` the machine's way of copying, `open_demo`
    opens the demo (it may take a second; None where there is none to offer).
    """

    TITLE = "backscroll"
    CSS_PATH = "browse.tcss"
    COMMANDS = App.COMMANDS | {Actions}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "keys", "Keys", tooltip="All keys", id="help"),
        Binding("q", "quit", "Quit", id="quit", show=False),
        Binding("ctrl+z", "suspend_process", "Suspend", tooltip="Into the shell; fg comes back",
                id="suspend", show=False, priority=True),
    ]  # fmt: skip

    def __init__(
        self,
        door: Door,
        loaded: settings.Loaded | None = None,
        *,
        now: Callable[[], float] = time.time,
        clipboard: Callable[[str], str | None] = copying.system_clipboard,
        open_demo: Callable[[], Door] | None = None,
    ) -> None:
        super().__init__(clipboard)
        self.animation_level = "none"
        self.loaded = loaded or settings.load()
        self.problems = list(self.loaded.problems)
        self.opened: list[Door] = []
        self._open_demo = open_demo
        self._browse = BrowseScreen(door, now, demo=open_demo is not None)
        self._browse.fold = self.loaded.settings.fold
        self._browse.list_width = read_width(self.loaded.path.parent)
        self.set_themes()
        applied, clashes = keys.check_keymap(self.loaded.settings.keymap)
        self.problems += clashes
        self.set_keymap(applied)
        self._browse.keymap = applied

    def remember(self, queries: Queries) -> None:
        """Takes these for the queries asked before."""
        self._browse.queries = queries

    @property
    def keymap(self) -> Mapping[str, str]:
        """The keys that are not our own, by the ids of their bindings."""
        return self._browse.keymap

    def get_default_screen(self) -> Screen[None]:
        """The main screen."""
        return self._browse

    def on_mount(self) -> None:
        """Says what is wrong with the settings, if anything is."""
        self._leave_when_told()
        self.app_resume_signal.subscribe(self, self._again)
        if self.problems:
            more = f" (and {len(self.problems) - 1} more, F)" if len(self.problems) > 1 else ""
            self.call_after_refresh(self.tell, self.problems[0].message + more, bad=True)

    def _again(self, _: App[None]) -> None:
        """Paints everything anew when the shell has put us into the foreground again."""
        for screen in self.screen_stack:
            self.call_later(screen.refresh, layout=True)

    def _leave_when_told(self) -> None:
        """Ends orderly, the terminal restored, when the system asks or the terminal is gone."""
        for name in ("SIGTERM", "SIGHUP"):
            with suppress(AttributeError, NotImplementedError, RuntimeError, ValueError):
                number = getattr(signal, name)
                leave = partial(self.exit, return_code=128 + number)
                asyncio.get_running_loop().add_signal_handler(number, leave)

    def tell(self, text: str, *, bad: bool = False) -> None:
        """Says something in the status line of the main screen, or beside another screen."""
        self._browse.query_one(StatusLine).say(text, bad=bad)
        if isinstance(self.screen, PartViewer):
            self.screen.say(text, bad=bad)
        elif self.screen is not self._browse:
            self.notify(flat(text), severity="warning" if bad else "information", markup=False)

    def action_help_quit(self) -> None:
        """Says how to leave to whoever pressed ctrl+c."""
        quits = self.keymap.get("quit", "q").split(",")[0].strip()
        self.tell(f"{keys.shown(quits)} quits")

    def is_early(self, event: events.Key) -> bool:
        """Whether it acts on a part, and the part that was asked for is not there yet."""
        view = self.transcript
        return self.focused is view and view.is_awaiting and self._acts(event.key)

    def _acts(self, key: str) -> bool:
        bindings = (*Transcript.BINDINGS, *SessionApp.BINDINGS)
        return any(
            isinstance(one, Binding)
            and (one.id or "").startswith(ACTING)
            and key in keys.keys_of(one, self.keymap)
            for one in bindings
        )

    def too_early(self) -> None:
        """Says that a key did nothing."""
        self.tell("still opening; press it again when it is there")

    async def action_quit(self) -> None:
        """Leaves at once, whatever is under way."""
        self.jobs.close()
        self.exit()

    @property
    def jobs(self) -> Jobs:
        """The jobs of the main screen."""
        return self._browse.jobs

    @property
    def taken_parts(self) -> list[Part]:
        """The part in the viewer, else those marked in the reading pane, else its current one."""
        if isinstance(self.screen, PartViewer):
            return [self.screen.part]
        return self._browse.reader.transcript.taken

    @property
    def shown_file(self) -> Attached | None:
        """The file whose picture the viewer shows."""
        return self.screen.shown_file if isinstance(self.screen, PartViewer) else None

    @property
    def transcript(self) -> Transcript:
        """The transcript of the reading pane."""
        return self._browse.reader.transcript

    def full_id(self, part: Part) -> str:
        """The part's id with its source in front."""
        return f"{self._browse.source_of(part)}{part.id}"

    @property
    def current_session(self) -> Session | None:
        """The session that is reviewed or read, else the one under the cursor."""
        if isinstance(self.screen, Reviewed):
            return self.screen.session
        return self._browse.current_session

    @property
    def portions(self) -> list[tuple[str, str, Portion]]:
        """The marked parts and the messages that are loaded, where those are of this session."""
        session, window = self.current_session, self._browse.reader.window
        if isinstance(self.screen, Reviewed):
            return []
        if session is None or window is None or window.session.id != session.id:
            return []
        return portions(window, self.transcript.marked.values())

    @property
    def known_sources(self) -> tuple[SourceInfo, ...]:
        """The stores that answer."""
        return self._browse.sources

    # Pages ---------------------------------------------------------------------------------

    def page(self, title: str, lines: Lines, what: str) -> None:
        """Opens a page of text over the screen."""
        if not isinstance(self.screen, PageScreen):
            self.push_screen(PageScreen(title, lines, what=what))

    def action_keys(self) -> None:
        """All keys, those of the place one is in first."""
        lines = partial(keys.help_lines, self.focused, self._browse.keymap)
        self.page("Keys", lines, "list of keys")

    def action_sources(self) -> None:
        """Every source, how it was opened, what could not be read."""
        problems = [problem.message for problem in self.problems]
        lines = states.sources_page(
            self._browse.sources, self._browse.looked, problems, str(Path.home())
        )
        self.page("Sources and faults", lines, "list of sources")

    @on(Transcript.ShowVersions)
    def _show_versions(self, event: Transcript.ShowVersions) -> None:
        jobs, ident = self._browse.jobs, self.full_id(event.part)

        def work(number: int) -> Message:
            return VersionsRead("versions", number, jobs.door.versions(ident))

        jobs.make(self.post_message, "versions", work)

    @on(VersionsRead)
    def _versions_read(self, event: VersionsRead) -> None:
        if len(event.parts) < 2:
            self.tell("this part never said anything else, as far as is known")
        else:
            self.page("Earlier texts", version_lines(event.parts), "earlier texts")

    # Demo, palette -----------------------------------------------------------------

    @on(Nothing.DemoWanted)
    def _demo_wanted(self) -> None:
        opener = self._open_demo
        if opener is None:
            self.tell("this installation has no demo", bad=True)
            return
        self.tell("opening the demo…")
        self.jobs.make(
            self.post_message, "demo", lambda number: DemoOpened("demo", number, opener())
        )

    @on(DemoOpened)
    def _demo_opened(self, event: DemoOpened) -> None:
        self.opened.append(event.door)
        self._browse.use(event.door)
        self.tell("the demo: made-up conversations, in a temporary folder")

    def action_command_palette(self) -> None:
        """Every action that can be done here, by its words."""
        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(id="--command-palette"))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette's own commands; the actions come from the bindings."""
        yield SystemCommand("Theme", "Choose a theme with a live preview", self.action_theme)
        yield SystemCommand("Sources and faults", "What is read, and how", self.action_sources)
        if self._open_demo is not None:
            yield SystemCommand("Demo", "Open the built-in demo", self._demo_wanted)


def run_app(
    door: Door,
    loaded: settings.Loaded | None = None,
    *,
    open_demo: Callable[[], Door] | None = None,
    queries: Path | None = None,
) -> int:
    """Runs the screen until the person leaves; returns the exit code.

    `queries`: the file that remembers what was asked. Closes the demo if it was opened; the given
    door stays the caller's to close.
    """
    memory.spare()
    app = BackscrollApp(door, loaded, open_demo=open_demo)
    app.remember(Queries(queries))
    try:
        app.run()
    finally:
        for opened in app.opened:
            opened.close()
    return app.return_code or 0
