"""When the pending reverts of sessions were made, as an event log of opencode tells it.

1.17 and 1.18 write the whole session with every change of it, `session.updated`: of the last of
them, the first that had the revert made it, for a later title leaves the revert in. Sessions of
session_message have an event of their own, `revert.staged`.
"""

from __future__ import annotations

from collections.abc import Mapping

import apsw

from store.model import Revert
from store.read_only import fetch_readable
from store.sources.content import moment
from store.sources.event_log import LARGEST_ROW, NEEDED
from store.sources.heads import Columns, as_ms, as_text

_SANE = f"octet_length(data) <= {LARGEST_ROW} AND json_valid(data)"
_LAST = "ORDER BY seq DESC"


def revert_times(
    connection: apsw.Connection, found: Columns, reverts: Mapping[str, Revert]
) -> dict[str, int]:
    """By session, in ms; nothing of a session whose log tells of another revert, or of none."""
    if not found.get("event", set()) >= NEEDED:
        return {}
    created = "created" if "created" in found["event"] else "NULL"
    times: dict[str, int] = {}
    for session, revert in reverts.items():
        time = _updated(connection, session, revert) or _staged(
            connection, created, session, revert
        )
        if time:
            times[session] = time
    return times


def _updated(connection: apsw.Connection, session: str, revert: Revert) -> int | None:
    rows, _ = fetch_readable(
        connection,
        "SELECT data ->> '$.info.revert.messageID', data ->> '$.info.revert.partID',"
        " data ->> '$.info.time.updated' FROM event WHERE aggregate_id = ?"
        f" AND type >= 'session.updated.' AND type < 'session.updated/' AND {_SANE} {_LAST}",
        (session,),
    )
    made: int | None = None
    for message, part, time in rows:
        if (message, as_text(part)) != (revert.message, revert.part):
            break
        made = moment(time)
    return made


def _staged(connection: apsw.Connection, created: str, session: str, revert: Revert) -> int | None:
    for name in ("session.next.revert.staged", "session.revert.staged"):
        rows, _ = fetch_readable(
            connection,
            f"SELECT data ->> '$.revert.messageID', data ->> '$.timestamp', {created} FROM event"
            f" WHERE aggregate_id = ? AND type >= ? AND type < ? AND {_SANE} {_LAST} LIMIT 1",
            (session, f"{name}.", f"{name}/"),
        )
        if rows and rows[0][0] == revert.message:
            return as_ms(rows[0][1]) or as_ms(rows[0][2]) or None
    return None
