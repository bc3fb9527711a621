"""The list of sessions, newest first, narrowed by the filters of a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import apsw

from store import cursors
from store.absent import count_gone
from store.conversations import conversations, copies_of
from store.errors import StoreError
from store.filters import SESSION_KEYS, session_ids
from store.model import FATES, Session, SessionPage
from store.query import DATES, Filter, Query
from store.records import SESSION, session_of
from store.sqlite import rows_of
from store.text import fold

KEYS = (*SESSION_KEYS, "is", *DATES)


def list_sessions(
    connection: apsw.Connection,
    query: Query,
    *,
    limit: int | None,
    cursor: str | None,
    sources: Sequence[int] | None,
) -> SessionPage:
    """A page of sessions; words of the query are looked for in titles.

    What several stores have is shown once: the best of those that pass, at the place of the one
    that went on last.

    Raises INVALID_FILTER for a key that says nothing of a session, INVALID_CURSOR.
    """
    for one in query.filters:
        if one.key not in KEYS:
            words = f"{one.key}: says nothing of a session; valid here: {', '.join(KEYS)}"
            raise StoreError("INVALID_FILTER", words, f"{one.key}:")
    asked = cursors.question("sessions", query.text, sources)
    after = cursors.read(cursor, asked, 2) if cursor else None
    told = [one for one in query.filters if one.key in SESSION_KEYS]
    ids = set(session_ids(connection, told, sources))
    rows = rows_of(
        connection,
        f"SELECT {SESSION}, s.id FROM session s JOIN source n ON n.id = s.source",
    )
    gone = count_gone(connection, sources)
    sessions = {row[-1]: _counted(row, gone) for row in rows if row[-1] in ids}
    passing = {ident: each for ident, each in sessions.items() if _passes(query, each)}
    found = _each_once(connection, passing, sources)
    total = len(found)
    if after:
        found = [pair for pair in found if (pair[0].active, pair[1]) < tuple(after)]
    page = found if limit is None else found[:limit]
    more = len(found) > len(page)
    end = cursors.make(asked, (page[-1][0].active, page[-1][1])) if more and page else None
    unread = sum(each.unread for each in sessions.values())
    return SessionPage(tuple(session for session, _ in page), more, end, total, unread=unread)


def _counted(row: tuple[Any, ...], gone: Mapping[int, int]) -> Session:
    session = session_of(row)
    return replace(session, gone=gone[row[-1]]) if row[-1] in gone else session


def _each_once(
    connection: apsw.Connection, passing: Mapping[int, Session], sources: Sequence[int] | None
) -> list[tuple[Session, int]]:
    """Each conversation once, newest first, with its other places."""
    shown = dict(passing)
    for conversation in conversations(connection, sources):
        there = [one.ident for one in conversation if one.ident in passing]
        for first in there[:1]:
            shown[first] = replace(passing[first], copies=copies_of(conversation, first))
        for other in there[1:]:
            del shown[other]
    found = [(session, ident) for ident, session in shown.items()]
    return sorted(found, key=lambda pair: (pair[0].active, pair[1]), reverse=True)


def _passes(query: Query, session: Session) -> bool:
    title = fold(session.title)
    for group in query.groups:
        if not any(fold(term.text) in title for term in group):
            return False
    if any(fold(term.text) in title for term in query.excluded):
        return False
    mine = [one for one in query.filters if one.key not in SESSION_KEYS]
    return all(_holds(one, session) != one.negated for one in mine)


def _holds(one: Filter, session: Session) -> bool:
    if one.key in DATES:
        return any(
            (start is None or session.updated >= start) and (end is None or session.updated < end)
            for start, end in one.times
        )
    if one.key == "is":
        reverted = {"reverted"} if session.revert else set()
        left = session.fate != "live" or session.revert or session.gone
        leftover = {"leftover"} if left else set()
        has = {session.fate, *session.flags} | reverted | leftover
        return any(value in has for value in one.values if value in FATES or value in has)
    return True
