"""Writing what is gone: rows with a fate, earlier texts of parts, and better evidence.

Called by `store.index` inside its transactions. A row that the index kept learns its cause; one
that it never saw is added. An earlier text is a row of its own, with a version from 1 on; what a
part says at present is never one of them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import apsw

from store.archive import Blocks, unpack
from store.carried import Carriers
from store.model import Fate, Message, Part, Tool
from store.rows import GONE_NAMES, MESSAGE_NAMES, PART_NAMES, message_row
from store.source import Trace
from store.sqlite import insert_rows, one, rows_of
from store.versions import Versions, words_of

if TYPE_CHECKING:
    from store.batch import Prepared

_IS_GONE = "fate IN ('removed', 'deleted')"
_REMOVED_AT = "CASE WHEN fate != 'reverted' THEN removed_at END"
"""When what goes now went, as far as it is known: when it was hidden is another matter."""


@dataclass(frozen=True, slots=True)
class Left:
    """A trace with what was found at it; `row` is None where only the cause is known."""

    trace: Trace
    message: Message | None = None
    part: Prepared | None = None


def fate_of(trace: Trace) -> Fate:
    """What has become of it."""
    if trace.version:
        return "replaced"
    return "deleted" if trace.cause == "session_deleted" else "removed"


def ended(part: Part) -> Part:
    """A tool that was open when it went will never end."""
    if isinstance(part.content, Tool) and part.content.status in ("pending", "running"):
        return replace(part, flags=tuple(dict.fromkeys((*part.flags, "interrupted"))))
    return part


class Gone:
    """The rows of what is gone, through the connection of a writer."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self.now = time.time_ns() // 1_000_000
        self.versions = Versions(connection, self.now)

    # What is gone with its session -----------------------------------------------------------

    def session(self, session: int) -> None:
        """A session is gone, and with it whatever its store held of it."""
        gone = f"fate = 'deleted', noticed_at = {self.now}"
        execute = self._connection.execute
        execute(f"UPDATE session SET {gone}, traced = '' WHERE id = ?", (session,))
        execute("DELETE FROM fault WHERE session = ?", (session,))
        execute(
            f"UPDATE message SET {gone}, cause = 'session_deleted', evidence = 'kept',"
            f" removed_at = {_REMOVED_AT}"
            " WHERE session = ? AND fate != 'removed'",
            (session,),
        )
        inside = "message IN (SELECT id FROM message WHERE session = ?)"
        execute(
            f"UPDATE part SET {gone}, cause = 'session_deleted', removed_at = {_REMOVED_AT}"
            f" WHERE {inside} AND fate NOT IN ('removed', 'replaced')",
            (session,),
        )
        execute(f"UPDATE part SET evidence = 'kept' WHERE {inside}", (session,))
        self.count_kept(session)

    def count_kept(self, session: int) -> None:
        """A deleted session has what we have of it."""
        self._connection.execute(
            "UPDATE session SET messages = (SELECT count(*) FROM message WHERE session = ?1),"
            " parts = (SELECT count(*) FROM message m JOIN part p ON p.message = m.id"
            " WHERE m.session = ?1 AND p.version = 0) WHERE id = ?1 AND fate = 'deleted'",
            (session,),
        )

    def rows(self, table: str, idents: Sequence[int]) -> None:
        """Rows that a complete look did not find; what a revert hid was taken by its commit."""
        self._connection.execute(
            f"UPDATE {table} SET cause = CASE fate WHEN 'reverted' THEN 'revert_committed'"
            f" ELSE 'unknown' END, fate = 'removed', noticed_at = {self.now}, evidence = 'kept',"
            f" removed_at = {_REMOVED_AT}"
            f" WHERE id IN (SELECT value FROM json_each(?)) AND NOT {_IS_GONE}",
            (json.dumps(list(idents)),),
        )

    def stale(self, session: int, evidence: Sequence[str]) -> None:
        """Evidence that a store had and has no more: what it told we keep."""
        named = json.dumps(list(evidence))
        for table, where in (
            ("message", "session = ?"),
            ("part", "message IN (SELECT id FROM message WHERE session = ?)"),
        ):
            self._connection.execute(
                f"UPDATE {table} SET evidence = 'kept' WHERE {where}"
                " AND fate NOT IN ('live', 'reverted')"
                " AND evidence IN (SELECT value FROM json_each(?))",
                (session, named),
            )

    # Traces ----------------------------------------------------------------------------------

    def put(
        self, session: int, left: Iterable[Left], blocks: Blocks, drop: Any
    ) -> list[tuple[int, Prepared, int, int]]:
        """Takes in traces; returns (session, part, our message, our part) of documents to add.

        `drop` takes the documents of a part away (session, part).
        """
        documents: list[tuple[int, Prepared, int, int]] = []
        for one_left in left:
            trace = one_left.trace
            if not trace.is_part:
                self._message(session, one_left)
            elif trace.version:
                documents += self._version(session, one_left, blocks)
            else:
                documents += self._part(session, one_left, blocks, drop)
        return documents

    def _message(self, session: int, left: Left) -> None:
        trace = left.trace
        known = self._id_of(session, trace.ref.id)
        if known is None:
            if left.message is None or self._is_summary(session, left):
                return
            self._insert_message(session, left.message, trace)
            return
        self._label("message", known, trace)
        self._connection.execute(
            f"UPDATE part SET cause = ?, removed_at = ? WHERE message = ? AND {_IS_GONE}"
            " AND cause = 'unknown'",
            (trace.cause, trace.removed_at, known),
        )

    def _is_summary(self, session: int, left: Left) -> bool:
        """Whether a compaction that was taken over has what this answer to it says."""
        if left.trace.evidence != "source" or left.message is None or not left.message.parent:
            return False
        return Carriers(self._connection, session, gone=True).summarised(left.message.parent)

    def _insert_message(self, session: int, message: Message, trace: Trace) -> None:
        ident = self._next("message")
        row = message_row(ident, session, message, trace.ref)
        names = f"{MESSAGE_NAMES}, {GONE_NAMES}"
        mine = (fate_of(trace), trace.cause, trace.evidence, trace.removed_at, self.now)
        insert_rows(self._connection, "message", names, [(*row, *mine)])

    def _label(self, table: str, ident: int, trace: Trace) -> None:
        """Says of a kept row why and when it went, and where else its text lies."""
        evidence = None if trace.evidence == "kept" else trace.evidence
        told = None if trace.cause == "unknown" else trace.cause
        self._connection.execute(
            f"UPDATE {table} SET fate = ?, cause = coalesce(?, CASE fate"
            " WHEN 'reverted' THEN 'revert_committed' ELSE coalesce(cause, 'unknown') END),"
            f" removed_at = coalesce(?, {_REMOVED_AT}),"
            " noticed_at = CASE WHEN fate = 'reverted' THEN ?4 ELSE coalesce(noticed_at, ?4) END,"
            " evidence = coalesce(?, CASE WHEN evidence = 'source' THEN 'kept' ELSE evidence END)"
            " WHERE id = ?",
            (fate_of(trace), told, trace.removed_at, self.now, evidence, ident),
        )

    def _part(
        self, session: int, left: Left, blocks: Blocks, drop: Any
    ) -> list[tuple[int, Prepared, int, int]]:
        trace, part = left.trace, left.part
        above = self._id_of(session, trace.ref.parent)
        if above is None:
            return []
        known, noticed = self._row(above, trace.ref.id)
        if known is not None and (part is None or trace.evidence != "event_log"):
            self._label("part", known, trace)  # our record is as whole as theirs, or wholer
            return []
        if part is None:
            return []
        if trace.evidence == "source":
            told = Carriers(self._connection, session, gone=True).instead(part)
            for row in told or ():
                self._label("part", row.id, trace)
            if told is not None:
                return []
        if known is not None:
            drop(session, known)
        ident = known or self._next("part")
        self._insert(ident, above, part, blocks, trace, noticed)
        return [(session, part, above, ident)]

    def _insert(
        self,
        ident: int,
        above: int,
        part: Prepared,
        blocks: Blocks,
        trace: Trace,
        noticed: int | None,
    ) -> None:
        place = blocks.add(part.record)
        told = (fate_of(trace), trace.cause, trace.evidence, trace.removed_at, noticed or self.now)
        row = (ident, above, *part.row, *place, trace.version, *told)
        insert_rows(self._connection, "part", f"{PART_NAMES}, version, {GONE_NAMES}", [row])

    # Earlier texts ---------------------------------------------------------------------------

    def _version(
        self, session: int, left: Left, blocks: Blocks
    ) -> list[tuple[int, Prepared, int, int]]:
        trace, part = left.trace, left.part
        above = self._id_of(session, trace.ref.parent)
        if above is None or part is None:
            return []
        words = words_of(unpack(part.record))
        known = self.versions.texts(above, part.id, blocks)
        if not words or words == known.get(0, (0, None))[1]:
            return []
        for ident, said in known.values():
            if said == words:
                self._label("part", ident, trace)
                self.versions.mark_edited([(above, part.id)])
                return []
        ident = self._next("part")
        fresh = replace(trace, version=max(known, default=0) + 1)
        self._insert(ident, above, part, blocks, fresh, None)
        self.versions.number(above, part.id)
        self.versions.mark_edited([(above, part.id)])
        return [(session, part, above, ident)]

    # Ids -------------------------------------------------------------------------------------

    def _id_of(self, session: int, native: str) -> int | None:
        ident: int | None = one(
            self._connection,
            "SELECT id FROM message WHERE native = ? AND session = ?",
            (native, session),
        )
        return ident

    def _row(self, above: int, native: str) -> tuple[int | None, int | None]:
        rows = rows_of(
            self._connection,
            "SELECT id, CASE WHEN fate != 'reverted' THEN noticed_at END FROM part"
            " WHERE native = ? AND message = ? AND version = 0",
            (native, above),
        )
        return (rows[0][0], rows[0][1]) if rows else (None, None)

    def _next(self, table: str) -> int:
        return int(one(self._connection, f"SELECT coalesce(max(id), 0) + 1 FROM {table}"))
