"""The list of sessions, newest first, narrowed by the filters of a query."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import apsw

from store import cursors
from store.absent import count_gone
from store.conversations import Held, conversations, copies_of
from store.errors import StoreError
from store.filters import SESSION_KEYS, session_ids
from store.model import FATES, Copy, Session, SessionPage
from store.query import DATES, Filter, Query
from store.records import SESSION, session_of
from store.sqlite import one as one_of
from store.sqlite import rows_of
from store.text import fold
from store.unread import UNREAD

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
    known, passing = _passing(connection, query, sources)
    copies = _copies(conversations(connection, sources), passing)
    places = sorted(zip(passing.values(), passing, strict=True), reverse=True)
    total = len(places)
    if after:
        places = [place for place in places if place < tuple(after)]
    page = places if limit is None else places[:limit]
    more = len(places) > len(page)
    listed = [ident for _, ident in page]
    if known is None:
        known = _sessions(connection, sources, listed if more or after else None)
    return SessionPage(
        tuple(_with_copies(known[ident], copies.get(ident)) for ident in listed),
        more,
        cursors.make(asked, page[-1]) if more and page else None,
        total,
        unread=_unread(connection, sources),
    )


def list_some(
    connection: apsw.Connection, natives: Collection[str], sources: Sequence[int] | None
) -> tuple[Session, ...]:
    """The sessions with these native ids as `list_sessions` lists them now, in no order."""
    some = f" AND source IN {_list(sources)}" if sources is not None else ""
    among = f"native IN (SELECT value FROM json_each(?)){some}"
    sql, told = f"SELECT id, updated FROM session WHERE {among}", json.dumps(list(natives))
    passing: dict[int, int] = dict(rows_of(connection, sql, (told,)))
    same = [one for native in natives for one in conversations(connection, sources, native)]
    copies = _copies(same, passing)
    known = _sessions(connection, sources, list(passing))
    return tuple(_with_copies(session, copies.get(ident)) for ident, session in known.items())


def _with_copies(session: Session, copies: tuple[Copy, ...] | None) -> Session:
    return replace(session, copies=copies) if copies else session


def _unread(connection: apsw.Connection, sources: Sequence[int] | None) -> int:
    some = f" AND s.source IN {_list(sources)}" if sources is not None else ""
    return int(one_of(connection, f"SELECT count(*) FROM session s WHERE {UNREAD}{some}"))


def _passing(
    connection: apsw.Connection, query: Query, sources: Sequence[int] | None
) -> tuple[dict[int, Session] | None, dict[int, int]]:
    """All sessions, where they had to be read; and when each that passes went on last."""
    told = [one for one in query.filters if one.key in SESSION_KEYS]
    if not (query.groups or query.excluded or query.filters):
        where = f" WHERE source IN {_list(sources)}" if sources is not None else ""
        return None, dict(rows_of(connection, f"SELECT id, updated FROM session{where}"))
    known = _sessions(connection, sources, session_ids(connection, told, sources))
    return known, {
        ident: session.updated for ident, session in known.items() if _passes(query, session)
    }


def _list(idents: Iterable[int]) -> str:
    return f"({','.join(map(str, idents))})"


def _sessions(
    connection: apsw.Connection, sources: Sequence[int] | None, idents: Sequence[int] | None
) -> dict[int, Session]:
    """These sessions (None: all), by their ids, with how much each has lost."""
    gone = count_gone(connection, sources)
    some = "" if idents is None else " WHERE s.id IN (SELECT value FROM json_each(?))"
    rows = connection.execute(
        f"SELECT {SESSION}, s.id FROM session s JOIN source n ON n.id = s.source{some}",
        () if idents is None else (json.dumps(idents),),
    )
    return {row[-1]: _counted(row, gone) for row in rows}  # never all rows at once beside them


def _counted(row: tuple[Any, ...], gone: Mapping[int, int]) -> Session:
    session = session_of(row)
    return replace(session, gone=gone[row[-1]]) if row[-1] in gone else session


def _copies(
    among: Iterable[Sequence[Held]], passing: dict[int, int]
) -> dict[int, tuple[Copy, ...]]:
    """The other places of what several stores have, of these conversations.

    `passing` keeps the first of each alone, at the time at which any of them went on last.
    """
    found: dict[int, tuple[Copy, ...]] = {}
    for conversation in among:
        there = [one.ident for one in conversation if one.ident in passing]
        for first in there[:1]:
            found[first] = copies_of(conversation, first)
            passing[first] = max([passing[first], *(one.updated for one in found[first])])
        for other in there[1:]:
            del passing[other]
    return found


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
