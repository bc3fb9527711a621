"""Damage: recorded stores with seeded faults, read whole; counts the inputs and what came of them.

    python -m tests.benchmarks.damage RECORDINGS [--inputs 2000] [--seed 0] [--minutes 10]

Each input is a copy of a recorded store with one fault of a kind, chosen by its seed: bits flipped,
a piece cut off, pages zeroed, broken JSON, wrong types, columns missing or added, deep nesting, NUL
bytes, lone surrogates. It is listed, indexed, searched, read around and shown. Whatever is no
StoreError is a finding: its seed is printed, and `--only SEED` makes that input again.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from tests.makers.damage import KINDS, damaged, recorded_stores, visit

MODULE = "tests.benchmarks.damage"


def one(stores: list[Path], seed: int, folder: Path) -> tuple[str, str, str]:
    """Makes and visits one input: the kind of fault, the store, what came of it."""
    shutil.rmtree(folder, ignore_errors=True)
    kind, name, path = damaged(stores, seed, folder)
    return kind, name, visit(path, folder / "index.db")


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument("recordings", type=Path, help="the folder of recorded stores")
    parser.add_argument("--inputs", type=int, default=2_000, help="inputs to try (default 2000)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default 0)")
    parser.add_argument("--minutes", type=float, default=10, help="stop after (default 10)")
    parser.add_argument("--only", type=int, help="make and visit this one input again")
    given = parser.parse_args()
    stores = recorded_stores(given.recordings)
    seeds = [given.only] if given.only is not None else range(given.seed, given.seed + given.inputs)
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
