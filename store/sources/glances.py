"""What a database of opencode or MiMo Code shows of its latest changes, without a look at all.

Three cheap things together: the rows of the list of sessions; `event_sequence`, which moves with
every write to a session (opencode 1.17 and later, emptied by some upgrades, bypassed by `opencode
import`); and the rows that were written last, table by table, which show what an import or a
version without the log added or finished. An old row changed in place in a store without the log
is seen by none of them.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import apsw

from store.read_only import fetch_readable
from store.source import Glance
from store.sources.heads import Columns

LATEST = 1_000
"""Rows of each table."""
_TELLING = ("time_updated", "time_archived", "title", "revert", "parent_id", "directory")
_TABLES = ("message", "part", "session_message", "session_input", "session_inbox")
_TELLS = ("id", "time_updated", "promoted_seq")


def _marks(connection: apsw.Connection, found: Columns) -> dict[str, Hashable]:
    """For each session a number that moves with what its rows say and with its last event."""
    told: dict[Any, int] = {}
    for table in ("session", "session_v2"):
        names = [name for name in _TELLING if name in found.get(table, ())]
        if names and "id" in found[table]:
            rows, _ = fetch_readable(connection, f"SELECT id, {', '.join(names)} FROM {table}")
            for row in rows:
                told[row[0]] = hash((told.get(row[0]), row[1:]))
    if {"aggregate_id", "seq"} <= found.get("event_sequence", set()):
        rows, _ = fetch_readable(connection, "SELECT aggregate_id, seq FROM event_sequence")
        for session, seq in rows:
            if session in told:
                told[session] = hash((told[session], seq))
    return {session: mark for session, mark in told.items() if isinstance(session, str)}


def glance(connection: apsw.Connection, found: Columns) -> Glance:
    """The present glance."""
    latest: dict[tuple[str, int], tuple[str, Hashable]] = {}
    cut: set[str] = set()
    for table in _TABLES:
        have = found.get(table, set())
        if not {"id", "session_id", "data"} <= have:
            continue
        names = ", ".join(name for name in _TELLS if name in have)
        try:
            rows, _ = fetch_readable(
                connection,
                f"SELECT rowid, session_id, octet_length(data), {names} FROM {table}"
                " ORDER BY rowid DESC LIMIT ?",
                (LATEST,),
            )
        except apsw.SQLError:  # a table without places
            continue
        latest |= {(table, row[0]): (row[1], row[2:]) for row in rows if isinstance(row[1], str)}
        if len(rows) == LATEST:
            cut.add(table)
    return Glance(_marks(connection, found), latest, frozenset(cut))
