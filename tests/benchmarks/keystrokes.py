"""From a key in the search bar to the painted hits, on the screen over a whole store.

    python -m tests.benchmarks.keystrokes STORE [--index FILE]

Types words of the store letter by letter, the next one once the hits of the last are painted. The
baseline is the same search through the library without a screen, so the ratio says what the screen
adds. The index is made first, unless --index names one that is there.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from store.schema import open_reader
from tests.benchmarks.measure import percentile, table
from tests.benchmarks.queries import groups
from tests.benchmarks.screen import Screen, opened
from tests.benchmarks.searching import indexed
from tui.jobs import PAGE
from tui.widgets.panes import HitsPane
from tui.widgets.searchbar import SearchBar

MODULE = "tests.benchmarks.keystrokes"
MS = 1000
EACH = 4
"""Words of a group that are typed."""
REST_S = 0.1
"""Between two keys, as a quick person types."""
TYPED = ("common words", "middle words", "rare words", "two words", "Chinese, 2 characters")


async def typed(held: Screen, words: Sequence[str]) -> list[tuple[str, float]]:
    """Each beginning of each word, and the seconds until its hits were painted."""
    browse = held.app._browse
    bar, pane = browse.query_one(SearchBar), browse.query_one(HitsPane)
    times: list[tuple[str, float]] = []

    def answered(text: str) -> Callable[[], bool]:
        return lambda: pane.text == text and pane.answer is not None and not pane._waiting

    for word in words:
        held.key("slash")
        await asyncio.sleep(REST_S)
        bar.field.value = ""
        await asyncio.sleep(3 * REST_S)
        for end, letter in enumerate(word, 1):
            shown = word[:end]
            began = time.perf_counter()
            held.key(letter)
            ended = await held.painted_with(answered(shown))
            times.append((shown, ended - began))
            await asyncio.sleep(REST_S)
    return times


async def compare(store: Path, index: Path) -> str:
    """Runs everything and tells it."""
    connection = open_reader(index)
    assert connection is not None
    mix = groups(connection)
    connection.close()
    words = {name: mix[name][:EACH] for name in TYPED if name in mix}
    rows = []
    async with opened(store, index) as held:
        door = held.app._browse.jobs.door
        everything: list[tuple[float, float]] = []
        for name, some in words.items():
            times = await typed(held, some)
            alone = []
            for text, _ in times:
                began = time.perf_counter()
                await asyncio.to_thread(door.search, text, limit=PAGE)
                alone.append(time.perf_counter() - began)
            pairs = [(wall, bare) for (_, wall), bare in zip(times, alone, strict=True)]
            everything += pairs
            rows.append(_row(name, pairs))
        rows.append(_row("all", everything))
    return table(["ms", "keys", "painted p50", "p95", "most", "search p95", "ratio"], rows)


def _row(name: str, pairs: Sequence[tuple[float, float]]) -> list[str]:
    walls, bare = [wall for wall, _ in pairs], [alone for _, alone in pairs]
    shown = [percentile(walls, 0.5), percentile(walls, 0.95), max(walls), percentile(bare, 0.95)]
    return [
        name,
        str(len(pairs)),
        *(f"{MS * value:.1f}" for value in shown),
        f"{sum(walls) / sum(bare):.1f}",
    ]


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument("store", type=Path, help="a store of opencode or MiMo Code")
    parser.add_argument("--index", type=Path, help="an index to use, made where it is not there")
    given = parser.parse_args()
    with indexed(given.store.resolve(), given.index) as (_, where):
        print(asyncio.run(compare(given.store.resolve(), where)))


if __name__ == "__main__":
    main()
