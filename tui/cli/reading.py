"""`around` and `show`: an id in, a conversation or one part of it out."""

from __future__ import annotations

import json

from store.door import Door
from store.errors import StoreError
from store.model import Shown, Tool, type_name
from tui.cli import shapes, talk
from tui.cli.arguments import Options
from tui.cli.asking import look
from tui.cli.leftovers import versions
from tui.cli.opening import faults_of
from tui.cli.output import Output
from tui.plain import clean


def around(door: Door, options: Options, output: Output) -> bool:
    """Prints a message and its neighbours; False without a store or a message in that slice."""
    sources = look(door, options, output)
    if sources is None:
        return _nothing(shapes.NO_WINDOW, output)
    window = door.around(
        options.ident, before=options.before, after=options.after, slice_id=options.slice
    )
    faults = faults_of(sources, window.faults)
    output.faults(faults)
    if output.json:
        output.object(shapes.window(window, faults))
    else:
        output.text(talk.window(window, colour=output.colour))
    return bool(window.messages)


def show(door: Door, options: Options, output: Output) -> bool:
    """Prints a part, or all parts of a message; False without a store or without the output."""
    if options.versions:
        return versions(door, options, output)
    sources = look(door, options, output)
    if sources is None:
        return _nothing(shapes.NOT_SHOWN, output)
    output.faults(faults_of(sources))
    if options.raw:
        _raw(door.raw(options.ident), output)
        return True
    shown = door.show(options.ident)
    if options.output:
        return _tool_output(shown, options.ident, output)
    if output.json:
        output.object(shapes.shown(shown))
    else:
        output.text(talk.shown(shown, colour=output.colour))
    return True


def _nothing(empty: shapes.Object, output: Output) -> bool:
    if output.json:
        output.object(empty)
    return False


def _raw(stored: str, output: Output) -> None:
    """The stored JSON as it is, made harmless where a person looks at it."""
    if output.json and not _is_object(stored):
        output.object({"raw": stored})
    elif output.terminal:
        output.text(clean(stored))
    else:
        output.bytes(stored.encode("utf-8", "surrogatepass") + b"\n")


def _is_object(stored: str) -> bool:
    try:
        return isinstance(json.loads(stored), dict)
    except (ValueError, RecursionError):
        return False


def _tool_output(shown: Shown, ident: str, output: Output) -> bool:
    tools = [part.content for part in shown.parts if isinstance(part.content, Tool)]
    if not tools:
        types = ", ".join(dict.fromkeys(type_name(part.content) for part in shown.parts))
        raise StoreError(
            "INVALID_ARGUMENT", f"{ident} is no tool part but: {types or 'nothing'}", ident
        )
    if len(tools) > 1:
        parts = ", ".join(part.id for part in shown.parts if isinstance(part.content, Tool))
        raise StoreError("INVALID_ARGUMENT", f"{ident} has several tools, name one: {parts}", ident)
    if tools[0].output is None:
        output.note(f"the tool has no output, its status is {tools[0].status or 'unknown'}")
        return False
    output.bytes(tools[0].output.encode("utf-8", "surrogatepass"))
    return True
