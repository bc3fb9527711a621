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
    Child,
    Grouping,
    ListRow,
    Named,
    Order,
    Project,
    arrange,
    named,
    narrowed,
    ordered,
    project_of,
    session_of,
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
        self._ordered: list[Session] = []
        self._named: list[Named] | None = None
        self._children: Counter[tuple[str, str]] = Counter()
        self.project = ""
        self.typed = ""
        self.grouping: Grouping = "project"
        self.order: Order = "newest"
        self._left: tuple[str, list[Named]] = ("", [])
        self.shown = 0
        self._whole = True

    def set_sessions(
        self, sessions: Sequence[Session], *, whole: bool = True, first: bool = False
    ) -> None:
        """Shows these sessions, `whole` if they are all; the cursor stays on its session.

        With `first` it stays on the first line, unless the person put it or is elsewhere.
        """
        if (sessions, whole) == (self._all, self._whole):
            return
        self._all, self._whole = sessions, whole
        self._children = Counter((one.source, one.parent) for one in sessions if one.parent)
        self._order(keep=self.is_placed or not (first and self.has_focus))

    def _order(self, *, keep: bool = True) -> None:
        self._ordered = ordered(self._all, self.order)
        self._named, self._left = None, ("", [])
        self._arrange(keep=keep)

    @property
    def session(self) -> Session | None:
        """The session under the cursor."""
        return session_of(self.selected) if self.selected is not None else None

    def _arrange(self, *, keep: bool = True) -> None:
        shown = self._narrowed() if self.typed.strip() else self._ordered
        if self.project:
            shown = [session for session in shown if project_of(session) == self.project]
        self.shown = len(shown)
        today = datetime.fromtimestamp(self._now())
        self.set_rows(arrange(shown, by=self.grouping, today=today), keep=keep)

    def prepare(self) -> None:
        """Makes the sessions ready to be narrowed, in a thread: the first letter waits less."""
        self.run_worker(
            self._all_named, thread=True, exclusive=True, group="texts", exit_on_error=False
        )

    def _all_named(self) -> list[Named]:
        made = self._named
        if made is None:
            sessions = self._ordered
            made = named(sessions)
            if sessions is self._ordered:  # else there are others since
                self._named = made
        return made

    def _narrowed(self) -> list[Session]:
        """Those with the words that are typed; longer words are looked for in what shorter left."""
        before, left = self._left
        if not before or not self.typed.startswith(before):
            left = self._all_named()
        left = narrowed(left, self.typed)
        self._left = (self.typed, left)
        return [session for session, _ in left]

    def narrow(self, typed: str) -> None:
        """Shows only sessions whose title, project or folder has these words."""
        self.typed = typed
        self._arrange()
        self.post_message(self.Highlighted(self))

    def action_resort(self) -> None:
        """Newest first, then by title, then by length, and again."""
        self.order = ORDERS[(ORDERS.index(self.order) + 1) % len(ORDERS)]
        self._order()
        self.post_message(self.Highlighted(self))

    def action_regroup(self) -> None:
        """By project, then by day, then flat, and again."""
        self.grouping = GROUPINGS[(GROUPINGS.index(self.grouping) + 1) % len(GROUPINGS)]
        self._arrange()
        self.post_message(self.Highlighted(self))

    def action_one_project(self) -> None:
        """Only the sessions of the project under the cursor."""
        if self.session is not None and not self.project:
            self.project = project_of(self.session)
            self._arrange()
            self.refresh_bindings()
            self.post_message(self.Highlighted(self))

    def action_all_projects(self) -> None:
        """The sessions of all projects."""
        self.project = ""
        self._arrange()
        self.refresh_bindings()
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
        return not isinstance(row, Project)

    def key_of(self, row: ListRow) -> Hashable:
        """A session's source and id."""
        if isinstance(row, Project):
            return row.name
        session = row.session if isinstance(row, Child) else row
        return session.source, session.id

    def paint(self, row: ListRow, width: int, selected: bool) -> list[Content]:
        """A heading, or title, age, messages and signs in columns."""
        if isinstance(row, Project):
            name, number = words.flat(row.name), words.number(row.sessions) if self._whole else ""
            heading = columns(Content.styled(f" {name}", "bold"), number + "    ", width)
            return [Content(""), heading] if row.apart else [heading]
        session, depth = row if isinstance(row, Child) else (row, 0)
        title = Content.assemble(
            ("▌" if selected else " ", "$accent"),
            " ",
            (branch(depth, width), "$text-muted"),
            (words.session_title(session), "$text-muted" if depth else ""),
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
