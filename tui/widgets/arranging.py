"""Sessions as rows: grouped by project, by day or not at all; sorted; narrowed by what is typed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from store.model import Session
from tui.render.row import plain_letters
from tui.render.words import moment

Grouping = Literal["project", "day", "flat"]
GROUPINGS: tuple[Grouping, ...] = ("project", "day", "flat")
Order = Literal["newest", "title", "messages"]
ORDERS: tuple[Order, ...] = ("newest", "title", "messages")


@dataclass(frozen=True, slots=True)
class Project:
    """The heading of a project or day, with the number of its sessions; below others a line
    apart."""

    name: str
    sessions: int
    apart: bool


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session, `depth` steps below its outermost parent."""

    session: Session
    depth: int


ListRow = Project | SessionRow


def project_of(session: Session) -> str:
    """The name under which a session is grouped."""
    return session.project or session.directory or "no folder"


def day_of(session: Session, today: datetime) -> str:
    """The day of a session's last activity: `Today`, `Yesterday`, `28 November`."""
    when = moment(session.updated) if session.updated > 0 else None
    if when is None:
        return "no date"
    past = (today.date() - when.date()).days
    if past in (0, 1):
        return "Yesterday" if past else "Today"
    year = "" if when.year == today.year else f" {when.year}"
    return f"{when.day} {when:%B}{year}"


def narrowed(sessions: Sequence[Session], typed: str, texts: dict[str, str]) -> Sequence[Session]:
    """The sessions whose title, project or folder has every word; `texts` is kept from call to
    call."""
    words = plain_letters(typed).split()
    if not words:
        return sessions
    return [one for one in sessions if all(word in plain_text_of(one, texts) for word in words)]


def plain_text_of(session: Session, texts: dict[str, str]) -> str:
    """What typed words are looked for in; `texts` is kept from call to call."""
    key = session.title + session.directory
    text = texts.get(key)
    if text is None:
        named = f"{session.title} {session.project} {session.directory}"
        text = texts[key] = plain_letters(named)
    return text


def arrange(
    sessions: Iterable[Session],
    *,
    by: Grouping = "project",
    order: Order = "newest",
    today: datetime | None = None,
) -> list[ListRow]:
    """Sessions as rows: groups by their newest session, in them by the order, children below.

    A session whose parent is not in the list stands by itself. `today` is needed to group by day.
    """
    listed = list(sessions)
    parents = {}
    if any(session.parent for session in listed):
        parents = {(session.source, session.id): session.parent for session in listed}
    name_of: Callable[[Session], str] = _namer(by, today)
    roots: dict[str, list[Session]] = defaultdict(list)
    children: dict[tuple[str, str], list[Session]] = defaultdict(list)
    newest: dict[str, int] = defaultdict(int)
    for session in sorted(listed, key=_sorter(order)):
        parent = (session.source, session.parent)
        if session.parent and parent in parents and not _is_own_ancestor(session, parents):
            children[parent].append(session)
        else:
            name = name_of(session)
            roots[name].append(session)
            newest[name] = max(newest[name], session.updated)
    rows: list[ListRow] = []
    for name in sorted(roots, key=lambda one: (-newest[one], one)):
        below: list[ListRow] = []
        for root in roots[name]:
            if (root.source, root.id) in children:
                below.extend(_family(root, children))
            else:
                below.append(SessionRow(root, 0))
        if by != "flat":
            rows.append(Project(name, len(below), bool(rows)))
        rows.extend(below)
    return rows


def _namer(by: Grouping, today: datetime | None) -> Callable[[Session], str]:
    if by == "day" and today is not None:
        return lambda session: day_of(session, today)
    return project_of if by == "project" else lambda session: ""


def _sorter(order: Order) -> Callable[[Session], tuple[object, ...]]:
    if order == "title":
        return lambda one: (not one.title, one.title.casefold(), one.source, one.id)
    if order == "messages":
        return lambda one: (-one.messages, one.source, one.id)
    return lambda one: (-one.updated, one.source, one.id)


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
