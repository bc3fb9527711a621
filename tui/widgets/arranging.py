"""Sessions as rows: grouped by project, by day or not at all; sorted; narrowed by what is typed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from store.model import Session
from tui.render.row import plain_letters
from tui.render.words import moment

Grouping = Literal["project", "day", "flat"]
GROUPINGS: tuple[Grouping, ...] = ("project", "day", "flat")
Order = Literal["newest", "title", "messages"]
ORDERS: tuple[Order, ...] = ("newest", "title", "messages")


class Project(NamedTuple):
    """The heading of a project or day, with the number of its sessions; below others a line
    apart."""

    name: str
    sessions: int
    apart: bool


class Child(NamedTuple):
    """A session below another one, `depth` steps below its outermost parent."""

    session: Session
    depth: int


ListRow = Project | Session | Child
Key = tuple[str, str]
"""A session's source and id."""


def session_of(row: ListRow) -> Session | None:
    """The session that a row shows, None for a heading."""
    return row.session if isinstance(row, Child) else row if isinstance(row, Session) else None


def project_of(session: Session) -> str:
    """The name under which a session is grouped."""
    return session.project or session.directory or "no folder"


def day_of(session: Session, today: datetime) -> str:
    """The day of a session's last activity: `Today`, `Yesterday`, `28 November`."""
    when = moment(session.active) if session.active > 0 else None
    if when is None:
        return "no date"
    past = (today.date() - when.date()).days
    if past in (0, 1):
        return "Yesterday" if past else "Today"
    year = "" if when.year == today.year else f" {when.year}"
    return f"{when.day} {when:%B}{year}"


Named = tuple[Session, str]
"""A session, and the letters in which typed words are looked for."""


def named(sessions: Iterable[Session]) -> list[Named]:
    """The sessions with what they are narrowed by: their titles, projects and folders."""
    return [(one, plain_letters(f"{one.title} {one.project} {one.directory}")) for one in sessions]


def narrowed(sessions: list[Named], typed: str) -> list[Named]:
    """The sessions that have every word that is typed."""
    for word in plain_letters(typed).split():
        sessions = [one for one in sessions if word in one[1]]
    return sessions


def ordered(sessions: Iterable[Session], order: Order = "newest") -> list[Session]:
    """The sessions in this order."""
    if order == "title":
        return sorted(
            sessions, key=lambda one: (not one.title, one.title.casefold(), one.source, one.id)
        )
    if order == "messages":
        return sorted(sessions, key=lambda one: (-one.messages, one.source, one.id))
    return sorted(sessions, key=lambda one: -one.active)


def arrange(
    sessions: Sequence[Session], *, by: Grouping = "project", today: datetime | None = None
) -> list[ListRow]:
    """Sessions as rows: groups by their newest session, in them as they come, children below.

    A session whose parent is not in the list stands by itself, and so does one that is its own
    ancestor, or below such a one. `today` is needed to group by day.
    """
    parents = _parents(sessions)
    name_of = _namer(by, today)
    roots: dict[str, list[Session]] = defaultdict(list)
    children: dict[Key, list[Session]] = defaultdict(list)
    for session in sessions:
        parent = parents.get((session.source, session.id)) if session.parent else None
        if parent is None:
            roots[name_of(session)].append(session)
        else:
            children[parent].append(session)
    newest = {name: max(one.active for one in group) for name, group in roots.items()}
    rows: list[ListRow] = []
    for name in sorted(roots, key=lambda one: (-newest[one], one)):
        below: list[ListRow] = [*roots[name]]
        if children:
            below = [row for root in roots[name] for row in _family(root, children)]
        if by != "flat":
            rows.append(Project(name, len(below), bool(rows)))
        rows.extend(below)
    return rows


def _namer(by: Grouping, today: datetime | None) -> Callable[[Session], str]:
    if by == "day" and today is not None:
        return lambda session: day_of(session, today)
    return project_of if by == "project" else lambda session: ""


def _parents(listed: Sequence[Session]) -> dict[Key, Key]:
    """Under which session of the list others stand: in its own source, else wherever it is."""
    wanted = {one.parent for one in listed if one.parent}
    if not wanted:
        return {}
    found = [one for one in listed if one.id in wanted]
    here = {(one.source, one.id) for one in found}
    anywhere = {one.id: (one.source, one.id) for one in reversed(found)}
    above = {}
    for one in listed:
        if one.parent in anywhere:
            own = (one.source, one.parent)
            above[one.source, one.id] = own if own in here else anywhere[one.parent]
    rooted = _rooted(above)
    return {key: parent for key, parent in above.items() if key in rooted}


def _rooted(above: Mapping[Key, Key]) -> set[Key]:
    """The sessions with a parent from which the way up comes to an end."""
    ends: dict[Key, bool] = {}
    for start in above:
        path: list[Key] = []
        key = start
        while key in above and key not in ends:
            ends[key] = False  # until the way from here is known: it may lead back here
            path.append(key)
            key = above[key]
        ends.update(dict.fromkeys(path, ends.get(key, True)))
    return {key for key, rooted in ends.items() if rooted}


def _family(root: Session, children: Mapping[Key, list[Session]]) -> Iterator[ListRow]:
    yield root
    waiting = _below(root, 1, children)
    while waiting:
        child = waiting.pop()
        yield child
        waiting += _below(child.session, child.depth + 1, children)


def _below(session: Session, depth: int, children: Mapping[Key, list[Session]]) -> list[Child]:
    """The children of a session, the last one first."""
    found = children.get((session.source, session.id), ())
    return [Child(child, depth) for child in reversed(found)]
