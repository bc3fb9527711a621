"""The pane of sessions: all or those of one project, narrowed by what is typed."""

from __future__ import annotations

import time
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from store.model import Glance, Session, SessionPage
from tui import words
from tui.jobs import Jobs
from tui.messages import Glanced, JobFailed
from tui.widgets.field import Field
from tui.widgets.listpane import ListPane, Now
from tui.widgets.sessions import SessionList


class FilterInput(Field):
    """The line to narrow the sessions with."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "All sessions again", id="filter.leave"),
        Binding("down,ctrl+n", "step(1)", "Next session", id="filter.down", show=False),
        Binding("up,ctrl+p", "step(-1)", "Session before", id="filter.up", show=False),
    ]

    class Left(Message):
        """The list is to be whole again."""

    def action_leave(self) -> None:
        """Back to the whole list."""
        self.post_message(self.Left())

    def action_step(self, by: int) -> None:
        """Moves the cursor of the list."""
        self.screen.query_one(SessionList).action_move(by)


class SessionsPane(ListPane):
    """All sessions, or those of one project."""

    def __init__(self, *, now: Now = time.time, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._now = now
        self._total = 0
        self.jobs: Jobs | None = None
        self._glanced: Glance | None = None

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "narrow", "Filter", tooltip="Type to narrow the list", id="sessions.filter"),
    ]

    def compose(self) -> ComposeResult:
        """A heading, the list, a glance at what is under the cursor, a line to narrow it with."""
        yield Static("", classes="pane-title", markup=False)
        yield SessionList(now=self._now, id="sessions")
        yield Static("", id="glance", markup=False)
        yield FilterInput(id="session-filter", placeholder="title, project or folder")

    def action_narrow(self) -> None:
        """Opens the line to narrow the list with."""
        line = self.query_one(FilterInput)
        line.add_class("-shown")
        self.list.prepare()
        line.focus()
        line.select_all()

    @on(Input.Changed, "#session-filter")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.list.say("no session of that name" if event.value.strip() else "")
        self.list.narrow(event.value)

    @on(Input.Submitted, "#session-filter")
    def _chosen(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one(FilterInput).set_class(bool(self.list.typed.strip()), "-shown")
        self.list.focus()

    @on(FilterInput.Left)
    def _cleared(self) -> None:
        line = self.query_one(FilterInput)
        line.value = ""
        line.remove_class("-shown")
        self.list.focus()

    @property
    def list(self) -> SessionList:
        """The list."""
        return self.query_one(SessionList)

    def show(self, page: SessionPage, *, first: bool = False) -> None:
        """Shows these sessions; `first` as `SessionList.set_sessions` takes it."""
        self._total = page.total
        self.list.set_sessions(page.sessions, whole=not page.more, first=first)
        self.on_resize()
        self.glance()

    def stand_on(self, session: Session) -> None:
        """Puts the cursor on a session, where the list has it; what is read stays."""
        if self.list.stand_on((session.source, session.id)):
            self.glance()

    def glance(self) -> None:
        """Asks how the session under the cursor begins and ends."""
        session = self.list.session
        if session is not None and self.jobs is not None:
            self.jobs.glance(self.post_message, f"{session.source}:{session.id}")

    @on(Glanced)
    def _seen(self, event: Glanced) -> None:
        event.stop()
        if self.jobs is not None and self.jobs.current("glance", event.number):
            self._glanced = event.glance
            self._say_glance()

    @on(JobFailed)
    def _failed(self, event: JobFailed) -> None:
        if event.topic == "glance":
            event.stop()

    def _say_glance(self) -> None:
        if self._glanced is not None:
            lines = glance_lines(self._glanced, max(8, self.size.width - 3))
            self.query_one("#glance", Static).update(Content("\n").join(lines), layout=False)

    def on_resize(self) -> None:
        """Writes the heading anew."""
        rows = self.list
        shown = rows.shown
        how: list[str] = [rows.grouping] if rows.grouping != "project" else []
        if rows.order != "newest":
            how.append(rows.order)
        some = rows.project or rows.typed.strip()
        total = words.number(self._total)
        how.append(f"{words.number(shown)} of {total}" if some else total)
        self._say_glance()
        self.title(words.flat(rows.project) or "Sessions", " · ".join(how))


def glance_lines(seen: Glance, width: int) -> list[Content]:
    """How a session begins and ends, a line each; empty lines for what is not known."""
    lines = []
    for who, style, said in (("you", "$accent", seen.prompt), ("end", "", seen.answer)):
        text = " ".join(words.flat(said).split())
        line = Content.assemble((f"{who}  ", style or "bold"), (text, "$text-muted"))
        lines.append(line.truncate(width, ellipsis=True) if text else Content(""))
    return lines
