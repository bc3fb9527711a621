"""Following: what it costs while nothing happens, and how soon a commit is found.

    python -m tests.benchmarks.following STORE [--index FILE] [--idle 30] [--commits 20]

The store is changed: give it a copy. Idle is processor time of the whole process against the clock,
once with a library that only sits there and once with one that follows. A commit is a text part at
the end of a small session, then of the longest one, at ten a second; found means that a search
gives it. Beside them stands what a glance at the store costs.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

from store.library import Library
from store.source import Glancing
from store.sources import open_given
from tests.benchmarks.measure import percentile, table, timed
from tests.benchmarks.searching import indexed

MODULE = "tests.benchmarks.following"
LONGEST = "select session_id from part group by 1 order by count(*) desc limit 1"
SMALL = "select session_id from message group by 1 having count(*) < 60 limit 1"


def idle(seconds: float) -> float:
    """The share of one core that this process takes meanwhile."""
    cpu, wall = time.process_time(), time.perf_counter()
    time.sleep(seconds)
    return (time.process_time() - cpu) / (time.perf_counter() - wall)


def delays(library: Library, store: Path, session: str, commits: int) -> tuple[list[float], float]:
    """Seconds from each commit until it is found, and the share of a core meanwhile."""
    found: list[float] = []
    with closing(sqlite3.connect(store)) as db:
        db.execute("pragma journal_mode = wal")
        sql = "select id from message where session_id = ? order by time_created desc limit 1"
        (message,) = db.execute(sql, (session,)).fetchone()
        cpu, began = time.process_time(), time.perf_counter()
        for _ in range(commits):
            word = f"zq{time.time_ns()}"
            now = time.time_ns() // 1_000_000
            data = json.dumps({"type": "text", "text": f"{word} {'and more of it ' * 40}"})
            row = (f"prt_{word}", message, session, now, now, data)
            db.execute("insert into part values(?, ?, ?, ?, ?, ?)", row)
            db.commit()
            at = time.perf_counter()
            while not library.search(word).hits:
                time.sleep(0.004)
            found.append(time.perf_counter() - at)
            time.sleep(max(0.0, 0.1 - found[-1]))
        share = (time.process_time() - cpu) / (time.perf_counter() - began)
    return found, share


def follow(library: Library, store: Path, seconds: float, commits: int) -> None:
    """Prints all of it."""
    (source,), _ = open_given([store])
    assert isinstance(source, Glancing)
    source.glance()
    cost, _ = timed(source.glance)
    print(f"a glance: {cost.cpu * 1000:.1f} ms of CPU")
    resting = idle(seconds)
    stop, ready = threading.Event(), threading.Event()
    thread = threading.Thread(target=library.follow, args=(stop, lambda _: ready.set()))
    thread.start()
    ready.wait(60)
    time.sleep(1)
    print(f"idle: {idle(seconds):.3%} of a core, {resting:.3%} without following")
    with closing(sqlite3.connect(f"{store.as_uri()}?immutable=1", uri=True)) as db:
        sessions = {
            name: db.execute(sql).fetchone()[0]
            for name, sql in (("small session", SMALL), ("longest session", LONGEST))
        }
    rows = []
    for name, session in sessions.items():
        times, share = delays(library, store, session, commits)
        cells = [f"{percentile(times, part) * 1000:.0f}" for part in (0.5, 0.95, 1)]
        rows.append([name, *cells, f"{share:.0%}"])
    began = time.perf_counter()
    stop.set()
    thread.join()
    print("from a commit until it is found, ms of wall; CPU of all, searches included")
    print(table(["", "p50", "p95", "most", "CPU"], rows))
    print(f"stopped within {(time.perf_counter() - began) * 1000:.0f} ms")


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument("store", type=Path, help="a copy of a store of opencode, at rest")
    parser.add_argument("--index", type=Path, help="an index to use, made where it is not there")
    parser.add_argument("--idle", type=float, default=30, help="seconds of rest (default 30)")
    parser.add_argument("--commits", type=int, default=20, help="of each kind (default 20)")
    given = parser.parse_args()
    store = given.store.resolve()
    with indexed(store, given.index) as (library, _):
        follow(library, store, given.idle, max(1, given.commits))


if __name__ == "__main__":
    main()
