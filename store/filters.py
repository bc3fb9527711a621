"""The filters of a query as conditions on the index: doc d, session s, message m, part p."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import apsw

from store.model import FATES, FLAGS, KINDS
from store.query import Filter, Query
from store.schema import HAS, flag_bits
from store.sqlite import rows_of
from store.text import fold
from store.tools import with_renamed

JOINS = (
    " JOIN session s ON s.id = d.session LEFT JOIN message m ON m.id = d.message"
    " LEFT JOIN part p ON p.id = d.part"
)
FATE = "coalesce(p.fate, m.fate, s.fate)"
FLAG_BITS = "(coalesce(p.flags, 0) | coalesce(m.flags, 0) | s.flags)"
FAR = 2**61
"""A time after all others."""
SESSION_KEYS = ("source", "project", "dir", "title", "session")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition in SQL and its values. `plain`: it speaks of `doc` alone, no joins needed."""

    sql: str = "1"
    values: tuple[Any, ...] = ()
    plain: bool = True


def condition(
    connection: apsw.Connection, query: Query, sources: Sequence[int] | None
) -> Condition:
    """All filters of a query and the sources that may answer (None: all of them)."""
    parts: list[Condition] = []
    told = [one for one in query.filters if one.key in SESSION_KEYS]
    if told or sources is not None:
        ids = session_ids(connection, told, sources)
        listed = "d.session IN (SELECT value FROM json_each(?))"
        parts.append(Condition(listed, (json.dumps(ids),)))
    for one in query.filters:
        if one.key not in SESSION_KEYS:
            made = _MAKERS[one.key](one)
            sql = f"NOT coalesce({made.sql}, 0)" if one.negated else f"({made.sql})"
            parts.append(Condition(sql, made.values, made.plain))
    return Condition(
        " AND ".join(part.sql for part in parts) or "1",
        tuple(value for part in parts for value in part.values),
        all(part.plain for part in parts),
    )


def narrows(connection: apsw.Connection, sources: Sequence[int] | None) -> bool:
    """Whether some of the sources that the index knows are not among these (None: all)."""
    if sources is None:
        return False
    return any(row[0] not in sources for row in rows_of(connection, "SELECT id FROM source"))


def bounds(query: Query) -> tuple[int, int]:
    """The times [from, to) in ms outside of which a query's filters let nothing through."""
    first, last = 0, FAR
    for one in query.filters:
        if one.times and not one.negated:
            first = max(first, min(start or 0 for start, _ in one.times))
            last = min(last, max(FAR if end is None else end for _, end in one.times))
    return first, last


def session_ids(
    connection: apsw.Connection, filters: Sequence[Filter], sources: Sequence[int] | None
) -> list[int]:
    """Sessions that pass the filters that speak of sessions."""
    rows = rows_of(
        connection,
        "SELECT s.id, s.source, n.name, s.project, s.directory, s.title, s.native"
        " FROM session s JOIN source n ON n.id = s.source",
    )
    tests = [_session_test(one) for one in filters]
    return [
        row[0]
        for row in rows
        if (sources is None or row[1] in sources) and all(test(row) for test in tests)
    ]


def _session_test(one: Filter) -> Callable[[tuple[Any, ...]], bool]:
    column = {"source": 2, "project": 3, "dir": 4, "title": 5, "session": 6}[one.key]
    wanted = [fold(value) if one.key != "session" else value for value in one.values]

    def holds(row: tuple[Any, ...]) -> bool:
        if one.key == "session":
            full = f"{row[2]}:{row[6]}"
            found = any(row[6].startswith(value) or full.startswith(value) for value in wanted)
        elif one.key == "source":
            found = row[2] in one.values
        else:
            found = any(value in fold(row[column]) for value in wanted)
        return found != one.negated

    return holds


def _whole(column: str) -> Callable[[Filter], Condition]:
    def make(one: Filter) -> Condition:
        marks = ",".join("?" * len(one.values))
        return Condition(f"{column} COLLATE NOCASE IN ({marks})", tuple(one.values), plain=False)

    return make


def _tool(one: Filter) -> Condition:
    return _whole("p.tool")(replace(one, values=with_renamed(one.values)))


def _kind(one: Filter) -> Condition:
    numbers = [KINDS.index(value) for value in KINDS if value in one.values]
    return Condition(f"d.kind IN ({','.join(map(str, numbers))})")


def _model(one: Filter) -> Condition:
    test = " OR ".join(["instr(lower(m.model), lower(?)) > 0"] * len(one.values))
    return Condition(test, tuple(one.values), plain=False)


def _is(one: Filter) -> Condition:
    tests: list[str] = []
    for value in one.values:
        if value == "leftover":
            tests.append(f"{FATE} != 'live'")
        elif value in FATES:
            tests.append(f"{FATE} = '{value}'")
        else:
            bits = flag_bits(flag for flag in FLAGS if flag == value)
            tests.append(f"{FLAG_BITS} & {bits} != 0")
    return Condition(" OR ".join(tests), plain=False)


def _has(one: Filter) -> Condition:
    bits = sum(1 << HAS.index(value) for value in HAS if value in one.values)
    test = f"coalesce(p.has, 0) & {bits} != 0"
    if "error" in one.values:
        test += " OR (d.part IS NULL AND m.error != '')"
    return Condition(test, plain=False)


def _times(one: Filter) -> Condition:
    tests: list[str] = []
    values: list[int] = []
    for start, end in one.times:
        pieces = []
        if start is not None:
            pieces.append("d.time >= ?")
            values.append(start)
        if end is not None:
            pieces.append("d.time < ?")
            values.append(end)
        tests.append("(" + (" AND ".join(pieces) or "1") + ")")
    return Condition(" OR ".join(tests), tuple(values))


_MAKERS: dict[str, Callable[[Filter], Condition]] = {
    "kind": _kind,
    "tool": _tool,
    "status": _whole("p.status"),
    "role": _whole("m.role"),
    "agent": _whole("m.agent"),
    "slice": _whole("m.slice"),
    "model": _model,
    "is": _is,
    "cause": _whole("coalesce(p.cause, m.cause)"),
    "evidence": _whole("coalesce(p.evidence, m.evidence, 'source')"),
    "has": _has,
    "since": _times,
    "before": _times,
    "on": _times,
}
