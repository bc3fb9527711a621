"""`trace` and `stats`: how sessions belong together, and how much there is of what."""

from __future__ import annotations

from store.door import Door
from tui.cli import counts, shapes, text, trees
from tui.cli.arguments import Options
from tui.cli.catchup import current
from tui.cli.opening import faults_of
from tui.cli.output import Output


def trace(door: Door, options: Options, output: Output) -> bool:
    """Prints where a session stands; False without a store."""
    caught = current(door, options, output)
    if not caught.sources and not caught.busy:
        if output.json:
            output.object(shapes.NO_LINEAGE)
        return False
    found = door.trace(options.ident)
    faults = faults_of(caught.sources)
    output.faults(faults)
    if output.json:
        output.object(shapes.lineage(found, faults))
    else:
        output.text(trees.lineage(found))
    return True


def stats(door: Door, options: Options, output: Output) -> bool:
    """Prints counts of what the index holds, brought up to date; whether there is anything."""
    caught = current(door, options, output)
    told = door.stats(options.query)
    faults = faults_of(caught.sources, told.faults)
    output.faults(faults)
    if not told.coverage.complete:
        output.note(text.so_far(told.coverage))
    if output.json:
        output.object(shapes.stats(told, faults))
    elif told.total.messages or told.total.parts:
        output.text(counts.stats(told))
    elif caught.sources:
        output.note("nothing to count")
    return bool(told.total.messages or told.total.parts)
