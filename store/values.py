"""The values that filters can have, with how many documents or sessions have each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import apsw

from store.model import KINDS
from store.query import CLOSED, DATES
from store.sqlite import rows_of
from store.text import fold

_COUNTED = {
    "tool": "SELECT tool, count(*) FROM part WHERE tool != '' GROUP BY 1",
    "agent": "SELECT agent, count(*) FROM message WHERE agent != '' GROUP BY 1",
    "slice": "SELECT slice, count(*) FROM message WHERE slice != '' GROUP BY 1",
    "model": "SELECT model, count(*) FROM message WHERE model != '' GROUP BY 1",
    "role": "SELECT role, count(*) FROM message WHERE role != '' GROUP BY 1",
    "status": "SELECT status, count(*) FROM part WHERE status != '' GROUP BY 1",
    "project": "SELECT project, count(*) FROM session WHERE project != '' GROUP BY 1",
    "dir": "SELECT directory, count(*) FROM session WHERE directory != '' GROUP BY 1",
    "title": "SELECT title, count(*) FROM session WHERE title != '' GROUP BY 1",
    "session": "SELECT native, max(1, parts) FROM session ORDER BY updated DESC LIMIT 1000",
    "source": "SELECT n.name, count(*) FROM source n JOIN session s ON s.source = n.id GROUP BY 1",
}
_DATES = ("today", "yesterday", "3h", "24h", "7d", "30d")

Value = tuple[str, int]
"""A value and how many have it (0: not counted)."""


def values_of(connection: apsw.Connection, key: str) -> list[Value]:
    """The values of a key, the commonest first; those of a date are only proposals."""
    if key == "kind":
        rows = rows_of(connection, "SELECT kind, count(*) FROM doc GROUP BY 1 ORDER BY 2 DESC")
        return [(KINDS[kind], count) for kind, count in rows]
    if key in _COUNTED:
        counts: Counter[str] = Counter()
        for value, count in rows_of(connection, _COUNTED[key]):
            counts[str(value)] += count
        return counts.most_common()
    if key in DATES:
        return [(value, 0) for value in _DATES]
    return [(value, 0) for value in CLOSED.get(key, ())]


def beginning(values: Sequence[Value], typed: str, most: int) -> list[Value]:
    """The values that begin with what was typed, then those that contain it."""
    sought = fold(typed)
    begin = [one for one in values if fold(one[0]).startswith(sought)]
    inside = [one for one in values if sought in fold(one[0]) and one not in begin]
    return [*begin, *inside][:most]
