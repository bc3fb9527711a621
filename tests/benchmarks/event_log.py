"""What a large event log costs: a store with a million events against the same without any.

    python -m tests.benchmarks.event_log [--events 1000000] [--folder DIR]

Says how long the first look and a further one take, opening a session, and the review, and how
much memory the first look took.
"""

from __future__ import annotations

import argparse
import json
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from store.library import Library
from tests.makers import MessageSpec, PartSpec, SessionSpec, opencode_db, text, tool

SESSIONS = 200
ROUNDS = 80


def talks() -> list[SessionSpec]:
    """Sessions with a question, an answer with a tool, and in each fifth a removed answer."""
    return [
        SessionSpec(
            f"talk {number}",
            [
                MessageSpec("user", [PartSpec(text(f"question {number} {place}"))])
                if place % 2 == 0
                else MessageSpec(
                    "assistant",
                    [PartSpec(tool("bash", {"command": "make"}, "line\n" * 200))],
                    gone=number % 5 == 0 and place == 19,
                )
                for place in range(20)
            ],
            id=f"ses_{number:05}",
        )
        for number in range(SESSIONS)
    ]


def multiplied(path: Path, events: int) -> None:
    """Makes each session's log longer: a tool that streamed, again and again."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma synchronous = off")
        for number in range(SESSIONS):
            session = f"ses_{number:05}"
            rows = db.execute(
                "select seq, data from event where aggregate_id = ? and type like"
                " 'message.part.updated%' and data like '%bash%' limit 1",
                (session,),
            ).fetchall()
            part = json.loads(rows[0][1])
            part["part"]["state"]["status"] = "running"
            told = json.dumps(part)
            db.execute("update event set seq = seq + 2000000 where aggregate_id = ?"
                       " and type like '%removed%'", (session,))  # fmt: skip

            def more(session: str = session, told: str = told) -> Iterator[tuple[object, ...]]:
                for place in range(events // SESSIONS):
                    ident = f"evt_{session}_{place:07}"
                    yield ident, session, 1_000_000 + place, "message.part.updated.1", told

            db.executemany("insert into event(id, aggregate_id, seq, type, data)"
                           " values(?, ?, ?, ?, ?)", more())  # fmt: skip
        db.commit()


def cost(store: Path, index: Path) -> dict[str, float]:
    """Milliseconds of CPU of each thing, and the peak of memory in MB."""
    library = Library.open(sources=[store], index=index)
    stop = threading.Event()
    first = timed(lambda: library.sync(stop))
    library.close()
    library = Library.open(sources=[store], index=index)
    library.sessions(limit=10)
    store.touch()
    again = timed(lambda: library.sync(stop))
    names = [f"ses_{number * 7 % SESSIONS:05}" for number in range(ROUNDS)]
    opening = [timed(partial(library.around, name)) for name in names]
    review = [timed(lambda: library.happenings()) for _ in range(ROUNDS)]
    found = len(library.happenings().happenings)
    library.close()
    return {
        "first": first,
        "again": again,
        "opening": statistics.median(opening),
        "review": statistics.median(review),
        "happenings": found,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of CPU that a call takes."""
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000


def main() -> None:
    """Makes both stores and prints a line for each."""
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("--events", type=int, default=1_000_000)
    given.add_argument("--folder", default=None)
    given.add_argument("--cost", nargs=2, default=None, help=argparse.SUPPRESS)
    options = given.parse_args()
    if options.cost:
        print(json.dumps(cost(Path(options.cost[0]), Path(options.cost[1]))))
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        many = opencode_db(folder / "many.db", sessions=talks())
        few = opencode_db(folder / "few.db", sessions=talks())
        multiplied(many, options.events)
        for store in (few, many):
            command = [sys.executable, "-m", "tests.benchmarks.event_log", "--cost", str(store)]
            told = subprocess.run(
                [*command, str(folder / f"{store.stem}-index.db")],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            print(store.stem, f"{store.stat().st_size / 1e6:.0f} MB", told.strip())


if __name__ == "__main__":
    main()
