"""Counts per day, project, tool and model, from the tables of the index alone.

One pass over the messages and one over the parts, grouped by quarters of an hour: every time zone
begins its days at one, so that local days are sums of them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import isfinite
from typing import Any

import apsw

from store.errors import StoreError
from store.filters import JOINS, SESSION_KEYS, Condition, condition, session_ids
from store.model import Count, Stats
from store.query import DATES, Query
from store.schema import has_bit
from store.search import coverage
from store.sqlite import one, rows_of

QUARTER = 900_000
"""Milliseconds."""
VALID = ("tool", "status", "role", "agent", "slice", "model", "is", "has", *SESSION_KEYS, *DATES)
"""The filters that can be counted by."""
_TOKENS = ("input", "output", "reasoning", "read", "write")
_TOKEN_PATHS = ("input", "output", "reasoning", "cache.read", "cache.write")


class _Sum:
    """A count as it grows."""

    def __init__(self) -> None:
        self.sessions: set[int] = set()
        self.messages = self.prompts = self.parts = self.calls = self.failed = 0
        self.cost = 0.0
        self.tokens = [0.0] * len(_TOKENS)

    def add_messages(self, session: int, numbers: Sequence[Any]) -> None:
        """Adds messages, prompts, cost and tokens by kind."""
        messages, prompts, cost, *tokens = numbers
        self.sessions.add(session)
        self.messages += messages
        self.prompts += prompts
        self.cost += cost
        for at, number in enumerate(tokens):
            self.tokens[at] += number

    def add_parts(self, session: int, parts: int, calls: int, failed: int) -> None:
        """Adds parts, those that are calls of tools, and those of them that failed."""
        self.sessions.add(session)
        self.parts += parts
        self.calls += calls
        self.failed += failed

    def count(self, name: str) -> Count:
        """The count that it has become."""
        tokens = {
            kind: int(number)
            for kind, number in zip(_TOKENS, self.tokens, strict=True)
            if number and isfinite(number)
        }
        return Count(
            name,
            len(self.sessions),
            self.messages,
            self.prompts,
            self.parts,
            self.calls,
            self.failed,
            round(self.cost, 9),
            tokens,
        )


def stats(connection: apsw.Connection, query: Query, sources: Sequence[int] | None) -> Stats:
    """All counts of what passes the filters. Raises INVALID_QUERY for words, INVALID_FILTER."""
    _check(query)
    copies = int(one(connection, f"SELECT count(*) FROM ({_COPIES})"))
    only = _Narrowed.by(connection, query, sources, bool(copies))
    named = dict(rows_of(connection, "SELECT id, project FROM session"))
    total, day = _Sum(), _Days()
    days, projects, tools, models = (defaultdict[str, _Sum](_Sum) for _ in range(4))
    for slot, session, model, *numbers in _messages(connection, only):
        goals = [total, days[day(slot)], projects[named[session]]]
        for goal in [*goals, models[model]] if model else goals:
            goal.add_messages(session, numbers)
    for slot, session, tool, parts, failed in _parts(connection, only):
        goals = [total, days[day(slot)], projects[named[session]]]
        for goal in [*goals, tools[tool]] if tool else goals:
            goal.add_parts(session, parts, parts if tool else 0, failed)
    return Stats(
        query=query.as_json(),
        total=total.count(""),
        days=_ranked(days, lambda count: count.name),
        projects=_ranked(projects, lambda count: (count.parts, count.messages)),
        tools=_ranked(tools, lambda count: count.calls),
        models=_ranked(models, lambda count: count.messages),
        copies=copies,
        held=None if only.told else _held(connection, only.sessions),
        gone=None if only.told else _gone(connection, only),
        coverage=coverage(connection, sources),
    )


def _ranked(sums: dict[str, _Sum], rank: Callable[[Count], Any]) -> tuple[Count, ...]:
    """Counts with the highest rank first, equal ones by name."""
    counts = [sums[name].count(name) for name in sorted(sums)]
    return tuple(sorted(counts, key=rank, reverse=True))


def _check(query: Query) -> None:
    if query.groups or query.excluded:
        words = "statistics take filters alone, such as project:api or since:7d"
        raise StoreError("INVALID_QUERY", words, query.text)
    for each in query.filters:
        if each.key not in VALID:
            words = f"{each.key}: cannot be counted by; valid here: {', '.join(VALID)}"
            raise StoreError("INVALID_FILTER", words, f"{each.key}:")


class _Days:
    """The local day of a quarter of an hour, "" where the calendar has none."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}

    def __call__(self, slot: int) -> str:
        if slot not in self._known:
            try:
                day = datetime.fromtimestamp(slot * QUARTER / 1000).date().isoformat()
            except (OverflowError, ValueError, OSError):
                day = ""
            self._known[slot] = day
        return self._known[slot]


