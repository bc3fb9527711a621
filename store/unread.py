"""Sessions that a store has listed and nobody has read yet, where only reading tells all of them.

Stores of single logs list what the headers say (see `store.source.Listing`).
"""

from __future__ import annotations

from dataclasses import replace

from store.model import Session
from store.source import Source

UNFINISHED = "unfinished"
"""The stamp of a session that was read as far as can be: its rest is skipped, and tried again."""
UNREAD = f"(s.messages = 0 AND s.parts > 0 AND coalesce(s.stamp, '{UNFINISHED}') = '{UNFINISHED}')"
"""Whether of a session `s` nothing is known but what the list says: it guesses at the parts."""


def as_read(session: Session, source: Source | None) -> Session:
    """The session; of an unread one with what its store says once it is read."""
    for outline in source.outlines([session.id]) if source and session.unread else ():
        if outline.title is not None:
            return replace(
                session,
                title=outline.title,
                updated=outline.updated or session.updated,
                messages=len(outline.messages),
                parts=len(outline.parts),
                unread=False,
            )
    return session
