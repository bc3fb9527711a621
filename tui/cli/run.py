"""One run of the program: arguments to a command, errors to exit codes."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from store.door import Door
from store.errors import StoreError
from tui.cli import asking, checking, exporting, leftovers, overview, reading
from tui.cli.arguments import Options, asks_for_json, parse
from tui.cli.opening import demo_door, demo_folder, opened
from tui.cli.output import Output, is_terminal, silence

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
    with opened(options) as door:
        if not options.command:
            return _screen(door, options)
        return FOUND if _COMMANDS[options.command](door, options, output) else NOTHING


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
