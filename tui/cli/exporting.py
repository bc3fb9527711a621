"""`export`: a session to stdout or into a file."""

from __future__ import annotations

from collections.abc import Iterator

from store.door import Door
from tui.cli.arguments import Options
from tui.cli.asking import look
from tui.cli.opening import faults_of
from tui.cli.output import Output
from tui.export.conversation import Conversation
from tui.export.files import write
from tui.export.session import pieces
from tui.plain import one_line


def export(door: Door, options: Options, output: Output) -> bool:
    """Writes a session piece by piece; False without a store or where nothing of it is live."""
    sources = look(door, options, output)
    if sources is None:
        return False
    conversation = Conversation(door, options.ident, leftovers=options.leftovers)
    session = conversation.session
    if session.fate != "live" and not options.leftovers:
        output.note(f"the session is {session.fate}; --leftovers exports what was kept of it")
        return False
    text = pieces(conversation, options.form)
    if options.out:
        size = write(options.out, text, force=options.force)
        output.note(f"{one_line(str(options.out))}: {size:,} bytes")
    else:
        for data in _gathered(text):
            output.bytes(data)
    output.faults(faults_of(sources, tuple(conversation.faults)))
    return True


def _gathered(text: Iterator[str], enough: int = 65_536) -> Iterator[bytes]:
    """The pieces in larger ones, as bytes."""
    held = bytearray()
    for piece in text:
        held += piece.encode("utf-8", "replace")
        if len(held) >= enough:
            yield bytes(held)
            held.clear()
    yield bytes(held)
