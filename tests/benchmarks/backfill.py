"""Reading a whole store into the index, against what SQLite alone can do.

    python -m tests.benchmarks.backfill STORE [--runs 3]

The baseline is one INSERT..SELECT into a bare full-text table and its final merge: no archive, no
rows of our own, no Chinese, no order by time. Both run in processes of their own, taking turns, and
the cheapest run of each counts. STORE must be at rest, as nothing here reads a write-ahead log.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import apsw

from store.library import Library
from tests.benchmarks.measure import MB, Cost, in_own_process, peak_bytes, table, timed

MODULE = "tests.benchmarks.backfill"

BODY = """
CASE data ->> '$.type'
    WHEN 'text' THEN data ->> '$.text'
    WHEN 'reasoning' THEN data ->> '$.text'
    WHEN 'tool' THEN (data ->> '$.tool') || ' ' || coalesce(data ->> '$.state.input', '') || ' '
        || coalesce(data ->> '$.state.output', data ->> '$.state.error', '')
END"""
TABLE = """
CREATE VIRTUAL TABLE bare USING fts5(
    body, content='', contentless_delete=1, tokenize='unicode61')"""
FILL = f"""
INSERT INTO bare(rowid, body)
SELECT place, body FROM (SELECT rowid AS place, {BODY} AS body FROM given.part) WHERE body != ''"""
GIVE_UP_S = 120.0


def baseline(store: Path, folder: Path) -> dict[str, Any]:
    """Fills a bare full-text table with one statement."""
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
    index = folder / "bare.db"
    connection = apsw.Connection(str(index), flags=flags)
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "normal")
    connection.execute("ATTACH ? AS given", (f"{store.as_uri()}?immutable=1",))

    def fill() -> None:
        connection.execute(TABLE)
        connection.execute("INSERT INTO bare(bare, rank) VALUES('automerge', 0)")
        connection.execute(FILL)
        connection.execute("INSERT INTO bare(bare) VALUES('optimize')")

    cost, _ = timed(fill)
    connection.close()
    return {**_told(cost), "bytes": index.stat().st_size}


def ours(store: Path, folder: Path) -> dict[str, Any]:
    """Brings a new index, or one that is up to date, up to the store."""
    index = folder / "ours.db"
    library = Library.open(sources=[store], index=index)
    cost, report = timed(lambda: library.sync(threading.Event()))
    library.close()
    documents = sum(source.documents for source in report.sources)
    return {**_told(cost), "bytes": index.stat().st_size, "documents": documents}


def newest(store: Path, folder: Path) -> dict[str, Any]:
    """How soon a word of the newest session is found while the store is read in."""
    session, word = newest_word(store)
    library = Library.open(sources=[store], index=folder / "newest.db")
    stop = threading.Event()
    began = time.perf_counter()
    reading = threading.Thread(target=library.sync, args=(stop,))
    reading.start()
    found = None
    while found is None and time.perf_counter() - began < GIVE_UP_S:
        time.sleep(0.02)
        if library.search(f"{word} session:{session}", limit=1).hits:
            found = time.perf_counter() - began
    stop.set()
    stopping, _ = timed(reading.join)
    library.close()
    return {"found": found, "stopped": stopping.wall}


def newest_word(store: Path) -> tuple[str, str]:
    """The session with the latest activity, and a word that was said in it."""
    connection = _at_rest(store)
    for session, text in connection.execute(
        "SELECT p.session_id, p.data ->> '$.text' FROM part p JOIN session s ON s.id = p.session_id"
        " WHERE p.data ->> '$.type' = 'text' ORDER BY s.time_updated DESC, p.time_created DESC"
    ):
        for word in re.findall("[A-Za-z]{4,}", text or ""):
            return str(session), str(word)
    raise SystemExit(f"{store} has no text to look for")


def sizes(store: Path) -> dict[str, int]:
    """Parts of a store, their stored bytes, and the bytes of the baseline's texts."""
    connection = _at_rest(store)
    sql = f"SELECT count(*), sum(octet_length(data)), sum(octet_length({BODY})) FROM part"
    for parts, stored, texts in connection.execute(sql):
        return {"parts": parts, "stored": stored or 0, "texts": texts or 0}
    raise AssertionError("an aggregate has one row")


def _at_rest(store: Path) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(f"{store.as_uri()}?immutable=1", flags=flags)


def _told(cost: Cost) -> dict[str, Any]:
    return {"cpu": cost.cpu, "wall": cost.wall, "peak": peak_bytes()}


def compare(store: Path, runs: int) -> None:
    """Runs everything and prints it."""
    size = sizes(store)
    print(
        f"{store.name}: {size['parts']:,} parts, {size['stored'] / MB:,.0f} MB stored,"
        f" {size['texts'] / MB:,.0f} MB of texts; the cheapest of {runs} runs each"
    )
    bare, full, again, soon = [], [], [], []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            bare.append(in_own_process(MODULE, "baseline", store, folder))
            full.append(in_own_process(MODULE, "ours", store, folder))
            again.append(in_own_process(MODULE, "ours", store, folder))
            soon.append(in_own_process(MODULE, "newest", store, folder))
    least, most, second = (min(some, key=lambda run: run["cpu"]) for some in (bare, full, again))
    rows = [
        _row("one INSERT..SELECT", least, least, size),
        _row("backscroll", most, least, size),
        _row("backscroll, again", second, least, size),
    ]
    print(table(["", "CPU s", "ratio", "wall s", "ratio", "peak MB", "index", "of texts"], rows))
    found = [run["found"] for run in soon if run["found"] is not None]
    shown = f"{min(found):.2f} to {max(found):.2f} s" if found else "never"
    print(f"newest session searchable after {shown};", end=" ")
    print(f"stopped within {max(run['stopped'] for run in soon):.2f} s")


def _row(name: str, run: dict[str, Any], base: dict[str, Any], size: dict[str, int]) -> list[str]:
    return [
        name,
        f"{run['cpu']:.2f}",
        f"{run['cpu'] / base['cpu']:.3f}",
        f"{run['wall']:.2f}",
        f"{run['wall'] / base['wall']:.3f}",
        f"{run['peak'] / MB:.0f}",
        f"{run['bytes'] / MB:.0f} MB",
        f"{100 * run['bytes'] / max(1, size['texts']):.0f} %",
    ]


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument("--only", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("store", type=Path, nargs="?", help="a store of opencode, at rest")
    parser.add_argument("--runs", type=int, default=3, help="runs of each (default 3)")
    given = parser.parse_args()
    if given.only:
        what, store, folder = given.only
        work = {"baseline": baseline, "ours": ours, "newest": newest}[what]
        print(json.dumps(work(Path(store), Path(folder))))
    elif given.store:
        compare(given.store.resolve(), max(1, given.runs))
    else:
        parser.error("which store?")


if __name__ == "__main__":
    main()
