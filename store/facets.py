"""What the hits of a query are, counted: kinds, tools, projects, days."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import apsw

from store.expression import Expression
from store.model import KINDS, Facets
from store.question import Question, Reading
from store.sqlite import rows_of

MOST = 20_000
"""Documents that are counted; of more these are, and the counts are said to be about."""
SHOWN = 30
"""Values of each facet."""


def facets(connection: apsw.Connection, asked: Question) -> Facets:
    """The counts of a query's hits; about, where there are too many or texts decide."""
    reading = Reading(asked.query.wants_synthetic)
    told = _expression(asked, reading)
    plan = asked.plan(told.match, synthetic=None if reading.synthetic else False)
    joins = plan.joins
    part = "" if " part p " in joins else " LEFT JOIN part p ON p.id = d.part"
    rows = rows_of(
        connection,
        "SELECT d.kind, d.time / 900000, d.session, p.tool, coalesce(d.copy_of, d.id)"
        f" FROM {plan.tables}{part} WHERE {plan.where} LIMIT ?",
        (*plan.values, MOST + 1),
    )
    if not asked.folds:
        rows = list({row[4]: row for row in rows}.values())
    exact = len(rows) <= MOST and not told.read
    return Facets(_counted(connection, rows[:MOST]), len(rows[:MOST]), exact)


def _expression(asked: Question, reading: Reading) -> Expression:
    """What is counted: of very many documents those with the words as they are."""
    told = asked.expression(reading)
    if told.match is not None and told.documents <= MOST:
        return told
    plain = asked.expression(reading, "beginning")
    if not asked.query.groups or plain.match is None:
        return told
    return Expression(plain.match, True, plain.words, plain.share, plain.documents)


def _counted(
    connection: apsw.Connection, rows: list[tuple[int, int, int, str | None, int]]
) -> dict[str, tuple[tuple[str, int], ...]]:
    projects = dict(rows_of(connection, "SELECT id, project FROM session"))
    of_sessions = Counter(row[2] for row in rows)
    project: Counter[str] = Counter()
    for session, count in of_sessions.items():
        project[projects.get(session, "")] += count
    day: Counter[str] = Counter()
    for quarter, count in Counter(row[1] for row in rows).items():
        day[datetime.fromtimestamp(quarter * 900).strftime("%Y-%m-%d")] += count
    kinds = Counter(row[0] for row in rows)
    tools = Counter(row[3] for row in rows if row[3])
    return {
        "kind": tuple((KINDS[kind], count) for kind, count in kinds.most_common()),
        "tool": tuple(tools.most_common(SHOWN)),
        "project": tuple((name, n) for name, n in project.most_common(SHOWN) if name),
        "on": tuple(sorted(day.items(), reverse=True)[:SHOWN]),
    }
