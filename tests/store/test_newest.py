"""Newest first is exact, however the runs of documents lie in time."""

from __future__ import annotations

from itertools import islice

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store import newest as asked
from store.filters import FAR, Condition
from store.layout import DERIVED, KEPT
from store.newest import Plan, newest

RUNS = st.lists(st.lists(st.integers(0, 60), min_size=1, max_size=12), min_size=1, max_size=9)


def index_of(runs: list[list[int]]) -> apsw.Connection:
    """An index with these runs of documents, given by their times; each second one has `odd`."""
    connection = apsw.Connection(":memory:")
    for _ in connection.execute(KEPT + DERIVED):
        pass
    ident = 0
    for run in runs:
        first = ident + 1
        for time in sorted(run):
            ident += 1
            connection.execute(
                "INSERT INTO doc(id, session, kind, time) VALUES(?, 1, 0, ?)", (ident, time)
            )
            body = "every odd" if ident % 2 else "every"
            connection.execute("INSERT INTO fts(rowid, body) VALUES(?, ?)", (ident, body))
        row = (first, ident, min(run), max(run))
        connection.execute("INSERT INTO run VALUES(?, ?, ?, ?)", row)
    return connection


def by_time(connection: apsw.Connection, where: str = "1") -> list[tuple[int, int]]:
    """All documents of a condition, sorted by SQLite."""
    sql = f"SELECT time, id FROM doc WHERE {where} ORDER BY time DESC, id DESC"
    return [(time, ident) for time, ident in connection.execute(sql)]


@pytest.fixture
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few documents already need several questions."""
    monkeypatch.setattr(asked, "STEP", 3)
    monkeypatch.setattr(asked, "MANY", 5)
    monkeypatch.setattr(asked, "UNKNOWN", 2)


@pytest.mark.usefixtures("_small_steps")
@pytest.mark.parametrize("match", [None, '"every"', '"odd"'])
def test_all_documents_come_by_falling_time(match: str | None) -> None:
    @settings(max_examples=60, deadline=None)
    @given(RUNS, st.integers(0, 40))
    def check(runs: list[list[int]], page: int) -> None:
        connection = index_of(runs)
        expected = by_time(connection, "id % 2 = 1" if match == '"odd"' else "1")
        plan = Plan(match, Condition())
        first = list(islice(newest(connection, plan, (FAR, FAR)), page))
        assert first == expected[:page]
        rest = list(newest(connection, plan, first[-1] if first else (FAR, FAR)))
        assert first + rest == expected

    check()


def test_times_that_a_filter_leaves_out_are_not_looked_at() -> None:
    connection = index_of([[50, 55, 60], [30, 40], [10, 20]])
    within = Condition("d.time >= ? AND d.time < ?", (20, 55))
    plan = Plan(None, within, 20, 55)
    assert list(newest(connection, plan, (FAR, FAR))) == [(50, 1), (40, 5), (30, 4), (20, 7)]
