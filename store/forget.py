"""Forgetting: taking sessions, messages and parts out of archive and index, for good.

The records are cut out of their blocks, the documents taken out of the full text, the rows
deleted, and what was forgotten is noted by id, so that no later look at its store brings it back.
SQLite only marks what it deletes as free, the full text keeps the words of a deleted document until
all of it is merged, and the vocabulary keeps them until it is read anew: so the one is merged, the
other read anew, and the file written anew.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import apsw
import zstandard

from store import forgotten, words
from store.archive import Blocks, open_block
from store.errors import StoreError
from store.gone import Gone
from store.index import Writer
from store.model import Forgotten
from store.sqlite import insert_rows, one, rows_of, transaction
from store.targets import Target, count, everything, parts_of


def forget(writer: Writer, targets: Iterable[Target], path: Path) -> Forgotten:
    """Forgets these with all that goes with them, and leaves nothing of it in the file.

    Raises INDEX_BUSY where another program reads the index, before anything is forgotten; where
    one begins to just then, after: the next call takes what is left in the file.
    """
    connection = writer.connection
    meant = list(targets)
    _alone(writer, path)
    with transaction(connection):
        every = everything(connection, meant)
        told = count(connection, meant, every, path)
        forgotten.note_texts(connection, every)
        for target in every:
            _forget_one(connection, target)
        _sweep(connection)
        _after(writer, every)
        writer.set_meta("wipe", 1)
    wipe(writer, path)
    return told


def drop(writer: Writer, targets: Sequence[Target], *, one_row: bool = False) -> None:
    """Takes these out without a note, so that they may come again where a store has them.

    `one_row`: of a part that row alone, not its other versions.
    """
    if not targets:
        return
    connection = writer.connection
    with transaction(connection):
        for target in targets:
            if one_row and target.part is not None:
                _drop_parts(connection, target.session, [target.part])
            else:
                _forget_one(connection, target, note=False)
        _after(writer, targets)


def drop_sessions(writer: Writer) -> None:
    """Takes out deleted sessions of which nothing is left."""
    rows = rows_of(
        writer.connection,
        "SELECT id FROM session s WHERE fate = 'deleted'"
        " AND NOT EXISTS (SELECT 1 FROM message m WHERE m.session = s.id)",
    )
    drop(writer, [Target(row[0]) for row in rows])


def sweep(writer: Writer) -> None:
    """Takes out what went after all of it had been forgotten."""
    with transaction(writer.connection):
        if swept := _sweep(writer.connection):
            _after(writer, swept)
            writer.set_meta("wipe", 1)


_EMPTY = "m.error = '' AND NOT EXISTS (SELECT 1 FROM part p WHERE p.message = m.id)"
"""Whether a message has nothing to show."""


def _sweep(connection: apsw.Connection) -> list[Target]:
    """Takes out messages and sessions that are gone and that were forgotten piece by piece.

    A session is not noted: should it come back, what was forgotten of it stays away by itself.
    """
    messages = rows_of(
        connection,
        "SELECT DISTINCT m.session, m.id FROM forgotten f JOIN session s ON s.native = f.session"
        " JOIN message m ON m.native = f.message AND m.session = s.id"
        f" WHERE m.fate IN ('removed', 'deleted') AND {_EMPTY}",
    )
    found = [Target(*row) for row in messages]
    for target in found:
        _forget_one(connection, target)
    sessions = rows_of(
        connection,
        "SELECT DISTINCT s.id FROM forgotten f JOIN session s ON s.native = f.session"
        " WHERE s.fate = 'deleted'"
        f" AND NOT EXISTS (SELECT 1 FROM message m WHERE m.session = s.id AND NOT ({_EMPTY}))",
    )
    for (session,) in sessions:
        _forget_one(connection, Target(session), note=False)
    return found + [Target(*row) for row in sessions]


def _after(writer: Writer, targets: Iterable[Target]) -> None:
    """What is to be done in the transaction in which targets went for good."""
    gone = Gone(writer.connection)
    for session in {target.session for target in targets}:
        gone.count_kept(session)
        writer.connection.execute(
            "UPDATE session SET revert = json_set(revert, '$[2]', ''), stamp = NULL"
            " WHERE id = ? AND revert IS NOT NULL",
            (session,),
        )
    words.empty(writer.connection)
    writer.changed()


def _alone(writer: Writer, path: Path) -> None:
    """Raises INDEX_BUSY where another program is reading: the file could not be made clean."""
    writer.set_meta("wipe", writer.meta("wipe") or 0)  # an empty log would tell nothing
    if _is_read(writer.connection):
        told = (
            f"another program is reading {path}, so that nothing was forgotten; end it, or try"
            " again in a moment"
        )
        raise StoreError("INDEX_BUSY", told, str(path))


def _write_anew(connection: apsw.Connection) -> None:
    connection.execute("VACUUM")


def _is_read(connection: apsw.Connection) -> bool:
    """Moves the log into the file; whether another program kept it from that."""
    try:
        busy, *_ = rows_of(connection, "PRAGMA wal_checkpoint(TRUNCATE)")[0]
    except apsw.BusyError:
        return True
    return bool(busy)


def wipe(writer: Writer, path: Path) -> None:
    """Ends what `forget` began: no deleted byte stays in the file. Raises INDEX_BUSY."""
    connection = writer.connection
    if not writer.meta("wipe"):
        return
    connection.execute("INSERT INTO fts(fts) VALUES('optimize')")
    words.everything(connection)
    with transaction(connection):
        _rewrite_all(connection)
    try:
        _write_anew(connection)
        busy = _is_read(connection)
    except apsw.BusyError:
        busy = True
    if busy:
        told = (
            "it is forgotten, but another program reads the index, so that bytes of it may still"
            f" be in {path}; end that program and forget again, or let it be indexed again"
        )
        raise StoreError("INDEX_BUSY", told, str(path))
    writer.set_meta("wipe", 0)  # last: whoever dies before leaves it to the next


def _forget_one(connection: apsw.Connection, target: Target, *, note: bool = True) -> None:
    """Forgets one thing."""
    parts = [row[0] for row in parts_of(connection, target)]
    if note:
        _note(connection, target)
    _drop_parts(connection, target.session, parts)
    if target.part is not None:
        return
    if target.message is not None:
        messages = [target.message]
    else:
        messages = [
            row[0]
            for row in rows_of(
                connection, "SELECT id FROM message WHERE session = ?", (target.session,)
            )
        ]
    inside = json.dumps(messages)
    Writer(connection).drop_docs(
        "session = ? AND part IS NULL AND message IN (SELECT value FROM json_each(?))",
        (target.session, inside),
    )
    connection.execute(
        "DELETE FROM message WHERE id IN (SELECT value FROM json_each(?))", (inside,)
    )
    if target.message is not None:
        return
    Writer(connection).drop_docs("session = ?", (target.session,))
    connection.execute("DELETE FROM fault WHERE session = ?", (target.session,))
    connection.execute("DELETE FROM session WHERE id = ?", (target.session,))


def _note(connection: apsw.Connection, target: Target) -> None:
    connection.execute(
        "INSERT OR IGNORE INTO forgotten(source, session, message, part)"
        " SELECT s.source, s.native,"
        " coalesce((SELECT native FROM message WHERE id = ?2), ''),"
        " coalesce((SELECT native FROM part WHERE id = ?3), '') FROM session s WHERE s.id = ?1",
        (target.session, target.message, target.part),
    )


def _drop_parts(connection: apsw.Connection, session: int, parts: Sequence[int]) -> None:
    """Takes parts out of documents, rows and blocks."""
    told = json.dumps(list(parts))
    some = "IN (SELECT value FROM json_each(?))"
    Writer(connection).drop_docs(f"session = ? AND part {some}", (session, told))
    blocks = rows_of(
        connection,
        f"SELECT DISTINCT block FROM part WHERE id {some} AND block IS NOT NULL",
        (told,),
    )
    connection.execute(f"DELETE FROM part WHERE id {some}", (told,))
    for (block,) in blocks:
        _rewrite(connection, block)


def _rewrite_all(connection: apsw.Connection) -> None:
    """Takes out of the blocks what no part has any more, as a text that came to be said again."""
    used = dict(
        rows_of(
            connection,
            "SELECT block, sum(length) FROM (SELECT DISTINCT block, at, length FROM part"
            " WHERE block IS NOT NULL) GROUP BY block",
        )
    )
    heads = rows_of(connection, "SELECT id, substr(bytes, 1, 18) FROM block WHERE bytes != x''")
    for block, head in heads:
        with suppress(zstandard.ZstdError):  # what is damaged is left as it is
            if zstandard.frame_content_size(head) != used.get(block, 0):
                open_block(one(connection, "SELECT bytes FROM block WHERE id = ?", (block,)))
                _rewrite(connection, block)


def _rewrite(connection: apsw.Connection, block: int) -> None:
    """Writes a block anew with the records that some part still has, and no others."""
    packed = one(connection, "SELECT bytes FROM block WHERE id = ?", (block,))
    mine: dict[tuple[int, int], list[int]] = defaultdict(list)
    for ident, at, length in rows_of(
        connection, "SELECT id, at, length FROM part WHERE block = ? ORDER BY at", (block,)
    ):
        mine[at, length].append(ident)
    last = one(connection, "SELECT max(id) FROM block") == block
    try:
        records = open_block(packed) if packed and mine else b""
    except zstandard.ZstdError:
        records = b""
    fresh = Blocks(int(one(connection, "SELECT max(id) + 1 FROM block")))
    for (at, length), idents in mine.items() if records else ():
        place = fresh.add(records[at : at + length])
        connection.execute(
            "UPDATE part SET block = ?, at = ?, length = ?"
            " WHERE id IN (SELECT value FROM json_each(?))",
            (*place, json.dumps(idents)),
        )
    insert_rows(connection, "block", "id, bytes", fresh.take())
    if last and not (mine and records):  # ids never come again
        connection.execute("UPDATE block SET bytes = x'' WHERE id = ?", (block,))
    else:
        connection.execute("DELETE FROM block WHERE id = ?", (block,))
