"""`leftovers`, `forget` and `show --versions`: what is gone, and making it go for good."""

from __future__ import annotations

import sys

from store.door import Door
from store.errors import StoreError
from store.model import Forgotten, Leftover, LeftoverPage
from tui.cli import shapes, text
from tui.cli.arguments import Options
from tui.cli.asking import look
from tui.cli.catchup import current
from tui.cli.opening import faults_of
from tui.cli.output import Output
from tui.plain import clean, one_line
from tui.words import forgotten


def leftovers(door: Door, options: Options, output: Output) -> bool:
    """Prints a page of what is not live; whether there was anything."""
    caught = current(door, options, output)
    page = door.leftovers(options.query, limit=options.limit, cursor=options.cursor)
    faults = faults_of(caught.sources, page.faults)
    output.faults(faults)
    if output.json:
        output.object(shapes.leftovers(page, faults))
        return bool(page.leftovers)
    if page.leftovers:
        output.text("\n".join(_lines(one) for one in page.leftovers))
    output.note(_of(page))
    return bool(page.leftovers)


def _lines(one: Leftover) -> str:
    """When it was said, what became of it and how we know; then the text."""
    what = one.type if one.kind is None else text.kind_label(one.kind, one.tool)
    became = " ".join(filter(None, (one.fate, f"({one.cause.replace('_', ' ')})")))
    version = f"version {one.version}" if one.version else ""
    notes = [f"from {one.evidence.replace('_', ' ')}", _when(one), version]
    head = [text.moment(one.time), what, became, ", ".join(filter(None, notes)), one_line(one.id)]
    lines = ["  ".join(head)]
    if one.snippet:
        lines.append("    " + one_line(one.snippet))
    return "\n".join(lines)


def _when(one: Leftover) -> str:
    """When it went or was hidden, else when we first missed it."""
    hidden = one.fate == "reverted"
    if one.removed_at:
        return f"{'hidden' if hidden else 'gone'} {text.moment(one.removed_at)}"
    if one.noticed_at:
        return f"{'seen hidden' if hidden else 'missed'} {text.moment(one.noticed_at)}"
    return ""


def _of(page: LeftoverPage) -> str:
    if not page.leftovers:
        return "nothing is left over"
    shown = len(page.leftovers)
    total = shown if page.total is None else max(shown, page.total)
    told = f"{shown:,} of {total:,}" if page.more else f"{shown:,}"
    more = f"; the next with --cursor {page.cursor}" if page.more else ""
    return f"{told} left over{more}"


def versions(door: Door, options: Options, output: Output) -> bool:
    """Prints the texts that a part had, the oldest first, and the one that it has."""
    if look(door, options, output) is None:
        if output.json:
            output.object({"part": None, "versions": []})
        return False
    found = door.versions(options.ident)
    if output.json:
        output.object(shapes.versions(found))
        return True
    for part in found:
        name = f"version {part.version}" if part.version else "now"
        until = f", until {text.moment(part.removed_at)}" if part.removed_at else ""
        output.text(f"--- {name}{until} ({part.fate}, from {part.evidence.replace('_', ' ')})")
        output.text(clean(shapes.words(part.content)))
    return len(found) > 1


def forget(door: Door, options: Options, output: Output) -> bool:
    """Takes something out of index and archive, after asking; whether there was anything."""
    if options.everything:
        _ask(options, "Remove everything that backscroll keeps, its index and archive?")
        files = door.forget_all()
        if output.json:
            output.object({"removed": list(files)})
        else:
            output.note(f"removed: {', '.join(files) or 'there was nothing'}")
        return bool(files)
    idents = [options.ident] if options.ident else []
    look(door, options, output)
    told = door.forget(idents, options.query, only_count=True)
    if not (told.sessions or told.messages or told.parts):
        output.note("nothing to forget")
        _note_titles(told, output)
        if output.json:
            output.object(shapes.forgotten(told))
        return False
    _ask(options, f"Forget {forgotten(told)}? Only backscroll's own copy goes, and for good.")
    done = door.forget(idents, options.query)
    if output.json:
        output.object(shapes.forgotten(done))
    else:
        output.note(f"forgot {forgotten(told)}")
    if done.aside:
        output.note(f"damaged copies of the index may still have it: {', '.join(done.aside)}")
    _note_titles(done, output)
    return True


def _note_titles(told: Forgotten, output: Output) -> None:
    """A title is its session's: it goes with that alone."""
    if told.titles:
        output.note(f"titles that say it go with their sessions alone: {', '.join(told.titles)}")


def _ask(options: Options, question: str) -> None:
    """Goes on after a yes. Raises ABORTED after anything else, or without anybody to ask."""
    if options.yes:
        return
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    answer = sys.stdin.readline() if sys.stdin is not None else ""
    if not answer.endswith("\n"):
        sys.stderr.write("\n")
    if answer.strip().lower() not in ("y", "yes"):
        raise StoreError("ABORTED", "nothing was forgotten; --yes answers beforehand")
