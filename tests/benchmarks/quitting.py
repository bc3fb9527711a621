"""Quitting: how long the program takes to end in the middle of anything, over a real store.

    python -m tests.benchmarks.quitting STORE [--index FILE] [--rounds 3]

A process opens the screen on the store and quits while a first backfill runs, while it searches
for a common word by relevance, while it follows, and while a long session is opened. What is told
is the time from the key to the end of the process, interpreter and threads included.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from store.library import Library
from tests.benchmarks.measure import table
from tests.benchmarks.searching import indexed

MODULE = "tests.benchmarks.quitting"
MOMENTS = ("backfill", "search", "reading", "idle")


async def visit(store: Path, index: Path, moment: str) -> float:
    """Opens the screen, gets into the middle of something, and quits; when the key was pressed."""
    from tests.tui.helpers import make_app

    app = make_app(Library.open(sources=[store], index=index))
    async with app.run_test(size=(120, 40)) as pilot:
        if moment == "backfill":
            await asyncio.sleep(2.5)
        else:
            while app.jobs.following is False:
                await asyncio.sleep(0.02)
        if moment == "search":
            await pilot.press("slash", "e", "tab", "s")
        elif moment == "reading":
            await pilot.press("enter", "G", "right_square_bracket")
        elif moment == "idle":
            await asyncio.sleep(1)
        began = time.time()
        await app.action_quit()
    return began


def quitting(store: Path, index: Path, moment: str) -> float:
    """Seconds from the key to the end of the process."""
    command = [sys.executable, "-m", MODULE, str(store), "--only", moment, str(index)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return time.time() - float(json.loads(done.stdout))


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument("store", type=Path, help="a store of opencode, at rest")
    parser.add_argument("--rounds", type=int, default=3, help="times to do each (default 3)")
    parser.add_argument("--index", type=Path, help="an index to use, made where it is not there")
    parser.add_argument("--only", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    store = given.store.resolve()
    if given.only:
        moment, index = given.only
        print(json.dumps(asyncio.run(visit(store, Path(index), moment))), flush=True)
        sys.exit(0)
    rows = []
    with indexed(store, given.index) as (_, index), tempfile.TemporaryDirectory() as name:
        for moment in MOMENTS:
            times = []
            for number in range(max(1, given.rounds)):
                fresh = Path(name) / f"{moment}{number}.db"
                times.append(quitting(store, fresh if moment == "backfill" else index, moment))
                if fresh.exists():
                    os.unlink(fresh)
            rows.append([moment, f"{min(times):.2f}", f"{max(times):.2f}"])
    print("quitting: seconds from the key to the end of the process")
    print(table(["in the middle of", "least", "most"], rows))


if __name__ == "__main__":
    main()
