"""The list of sessions: by project, newest first, sub-sessions under their parent."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content

from store.model import Session
from tui import words
from tui.widgets.rowlist import RowList

SIGN_WORDS = "▪ unfinished   ↶ pending revert   ⚠ faults   ▫ archived"


@dataclass(frozen=True, slots=True)
class Project:
    """The heading of a project, with the number of its sessions; below others a line apart."""

    name: str
    sessions: int
    apart: bool


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session, `depth` steps below its outermost parent."""

    session: Session
    depth: int


ListRow = Project | SessionRow
AGE_WIDTH = 6


def project_of(session: Session) -> str:
    """The name under which a session is grouped."""
    return session.project or session.directory or "no folder"


def arrange(sessions: Iterable[Session]) -> list[ListRow]:
    """Sessions as rows: projects by their newest session, in them newest first, children below.

    A session whose parent is not in the list stands by itself.
    """
    listed = list(sessions)
    parents = {(session.source, session.id): session.parent for session in listed}
    roots: dict[str, list[Session]] = defaultdict(list)
    children: dict[tuple[str, str], list[Session]] = defaultdict(list)
    newest: dict[str, int] = defaultdict(int)
    for session in sorted(listed, key=lambda one: (-one.updated, one.source, one.id)):
        parent = (session.source, session.parent)
        if parent in parents and not _is_own_ancestor(session, parents):
            children[parent].append(session)
        else:
            roots[project_of(session)].append(session)
            newest[project_of(session)] = max(newest[project_of(session)], session.updated)
    rows: list[ListRow] = []
    for project in sorted(roots, key=lambda name: (-newest[name], name)):
        below = [row for root in roots[project] for row in _family(root, children)]
        rows.append(Project(project, len(below), bool(rows)))
        rows.extend(below)
    return rows


def _is_own_ancestor(session: Session, parents: dict[tuple[str, str], str]) -> bool:
    above, steps = session.parent, 0
    while above and above != session.id and steps < len(parents):
        above, steps = parents.get((session.source, above), ""), steps + 1
    return bool(above)


def _family(root: Session, children: dict[tuple[str, str], list[Session]]) -> Iterable[SessionRow]:
    waiting = [SessionRow(root, 0)]
    while waiting:
        row = waiting.pop()
        yield row
        below = children.get((row.session.source, row.session.id), ())
        waiting.extend(SessionRow(child, row.depth + 1) for child in reversed(below))


class SessionList(RowList[ListRow]):
    """Sessions by project: title, age, number of messages, signs."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "p", "one_project", "This project", tooltip="Only this project", id="sessions.project"
        ),
        Binding("a", "all_projects", "All projects", id="sessions.all"),
    ]

    def __init__(self, *, now: Callable[[], float] = time.time, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._now = now
        self._all: Sequence[Session] = ()
        self.project = ""

    def set_sessions(self, sessions: Sequence[Session]) -> None:
        """Shows these sessions; the cursor stays on its session."""
        self._all = sessions
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
        self.set_rows(arrange(shown))

    def action_one_project(self) -> None:
        """Only the sessions of the project under the cursor."""
        if self.session is not None and not self.project:
            self.project = project_of(self.session)
            self._arrange()
            self.post_message(self.Highlighted(self))

    def action_all_projects(self) -> None:
        """The sessions of all projects."""
        self.project = ""
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
            ("  " * (row.depth - 1) + "└ " if row.depth else "", "$text-muted"),
            (words.session_title(session), "$text-muted" if row.depth else ""),
        )
        signs = words.session_signs(session)[:2]
        age = words.age(session.updated, self._now()).rjust(AGE_WIDTH)
        tail = Content.assemble(
            (f"{age} {words.number(session.messages):>5}", "$text-muted"),
            " ",
            (signs + " " * (2 - cell_len(signs)), sign_style(signs)),
            " ",
        )
        return [columns(title, tail, width)]


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