def _held(connection: apsw.Connection, sessions: str | None) -> Count:
    """Sessions, messages and parts that the stores hold now; `sessions` as JSON, None for all."""
    some = "" if sessions is None else " AND id IN (SELECT value FROM json_each(?))"
    found = rows_of(
        connection,
        "SELECT count(*), coalesce(sum(messages), 0), coalesce(sum(parts), 0) FROM session"
        f" WHERE fate = 'live'{some}",
        () if sessions is None else (sessions,),
    )
    number, messages, parts = found[0]
    return Count(sessions=number, messages=messages, parts=parts)


def _gone(connection: apsw.Connection, only: _Narrowed) -> int:
    """How many of the messages that count are not in the stores any more."""
    return sum(row[3] for row in only.rows(connection, _GONE, "m.id", _NOT_HELD))


# Reading the tables --------------------------------------------------------------------------

_COPIES = "SELECT DISTINCT message FROM doc WHERE copy_of IS NOT NULL AND message IS NOT NULL"
_MESSAGE_COUNTS = (
    f"SELECT m.time / {QUARTER}, m.session, CASE WHEN m.role = 'user' THEN '' ELSE m.model END,"
    " count(*), sum(m.role = 'user'), sum(m.cost), "
    + ", ".join(f"total(m.tokens ->> '$.{path}')" for path in _TOKEN_PATHS)
    + " FROM message m"
)
_PART_COUNTS = (
    f"SELECT p.time / {QUARTER}, m.session, p.tool, count(*),"
    f" sum(p.tool IS NOT NULL AND p.has & {has_bit('error')} != 0)"
    " FROM part p JOIN message m ON m.id = p.message"
)
_GONE = "SELECT m.session, m.fate, m.cause, count(*) FROM message m"
_NOT_HELD = "m.fate NOT IN ('live', 'reverted')"
_AS_DOCUMENTS = {
    "message": "(SELECT id AS message, session, time, NULL AS part FROM message) d",
    "part": (
        "(SELECT a.id AS part, a.message, b.session, a.time FROM part a"
        " JOIN message b ON b.id = a.message WHERE a.version = 0) d"
    ),
}
"""What the conditions of filters call d, one for each message or part."""


@dataclass(frozen=True, slots=True)
class _Narrowed:
    """What counts: sessions (JSON, None: all), the other filters (None: none), copies or not."""

    sessions: str | None
    told: Condition | None
    copies: bool

    @classmethod
    def by(
        cls,
        connection: apsw.Connection,
        query: Query,
        sources: Sequence[int] | None,
        copies: bool,
    ) -> _Narrowed:
        """From a query and the sources that may answer."""
        of_sessions = [each for each in query.filters if each.key in SESSION_KEYS]
        others = tuple(each for each in query.filters if each.key not in SESSION_KEYS)
        told = condition(connection, replace(query, filters=others), None) if others else None
        if not of_sessions and sources is None:
            return cls(None, told, copies)
        idents = session_ids(connection, of_sessions, sources)
        everything = one(connection, "SELECT count(*) FROM session") == len(idents)
        return cls(None if everything else json.dumps(idents), told, copies)

    def rows(
        self, connection: apsw.Connection, select: str, message: str, *where: str, values: Any = ()
    ) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement, narrowed; `message` is its column of the message's id."""
        tests, values = list(where), tuple(values)
        if self.sessions is not None:
            tests.append("m.session IN (SELECT value FROM json_each(?))")
            values += (self.sessions,)
        if self.copies:
            tests.append(f"{message} NOT IN ({_COPIES})")
        told = f" WHERE {' AND '.join(tests)}" if tests else ""
        return iter(connection.execute(f"{select}{told} GROUP BY 1, 2, 3", values))


def _messages(connection: apsw.Connection, only: _Narrowed) -> Iterator[tuple[Any, ...]]:
    """Quarter, session, model, number, prompts, cost and tokens by kind.

    A message counts where it or one of its parts passes the filters.
    """
    if not only.told:
        return only.rows(connection, _MESSAGE_COUNTS, "m.id")
    alone, inside = (_picked("message", table, only.told) for table in _AS_DOCUMENTS)
    among = f"m.id IN ({alone} UNION {inside})"
    return only.rows(connection, _MESSAGE_COUNTS, "m.id", among, values=only.told.values * 2)


def _parts(connection: apsw.Connection, only: _Narrowed) -> Iterator[tuple[Any, ...]]:
    """Quarter, session, tool, number and failures."""
    current = "p.version = 0"
    if not only.told:
        return only.rows(connection, _PART_COUNTS, "p.message", current)
    among = f"p.id IN ({_picked('part', 'part', only.told)})"
    return only.rows(connection, _PART_COUNTS, "p.message", current, among, values=only.told.values)


def _picked(column: str, table: str, told: Condition) -> str:
    return f"SELECT d.{column} FROM {_AS_DOCUMENTS[table]}{JOINS} WHERE {told.sql}"
