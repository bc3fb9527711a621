"""Messages of the old tables in sessions that session_message speaks for.

Some are told by the old tables alone: an old version ran after the import of 2.x, or the import
dropped them. Of others nothing is left but these rows, since a revert of 2.x took them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from store.read_only import fetch_readable
from store.source import Ref
from store.sources import old_tables
from store.sources.heads import Columns
from store.sources.numbers import number_at
from store.sources.old_tables import OldTables
from store.sources.scans import Scans
from store.sources.undone_rows import undone
from store.sources.v2_tables import NewTables

_PARENT = (
    f"CASE WHEN octet_length({{0}}data) <= {old_tables.LARGEST_ROW} AND json_valid({{0}}data)"
    " THEN {0}data ->> '$.parentID' END"
)


class OldMessages:
    """Those messages on one connection; `ended` is when 2.x had taken all over (ms), or None."""

    def __init__(
        self,
        connection: apsw.Connection,
        found: Columns,
        tables: tuple[NewTables, OldTables | None],
        ended: int | None,
    ) -> None:
        self._connection = connection
        self._found = found
        self._new, self._old = tables
        self._ended = ended

    def extras(self, sessions: Sequence[str]) -> tuple[dict[str, list[str]], str]:
        """The messages, by session, that only the old tables have of sessions spoken for anew.

        And why some may be missing (""). The summary of a compaction is left out: the compaction's
        own row has its text.
        """
        found: dict[str, list[str]] = {}
        if self._old is None:
            return found, ""
        rows, reason = fetch_readable(
            self._connection,
            "SELECT m.session_id, m.id FROM message m"
            " WHERE m.session_id IN (SELECT value FROM json_each(?))"
            " AND NOT EXISTS (SELECT 1 FROM session_message r WHERE r.id = m.id)"
            " AND NOT EXISTS (SELECT 1 FROM session_message r WHERE r.type = 'compaction'"
            f" AND r.id = {_PARENT.format('m.')})",
            (json.dumps(sessions),),
        )
        if reason:
            rows = self._readable_extras(self._old.scans, sessions)
        for session, ident in rows:
            found.setdefault(session, []).append(ident)
        return found, reason

    def standing(self, session: str, extras: Sequence[str]) -> list[str]:
        """Those of a session's extras that no revert of 2.x took."""
        gone = self._undone(session, extras)
        return [ident for ident in extras if ident not in gone]

    def _undone(self, session: str, extras: Sequence[str]) -> frozenset[str]:
        if self._old is None or self._ended is None:
            return frozenset()
        return undone(self._connection, self._found, self._old, session, extras, self._ended)

    def is_listed_anew(self, session: str) -> bool:
        """Whether 2.x has the session, so that none of its rows being there is told by it too."""
        if self._ended is None:
            return False
        sql = "SELECT 1 FROM session_v2 WHERE id = ?"
        return bool(fetch_readable(self._connection, sql, (session,))[0])

    def lost_to_reverts(self, session: str) -> list[Ref]:
        """The messages of the old tables that a revert of 2.x took, in their places."""
        found, reason = self.extras([session])
        gone = frozenset() if reason else self._undone(session, found.get(session, ()))
        if not gone or self._old is None:
            return []
        places = self._new.order(session)
        return [
            ref._replace(seq=number_at(places, ref.time))
            for ref in self._old.outline(session).messages
            if ref.id in gone
        ]

    def _readable_extras(self, scans: Scans, sessions: Sequence[str]) -> list[tuple[str, str]]:
        """The same, row by row, as far as both tables can be read."""
        select = f"SELECT session_id, id, {_PARENT.format('')} FROM message"
        rows, _ = scans.rows(select, "session_id", sessions)
        sound = [row for row in rows if type(row[0]) is type(row[1]) is str]
        said = set(self._new.among([row[1] for row in sound]))
        kinds = scans.rows(
            "SELECT id, type FROM session_message", "id", [row[2] or "" for row in sound]
        )
        summed_up = {ident for ident, kind in kinds[0] if kind == "compaction"}
        return [
            (session, ident)
            for session, ident, parent in sound
            if ident not in said and parent not in summed_up
        ]
