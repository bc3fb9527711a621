"""The table session_message of opencode 1.18 and 2.x, and the input that waits to be delivered.

Order is by `seq`, the place in the session's event sequence; gaps in it are normal. In 1.18 such a
session has a row in `session`, in 2.x in `session_v2`. Delivered input is a row of session_message
like any other; what waits lies in session_input (1.18), session_inbox or session_pending (2.x).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import apsw

from store.model import Fault
from store.read_only import fetch_readable
from store.source import Bodies, Found, Outline, Place, Ref, SomePlaces
from store.sources import v2_content
from store.sources.heads import Columns, among, as_ms, as_text, named
from store.sources.scans import Scans
from store.sources.tables import Later
from store.sources.v2_decoded import Fetched, broken, decoded, row_of
from store.sources.v2_rows import COUNT, DATA, PARTS, PATCH, tables_of_rows

NEEDED = {"id", "session_id", "type", "time_created", "time_updated", "data"}
PLACE = -2
"""The place of every ref of these tables; the old tables have none like it."""
_REF = f"id, seq, time_created, time_updated, octet_length(data), {COUNT}, {PATCH}"
_OF = "WHERE session_id = ?"
_ORDER = "seq, time_created, id"


class NewTables:
    """The rows on one connection. Whose sessions they are is not their matter."""

    def __init__(self, connection: apsw.Connection, found: Columns) -> None:
        self.connection = connection
        self.found = found
        self._tables = tables_of_rows(found)
        self._scans = Scans(connection)
        self._all = f"({' UNION ALL '.join(query for _, query in self._tables)})"
        seq = "seq" in found.get("session_message", ())
        self._prompt = (
            "(SELECT p.id FROM session_message p WHERE p.session_id = r.session_id"
            " AND p.type = 'user' AND p.seq < r.seq ORDER BY p.seq DESC LIMIT 1)"
            if seq
            else "NULL"
        )

    def _rows(
        self, columns: str, where: str, values: Sequence[object] = ()
    ) -> tuple[list[Fetched], str]:
        sql = f"SELECT {columns} FROM {self._all} r {where}"
        return fetch_readable(self.connection, sql, tuple(values))

    def _with_rest(
        self, rows: list[Fetched], columns: str, column: str, values: Iterable[str]
    ) -> list[Fetched]:
        """The rows that an index led to, and those of these values that it did not."""
        wanted = list(values)
        for table, query in self._tables:
            places = self._scans.places(table, column, wanted)
            rows = [*rows, *self._at(query, columns, places)]
        return list(dict.fromkeys(rows))

    def _at(self, query: str, columns: str, places: Iterable[int]) -> list[Fetched]:
        sql = f"SELECT {columns} FROM ({query}) r WHERE r.place = ?"
        return [
            row for place in places for row in fetch_readable(self.connection, sql, (place,))[0]
        ]

    def counts(
        self, only: Sequence[str] | None = None
    ) -> tuple[dict[str, tuple[int, int, int]], str]:
        """Messages, parts and the latest change of sessions, and why it ends early ("")."""
        counts: dict[str, tuple[int, int, int]] = {}
        reason = ""
        for table, query in self._tables:  # apart: a union would be sorted with all its data
            rows, more = fetch_readable(
                self.connection,
                f"SELECT session_id, count(*), sum({PARTS}), max(time_updated)"
                f" FROM ({query}){among('session_id', only)} GROUP BY session_id",
                named(only),
            )
            if more:
                reason = reason or more
                rows = self._counted(table, query, only)
            for session, messages, parts, updated in rows:
                said = counts.get(session, (0, 0, 0))
                latest = max(said[2], as_ms(updated))
                counts[session] = (said[0] + messages, said[1] + parts, latest)
        return counts, reason

    def _counted(self, table: str, query: str, only: Sequence[str] | None) -> list[Fetched]:
        """One line for each row of a table whose groups cannot be read."""
        held = self._scans.by_value(table, "session_id")
        wanted = list(held) if only is None else [one.encode() for one in only]
        places = [place for one in wanted for place in held.get(one, ())]
        rows = self._at(query, f"session_id, 1, {PARTS}, time_updated", places)
        return [row for row in rows if isinstance(row[0], str)]

    def stamp(self, session: str) -> str:
        """Moves with every row that came, went or changed, and with every event; "": none."""
        rows, reason = self._rows(
            "count(*), sum(time_updated), max(time_updated), max(seq)",
            "WHERE session_id = ?",
            (session,),
        )
        if not rows:
            return f"unreadable:{reason}"
        if not rows[0][0]:
            return ""
        events: list[Fetched] = []
        if {"aggregate_id", "seq"} <= self.found.get("event_sequence", set()):
            sql = "SELECT seq FROM event_sequence WHERE aggregate_id = ?"
            events, _ = fetch_readable(self.connection, sql, (session,))
        return ":".join(map(str, (*rows[0], *(row[0] for row in events))))

    def outline(self, session: str) -> Outline:
        """Refs of all rows in reading order, and of their parts."""
        rows, reason = self._of(session, _REF, f" ORDER BY {_ORDER}")
        return self._outline(session, rows, reason)

    def _of(
        self, session: str, columns: str, tail: str, *more: object
    ) -> tuple[list[Fetched], str]:
        """The rows of a session, `columns` beginning as `_REF` does; why some are missing ("")."""
        rows, reason = self._rows(columns, f"{_OF}{tail}", (session, *more))
        if reason:
            rows = self._with_rest(rows, columns, "session_id", [session])
            rows.sort(key=lambda row: (_seq(row[1]), as_ms(row[2]), as_text(row[0])))
        return rows, reason

    def ending(self, session: str, messages: int) -> Outline:
        """Refs of the last rows and of their parts."""
        backwards = _ORDER.replace(",", " DESC,") + " DESC"
        rows, reason = self._of(session, _REF, f" ORDER BY {backwards} LIMIT ?", messages)
        rows = rows[-messages:] if reason else rows[::-1]
        return replace(self._outline(session, rows, ""), complete=False)

    def _outline(self, session: str, rows: list[Fetched], reason: str) -> Outline:
        messages: list[Ref] = []
        parts: list[Ref] = []
        faults: list[Fault] = []
        for ident, seq, created, updated, size, count, patch in rows:
            if not isinstance(ident, str):
                continue
            time, changed, size = as_ms(created), as_ms(updated), size or 0
            messages.append(Ref(ident, session, time, time, changed, size, PLACE, _seq(seq)))
            places = v2_content.places(count, bool(patch))
            share = size // max(1, len(places))
            parts += [
                Ref(f"{ident}#{place}", ident, time, number, changed, share, PLACE)
                for number, place in enumerate(places)
            ]
            if count < 0:
                faults.append(broken(ident, "it is too large or no JSON object"))
        if reason:
            words = f"not all of it can be read: {reason}"
            faults.append(Fault("CORRUPT_SESSION", session, words))
        return Outline(session, tuple(messages), tuple(parts), not reason, tuple(faults))

    def order(self, session: str) -> list[Place]:
        """All rows of a session in reading order."""
        rows, reason = self._of(session, "id, seq, time_created", f" ORDER BY {_ORDER}")
        places = [
            Place(_seq(seq), as_ms(time), ident)
            for ident, seq, time in rows
            if isinstance(ident, str) and ident
        ]
        return SomePlaces(places) if reason else places

    # Rows ------------------------------------------------------------------------------------

    def bodies(self, session: str, messages: Sequence[Ref], parts: Sequence[Ref]) -> Later:
        """The messages and parts of these refs."""
        wanted = dict.fromkeys(ref.id for ref in messages)
        named = {ref.id for ref in parts}
        rows, faults = self._fetch([*wanted, *(ref.parent for ref in parts)])

        def later() -> Bodies:
            bodies = decoded(rows, faults)
            unread = {fault.about for fault in bodies.faults}
            lost = [broken(ref.id, "see there") for ref in parts if ref.parent in unread]
            return Bodies(
                tuple(one for one in bodies.messages if one.id in wanted),
                tuple(one for one in bodies.parts if one.id in named),
                (*bodies.faults, *lost),
            )

        return later

    def window(self, session: str, messages: Sequence[str]) -> Later:
        """These messages with all their parts."""
        rows, faults = self._fetch(messages)
        return lambda: decoded(rows, faults)

    def _fetch(self, messages: Iterable[str]) -> tuple[list[Fetched], list[Fault]]:
        columns = (
            "id, session_id, CAST(type AS BLOB), time_created, time_updated, octet_length(data),"
            f" {DATA}"
        )
        wanted = list(dict.fromkeys(messages))
        faults: list[Fault] = []
        if not wanted:
            return [], faults
        rows, reason = self._rows(
            f"{columns}, {self._prompt}",
            "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY seq, time_created, id",
            (json.dumps(wanted),),
        )
        if reason:  # one damaged row must not hide its neighbours
            rows = []
            for ident in wanted:
                row = self._whole(columns, ident)
                rows += row
                if not row:
                    faults.append(broken(ident, f"it cannot be read: {reason}"))
        return rows, faults

    def _whole(self, columns: str, ident: str) -> list[Fetched]:
        """A row of a damaged file, without its prompt where that cannot be told."""
        for told in (f"{columns}, {self._prompt}", f"{columns}, NULL"):
            row, why = self._rows(told, "WHERE id = ?", (ident,))
            if why:
                row = self._with_rest(row, told, "id", [ident])
            if row:
                break
        return row[:1]

    # By id -----------------------------------------------------------------------------------

    def among(self, messages: Sequence[str]) -> list[str]:
        """Which of these messages have a row here, in their order."""
        return self.present(messages)[0]

    def present(self, messages: Sequence[str]) -> tuple[list[str], str]:
        """The same, and why others may have one too ("": they have none)."""
        rows, reason = self._rows(
            "id", "WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(messages)),)
        )
        if reason:
            rows = self._with_rest(rows, "id", "id", messages)
        here = {row[0] for row in rows}
        return [ident for ident in messages if ident in here], reason

    def find(self, beginning: str, limit: int) -> list[Found]:
        """Messages whose id begins so, and parts where the beginning has a `#`."""
        head, sharp, _ = beginning.partition("#")
        if not sharp:
            return self._find_messages(beginning, limit)
        columns = f"id, session_id, {COUNT}, {PATCH}"
        rows, reason = self._rows(columns, "WHERE id = ?", (head,))
        if reason:
            rows = self._with_rest(rows, columns, "id", [head])
        names = [
            Found("part", f"{ident}#{place}", ident, session)
            for ident, session, count, patch in rows
            for place in v2_content.places(count, bool(patch))
        ]
        return [one for one in names if one.id.startswith(beginning)][:limit]

    def _find_messages(self, beginning: str, limit: int) -> list[Found]:
        found: list[Found] = []
        for table, query in self._tables:
            rows, reason = fetch_readable(
                self.connection,
                f"SELECT id, session_id FROM ({query})"
                " WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
                (beginning, beginning + "\U0010ffff", limit),
            )
            if reason:
                rows = self._at(query, "id, session_id", self._scans.beginning(table, beginning))
            found += [
                Found("message", ident, ident, session)
                for ident, session in rows
                if type(ident) is type(session) is str
            ]
        return found[:limit]

    def raw(self, found: Found) -> str | None:
        """The row as it is stored, or the piece of it that a part is."""
        rows, faults = self._fetch([found.message])
        if not rows or rows[0][6] is None:
            return None
        if found.kind == "message":
            return bytes(rows[0][6]).decode("utf-8", "replace")
        row = row_of(rows[0], faults)
        return v2_content.raw(row, found.id.rpartition("#")[2]) if row else None


def _seq(value: Any) -> int:
    return value if isinstance(value, int) else 0
