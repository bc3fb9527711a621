"""What is gone altogether: gone where it stood, and in no other store that is asked either."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from store.schema import flag_bits
from store.sqlite import rows_of

FATE = "coalesce(p.fate, m.fate, s.fate)"
_IMPORTED = flag_bits(["imported"])


def elsewhere(sources: Sequence[int] | None) -> str:
    """Whether another store that answers has the same thing and it is more alive there.

    The same is what has the same ids: in a backup, or where another program took a session over.
    Stores that disagree on what a session is cannot stand for each other.
    """
    among = "" if sources is None else f" AND o.source IN ({','.join(map(str, sources))})"
    theirs = "CASE WHEN p.id IS NOT NULL THEN q.fate WHEN m.id IS NOT NULL THEN om.fate"
    return (
        f"({FATE} IN ('reverted', 'removed', 'deleted') AND EXISTS (SELECT 1 FROM session o"
        " JOIN source os ON os.id = o.source AND os.missing_since IS NULL"
        " LEFT JOIN message om ON om.native = m.native AND om.session = o.id"
        " LEFT JOIN part q ON q.native = p.native AND q.message = om.id AND q.version = 0"
        f" WHERE o.native = s.native AND o.id != s.id{among} AND {theirs} ELSE o.fate END"
        f" IN ('live', CASE {FATE} WHEN 'reverted' THEN 'live' ELSE 'reverted' END)"
        f" AND (s.fate != 'live' OR (s.flags | o.flags) & {_IMPORTED} != 0"
        " OR (s.created, s.parent, s.directory) = (o.created, o.parent, o.directory))))"
    )


def count_gone(
    connection: apsw.Connection, sources: Sequence[int] | None, session: int | None = None
) -> dict[int, int]:
    """For all sessions (or one) that are there and lost something: how many parts.

    Earlier texts of parts are among them; what a pending revert hides is not.
    """
    joined = "part p CROSS JOIN message m ON m.id = p.message"
    only = ""
    if session is not None:  # its messages one by one, instead of all that is gone
        joined = "message m CROSS JOIN part p ON p.message = m.id"
        only = " AND m.session = ?"
    rows = rows_of(
        connection,
        f"SELECT m.session, count(*) FROM {joined} JOIN session s ON s.id = m.session"
        " WHERE p.fate != 'live' AND p.fate IN ('removed', 'replaced')"
        f" AND NOT {elsewhere(sources)}{only} GROUP BY 1",
        () if session is None else (session,),
    )
    return {row[0]: row[1] for row in rows}
