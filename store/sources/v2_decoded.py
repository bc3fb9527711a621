"""Rows of session_message, as `v2_tables` fetches them, as model types."""

from __future__ import annotations

from typing import Any

from store.model import Fault, Message, Part
from store.source import Bodies
from store.sources import content, v2_content
from store.sources.heads import as_ms, as_text

Fetched = tuple[Any, ...]


def decoded(rows: list[Fetched], faults: list[Fault]) -> Bodies:
    """Rows with their parts; what is wrong with some is added to `faults`."""
    messages: list[Message] = []
    parts: list[Part] = []
    for fetched in rows:
        row = row_of(fetched, faults)
        if row is None:  # it keeps its place and its times
            ident, session, kind, created, updated = fetched[:5]
            times = as_ms(created), as_ms(updated)
            empty = v2_content.Row(ident, session, as_text(kind), *times, size=0, data={})
            messages.append(v2_content.message(empty))
            continue
        messages.append(v2_content.message(row))
        parts += v2_content.parts(row)
    return Bodies(tuple(messages), tuple(parts), tuple(faults))


def row_of(fetched: Fetched, faults: list[Fault]) -> v2_content.Row | None:
    """One row; None, and a fault, where its data cannot be used."""
    ident, session, kind, created, updated, size, data, prompt = fetched
    if data is None:
        words = f"it is too large to read ({size} bytes)" if size else "it is empty"
        faults.append(broken(ident, words))
        return None
    try:
        fields = content.decode(bytes(data))
    except ValueError as error:
        faults.append(broken(ident, f"its JSON is broken: {error}"))
        return None
    return v2_content.Row(
        ident,
        session,
        as_text(kind),
        as_ms(created),
        as_ms(updated),
        size or 0,
        fields,
        as_text(prompt),
    )


def broken(ident: str, words: str) -> Fault:
    """The fault of a row, or of a part of it."""
    return Fault("CORRUPT_PART", ident, f"the message's row cannot be used: {words}")
