"""The screen: its first paint, a window of large outputs, paging, narrowing, memory.

    python -m tests.benchmarks.screen [--sessions 20000] [--minutes 2] [--seed 1]

Makes a store with many small sessions and one whose eleven messages have five outputs of 1 MB,
indexes it, and measures each thing in a process of its own, at 120 x 40. A key is painted when the
screen was next handed to the terminal. A ticker wants to run every 5 ms; how much later it comes
is how long the event loop stood still. CPU is that of all threads.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

from store.library import Library
from tests.benchmarks.measure import in_own_process, peak_bytes, percentile, table
from tests.makers import BASE, MessageSpec, PartSpec, SessionSpec, opencode_db, text, tool

MODULE = "tests.benchmarks.screen"
MS = 1000
SIZE = (120, 40)
MEGABYTE = 1_000_000
LARGE = "ses_large"
PATIENCE_S = 0.4
"""Seconds after which a key is taken to paint nothing."""
LONGEST_S = 30
TICK_S = 0.005
KEYS = "j k J K down up enter escape slash a e r g G n N space z t d 1 2 3 tab plus s p v f O R I"
MORE_KEYS = "m y u U pagedown pageup left_square_bracket right_square_bracket ctrl+d ctrl+u L S"
WORDS = "fix pool timeout rename tables retry backoff 连接池 超时 migrate runner explain"

# What is shown ----------------------------------------------------------------------------------


def sessions(count: int, seed: int) -> list[SessionSpec]:
    """Small sessions of forty projects, and the large one as the newest."""
    dice = Random(seed)
    words = WORDS.split()
    made = [
        SessionSpec(
            " ".join(dice.choices(words, k=5)),
            [MessageSpec("user", [text(" ".join(dice.choices(words, k=20)))], time=BASE + n)],
            id=f"ses_{n:06}",
            directory=f"/home/ada/src/project-{n % 40}",
            time=BASE + n,
        )
        for n in range(count)
    ]
    line = "2026-11-28 14:02:11 INFO tests/pool/test_start.py:31 could not connect to 10.0.0.7\n"
    output = line * (MEGABYTE // len(line))
    now = BASE + count + 1000
    messages = [
        MessageSpec(
            "assistant" if n % 2 else "user",
            [PartSpec(tool("bash", {"command": f"make {n}"}, output)), PartSpec(text("It ended."))]
            if n % 2
            else [PartSpec(text("Run it again, and tell me what it says. " * 40))],
            time=now + n,
        )
        for n in range(11)
    ]
    return [*made, SessionSpec("Large outputs", messages, id=LARGE, time=now)]


# Measuring --------------------------------------------------------------------------------------


class Screen:
    """An app without a terminal that tells when it handed something to it."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.painted = asyncio.Event()
        self._there: Callable[[], bool] = lambda: False
        self._awaited: asyncio.Future[float] | None = None
        self._display = app._display
        app._display = self._displayed

    def _displayed(self, *given: Any) -> None:
        from textual._compositor import CompositorUpdate

        self._display(*given)
        if isinstance(given[-1], CompositorUpdate):
            given[-1].render_segments(self.app.console)  # headless apps leave that out
        self.painted.set()
        if self._awaited is not None and not self._awaited.done() and self._there():
            self._awaited.set_result(time.perf_counter())

    async def painted_with(self, there: Callable[[], bool]) -> float:
        """Waits until the screen is painted while something is so; the time of that."""
        self._there, self._awaited = there, asyncio.get_running_loop().create_future()
        return await asyncio.wait_for(self._awaited, LONGEST_S)

    def key(self, name: str) -> None:
        """Presses a key as the terminal would."""
        from textual.events import Key

        driver = self.app._driver
        event = Key(name, name if len(name) == 1 else None)
        event.set_sender(self.app)
        driver.send_message(event)

    async def pressed(self, name: str) -> tuple[float, float] | None:
        """CPU and wall seconds until a key is painted; None where it paints nothing."""
        self.painted.clear()
        cpu, wall = time.process_time(), time.perf_counter()
        self.key(name)
        try:
            await asyncio.wait_for(self.painted.wait(), PATIENCE_S)
        except TimeoutError:
            return None
        return time.process_time() - cpu, time.perf_counter() - wall

    async def until(self, there: Callable[[], bool]) -> None:
        """Waits until something is so and painted."""
        end = time.monotonic() + LONGEST_S
        while not there():
            if time.monotonic() > end:
                raise SystemExit("what was waited for never came")
            await asyncio.sleep(0.001)
        self.painted.clear()
        self.app.screen.refresh()
        await self.painted.wait()


