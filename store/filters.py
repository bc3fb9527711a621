"""The filters of a query as conditions on the index: doc d, session s, message m, part p."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import apsw

from store.absent import FATE, elsewhere
from store.model import FATES, FLAGS, KINDS
from store.query import DATES, Filter, Query
from store.schema import HAS, flag_bits
from store.sqlite import one as first_of
from store.sqlite import rows_of
from store.text import fold
from store.tools import with_renamed

JOINS = (
    " JOIN session s ON s.id = d.session LEFT JOIN message m ON m.id = d.message"
    " LEFT JOIN part p ON p.id = d.part"
)
FLAG_BITS = (
    f"(coalesce(p.flags, 0) | (coalesce(m.flags, 0) & ~{flag_bits(('synthetic',))}) | s.flags)"
)
"""The flags of a part with those of its message and session. Which text is synthetic each part says
itself: a message that the agent put in may hold something else too, as a summary."""
FAR = 2**61
"""A time after all others."""
FEW_SESSIONS = 20
FEW_VALUES = 20
"""Values of a filter up to which each is a condition of its own: SQLite nests a thousand at most.
"""
SAMPLE = 300
"""Documents, here and there, whose share is taken for that of all."""
FEW_DOCUMENTS = 3_000
"""Sessions and documents up to which these are looked up before anything is searched."""
SESSION_KEYS = ("source", "project", "dir", "title", "session")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition in SQL and its values."""

    sql: str = "1"
    values: tuple[Any, ...] = ()


def sessions_of(
    connection: apsw.Connection, query: Query, sources: Sequence[int] | None
) -> list[int] | None:
    """The sessions that pass the filters of a query and are of these sources; None for all."""
    told = [one for one in query.filters if one.key in SESSION_KEYS]
    return session_ids(connection, told, sources) if told or sources is not None else None


def condition(
    connection: apsw.Connection, query: Query, sources: Sequence[int] | None
) -> Condition:
    """All filters of a query and the sources that may answer (None: all of them)."""
    return with_sessions(query, sessions_of(connection, query, sources), sources)


def with_sessions(
    query: Query, ids: Sequence[int] | None, sources: Sequence[int] | None
) -> Condition:
    """As `condition`, the sessions known already."""
    parts: list[Condition] = []
    if ids is not None:
        parts.append(Condition(f"+d.session IN ({','.join(map(str, ids))})"))
    for one in query.filters:
        if one.key not in SESSION_KEYS:
            made = _is(one, sources) if one.key == "is" else _MAKERS[one.key](one)
            sql = f"NOT coalesce({made.sql}, 0)" if one.negated else f"({made.sql})"
            parts.append(Condition(sql, made.values))
    return Condition(
        " AND ".join(part.sql for part in parts) or "1",
        tuple(value for part in parts for value in part.values),
    )


def narrows(connection: apsw.Connection, sources: Sequence[int] | None) -> bool:
    """Whether some of the sources that the index knows are not among these (None: all)."""
    if sources is None:
        return False
    return any(row[0] not in sources for row in rows_of(connection, "SELECT id FROM source"))


def share_of_all(connection: apsw.Connection, query: Query, last: int) -> float:
    """About which share of the documents, of ids up to `last`, passes what no date and no session
    tells; the half of the smallest that can be seen where none does."""
    told = tuple(one for one in query.filters if one.key not in (*SESSION_KEYS, *DATES))
    if not told or not last:
        return 1.0
    made = with_sessions(replace(query, filters=told), None, None)
    # Not at even distances: what a tool was asked and what it put out take turns.
    ids = json.dumps(Random(last).sample(range(1, last + 1), min(SAMPLE, last)))
    inside = f"FROM doc d{JOINS} WHERE d.id IN (SELECT value FROM json_each(?))"
    passed, of = rows_of(
        connection,
        f"SELECT coalesce(sum(coalesce({made.sql}, 0) != 0), 0), count(*) {inside}",
        (*made.values, ids),
    )[0]
    return max(int(passed), 0.5) / max(1, int(of))


def bounds(query: Query) -> tuple[int, int]:
    """The times [from, to) in ms outside of which a query's filters let nothing through."""
    first, last = 0, FAR
    for one in query.filters:
        if one.times and not one.negated:
            first = max(first, min(start or 0 for start, _ in one.times))
            last = min(last, max(FAR if end is None else end for _, end in one.times))
    return first, last


@dataclass(frozen=True, slots=True)
class Within:
    """Where documents of some sessions lie: ids from `low` to `high`, and which ones, by falling
    time as (time, id), where they are few (None: many, or all)."""

    low: int = 0
    high: int = FAR
    documents: tuple[tuple[int, int], ...] | None = None


EVERYWHERE = Within()


