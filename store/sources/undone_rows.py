"""Messages that opencode 2 took over from the old tables, and that a revert took away since.

2.x removes messages by committing a revert, and by nothing else (`session.revert.committed`,
core's projector): all rows from one on. It never touches the old tables, so those still have what
was taken over. The import numbers a session's rows from 0 without a gap; a revert leaves a hole.
What the import drops (prompts that only start a sub-agent, their answers, compactions that did not
end) leaves none, and stands before rows that are there or makes up the whole end.
"""

from __future__ import annotations

import json
from collections.abc import Collection

import apsw

from store.read_only import fetch_readable
from store.source import Place, SomePlaces
from store.sources.heads import Columns
from store.sources.old_tables import LARGEST_ROW, OldTables

_SANE = f"octet_length(data) <= {LARGEST_ROW} AND json_valid(data)"


def undone(
    connection: apsw.Connection,
    found: Columns,
    old: OldTables,
    session: str,
    extras: Collection[str],
    ended: int,
) -> frozenset[str]:
    """Those of `extras`, messages that the old tables alone have, that a revert of 2.x took.

    `ended`: when 2.x had taken all sessions over (ms).
    """
    order = old.order(session) if extras else []
    if isinstance(order, SomePlaces):
        return frozenset()
    taken = [place for place in order if place.time < ended]
    here = [number for number, place in enumerate(taken) if place.id not in extras]
    end = [place.id for place in taken[here[-1] + 1 if here else 0 :]]
    if not end or not _has_hole(connection, found, session, [taken[one] for one in here]):
        return frozenset()
    kept = _taken_over(connection, end)
    first = next((number for number, ident in enumerate(end) if ident in kept), len(end))
    return frozenset(end[first:])


def _has_hole(
    connection: apsw.Connection, found: Columns, session: str, here: Collection[Place]
) -> bool:
    """Whether behind the last of these rows that were taken over a number is not used any more."""
    if "seq" not in found["session_message"] or "seq" not in found.get("event_sequence", ()):
        return False
    rows, reason = fetch_readable(
        connection,
        "WITH mine AS (SELECT coalesce(max(seq), -1) AS last FROM session_message"
        " WHERE session_id = ?1 AND id IN (SELECT value FROM json_each(?2)))"
        " SELECT 1 FROM mine JOIN event_sequence e ON e.aggregate_id = ?1 AND e.seq > last"
        " WHERE NOT EXISTS (SELECT 1 FROM session_message r"
        " WHERE r.session_id = ?1 AND r.seq = last + 1)",
        (session, json.dumps([place.id for place in here])),
    )
    return bool(rows) and not reason


def _taken_over(connection: apsw.Connection, messages: Collection[str]) -> set[str]:
    """Those of these messages of the old tables that the import certainly did not drop."""
    wanted = (json.dumps(list(messages)),)
    among = "IN (SELECT value FROM json_each(?))"
    parts, why = fetch_readable(
        connection,
        f"SELECT message_id, data ->> '$.type' FROM part WHERE message_id {among} AND {_SANE}"
        " AND NOT coalesce(data ->> '$.synthetic', 0)",
        wanted,
    )
    heads, reason = fetch_readable(
        connection,
        f"SELECT id, data ->> '$.role', data ->> '$.parentID' FROM message WHERE id {among}"
        f" AND {_SANE}",
        wanted,
    )
    if why or reason:
        return set()
    kinds: dict[str, set[str]] = {}
    for message, kind in parts:
        kinds.setdefault(message, set()).add(kind)
    prompts = {
        ident
        for ident, role, _ in heads
        if role == "user" and "text" in kinds.get(ident, ()) and "compaction" not in kinds[ident]
    }
    dropped = {ident for ident, role, _ in heads if role == "user"} - prompts
    said = {"text", "reasoning", "tool"}
    answers = {
        ident
        for ident, role, parent in heads
        if role == "assistant" and parent not in dropped and said & kinds.get(ident, set())
    }
    return prompts | answers
