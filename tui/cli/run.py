"""One run of the program: arguments to a command, errors to exit codes."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from store.door import Door
from store.errors import StoreError
from tui.cli import asking, checking, exporting, leftovers, overview, reading
from tui.cli.arguments import Options, asks_for_json, parse
from tui.cli.opening import demo_door, demo_folder, faults_in, opened, settings_of
from tui.cli.output import Output, is_terminal, silence

if TYPE_CHECKING:
    from tui.settings import Loaded

FOUND, NOTHING, FAILED, ENDED = 0, 1, 2, 130

_COMMANDS: dict[str, Callable[[Door, Options, Output], bool]] = {
    "index": checking.index,
    "doctor": checking.doctor,
    "search": asking.search,
    "sessions": asking.sessions,
    "around": reading.around,
    "show": reading.show,
    "trace": overview.trace,
    "stats": overview.stats,
    "export": exporting.export,
    "leftovers": leftovers.leftovers,
    "forget": leftovers.forget,
}


def run(arguments: Sequence[str]) -> int:
    """Runs what the arguments ask for and returns the exit code."""
    output = Output(json=asks_for_json(arguments))
    try:
        return _run(arguments, output)
    except StoreError as error:
        output.problem(error)
        if error.code == "OUTPUT_FAILED" and not error.about:  # stdout, not a file
            silence()
        return FAILED
    except BrokenPipeError:
        silence()
        return FOUND
    except KeyboardInterrupt:
        return ENDED


def _run(arguments: Sequence[str], output: Output) -> int:
    try:
        options = parse(arguments)
    except SystemExit:  # --help and --version
        if sys.stdout is not None:
            sys.stdout.flush()
        return FOUND
    loaded = settings_of(options)
    with opened(options, loaded) as door:
        if not options.command:
            return _screen(door, options)
        _take_faults(loaded, options, output)
        if not output.json:
            output.faults(output.settings)
        found = _COMMANDS[options.command](door, options, output)
        if output.json:  # behind the answer: an error has stderr for itself
            output.faults(output.settings)
        return FOUND if found else NOTHING


def _take_faults(loaded: Loaded | None, options: Options, output: Output) -> None:
    """What is wrong with the settings, for every answer; `doctor` looks deeper by itself."""
    if loaded is not None and options.command != "doctor":
        from tui.checked import problems

        output.settings = faults_in(problems(loaded))


def _screen(door: Door, options: Options) -> int:
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise StoreError(
            "INVALID_ARGUMENT", "the screen needs a terminal; `backscroll --help` lists commands"
        )
    gc.disable()
    from store.paths import index_path
    from tui.app import run_app
    from tui.own import queries_path
    from tui.settings import load

    gc.freeze()  # What is imported stays: each look at it for garbage would halt the screen.
    gc.enable()
    with ExitStack() as folders:
        offer = None if options.demo else lambda: demo_door(folders.enter_context(demo_folder()))
        memory = None if options.demo else queries_path(options.index or index_path())
        return run_app(door, load(options.config), open_demo=offer, queries=memory)
