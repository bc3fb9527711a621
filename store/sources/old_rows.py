"""Rows of the tables message and part as model types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from store.model import Fault, Message, Part
from store.source import Bodies
from store.sources import content
from store.sources.heads import as_ms, as_text

Row = tuple[Any, ...]


def decoded(
    session: str,
    head: list[Row],
    body: list[Row],
    faults: list[Fault],
    times: Mapping[str, int],
) -> Bodies:
    """Rows as model types; `times` has for each part when its message was said."""
    messages = [_message(session, row, faults) for row in head]
    parts: list[Part] = []
    for ident, parent, _, updated, size, data in body:
        if data is None:
            words = f"the row is too large to read ({size} bytes)" if size else "the row is empty"
            faults.append(Fault("CORRUPT_PART", ident, words))
            continue
        try:
            fields = content.decode(bytes(data))
        except ValueError as error:
            faults.append(Fault("CORRUPT_PART", ident, f"its JSON is broken: {error}"))
            continue
        parts.append(
            content.part(
                fields,
                ident=ident,
                message=parent,
                session=session,
                time=times[ident],
                updated=as_ms(updated),
                size=size or 0,
            )
        )
    return Bodies(tuple(messages), tuple(parts), tuple(faults))


def _message(session: str, row: Row, faults: list[Fault]) -> Message:
    """A message; one whose JSON is broken keeps its place and its times."""
    ident, _, created, updated, part, data = row
    fields: dict[str, Any] = {}
    if data is None:
        faults.append(Fault("CORRUPT_PART", ident, "the message's row is too large or broken"))
    else:
        try:
            fields = content.decode(bytes(data))
        except ValueError as error:
            faults.append(Fault("CORRUPT_PART", ident, f"the message's JSON is broken: {error}"))
    return content.message(
        fields,
        ident=ident,
        session=session,
        time=as_ms(created),
        updated=as_ms(updated),
        slice_id=as_text(part) or "main",
    )
