"""Sessions and the messages read of them as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from store.model import Copy, Fault, Message, Part, Session, SessionPage, Shown, Window
from tui.cli.shapes.common import Object, fault, iso
from tui.cli.shapes.content import part

NO_WINDOW: Object = {
    "source": None,
    "session": None,
    "anchor": None,
    "messages": [],
    "more_before": False,
    "more_after": False,
}
"""What `around` answers where there is no store at all."""

NOT_SHOWN: Object = {"source": None, "session": None, "message": None, "parts": []}
"""What `show` answers where there is no store at all."""


def session(one: Session) -> Object:
    """One session of the list; what only reading it tells is null until then."""
    return {
        "source": one.source,
        "session": one.id,
        "title": None if one.unread else one.title,
        "project": one.project,
        "directory": one.directory,
        "parent": one.parent or None,
        "messages": None if one.unread else one.messages,
        "parts": None if one.unread else one.parts,
        "unread": one.unread,
        "time_created": iso(one.created),
        "time_updated": None if one.unread else iso(one.updated),
        "fate": one.fate,
        "flags": list(one.flags),
        "copies": [copy(each, one.id) for each in one.copies],
        "revert": asdict(one.revert) if one.revert else None,
        "faults": one.faults,
        "gone": one.gone,
    }


def copy(one: Copy, session: str) -> Object:
    """Another place of a session."""
    return {
        "source": one.source,
        "session": session,
        "messages": None if one.unread else one.messages,
        "parts": None if one.unread else one.parts,
        "time_updated": None if one.unread else iso(one.updated),
        "fate": one.fate,
        "flags": list(one.flags),
    }


def sessions(page: SessionPage, faults: Iterable[Fault]) -> Object:
    """A page of the list of sessions, with all faults known by now."""
    return {
        "sessions": [session(each) for each in page.sessions],
        "total": page.total,
        "unread": page.unread,
        "more": page.more,
        "cursor": page.cursor,
        "faults": [fault(each) for each in faults],
    }


def window(one: Window, faults: Iterable[Fault]) -> Object:
    """A run of messages around an anchor (null where a session's beginning was asked for)."""
    return {
        "source": one.session.source,
        "session": session(one.session),
        "anchor": one.anchor or None,
        "part": one.part or None,
        "first": one.first,
        "total": one.total,
        "messages": [
            {**message(each.message, each.parts), "matched": each.matched} for each in one.messages
        ],
        "more_before": one.more_before,
        "more_after": one.more_after,
        "faults": [fault(each) for each in faults],
    }


def shown(one: Shown) -> Object:
    """One message with the parts that were asked for."""
    return {
        "source": one.session.source,
        "session": session(one.session),
        **message(one.message, one.parts),
    }


def message(one: Message, parts: Iterable[Part]) -> Object:
    """A message and these parts of it."""
    return {
        "message": one.id,
        "role": one.role,
        "agent": one.agent or None,
        "slice": one.slice,
        "model": one.model or None,
        "time": iso(one.time),
        "fate": one.fate,
        "flags": list(one.flags),
        "error": one.error or None,
        "parts": [part(each, one.role) for each in parts],
    }
