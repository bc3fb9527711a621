"""Reading: a window of a conversation, and 1 MB of tool output on the screen.

    python -m tests.benchmarks.reading STORE [--index FILE] [--rounds 5]

The baseline of a window are its rows from SQLite, without a model. On the screen a ticker wants to
run every 5 ms; how much later it comes is how long a key would have waited. The index is made
first, unless --index names one that is there.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import apsw

from store.library import Library
from store.model import Hit
from store.schema import open_reader
from store.sqlite import one, rows_of
from tests.benchmarks.measure import percentile, table
from tests.benchmarks.searching import indexed, measure
from tests.tui.helpers import shell
from tui.widgets.textview import TextView
from tui.widgets.viewer import PartViewer

MODULE = "tests.benchmarks.reading"
TICK_S = 0.005
EACH = 40
MS = 1000
WINDOW = """
SELECT (SELECT group_concat(data) FROM part WHERE message_id = m.id)
FROM (SELECT id FROM message WHERE session_id = ?1
        AND (time_created, id) <= (?2, ?3) ORDER BY time_created DESC, id DESC LIMIT ?4 + 1) m
UNION ALL
SELECT (SELECT group_concat(data) FROM part WHERE message_id = m.id)
FROM (SELECT id FROM message WHERE session_id = ?1
        AND (time_created, id) > (?2, ?3) ORDER BY time_created, id LIMIT ?4) m"""

Place = tuple[str, int, str]
"""A message: its session, its time, its id."""


# Windows -----------------------------------------------------------------------------------------


def places(connection: apsw.Connection) -> dict[str, list[Place]]:
    """Messages at even distances: through the whole store, and through its longest session."""
    columns = "SELECT session_id, time_created, id FROM message"
    longest = one(
        connection, "SELECT session_id FROM message GROUP BY 1 ORDER BY count(*) DESC LIMIT 1"
    )
    found = {}
    for name, where, values in (
        ("anywhere", "", ()),
        ("longest session", " WHERE session_id = ?", (longest,)),
    ):
        rows = rows_of(connection, f"{columns}{where} ORDER BY time_created, id", values)
        label = f"{name} ({len(rows):,} messages)"
        found[label] = [(row[0], row[1], row[2]) for row in rows[:: max(1, len(rows) // EACH)]]
    return found


def windows(library: Library, store: Path, rounds: int) -> None:
    """Prints what windows of 5 and of 50 messages on each side cost."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"{store.as_uri()}?immutable=1", flags=flags)
    rows = []
    for name, some in places(connection).items():
        for side in (5, 50):
            base = measure({place[2]: _bare(connection, place, side) for place in some}, rounds)
            full = measure({place[2]: _around(library, place, side) for place in some}, rounds)
            mine, theirs = [cpu for cpu, _ in full.values()], [cpu for cpu, _ in base.values()]
            cells = [
                f"{percentile(mine, share):.2f} ({percentile(theirs, share):.2f})"
                for share in (0.5, 0.95)
            ]
            wall = f"{percentile([wall for _, wall in full.values()], 0.95):.2f}"
            rows.append(
                [f"{name}, {side} each side", *cells, f"{sum(mine) / sum(theirs):.1f}", wall]
            )
    connection.close()
    print("windows: ms of CPU (rows alone in brackets); wall")
    print(table(["", "p50", "p95", "ratio", "wall p95"], rows))


def _around(library: Library, place: Place, side: int) -> Callable[[], object]:
    return lambda: library.around(place[2], before=side, after=side)


def _bare(connection: apsw.Connection, place: Place, side: int) -> Callable[[], object]:
    return lambda: rows_of(connection, WINDOW, (*place, side))


# The screen --------------------------------------------------------------------------------------


class Ticker:
    """Notes the longest time by which the event loop was late."""

    def __init__(self) -> None:
        self.late = 0.0

    async def run(self) -> None:
        """Ticks until it is cancelled."""
        while True:
            due = time.perf_counter() + TICK_S
            await asyncio.sleep(TICK_S)
            self.late = max(self.late, time.perf_counter() - due)


async def stalled(work: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """Seconds that some work took, and the longest stall meanwhile."""
    ticker = Ticker()
    task = asyncio.create_task(ticker.run())
    await asyncio.sleep(4 * TICK_S)
    ticker.late = 0.0
    began = time.perf_counter()
    await work()
    took = time.perf_counter() - began
    await asyncio.sleep(4 * TICK_S)
    task.cancel()
    return took, ticker.late


def longest_output(library: Library, index: Path) -> Hit:
    """The hit on the tool output with the most bytes."""
    connection = open_reader(index)
    assert connection is not None
    for native, session in rows_of(
        connection,
        "SELECT p.native, s.native FROM part p JOIN message m ON m.id = p.message"
        " JOIN session s ON s.id = m.session WHERE p.tool IS NOT NULL ORDER BY p.length DESC"
        " LIMIT 20",
    ):
        content = library.show(native).parts[0].content
        words = re.findall("[A-Za-z]{4,}", getattr(content, "output", None) or "")
        if words:
            query = f"{words[0]} kind:tool_output session:{session}"
            for hit in library.search(query, limit=1000).hits:
                if hit.part == native:
                    connection.close()
                    return hit
    raise SystemExit("this store has no long tool output")


async def screen(library: Library, index: Path, rounds: int) -> None:
    """Prints how long it takes to open a conversation at a large output, and the output alone."""
    hit = longest_output(library, index)
    part = library.show(hit.id).parts[0]
    async with shell(library) as opened:
        reader = opened.screen.reader

        async def conversation() -> None:
            reader._clear()
            reader.open_hit(hit, ())
            await opened.rest()

        async def alone() -> None:
            await opened.app.push_screen(PartViewer(part))
            await opened.pilot.pause()

        async def counted() -> None:
            view = opened.app.screen.query_one(TextView)
            while not view.lines.whole:
                await asyncio.sleep(TICK_S)

        times: dict[str, list[tuple[float, float]]] = {}
        for _ in range(rounds):
            for name, work in (
                ("the conversation at it", conversation),
                ("its first screen, alone", alone),
                ("and until all lines are counted", counted),
            ):
                times.setdefault(name, []).append(await stalled(work))
            opened.app.pop_screen()
            await opened.rest()
    print(f"on the screen: a tool output of {part.size:,} stored bytes, 120 x 40; ms of wall")
    rows = [
        [name, *(f"{MS * value:.0f}" for value in (min(took), max(took), min(late), max(late)))]
        for name, (took, late) in (
            (name, tuple(zip(*some, strict=True))) for name, some in times.items()
        )
    ]
    print(table(["", "least", "most", "stall, least", "most"], rows))


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument("store", type=Path, help="a store of opencode, at rest")
    parser.add_argument("--index", type=Path, help="an index to use, made where it is not there")
    parser.add_argument("--rounds", type=int, default=5, help="times to do each (default 5)")
    given = parser.parse_args()
    store, rounds = given.store.resolve(), max(1, given.rounds)
    with indexed(store, given.index) as (library, where):
        windows(library, store, rounds)
        print()
        asyncio.run(screen(library, where, rounds))


if __name__ == "__main__":
    main()
