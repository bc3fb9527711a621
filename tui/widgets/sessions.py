"""The list of sessions: by project, day or flat, newest first, sub-sessions under their parent."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from datetime import datetime
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content

from store.model import Session
from tui import words
from tui.widgets.arranging import (
    GROUPINGS,
    ORDERS,
    Grouping,
    ListRow,
    Order,
    Project,
    SessionRow,
    arrange,
    narrowed,
    plain_text_of,
    project_of,
)
from tui.widgets.rowlist import RowList

AGE_WIDTH = 6
SIGNS_WIDTH = 3
"""Cells for what is special about a session; the worst comes first."""


class SessionList(RowList[ListRow]):
    """Sessions by project: title, age, number of messages, signs."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "p", "one_project", "This project", tooltip="Only this project", id="sessions.project"
        ),
        Binding("a", "all_projects", "All projects", id="sessions.all"),
        Binding(
            "s",
            "resort",
            "Sort",
            tooltip="Sort by time, title or length",
            id="sessions.sort",
            show=False,
        ),
        Binding(
            "v",
            "regroup",
            "Group",
            tooltip="By project, by day or flat",
            id="sessions.group",
            show=False,
        ),
    ]

    def __init__(self, *, now: Callable[[], float] = time.time, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._now = now
        self._all: Sequence[Session] = ()
        self._children: Counter[tuple[str, str]] = Counter()
        self.project = ""
        self.typed = ""
        self.grouping: Grouping = "project"
        self.order: Order = "newest"
        self._texts: dict[str, str] = {}
        self._left: tuple[str, Sequence[Session] | None] = ("", None)
        self.shown = 0

    def set_sessions(self, sessions: Sequence[Session]) -> None:
        """Shows these sessions; the cursor stays on its session."""
        self._all = sessions
        self._children = Counter((one.source, one.parent) for one in sessions if one.parent)
        self._texts = {}
        self._left = ("", None)
        self._arrange()

    @property
    def session(self) -> Session | None:
        """The session under the cursor."""
        row = self.selected
        return row.session if isinstance(row, SessionRow) else None

    def _arrange(self) -> None:
        shown = self._all
        if self.project:
            shown = [session for session in shown if project_of(session) == self.project]
        shown = self._narrowed(shown)
        self.shown = len(shown)
        today = datetime.fromtimestamp(self._now())
        self.set_rows(arrange(shown, by=self.grouping, order=self.order, today=today))

    def prepare(self) -> None:
        """Makes the sessions ready to be narrowed, in a thread: the first letter waits less."""
        sessions, texts = self._all, self._texts

        def fill() -> None:
            for one in sessions:
                plain_text_of(one, texts)

        self.run_worker(fill, thread=True, exclusive=True, group="texts", exit_on_error=False)

    def _narrowed(self, sessions: Sequence[Session]) -> Sequence[Session]:
        """Those with the words that are typed; longer words are looked for in what shorter left."""
        before, left = self._left
        if self.typed.startswith(before) and left is not None:
            sessions = left
        found = narrowed(sessions, self.typed, self._texts)
        self._left = (self.typed, found)
        return found

    def narrow(self, typed: str) -> None:
        """Shows only sessions whose title, project or folder has these words."""
        self.typed = typed
        self._arrange()
        self.post_message(self.Highlighted(self))

    def action_resort(self) -> None:
        """Newest first, then by title, then by length, and again."""
        self.order = ORDERS[(ORDERS.index(self.order) + 1) % len(ORDERS)]
        self._arrange()
        self.post_message(self.Highlighted(self))

    def action_regroup(self) -> None:
        """By project, then by day, then flat, and again."""
        self.grouping = GROUPINGS[(GROUPINGS.index(self.grouping) + 1) % len(GROUPINGS)]
        self._arrange()
        self.post_message(self.Highlighted(self))

    def action_one_project(self) -> None:
        """Only the sessions of the project under the cursor."""
        if self.session is not None and not self.project:
            self.project, self._left = project_of(self.session), ("", None)
            self._arrange()
            self.post_message(self.Highlighted(self))

    def action_all_projects(self) -> None:
        """The sessions of all projects."""
        self.project, self._left = "", ("", None)
        self._arrange()
        self.post_message(self.Highlighted(self))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers only the one of `p` and `a` that changes something."""
        if action == "all_projects":
            return bool(self.project)
        return not (action == "one_project" and self.project)

    def height_of(self, row: ListRow) -> int:
        """One line, two for a heading below others."""
        return 2 if isinstance(row, Project) and row.apart else 1

    def can_select(self, row: ListRow) -> bool:
        """Headings cannot be selected."""
        return isinstance(row, SessionRow)

    def key_of(self, row: ListRow) -> Hashable:
        """A session's source and id."""
        if isinstance(row, SessionRow):
            return row.session.source, row.session.id
        return row.name

    def paint(self, row: ListRow, width: int, selected: bool) -> list[Content]:
        """A heading, or title, age, messages and signs in columns."""
        if isinstance(row, Project):
            name, number = words.flat(row.name), words.number(row.sessions)
            heading = columns(Content.styled(f" {name}", "bold"), number + "    ", width)
            return [Content(""), heading] if row.apart else [heading]
        session = row.session
        title = Content.assemble(
            ("▌" if selected else " ", "$accent"),
            " ",
            (branch(row.depth, width), "$text-muted"),
            (words.session_title(session), "$text-muted" if row.depth else ""),
        )
        children = self._children[session.source, session.id]
        signs = words.session_signs(session, children)[:SIGNS_WIDTH]
        age = "" if session.unread else words.age(session.active, self._now())
        count = "" if session.unread else words.number(session.messages)
        tail = Content.assemble(
            (f"{age:>{AGE_WIDTH}} {count:>5}", "$text-muted"),
            " ",
            (signs + " " * (SIGNS_WIDTH - cell_len(signs)), sign_style(signs)),
        )
        return [columns(title, tail, width)]


def branch(depth: int, width: int) -> str:
    """What leads to a session so many steps down; a quarter of the width at most is blank, deeper
    ones say how deep they are.
    """
    deepest = max(1, width // 8)
    number = f"{depth} " if depth > deepest else ""
    return "  " * (min(depth, deepest) - 1) + "└ " + number if depth else ""


def sign_style(signs: str) -> str:
    """The colour of a session's signs: that of the worst of them."""
    if "⚠" in signs:
        return "$warning"
    if any(sign in signs for sign in "↶✂✖✎"):
        return "$error"
    return "$secondary"


def columns(left: Content, right: Content | str, width: int) -> Content:
    """Two texts on one line, the right one at the right edge; the left one gives way."""
    right = right if isinstance(right, Content) else Content.styled(right, "$text-muted")
    room = max(0, width - right.cell_length - 1)
    return left.truncate(room, ellipsis=True, pad=True) + " " + right
