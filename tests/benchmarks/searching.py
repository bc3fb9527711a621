"""How long searches take, against the bare full-text query on the same index.

    python -m tests.benchmarks.searching STORE [--index FILE] [--rounds 3]

Every query of the mix is asked once in a round, so each finds the caches as another one left them,
and its quickest round counts. The baseline gives ids only: no filters, no order by time, no total,
no text. The index is made first, unless --index names one that is there.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw

from store.door import Sort
from store.library import Library
from store.query import match, parse
from store.schema import open_reader
from store.sqlite import rows_of
from tests.benchmarks.measure import percentile, table, timed
from tests.benchmarks.queries import groups

MODULE = "tests.benchmarks.searching"
LIMIT = 50
ORDERS: dict[Sort, str] = {"newest": "rowid DESC", "relevance": "rank"}
MS = 1000


@contextlib.contextmanager
def indexed(store: Path, index: Path | None) -> Iterator[tuple[Library, Path]]:
    """A library over the store that is up to date, and where its index lies."""
    with tempfile.TemporaryDirectory() as folder:
        where = index or Path(folder) / "index.db"
        library = Library.open(sources=[store], index=where)
        library.sync(threading.Event())
        try:
            yield library, where
        finally:
            library.close()


def bare(connection: apsw.Connection, text: str, sort: Sort) -> Callable[[], object]:
    """The full-text query for the terms of a typed query."""
    expression = match(parse(text, time.time_ns() // 1_000_000))
    sql = f"SELECT rowid FROM fts WHERE fts MATCH ? ORDER BY {ORDERS[sort]} LIMIT {LIMIT}"
    if expression is None:
        sql, expression = f"SELECT id FROM doc WHERE ? ORDER BY id DESC LIMIT {LIMIT}", "1"
    return lambda: rows_of(connection, sql, (expression,))


def measure(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, tuple[float, float]]:
    """CPU and wall ms of each call in its quickest round."""
    quickest: dict[str, tuple[float, float]] = {}
    for _ in range(rounds):
        for name, call in calls.items():
            cost, _ = timed(call)
            now = (cost.cpu * MS, cost.wall * MS)
            quickest[name] = min(quickest.get(name, now), now)
    return quickest


def compare(store: Path, index: Path | None, rounds: int) -> None:
    """Runs everything and prints it."""
    with indexed(store, index) as (library, where):
        connection = open_reader(where)
        assert connection is not None
        mix = groups(connection)
        texts = [text for queries in mix.values() for text in queries]
        for sort in ORDERS:
            base = measure({text: bare(connection, text, sort) for text in texts}, rounds)
            full = measure({text: _search(library, text, sort) for text in texts}, rounds)
            print(f"{store.name}, {sort} {LIMIT}: ms of CPU (bare query in brackets); wall")
            names = {**mix, "all": texts}
            rows = [_row(name, names[name], full, base) for name in names]
            print(table(["", "queries", "p50", "p95", "max", "ratio", "wall p95", "slowest"], rows))
            print()
        connection.close()


def _search(library: Library, text: str, sort: Sort) -> Callable[[], object]:
    return lambda: library.search(text, limit=LIMIT, sort=sort)


def _row(
    name: str,
    queries: list[str],
    full: dict[str, tuple[float, float]],
    base: dict[str, tuple[float, float]],
) -> list[str]:
    mine, theirs = [full[text][0] for text in queries], [base[text][0] for text in queries]
    cells = [
        f"{percentile(mine, share):.2f} ({percentile(theirs, share):.2f})"
        for share in (0.5, 0.95, 1.0)
    ]
    ratio = f"{sum(mine) / sum(theirs):.1f}"
    wall = f"{percentile([full[text][1] for text in queries], 0.95):.2f}"
    slowest = max(queries, key=lambda text: full[text][0])
    return [name, str(len(queries)), *cells, ratio, wall, slowest]


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument("store", type=Path, help="a store of opencode or MiMo Code")
    parser.add_argument("--index", type=Path, help="an index to use, made where it is not there")
    parser.add_argument("--rounds", type=int, default=3, help="times to ask the mix (default 3)")
    given = parser.parse_args()
    compare(given.store.resolve(), given.index, max(1, given.rounds))


if __name__ == "__main__":
    main()
