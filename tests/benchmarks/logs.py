"""How soon the sessions of a home with many logs of DeepSeek Harness are listed.

    python -m tests.benchmarks.logs [--logs 2000]

The home is made in a temporary folder. Each line is a new library, as at the start of the program,
held against the least that must be done: looking at every folder and reading the first bytes of
every log, or of none where nothing changed.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import zstandard

from store.library import Library
from tests.benchmarks.measure import table, timed
from tests.makers import BASE
from tests.makers.harness import LogSpec, frame, harness_home, small_talk, to_line, user

MS = 1000
FIRST = 2_048
LISTED_MS = 300
"""What a list of 2,000 logs may take."""


def make(folder: Path, count: int) -> Path:
    """A home with so many logs, each of a few turns."""
    talk = [one for _ in range(5) for one in small_talk()]
    specs = [LogSpec(f"session-{number:05}", talk) for number in range(count)]
    return harness_home(folder / "home", specs)


def logs_of(home: Path) -> list[Path]:
    """All logs, in the order of their names."""
    return sorted(home.glob("sessions/*/*/session*.jsonl.zstd"))


def bare(home: Path, *, headers: bool) -> None:
    """Looks at every folder and file, and reads the header of each log."""
    for project in os.scandir(home / "sessions"):
        for session in os.scandir(project.path):
            for entry in os.scandir(session.path):
                entry.stat()
                if headers and entry.name.endswith(".zstd"):
                    with open(entry.path, "rb") as file:
                        opener = zstandard.ZstdDecompressor().decompressobj()
                        json.loads(opener.decompress(file.read(FIRST)))


def listed(home: Path, index: Path) -> int:
    """Opens the program's library and lists all sessions."""
    held = Library.open(sources=[home], index=index)
    held.refresh()
    found = held.sessions(limit=None).sessions
    held.close()
    return len(found)


def compare(count: int) -> None:
    """Prints each way beside its baseline; the quicker of two runs counts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        home, index = make(folder, count), folder / "index.db"

        def at_first() -> None:
            for path in folder.glob("index.db*"):
                path.unlink()
            assert listed(home, index) == count

        def changed() -> None:
            said = {**user("new", "u9"), "seq": 40, "time": BASE + 400}
            with logs_of(home)[0].open("ab") as file:
                file.write(frame(to_line(said)))
            assert listed(home, index) == count

        rows = [
            _row("first list", at_first, lambda: bare(home, headers=True)),
            _row("one log changed", changed, lambda: bare(home, headers=True)),
            _row("nothing changed", lambda: listed(home, index), lambda: bare(home, headers=False)),
        ]
        held = Library.open(sources=[home], index=index)
        held.sync(threading.Event())
        held.close()
        rows += [
            _row("one changed, after indexing", changed, lambda: bare(home, headers=True)),
        ]
        print(f"{count:,} logs; a first list of 2,000 may take {LISTED_MS} ms")
        print(table(["", "ms", "ms of CPU", "baseline ms", "ratio"], rows))


def _row(name: str, work: Callable[[], object], baseline: Callable[[], object]) -> list[str]:
    mine = min((timed(work)[0] for _ in range(3)), key=lambda cost: cost.wall)
    least = min((timed(baseline)[0] for _ in range(3)), key=lambda cost: cost.wall)
    return [
        name,
        f"{mine.wall * MS:.0f}",
        f"{mine.cpu * MS:.0f}",
        f"{least.wall * MS:.0f}",
        f"{mine.wall / least.wall:.1f}",
    ]


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.logs")
    parser.add_argument("--logs", type=int, default=2_000, help="how many logs")
    compare(parser.parse_args().logs)


if __name__ == "__main__":
    main()
