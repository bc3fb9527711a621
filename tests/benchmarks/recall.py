"""Whether a search finds all that a plain scan finds, on a store of any size.

    python -m tests.benchmarks.recall STORE [--index FILE] [--words 120] [--seed 1]

Words, pieces of words and Han text are drawn at random from the store's own texts. Each is scanned
for in all texts, which is the baseline, and searched for over all pages. Han text also counts where
a line ends within it, as it does in the index. Ends with 1 where a document was missed, or found
without having the word.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from functools import partial
from pathlib import Path

from tests.benchmarks.measure import table, timed
from tests.benchmarks.searching import indexed
from tests.store.scanning import HAN, drawn, found_by, holding, texts_of

MODULE = "tests.benchmarks.recall"


def compare(store: Path, index: Path | None, words: int, seed: int) -> int:
    """Prints what was held, found, missed and too much; the documents that were wrong."""
    with indexed(store, index) as (library, where):
        texts = texts_of(where)
        asked = list(dict.fromkeys(drawn(texts, random.Random(seed), words)))
        held = missed = extra = 0
        scanning = searching = 0.0
        for word in asked:
            cost, there = timed(partial(holding, texts, word))
            scanning += cost.cpu
            cost, found = timed(partial(found_by, library, word))
            searching += cost.cpu
            there |= {key for key in found - there if _is_broken(word, texts.get(key, ""))}
            if wrong := there ^ found:
                print(f"{word!r}: {len(there - found)} missed, {len(found - there)} too much")
                print("   ", sorted(map(str, wrong))[:3])
            held += len(there)
            missed += len(there - found)
            extra += len(found - there)
    shares = [f"{len(asked):,}", f"{held:,}", f"{missed:,}", f"{extra:,}"]
    costs = [f"{scanning:.1f}", f"{searching:.1f}", f"{searching / max(scanning, 1e-9):.2f}"]
    head = ["words", "documents", "missed", "too much", "scan, s", "all pages, s", "ratio"]
    print(f"{store.name}: {len(texts):,} documents")
    print(table(head, [[*shares, *costs]]))
    return missed + extra


def _is_broken(word: str, text: str) -> bool:
    """Whether Han text stands there with nothing but space or punctuation within it."""
    return HAN.fullmatch(word) is not None and re.search(r"[\W_]*".join(word), text) is not None


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument("store", type=Path, help="a store of opencode or MiMo Code")
    parser.add_argument("--index", type=Path, help="an index to use, made where it is not there")
    parser.add_argument("--words", type=int, default=120, help="words to draw (default 120)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (default 1)")
    given = parser.parse_args()
    sys.exit(bool(compare(given.store.resolve(), given.index, given.words, given.seed)))


if __name__ == "__main__":
    main()