@asynccontextmanager
async def opened(store: Path, index: Path) -> AsyncIterator[Screen]:
    """The screen on the store, at rest."""
    from tests.tui.helpers import make_app
    from tui import memory

    memory.spare()  # as a run of the program does
    library = Library.open(sources=[store], index=index)
    app = make_app(library)
    gc.freeze()  # as a run of the program does
    async with app.run_test(size=SIZE) as pilot:
        held = Screen(app)
        while not app.jobs.following:
            await asyncio.sleep(0.02)
        app._browse.flush()
        await asyncio.sleep(0.5)
        await pilot.pause()
        yield held
    library.close()


async def stall(work: Callable[[], Awaitable[object]]) -> float:
    """The longest time by which the event loop was late while something was done."""
    late = 0.0

    async def tick() -> None:
        nonlocal late
        while True:
            due = time.perf_counter() + TICK_S
            await asyncio.sleep(TICK_S)
            late = max(late, time.perf_counter() - due)

    task = asyncio.create_task(tick())
    await asyncio.sleep(4 * TICK_S)
    late = 0.0
    await work()
    await asyncio.sleep(20 * TICK_S)
    task.cancel()
    return late


async def first(store: Path, index: Path) -> dict[str, float]:
    """Seconds from `import textual.app` to the list of sessions on the screen."""
    import textual.app  # noqa: F401

    cpu, wall = time.process_time(), time.perf_counter()
    gc.disable()  # as a run of the program does
    from tui.app import BackscrollApp
    from tui.settings import Loaded, Settings

    gc.freeze()
    gc.enable()
    library = Library.open(sources=[store], index=index)
    app = BackscrollApp(library, Loaded(Settings(), Path("/nowhere/settings.toml")))
    async with app.run_test(size=SIZE):
        held = Screen(app)
        await held.until(lambda: bool(app._browse.sessions.list.rows))
        found = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    library.close()
    return found


async def window(store: Path, index: Path) -> dict[str, float]:
    """Opening the session of large outputs: folded, all unfolded, one of them alone."""
    from tui.widgets.arranging import session_of

    async with opened(store, index) as held:
        browse = held.app._browse
        reader = browse.reader
        listed = map(session_of, browse.sessions.list.rows)
        session = next(one for one in listed if one and one.id == LARGE)
        reader.ident, reader.window = "", None
        reader._clear()
        found: dict[str, float] = {}

        async def measured(name: str, work: Callable[[], Awaitable[object]]) -> None:
            cpu, wall = time.process_time(), time.perf_counter()

            async def run() -> None:
                await work()
                found[name] = time.perf_counter() - wall
                found[f"{name}_cpu"] = time.process_time() - cpu

            found[f"{name}_stall"] = await stall(run)

        async def open_it() -> None:
            reader.open_session(session)
            await held.until(lambda: reader.window is not None
                             and reader.transcript.layout_rows is not None
                             and len(reader.transcript.blocks) > 10)  # fmt: skip

        async def unfold() -> None:
            rows = len(reader.transcript.layout_rows.rows)
            held.key("z")
            await held.until(lambda: len(reader.transcript.layout_rows.rows) > rows + 100)

        await measured("window", open_it)
        browse.action_pane("reader")
        await asyncio.sleep(0.3)
        await measured("unfolded", unfold)
        await asyncio.sleep(0.3)
        for _ in range(2):
            await held.pressed("j")
        await measured("alone", lambda: held.pressed("enter"))
    return found


async def keys(held: Screen, names: Sequence[str]) -> dict[str, float]:
    """What each of some keys costs, and when it is painted."""
    times = []
    for name in names:
        done = await held.pressed(name)
        await asyncio.sleep(0.05)
        if done is not None:
            times.append(done)
    if not times:
        raise SystemExit(f"{names[0]} painted nothing")
    cpu, wall = zip(*times, strict=True)
    return {
        "keys": len(times),
        "cpu": sum(cpu) / len(cpu),
        "cpu_p95": percentile(cpu, 0.95),
        "p50": percentile(wall, 0.5),
        "p95": percentile(wall, 0.95),
    }


async def paging(store: Path, index: Path) -> dict[str, dict[str, float]]:
    """Page keys in the conversation with all unfolded, in its output alone, in the sessions."""
    async with opened(store, index) as held:
        browse = held.app._browse
        found = {"sessions, page": await keys(held, ["pagedown"] * 60)}
        found["sessions, down"] = await keys(held, ["j"] * 60)
        held.key("g")
        await asyncio.sleep(1)
        browse.action_pane("reader")
        await asyncio.sleep(0.3)
        held.key("z")
        await asyncio.sleep(1)
        found["reading, page"] = await keys(held, ["pagedown"] * 12 + ["pageup"] * 12)
        found["reading, next part"] = await keys(held, ["j"] * 40)
        for name in ("g", "j", "enter"):
            held.key(name)
            await asyncio.sleep(0.5)
        found["alone, page"] = await keys(held, ["pagedown"] * 60)
    return found


