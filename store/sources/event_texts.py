"""Earlier texts of a part in opencode's event log: finished ones that are not the present one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import apsw

from store import extract
from store.read_only import fetch_readable
from store.source import Ref, Trace
from store.sources import content
from store.sources.content import as_object
from store.sources.heads import as_ms

Row = tuple[Any, ...]


@dataclass(slots=True)
class Written:
    """What the log has of one part: every place with an ended text, the last place of all."""

    message: str
    created: int
    last: Row
    ended: list[Row] = field(default_factory=list)


class Texts:
    """What parts said, on one connection to the log and the table `part`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _rows(self, sql: str, *values: object) -> list[Row]:
        return fetch_readable(self._connection, sql, values)[0]

    def versions(
        self, session: str, ident: str, one: Written, time: int, *, live: bool
    ) -> list[Trace]:
        """Ended texts that are not the present one, each once, the oldest first."""
        if len(one.ended) < (1 if live else 2):
            return []
        told = [(self._words(session, place[0]), place) for place in one.ended]
        last = self._live_words(ident) if live else told[-1][0]
        if last is None:
            return []
        traces: list[Trace] = []
        seen = {last}
        for place, (words, row) in enumerate(told):
            if words in seen or words is None:
                continue
            seen.add(words)
            later = next((other[2] for said, other in told[place:] if said != words), None)
            if later is None:
                later = self._changed(ident)
            ref = Ref(ident, one.message, time, one.created, row[2], row[1], row[0])
            number = len(traces) + 1
            traces.append(Trace(ref, True, "edited", "event_log", later, number))
        return traces

    def _words(self, session: str, seq: int) -> object:
        """A short sign of what a part said at a place of the log."""
        rows = self._rows(
            "SELECT CAST(data AS BLOB) FROM event WHERE aggregate_id = ? AND seq = ?", session, seq
        )
        try:
            return sign(as_object(content.decode(bytes(rows[0][0])), "part"))
        except (ValueError, LookupError):
            return None

    def _live_words(self, ident: str) -> object:
        rows = self._rows("SELECT CAST(data AS BLOB) FROM part WHERE id = ?", ident)
        try:
            return sign(content.decode(bytes(rows[0][0])))
        except (ValueError, LookupError):
            return None

    def _changed(self, ident: str) -> int | None:
        rows = self._rows("SELECT time_updated FROM part WHERE id = ?", ident)
        return as_ms(rows[0][0]) if rows else None


def sign(fields: content.Fields) -> int:
    """A sign of what a part's JSON says; what only counts or styles it makes no difference."""
    held, _ = content.content(fields)
    return hash(tuple(extract.documents(held, "")))