def within(connection: apsw.Connection, ids: Sequence[int] | None) -> Within:
    """Where the documents of these sessions lie (None: of all)."""
    if ids is None or len(ids) > FEW_SESSIONS:
        return Within()
    told = ",".join(map(str, ids))
    some = f"SELECT id FROM doc WHERE session IN ({told}) LIMIT {FEW_DOCUMENTS + 1}"
    if first_of(connection, f"SELECT count(*) FROM ({some})") <= FEW_DOCUMENTS:
        rows = rows_of(connection, f"SELECT time, id FROM doc WHERE session IN ({told})")
        found = tuple(sorted(((row[0], row[1]) for row in rows), reverse=True))
        by_id = [ident for _, ident in found]
        return Within(min(by_id, default=0), max(by_id, default=0), found)
    low, high = rows_of(connection, f"SELECT min(id), max(id) FROM doc WHERE session IN ({told})")[
        0
    ]
    return Within(low, high)


def session_ids(
    connection: apsw.Connection, filters: Sequence[Filter], sources: Sequence[int] | None
) -> list[int]:
    """Sessions that pass the filters that speak of sessions."""
    begins, values = _begins(filters)
    rows = rows_of(
        connection,
        "SELECT s.id, s.source, n.name, s.project, s.directory, s.title, s.native"
        f" FROM session s JOIN source n ON n.id = s.source WHERE {begins}",
        values,
    )
    tests = [_session_test(one) for one in filters]
    return [
        row[0]
        for row in rows
        if (sources is None or row[1] in sources) and all(test(row) for test in tests)
    ]


def _begins(filters: Sequence[Filter]) -> tuple[str, list[str]]:
    """What SQLite can tell of `session:` by its index, all that it keeps are tested after."""
    for told in filters:
        whole = told.key == "session" and not told.negated and len(told.values) <= FEW_SESSIONS
        if whole and not any(":" in value for value in told.values):
            test = " OR ".join(["(s.native >= ? AND s.native < ?)"] * len(told.values))
            values = [end for value in told.values for end in (value, value + chr(0x10FFFF))]
            return test, values
    return "1", []


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
            text = fold(row[column])
            found = any(value in text for value in wanted)
        return found != one.negated

    return holds


def _whole(column: str) -> Callable[[Filter], Condition]:
    def make(one: Filter) -> Condition:
        inside = "(SELECT value FROM json_each(?))"
        return Condition(f"{column} COLLATE NOCASE IN {inside}", (json.dumps(one.values),))

    return make


def _tool(one: Filter) -> Condition:
    return _whole("p.tool")(replace(one, values=with_renamed(one.values)))


def _kind(one: Filter) -> Condition:
    numbers = [KINDS.index(value) for value in KINDS if value in one.values]
    return Condition(f"d.kind IN ({','.join(map(str, numbers))})")


def _model(one: Filter) -> Condition:
    if len(one.values) <= FEW_VALUES:
        test = " OR ".join(["instr(lower(m.model), lower(?)) > 0"] * len(one.values))
        return Condition(test, tuple(one.values))
    among = (
        "SELECT model FROM (SELECT DISTINCT model FROM message) WHERE EXISTS"
        " (SELECT 1 FROM json_each(?) WHERE instr(lower(model), lower(value)) > 0)"
    )
    return Condition(f"m.model IN ({among})", (json.dumps(one.values),))


def _is(one: Filter, sources: Sequence[int] | None) -> Condition:
    tests: list[str] = []
    leftover = f"({FATE} != 'live' AND NOT {elsewhere(sources)})"
    for value in one.values:
        if value == "leftover":
            tests.append(leftover)
        elif value == "live" and one.negated:
            tests.append(f"NOT {leftover}")
        elif value in FATES:
            test = f"{FATE} = '{value}'"
            gone = value not in ("live", "replaced")
            tests.append(f"({test} AND NOT {elsewhere(sources)})" if gone else test)
        else:
            bits = flag_bits(flag for flag in FLAGS if flag == value)
            tests.append(f"{FLAG_BITS} & {bits} != 0")
    return Condition(" OR ".join(tests))


def _has(one: Filter) -> Condition:
    bits = sum(1 << HAS.index(value) for value in HAS if value in one.values)
    test = f"coalesce(p.has, 0) & {bits} != 0"
    if "error" in one.values:
        test += " OR (d.part IS NULL AND m.error != '')"
    return Condition(test)


def _times(one: Filter) -> Condition:
    spans = [(start or 0, FAR if end is None else end) for start, end in one.times]
    if len(spans) <= FEW_VALUES:
        test = " OR ".join(["(d.time >= ? AND d.time < ?)"] * len(spans))
        return Condition(test, tuple(end for span in spans for end in span))
    inside = "d.time >= value->>0 AND d.time < value->>1"
    return Condition(f"EXISTS (SELECT 1 FROM json_each(?) WHERE {inside})", (json.dumps(spans),))


_MAKERS: dict[str, Callable[[Filter], Condition]] = {
    "kind": _kind,
    "tool": _tool,
    "status": _whole("p.status"),
    "role": _whole("m.role"),
    "agent": _whole("m.agent"),
    "slice": _whole("m.slice"),
    "model": _model,
    "cause": _whole("coalesce(p.cause, m.cause)"),
    "evidence": _whole("coalesce(p.evidence, m.evidence, 'source')"),
    "has": _has,
    "since": _times,
    "before": _times,
    "on": _times,
}
