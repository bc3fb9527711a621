"""Finding the rows of a damaged file without its indexes.

An index with a bad page hides rows that lie on good ones. So the table itself is walked by place
(rowid); where a page cannot be read the walk goes on behind it, at the first place that can.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import apsw

from store.read_only import fetch_readable

Row = tuple[Any, ...]

AT_ONCE = 10_000
"""Rows of a walk that are held at a time."""
GAPS = 10_000
"""Stretches that cannot be read; behind so many of them a walk ends."""
LAST_PLACE = 2**63 - 1


class Scans:
    """Walks over the tables of one connection, each made once and kept as places alone."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._held: dict[tuple[str, str], dict[bytes, list[int]]] = {}

    def by_value(self, table: str, column: str) -> dict[bytes, list[int]]:
        """For each text of a column the places of its rows."""
        key = (table, column)
        if key not in self._held:
            held: dict[bytes, list[int]] = {}
            for place, value in self._walk(table, column):
                held.setdefault(value, []).append(place)
            self._held[key] = held
        return self._held[key]

    def places(self, table: str, column: str, values: Iterable[str]) -> list[int]:
        """Where the rows with one of these texts in that column lie."""
        held = self.by_value(table, column)
        return [place for value in dict.fromkeys(values) for place in held.get(_bytes(value), ())]

    def at(self, select: str, places: Sequence[int]) -> list[Row]:
        """Those rows at these places that can be read; `select` ends with its table."""
        rows: list[Row] = []
        for place in places:
            rows += fetch_readable(self._connection, f"{select} WHERE rowid = ?", (place,))[0]
        return rows

    def rows(
        self, select: str, column: str, values: Sequence[str], tail: str = "", *more: object
    ) -> tuple[list[Row], str]:
        """The rows with one of these texts in that column, and why some cannot be read ("").

        `select` ends with its table; `tail`, with values of its own, comes behind the condition,
        and is not heeded by the rows that no index leads to.
        """
        one = len(values) == 1
        where = "= ?" if one else "IN (SELECT value FROM json_each(?))"
        value = values[0] if one else json.dumps(list(values))
        sql = f"{select} WHERE {column} {where}{tail}"
        rows, reason = fetch_readable(self._connection, sql, (value, *more))
        if reason:
            table = select.rpartition(" ")[2]
            rows = list(
                dict.fromkeys([*rows, *self.at(select, self.places(table, column, values))])
            )
        return rows, reason

    def named(self, select: str, start: str, limit: int) -> list[Row]:
        """The rows whose id begins so, at most `limit`, in the order of their ids."""
        sql = f"{select} WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"
        values = (start, start + "\U0010ffff", limit)
        rows, reason = fetch_readable(self._connection, sql, values)
        if reason:
            rows = self.at(select, self.beginning(select.rpartition(" ")[2], start)[:limit])
        return rows

    def beginning(self, table: str, start: str) -> list[int]:
        """Where the rows lie whose id begins so, in the order of their ids."""
        held = self.by_value(table, "id")
        found = sorted(ident for ident in held if ident.startswith(_bytes(start)))
        return [place for ident in found for place in held[ident]]

    # Walking ---------------------------------------------------------------------------------

    def _walk(self, table: str, column: str) -> Iterator[tuple[int, bytes]]:
        sql = (  # from a place on, not behind one: looking for that one's page could be the fault
            f"SELECT rowid, CAST({column} AS BLOB) FROM {table} NOT INDEXED"
            " WHERE rowid >= ? ORDER BY rowid LIMIT ?"
        )
        at: int | None = 0
        gaps = 0
        while at is not None and gaps < GAPS:
            rows, reason = fetch_readable(self._connection, sql, (at, AT_ONCE))
            for place, value in rows:
                if isinstance(value, bytes):
                    yield place, value
            if rows:
                if rows[-1][0] < at:  # a damaged page that leads back
                    return
                at = rows[-1][0] + 1
            if reason:
                gaps += 1
                at = self._behind(sql, at)
            elif len(rows) < AT_ONCE:
                return

    def _behind(self, sql: str, bad: int) -> int | None:
        """The first place from which on it can be read again, None where there is none.

        The steps grow by an eighth: fast enough for the largest place, and small enough to hit the
        next good page behind a few bad ones.
        """
        step = 1
        while not self._reads(sql, bad + step):
            bad += step
            step += 1 + step // 8
            if bad + step > LAST_PLACE:
                return None
        good = bad + step
        while good - bad > 1:
            middle = (good + bad) // 2
            if self._reads(sql, middle):
                good = middle
            else:
                bad = middle
        return good

    def _reads(self, sql: str, at: int) -> bool:
        return not fetch_readable(self._connection, sql, (at, 1))[1]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
