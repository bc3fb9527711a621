"""`search` and `sessions`: a query in, a list out."""

from __future__ import annotations

from dataclasses import replace

from store.door import Door
from store.errors import StoreError
from store.model import Answer, SourceInfo
from tui.cli import shapes, text
from tui.cli.arguments import Options
from tui.cli.catchup import current
from tui.cli.opening import faults_of, refreshed, refusal, where_looked
from tui.cli.output import Output


def search(door: Door, options: Options, output: Output) -> bool:
    """Prints the hits of a query; whether there were any."""
    caught = current(door, options, output)
    answer = _answer(door, options)
    faults = faults_of(caught.sources, answer.faults)
    output.faults(faults)
    if not answer.coverage.complete:
        output.note(text.so_far(answer.coverage))
    if output.json:
        output.object(shapes.answer(answer, faults))
    else:
        if answer.hits:
            output.text(text.hits(answer, colour=output.colour))
        for line in text.remarks(answer):
            output.note(line)
    return bool(answer.hits)


def _answer(door: Door, options: Options) -> Answer:
    """The page that was asked for, with a diagnosis where there is nothing on it."""
    if options.literal:
        return door.scan(options.query, limit=options.limit, cursor=options.cursor)
    answer = door.search(
        options.query, limit=options.limit, sort=options.sort, cursor=options.cursor
    )
    if answer.hits or options.cursor or not options.query.strip():
        return answer
    return replace(answer, diagnosis=door.diagnose(options.query))


def sessions(door: Door, options: Options, output: Output) -> bool:
    """Prints a page of the list of sessions, brought up to date; whether there were any."""
    sources = current(door, options, output).sources
    page = door.sessions(options.query, limit=options.limit, cursor=options.cursor)
    faults = faults_of(sources, page.faults)
    output.faults(faults)
    if page.unread:
        output.note(text.unread(page))
    if output.json:
        output.object(shapes.sessions(page, faults))
    elif page.sessions:
        output.text(text.sessions(page.sessions))
        output.note(text.of_sessions(page))
    elif sources:
        output.note("no session")
    return bool(page.sessions)


def look(door: Door, options: Options, output: Output) -> tuple[SourceInfo, ...] | None:
    """The stores that answer, looked up now; None, and where it looked is said, if there is none.

    While another program writes the index they may not be known yet: then there are just none.
    Raises StoreError where none of them can be read.
    """
    try:
        sources, busy = refreshed(door)
    except StoreError as error:
        if error.code != "INDEX_FAILED" or not door.coverage().known:
            raise
        output.note(f"{error.message}; this answers from what is there")
        sources, busy = door.sources(), True
    if refused := refusal(options, sources):
        raise refused
    if sources or busy:
        return sources
    output.note(where_looked(door.places()))
    return None
