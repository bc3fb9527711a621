"""Sessions that an upgrade to opencode 2 left in the old tables, and that were deleted afterwards.

2.x takes all sessions over once (kv `migration.v1-v2`) and never touches the old tables again, so
that a session deleted in 2.x stays there whole. One that is in the old list alone and is older
than the end of that import was deleted; a younger one was made by 1.x afterwards.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence

import apsw

from store.read_only import fetch_readable
from store.source import Ref, Trace, Traced, Traces
from store.sources.heads import Columns, Head, as_ms, as_text
from store.sources.old_tables import OldTables

IMPORT = "migration.v1-v2"


def taken_over(connection: apsw.Connection, found: Columns) -> int | None:
    """When 2.x had taken all sessions over (ms), None where it did not, or not yet."""
    if "session_v2" not in found or not {"key", "value", "time_updated"} <= found.get("kv", set()):
        return None
    rows, _ = fetch_readable(
        connection, "SELECT CAST(value AS BLOB), time_updated FROM kv WHERE key = ?", (IMPORT,)
    )
    try:
        state = json.loads(as_text(rows[0][0])) if rows else None
    except ValueError:
        return None
    done = isinstance(state, dict) and state.get("phase") == "completed"
    return as_ms(rows[0][1]) if done else None


def deleted(old: Mapping[str, Head], newer: Collection[str], ended: int | None) -> list[str]:
    """The sessions of the old list that 2.x deleted since it `ended` taking them over."""
    if ended is None:
        return []
    return [
        ident for ident, head in old.items() if ident not in newer and as_ms(head.created) < ended
    ]


class FrozenTables:
    """The old tables as evidence of sessions that are in no list any more.

    Unless the lists were read `whole`, nothing is known of any.
    """

    def __init__(
        self, old: OldTables, listed: Collection[str], ended: int, *, whole: bool = True
    ) -> None:
        self._old = old
        self._whole = whole
        self._listed = listed
        self._ended = ended

    def traces(self, session: str, mark: str) -> Traces | None:
        """Everything that stands in a deleted session, once."""
        if session in self._listed or not self._whole:
            return None
        stamp = hashlib.blake2s(self._old.stamp(session).encode(), digest_size=8).hexdigest()
        if stamp == mark:
            return None
        outline = self._old.outline(session)
        if not outline.complete or not (outline.messages or mark):
            return None
        traces = [_trace(ref, is_part=False) for ref in outline.messages]
        traces += [_trace(ref, is_part=True) for ref in outline.parts]
        return Traces(tuple(traces), stamp, ("source",) if mark else ())

    def since(self) -> int | None:
        """Since the upgrade."""
        return self._ended

    def traced(self, session: str, traces: Sequence[Trace]) -> list[Traced]:
        """The rows themselves."""
        messages = [trace.ref for trace in traces if not trace.is_part]
        parts = [trace.ref for trace in traces if trace.is_part]
        bodies = self._old.bodies(session, messages, parts)()
        heads = {message.id: message for message in bodies.messages}
        held = {(part.message, part.id): part for part in bodies.parts}
        found: list[Traced] = []
        for trace in traces:
            key = (trace.ref.parent, trace.ref.id)
            row = held.get(key) if trace.is_part else heads.get(trace.ref.id)
            if row is not None:
                found.append((trace, row))
        return found


def _trace(ref: Ref, *, is_part: bool) -> Trace:
    return Trace(ref, is_part, "session_deleted", "source")
