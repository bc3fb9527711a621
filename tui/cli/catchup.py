"""Bringing the index up to date from the command line: a thread, a bar, a time limit."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Thread

from store.door import Door
from store.errors import StoreError
from store.model import Progress, Report, SourceInfo
from tui.cli.arguments import Options
from tui.cli.opening import refusal, where_looked
from tui.cli.output import Output
from tui.plain import cut

PATIENCE = 2.0
"""Seconds that a first search waits for the index."""
_BAR = 24


@dataclass(frozen=True, slots=True)
class Caught:
    """The stores after catching up, and whether it was left to another program."""

    sources: tuple[SourceInfo, ...]
    busy: bool = False


def bring_up_to_date(
    door: Door, output: Output, *, patience: float | None = None, rebuild: bool = False
) -> Report:
    """Runs `door.sync` in a thread, for at most `patience` seconds (None: to its end).

    Raises what sync raises; a KeyboardInterrupt stops it first, keeping what was done.
    """
    stop = Event()
    run = _Run(lambda: door.sync(stop, _drawer(output), rebuild=rebuild))
    try:
        run.start()
        run.join(patience)
    finally:
        stop.set()
        with suppress(RuntimeError):  # interrupted before the thread had begun
            run.join(None)
        if output.progress:
            output.draw("")
    return run.result()


def catch_up(door: Door, output: Output) -> Caught:
    """What a search does first. An index that was never complete gets PATIENCE seconds.

    One that cannot be written (no room, no permission) answers as it is, and that is said.
    """
    before = door.coverage()
    first = before.known == 0 or not before.complete
    try:
        report = bring_up_to_date(door, output, patience=PATIENCE if first else None)
    except StoreError as error:
        if error.code == "INDEX_FAILED" and before.known:
            output.note(f"{error.message}; this answers from what is there")
            return Caught(door.sources())
        if error.code != "INDEX_BUSY":
            raise
        return Caught(door.sources(), busy=True)
    return Caught(report.sources)


def current(door: Door, options: Options, output: Output) -> Caught:
    """The stores for an answer, caught up with first unless that is not wanted; says where it
    looked if there is none, and that another program writes.

    Raises StoreError where none of them can be read.
    """
    caught = catch_up(door, output) if options.catch_up else Caught(door.sources())
    if error := refusal(options, caught.sources):
        raise error
    if options.catch_up and not caught.sources and not caught.busy:
        output.note(where_looked(door.places()))
    if caught.busy:
        output.note("another program is writing the index; this answers from what is there")
    return caught


def bar(progress: Progress, columns: int) -> str:
    """One line that says how far it is."""
    known = max(progress.known, progress.done)
    share = progress.done / known if known else 1.0
    filled = "#" * int(share * _BAR)
    percent = 100 if progress.done >= known else int(share * 100)
    line = (
        f"indexing [{filled:<{_BAR}}] {percent:3d} %  "
        f"{progress.done:,} of {known:,} parts  {progress.source}"
    )
    return cut(line, max(columns - 1, 10))


def note_copy(door: Door, output: Output) -> None:
    """Says, once the first run is over, that a copy is kept, where, and how large it is."""
    health = door.health()
    if health.archived_parts:
        output.note(
            f"backscroll keeps a copy of its own, so that it outlives the agent's: {health.path},"
            f" {health.bytes / 1e6:,.1f} MB; `archive` in the settings bounds it, `forget` takes"
            " things out of it"
        )


def _drawer(output: Output) -> Callable[[Progress], None] | None:
    if not output.progress:
        return None
    columns = shutil.get_terminal_size().columns
    return lambda progress: output.draw(bar(progress, columns))


class _Run:
    """A call in a thread, whose value or exception is taken up where it was started."""

    def __init__(self, call: Callable[[], Report]) -> None:
        self._call = call
        self._report: Report | None = None
        self._error: BaseException | None = None
        self._thread = Thread(target=self._work, name="backscroll-index")

    def start(self) -> None:
        self._thread.start()

    def _work(self) -> None:
        try:
            self._report = self._call()
        except BaseException as error:
            self._error = error

    def join(self, seconds: float | None) -> None:
        self._thread.join(seconds)

    def result(self) -> Report:
        if self._error is not None:
            raise self._error
        assert self._report is not None
        return self._report
