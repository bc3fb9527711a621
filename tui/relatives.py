"""Where a session leads: its parents, sub-agents and forks, and the other stores that have it.

Everything here asks the door and may take time; workers call it.
"""

from __future__ import annotations

from dataclasses import dataclass

from store.door import Door
from store.model import Copy, Session
from tui import words
from tui.render.words import many, moment
from tui.ways import name_of

DEEPEST = 6
"""Levels that are indented; deeper ones say how deep they are."""


@dataclass(frozen=True, slots=True)
class Relative:
    """Somewhere to go: the name of a session, how it is bound to the one that is read, and what
    is to be said of it."""

    ident: str
    bond: str
    title: str
    about: str


@dataclass(frozen=True, slots=True)
class Relatives:
    """All of them: other places, then a tree from top to bottom, then forks.

    `missing` is the id of a parent that no store has.
    """

    found: tuple[Relative, ...]
    missing: str = ""


def relatives_of(door: Door, session: Session) -> Relatives:
    """The relatives of a session. Raises INVALID_LINEAGE where it is its own ancestor."""
    lineage = door.trace(name_of(session))
    own = lineage.session
    found = [
        *(_place(own, copy) for copy in own.copies),
        *(_relative("parent", one) for one in reversed(lineage.parents)),
        *(_relative(_bond(one.session), one.session, one.depth) for one in lineage.children),
        *(_relative(one.relation, one.session) for one in lineage.forks),
    ]
    return Relatives(tuple(found), lineage.missing)


def _bond(child: Session) -> str:
    return "fork" if "fork" in child.flags and "subagent" not in child.flags else "sub-agent"


def _place(own: Session, copy: Copy) -> Relative:
    """The same session in another store."""
    more = copy.messages - own.messages
    said = "" if copy.unread else many(copy.messages, "message")
    said += f", {words.number(more)} more" if more > 0 else ""
    title = words.session_title(own)
    return Relative(f"{copy.source}:{own.id}", f"in {copy.source}", title, said)


def _relative(bond: str, session: Session, depth: int = 1) -> Relative:
    made = moment(session.created)
    when = f"{made:%d %b %H:%M}" if made else ""
    said = ("" if session.unread else many(session.messages, "message"), when)
    about = " · ".join(filter(None, said))
    indent = "· " * min(depth - 1, DEEPEST) + (f"{depth} " if depth > DEEPEST + 1 else "")
    return Relative(name_of(session), bond, indent + words.session_title(session), about)
