"""How long facets, literal scans and pieces of words take on an index.

    python -m tests.benchmarks.finding STORE [--index FILE]

A literal scan of everything is held against opening every block and looking for the bytes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

import zstandard

from store.schema import open_reader
from tests.benchmarks.measure import table, timed
from tests.benchmarks.queries import groups
from tests.benchmarks.searching import MS, indexed

MODULE = "tests.benchmarks.finding"
NOWHERE = "%%&"


def bare_scan(where: Path) -> None:
    """Opens every block and looks for bytes that are nowhere."""
    connection = open_reader(where)
    assert connection is not None
    opener = zstandard.ZstdDecompressor()
    for (packed,) in connection.execute("SELECT bytes FROM block"):
        assert isinstance(packed, bytes)
        assert NOWHERE.encode() not in opener.decompress(packed)
    connection.close()


def compare(store: Path, index: Path | None) -> None:
    """Runs everything twice and prints the quicker."""
    with indexed(store, index) as (library, where):
        connection = open_reader(where)
        assert connection is not None
        mix = groups(connection)
        connection.close()
        words = mix["common words"][:4] + mix["pieces of words"][:4]
        calls: dict[str, Callable[[], object]] = {
            f"facets {word}": partial(library.facets, word) for word in words
        }
        for word in words[-2:]:
            calls[f"literal {word}"] = partial(library.scan, word, limit=50)
        calls["literal scan of everything"] = partial(library.scan, NOWHERE)
        calls["every block opened"] = partial(bare_scan, where)
        rows = []
        for name, call in calls.items():
            costs = [timed(call)[0].cpu * MS for _ in range(2)]
            rows.append([name, f"{min(costs):.1f}"])
        print(table(["", "ms of CPU"], rows))


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument("store", type=Path, help="a store of opencode or MiMo Code")
    parser.add_argument("--index", type=Path, help="an index to use, made where it is not there")
    given = parser.parse_args()
    compare(given.store.resolve(), given.index)


if __name__ == "__main__":
    main()
