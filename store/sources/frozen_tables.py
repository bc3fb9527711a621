"""What an upgrade to opencode 2 left in the old tables, and what went afterwards.

2.x takes all sessions over once (kv `migration.v1-v2`) and never touches the old tables again, so
that a session deleted in 2.x stays there whole. One that is in the old list alone and is older
than the end of that import was deleted; a younger one was made by 1.x afterwards. Messages that a
revert took stay there too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence

import apsw

from store.model import Cause
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
    except (ValueError, RecursionError):
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
    """The old tables as evidence of sessions that are in no list any more, and of reverts.

    `undone` gives the messages of a listed session that a revert took. Unless the lists were read
    `whole`, nothing is known of any.
    """

    def __init__(
        self,
        old: OldTables,
        listed: Collection[str],
        ended: int,
        undone: Callable[[str], Sequence[Ref]],
        *,
        whole: bool = True,
    ) -> None:
        self._undone = undone
        self._old = old
        self._whole = whole
        self._listed = listed
        self._ended = ended

    def traces(self, session: str, mark: str) -> Traces | None:
        """Everything that stands in a deleted session, or what a revert took of one, once."""
        if not self._whole:
            return None
        is_listed = session in self._listed
        undone = {ref.id: ref for ref in self._undone(session)} if is_listed else {}
        if is_listed and not (undone or mark):
            return None
        told = "\0".join((self._old.stamp(session), *sorted(undone)))
        stamp = hashlib.blake2s(told.encode(), digest_size=8).hexdigest()
        if is_listed and not undone:
            stamp = ""
        if stamp == mark:
            return None
        outline = self._old.outline(session)
        if not outline.complete or not (outline.messages or mark):
            return None
        cause: Cause = "revert_committed" if is_listed else "session_deleted"
        messages = list(undone.values()) if is_listed else outline.messages
        names = {ref.id for ref in messages}
        traces = [Trace(ref, False, cause, "source") for ref in messages]
        traces += [
            Trace(ref, True, cause, "source") for ref in outline.parts if ref.parent in names
        ]
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