async def typing(store: Path, index: Path) -> dict[str, dict[str, float]]:
    """Narrowing the sessions letter by letter."""
    async with opened(store, index) as held:
        held.key("f")
        await asyncio.sleep(0.3)
        found = {"narrow, letter": await keys(held, [*"pool", *(["backspace"] * 4), *"project"])}
    return found


async def use(store: Path, index: Path, minutes: float, seed: int) -> dict[str, float]:
    """Megabytes after random keys, and the most at once."""
    dice, count, names = Random(seed), 0, f"{KEYS} {MORE_KEYS}".split()
    async with opened(store, index) as held:
        before = _resident()
        end = time.monotonic() + 60 * minutes
        while time.monotonic() < end:
            held.key(dice.choice(names))
            count += 1
            await asyncio.sleep(0.03)
            if count % 20 == 0:
                while held.app.screen is not held.app._browse:
                    held.key("escape")
                    await asyncio.sleep(0.05)
        after = _resident()
    return {"keys": count, "before": before, "after": after, "peak": peak_bytes() / MEGABYTE}


def _resident() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / MEGABYTE
    return peak_bytes() / MEGABYTE


# Telling ----------------------------------------------------------------------------------------


def told(found: dict[str, Any]) -> str:
    """All figures in words."""
    one, opening, memory = found["first"], found["window"], found["use"]
    rows = [["first paint, above import textual.app", f"{MS * one['cpu']:.0f} CPU",
             f"{MS * one['wall']:.0f}", ""]]  # fmt: skip
    for name, what in (
        ("window", "11 messages, five outputs of 1 MB"),
        ("unfolded", "the same, all unfolded"),
        ("alone", "one of the outputs alone"),
    ):
        cells = (opening[f"{name}_cpu"], opening[name], opening[f"{name}_stall"])
        rows.append([what, *(f"{MS * value:.0f}" for value in cells)])
    paged = [
        [name, f"{each['keys']:.0f}", *(f"{MS * each[key]:.1f}" for key in
                                       ("cpu", "cpu_p95", "p50", "p95"))]
        for name, each in {**found["paging"], **found["typing"]}.items()
    ]  # fmt: skip
    return "\n\n".join((
        table(["ms", "CPU", "painted after", "longest stall"], rows),
        table(["ms a key", "keys", "CPU", "CPU p95", "painted p50", "p95"], paged),
        f"memory: {memory['before']:.0f} MB at rest, {memory['after']:.0f} MB after"
        f" {memory['keys']:.0f} random keys, {memory['peak']:.0f} MB at most",
    ))  # fmt: skip


def run(name: str, store: Path, index: Path, minutes: float, seed: int) -> object:
    """One measurement, in this process."""
    work: dict[str, Callable[[], Any]] = {
        "first": lambda: first(store, index),
        "window": lambda: window(store, index),
        "paging": lambda: paging(store, index),
        "typing": lambda: typing(store, index),
        "use": lambda: use(store, index, minutes, seed),
    }
    return asyncio.run(work[name]())


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument("--sessions", type=int, default=20_000, help="how many (default 20000)")
    parser.add_argument("--minutes", type=float, default=2, help="of random keys (default 2)")
    parser.add_argument("--seed", type=int, default=1, help="of all that is random (default 1)")
    parser.add_argument("--only", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.only:
        name, store, index = given.only
        print(json.dumps(run(name, Path(store), Path(index), given.minutes, given.seed)))
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTHONPATH"] = os.getcwd()
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program has its byte code
        os.environ["PYTHONPYCACHEPREFIX"] = f"{folder}/bytecode"
        os.chdir(folder)  # some of the keys save files
        store, index = Path(folder, "opencode.db"), Path(folder, "index.db")
        opencode_db(store, sessions=sessions(given.sessions, given.seed), journal="delete")
        library = Library.open(sources=[store], index=index)
        library.sync(Event())
        library.close()
        more = ("--minutes", given.minutes, "--seed", given.seed)
        found = {
            name: in_own_process(MODULE, name, store, index, *more)
            for name in ("first", "first", "window", "paging", "typing", "use")
        }  # the first of all makes the byte code
    print(told(found))


if __name__ == "__main__":
    main()
