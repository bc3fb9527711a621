"""Damage: recorded stores with seeded faults, read whole; counts the inputs and what came of them.

    python -m tests.benchmarks.damage RECORDINGS [--inputs 2000] [--seed 0] [--minutes 10] [--large]

Each input is a copy of a recorded store with one fault of a kind, chosen by its seed: bits flipped,
a piece cut off, pages zeroed, broken JSON, wrong types, columns missing or added, deep nesting, NUL
bytes, lone surrogates. It is listed, indexed, searched, read around and shown. Whatever is no
StoreError is a finding: its seed is printed, and `--again SEED` makes that input again. With
`--large` a made store with a part of 38 MB, a message of 300 MB and 10,000 levels of nesting is
read, and the most memory that took is printed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sqlite3
import tempfile
import time
import traceback
from collections import Counter
from contextlib import closing
from pathlib import Path

from tests.benchmarks.measure import MB, in_own_process, peak_bytes
from tests.makers import opencode_db, two_talks
from tests.makers.damage import KINDS, damaged, recorded_stores, visit

MODULE = "tests.benchmarks.damage"


def one(stores: list[Path], seed: int, folder: Path) -> tuple[str, str, str]:
    """Makes and visits one input: the kind of fault, the store, what came of it."""
    shutil.rmtree(folder, ignore_errors=True)
    kind, name, path = damaged(stores, seed, folder)
    return kind, name, visit(path, folder / "index.db")


def large(folder: Path) -> str:
    """Reads a store with rows that are too large; what came of it, and the most memory."""
    path = opencode_db(folder / "opencode.db", sessions=two_talks())
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma journal_mode = delete")
        text = """select '{"type":"text","text":"' || hex(zeroblob(?)) || '"}'"""
        message = text.replace('"type":"text"', '"role":"user"')
        deep = '{"type":"text","text":"x","deep":' + "[" * 10_000 + "]" * 10_000 + "}"
        parts = [row[0] for row in db.execute("select id from part order by id limit 2")]
        sql = "update part set time_updated = 9, data = ({}) where id = ?"
        db.execute(sql.format(text), (19_000_000, parts[0]))
        db.execute(sql.format("?"), (deep, parts[1]))
        sql = f"update message set data = ({message}) where id = (select max(id) from message)"
        db.execute(sql, (150_000_000,))
        db.commit()
    told = in_own_process(MODULE, path)  # making such rows takes much memory too
    size = path.stat().st_size
    words = f"{told['outcome']}; {told['peak'] / MB:.0f} MB of memory at most"
    return f"a store of {size / MB:.0f} MB: {words}"


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument(
        "recordings", type=Path, nargs="?", default=Path(), help="the folder of recorded stores"
    )
    parser.add_argument("--inputs", type=int, default=2_000, help="inputs to try (default 2000)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default 0)")
    parser.add_argument("--minutes", type=float, default=10, help="stop after (default 10)")
    parser.add_argument("--again", type=int, help="make and visit this one input again")
    parser.add_argument("--only", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--large", action="store_true", help="read rows that are too large")
    given = parser.parse_args()
    if given.only:
        outcome = visit(given.only, given.only.with_name("index.db"))
        print(json.dumps({"outcome": outcome, "peak": peak_bytes()}))
        return
    if given.large:
        with tempfile.TemporaryDirectory() as name:
            print(large(Path(name)))
        return
    stores = recorded_stores(given.recordings)
    seeds = (
        [given.again] if given.again is not None else range(given.seed, given.seed + given.inputs)
    )
    outcomes: Counter[tuple[str, str]] = Counter()
    findings: list[int] = []
    end = time.monotonic() + 60 * given.minutes
    with tempfile.TemporaryDirectory() as name:
        for seed in seeds:
            if time.monotonic() > end:
                break
            try:
                kind, _, outcome = one(stores, seed, Path(name) / "input")
            except Exception:
                findings.append(seed)
                print(f"seed {seed}:")
                traceback.print_exc()
                continue
            outcomes[kind, outcome] += 1
    tried = sum(outcomes.values()) + len(findings)
    print(f"{tried} inputs of {len(stores)} stores, {len(findings)} findings: {findings}")
    for kind in KINDS:
        told = {outcome: n for (one, outcome), n in sorted(outcomes.items()) if one == kind}
        print(f"  {kind:<12}", ", ".join(f"{outcome} {n}" for outcome, n in told.items()))
    raise SystemExit(bool(findings))


if __name__ == "__main__":
    main()
