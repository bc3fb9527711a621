"""The write side of our index: the only place that adds to it, one transaction a batch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from store import forgotten
from store.archive import Blocks
from store.batch import Chunk, Doc, Prepared, SessionEnd, Told
from store.carried import Carriers
from store.documents import title_docs
from store.gone import Gone
from store.known import Known, KnownSession
from store.model import (
    Fault,
)
from store.roster import Roster, now_ms
from store.rows import MESSAGE_NAMES, PART_NAMES, message_row
from store.sqlite import insert_rows, one, rows_of, transaction
from store.text import indexed


class Writer(Roster):
    """Adds to the index through one connection, as far as the `rules` allow it.

    Not for two threads at once.
    """

    def write(self, chunks: Sequence[Chunk], source: int) -> int:
        """Writes chunks in one transaction; returns the number of documents added."""
        with transaction(self.connection):
            self._pass_over_forgotten(chunks)
            docs: list[tuple[int, Doc]] = []
            ids: dict[tuple[int, str], int] = {}
            for chunk in chunks:
                if chunk.first:
                    self.clear_faults(source, chunk.session)
            self._put_messages(chunks, ids, docs)
            self._put_parts(chunks, source, ids, docs)
            self._put_left(chunks, docs)
            for chunk in chunks:
                if chunk.end is not None and chunk.end.told is not None:
                    self._tell(chunk.session, chunk.end.told, docs)
            for chunk in chunks:
                self._after(chunk, source)
            self.changed()
            # Last: a statement that may be undone alone makes FTS5 write out what it gathered.
            self.put_docs(docs)
        return len(docs)

    def _pass_over_forgotten(self, chunks: Sequence[Chunk]) -> None:
        """Takes out what says what a person had forgotten, and notes its ids."""
        texts = forgotten.read(self.connection)
        if not texts.signs:
            return
        for chunk in chunks:
            gone = forgotten.said_in(self.connection, texts, chunk)
            if not gone:
                continue
            forgotten.note(self.connection, chunk.session, gone)
            for name in gone & chunk.known.parts.keys():
                self._drop_part(chunk.session, chunk.known.parts[name].id)
            chunk.parts = [part for part in chunk.parts if (part.message, part.id) not in gone]
            chunk.left = [
                one
                for one in chunk.left
                if not one.part or (one.part.message, one.part.id) not in gone
            ]

    def _put_messages(
        self,
        chunks: Sequence[Chunk],
        ids: dict[tuple[int, str], int],
        docs: list[tuple[int, Doc]],
    ) -> None:
        rows: list[tuple[Any, ...]] = []
        fresh = self._next("message")
        for chunk in chunks:
            for message, ref in chunk.messages:
                known = chunk.known.messages.get(message.id)
                ident = known.id if known else fresh
                fresh += known is None
                if known:
                    self._drop_message(chunk.session, ident)
                ids[chunk.session, message.id] = ident
                rows.append(message_row(ident, chunk.session, message, ref))
                if message.error:
                    body = indexed(message.error)
                    doc = Doc("error", body, message.time, ident, None, False)
                    docs.append((chunk.session, doc))
        insert_rows(self.connection, "message", MESSAGE_NAMES, rows)

    def _put_parts(
        self,
        chunks: Sequence[Chunk],
        source: int,
        ids: dict[tuple[int, str], int],
        docs: list[tuple[int, Doc]],
    ) -> None:
        taken: list[tuple[int, int, Prepared]] = []
        fresh = self._next("part")
        blocks = Blocks(self._next("block"))
        gone = Gone(self.connection)
        edited: list[tuple[int, str]] = []
        keeps = self._keeps_versions(source)
        for chunk in chunks:
            for part in chunk.parts:
                above = self._message_id(chunk, part.message, ids)
                if above is None:
                    lost = Fault("CORRUPT_PART", part.id, "its message is not there")
                    self._put_faults(source, chunk.session, [lost])
                    continue
                known = chunk.known.parts.get((part.message, part.id))
                if known and keeps:
                    kept, more = self._keep_version(gone, chunk.session, known, above, part)
                    known = None if kept else known
                    edited += [(above, part.id)] if kept or more else []
                ident = known.id if known else fresh
                fresh += known is None
                if known:
                    self._drop_part(chunk.session, ident)
                taken.append((ident, above, part))
                docs += [(chunk.session, doc) for doc in part.documents(above, ident)]
        places = blocks.add_sorted([(part.sort, part.record) for *_, part in taken])
        rows = [
            (ident, above, *part.row, *place)
            for (ident, above, part), place in zip(taken, places, strict=True)
        ]
        insert_rows(self.connection, "part", PART_NAMES, rows)
        insert_rows(self.connection, "block", "id, bytes", blocks.take())
        gone.versions.mark_edited(edited)

    def _keeps_versions(self, source: int) -> bool:
        """Whether a text that changed was another text before: a log only goes on with it."""
        producer = one(self.connection, "SELECT producer FROM source WHERE id = ?", (source,))
        return bool(producer != "dsh")

    def _keep_version(
        self, gone: Gone, session: int, known: Known, above: int, part: Prepared
    ) -> tuple[bool, bool]:
        """Lets what a part said stay as a version; the text it has now is none.

        Whether it stays, and whether there are other versions.
        """
        updated = int(part.row[3])
        kept = gone.versions.keep(known.id, above, part, updated)
        same, more = gone.versions.same_as_now(above, part)
        for ident in same:
            self._drop_part(session, ident)
        if kept or same:
            gone.versions.number(above, part.id)
        return kept, more

    def _put_left(self, chunks: Sequence[Chunk], docs: list[tuple[int, Doc]]) -> None:
        """Takes in what is gone."""
        mine = [chunk for chunk in chunks if chunk.left or chunk.stale or chunk.mark is not None]
        if not mine:
            return
        gone = Gone(self.connection)
        blocks = Blocks(self._next("block"))
        for chunk in mine:
            if chunk.stale:
                gone.stale(chunk.session, chunk.stale)
            for session, part, above, ident in gone.put(
                chunk.session, chunk.left, blocks, self._drop_part
            ):
                docs += [(session, doc) for doc in part.documents(above, ident)]
            if chunk.mark is not None:
                self.connection.execute(
                    "UPDATE session SET traced = ? WHERE id = ?", (chunk.mark, chunk.session)
                )
                gone.count_kept(chunk.session)
        insert_rows(self.connection, "block", "id, bytes", blocks.take())

    def _message_id(self, chunk: Chunk, native: str, ids: dict[tuple[int, str], int]) -> int | None:
        """Our id of a message: known before, in this batch, or in an earlier one of its session."""
        known = chunk.known.messages.get(native)
        ident = known.id if known else ids.get((chunk.session, native))
        if ident is None:
            ident = one(
                self.connection,
                "SELECT id FROM message WHERE native = ? AND session = ?",
                (native, chunk.session),
            )
        return ident

    def _drop_message(self, session: int, message: int) -> None:
        self.drop_docs("session = ? AND part IS NULL AND message = ?", (session, message))
        self.connection.execute("DELETE FROM message WHERE id = ?", (message,))

    def _drop_part(self, session: int, part: int) -> None:
        self.drop_docs("session = ? AND part = ?", (session, part))
        self.connection.execute("DELETE FROM part WHERE id = ?", (part,))

    def _after(self, chunk: Chunk, source: int) -> None:
        self._put_faults(source, chunk.session, chunk.faults)
        end = chunk.end
        if end is None and not chunk.parts:
            return
        if end is None or end.partly:
            new = [part for part in chunk.parts if (part.message, part.id) not in chunk.known.parts]
            unfinished = end.unfinished if end else None
            self.connection.execute(
                "UPDATE session SET done = done + ?, unfinished = coalesce(?, unfinished)"
                " WHERE id = ?",
                (len(new), unfinished, chunk.session),
            )
            return
        if end.gone_parts:
            self._drop_carried(chunk.session, chunk.known, end)
        for passed in end.passed_parts:
            self._drop_part(chunk.session, passed)
        for passed in end.passed_messages:
            self._drop_message(chunk.session, passed)
        gone = Gone(self.connection)  # one moment for all that went at once
        for table, idents in (("message", end.gone_messages), ("part", end.gone_parts)):
            if idents:
                gone.rows(table, idents)
        if end.has_revert:
            self._mark_reverted(chunk, end)
        self.connection.execute(
            "UPDATE session SET stamp = ?, done = ?, unfinished = ? WHERE id = ?",
            (end.stamp, end.handled, end.unfinished, chunk.session),
        )

    def _drop_carried(self, session: int, known: KnownSession, end: SessionEnd) -> None:
        """Takes out parts that are told under other names, and messages of which none is left."""
        found = Carriers(self.connection, session, end.gone_parts).found(known)
        versions = Gone(self.connection).versions
        for row, carrier in found:
            self._drop_part(session, row.id)
            if carrier is not None:
                versions.hand_over(row.message, row.name, carrier.name)
        emptied = json.dumps([row.message for row, _ in found])
        for (ident,) in rows_of(
            self.connection,
            "SELECT id FROM message m WHERE id IN (SELECT value FROM json_each(?))"
            " AND id IN (SELECT value FROM json_each(?)) AND error = ''"
            " AND NOT EXISTS (SELECT 1 FROM part p WHERE p.message = m.id)",
            (emptied, json.dumps(end.gone_messages)),
        ):
            self._drop_message(session, ident)

    def _tell(self, session: int, told: Told, docs: list[tuple[int, Doc]]) -> None:
        """Takes in what the list of sessions could not say; a new title joins `docs`."""
        title, created = rows_of(
            self.connection, "SELECT title, created FROM session WHERE id = ?", (session,)
        )[0]
        self.connection.execute(
            "UPDATE session SET title = ?, updated = ?, messages = ?, parts = ? WHERE id = ?",
            (told.title, told.updated, told.messages, told.parts, session),
        )
        if title != told.title:
            self._drop_titles(session)
            docs += title_docs([(session, told.title, created)])

    def _mark_reverted(self, chunk: Chunk, end: SessionEnd) -> None:
        """Sets the fate of what a pending revert hides, and of what it hides no more."""
        session, now = chunk.session, now_ms()
        for table, natives, mine in (
            ("message", end.reverted_messages, "session = ?"),
            ("part", end.reverted_parts, "message IN (SELECT id FROM message WHERE session = ?)"),
        ):
            told = json.dumps(natives)
            # The plus keeps the session's rows from being looked up one by one by native id.
            named = "+native IN (SELECT value FROM json_each(?))"
            self.connection.execute(
                f"UPDATE {table} SET fate = 'live', cause = NULL, removed_at = NULL,"
                " noticed_at = NULL"
                f" WHERE {mine} AND fate = 'reverted' AND NOT {named}",
                (session, told),
            )
            for noticed, seen in _hidden_before(chunk.known, table, set(natives)).items():
                self.connection.execute(
                    f"UPDATE {table} SET noticed_at = ?"
                    f" WHERE {mine} AND noticed_at IS NULL AND {named}",
                    (noticed, session, json.dumps(seen)),
                )
            self.connection.execute(
                f"UPDATE {table} SET fate = 'reverted', cause = 'revert_pending',"
                " removed_at = ?, noticed_at = coalesce(noticed_at, ?)"
                f" WHERE {mine} AND fate IN ('live', 'reverted') AND {named}",
                (end.reverted_at, now, session, told),
            )

    def told_from_archive(self, sessions: Sequence[int]) -> None:
        """Notes that what was to be read anew in these sessions has its documents again."""
        told = json.dumps(list(sessions))
        inside = "(SELECT value FROM json_each(?))"
        self.connection.execute(
            f"UPDATE message SET updated = -2 WHERE updated = -1 AND session IN {inside}", (told,)
        )
        self.connection.execute(
            "UPDATE part SET updated = -2 WHERE updated = -1 AND message IN"
            f" (SELECT id FROM message WHERE session IN {inside})",
            (told,),
        )
        self.connection.execute(
            "UPDATE session SET done = (SELECT count(*) FROM message m JOIN part p"
            " ON p.message = m.id WHERE m.session = session.id AND p.fate IN ('live', 'reverted'))"
            f" WHERE id IN {inside}",
            (told,),
        )

    def drop_unused_blocks(self) -> None:
        """Drops blocks whose records all have newer ones; the last stays, ids never come again."""
        self.connection.execute(
            "DELETE FROM block WHERE id < (SELECT max(id) FROM block)"
            " AND id NOT IN (SELECT block FROM part WHERE block IS NOT NULL)"
        )


def _hidden_before(known: KnownSession, table: str, natives: set[str]) -> dict[int, list[str]]:
    """What of it a revert hid before, by when we first saw that; rows read anew lost it."""
    rows = known.messages.items() if table == "message" else known.parts.items()
    found: dict[int, list[str]] = {}
    for key, row in rows:
        native = key if isinstance(key, str) else key[1]
        if native in natives and row.fate == "reverted" and row.noticed is not None:
            found.setdefault(row.noticed, []).append(native)
    return found
