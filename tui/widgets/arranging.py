"""Sessions as rows: grouped by project, by day or not at all; sorted; narrowed by what is typed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
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
Key = tuple[str, str]
"""A session's source and id."""


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

    A session whose parent is not in the list stands by itself, and so does one that is its own
    ancestor, or below such a one. `today` is needed to group by day.
    """
    listed = list(sessions)
    parents = _parents(listed) if any(one.parent for one in listed) else {}
    rooted = _rooted(parents)
    name_of: Callable[[Session], str] = _namer(by, today)
    roots: dict[str, list[Session]] = defaultdict(list)
    children: dict[Key, list[Session]] = defaultdict(list)
    newest: dict[str, int] = defaultdict(int)
    for session in sorted(listed, key=_sorter(order)):
        own = (session.source, session.id)
        parent = parents.get(own)
        if parent is not None and own in rooted:
            children[parent].append(session)
        else:
            name = name_of(session)
            roots[name].append(session)
            newest[name] = max(newest[name], session.active)
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
    return lambda one: (-one.active, one.source, one.id)


def _parents(listed: Sequence[Session]) -> dict[Key, Key | None]:
    """For each session the place of its parent: in its own source, else wherever that is listed."""
    anywhere = {one.id: (one.source, one.id) for one in reversed(listed)}
    here = {(one.source, one.id) for one in listed}
    return {
        (one.source, one.id): (
            (one.source, one.parent)
            if (one.source, one.parent) in here
            else anywhere.get(one.parent)
        )
        for one in listed
    }


def _rooted(parents: Mapping[Key, Key | None]) -> set[Key]:
    """The sessions from which the way up comes to an end."""
    ends: dict[Key, bool] = {}
    for start in parents:
        path: list[Key] = []
        key: Key | None = start
        while key is not None and key not in ends:
            ends[key] = False  # until the way from here is known: it may lead back here
            path.append(key)
            key = parents[key]
        ends.update(dict.fromkeys(path, key is None or ends[key]))
    return {key for key, rooted in ends.items() if rooted}


def _family(root: Session, children: Mapping[Key, list[Session]]) -> Iterable[SessionRow]:
    waiting = [SessionRow(root, 0)]
    while waiting:
        row = waiting.pop()
        yield row
        below = children.get((row.session.source, row.session.id), ())
        waiting.extend(SessionRow(child, row.depth + 1) for child in reversed(below))
