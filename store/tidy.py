"""Idle work on the index: what many small commits left in small pieces is put together.

Following commits a few parts at a time. Each commit may begin a run of documents of its own, which
costs every search a step, and makes a block of its own, which compresses badly. Both are rewritten
in bounded transactions; nothing is decided here, so that a stop between two of them loses nothing.
"""

from __future__ import annotations

import json
import threading

import apsw
import zstandard

from store import copies, extract
from store.archive import Blocks, open_block
from store.batch import Doc
from store.documents import RUN_DOCUMENTS
from store.index import Writer
from store.model import KINDS, Tool
from store.records import Records
from store.sqlite import insert_rows, rows_of, transaction
from store.text import indexed

FEW_RUNS = 16
"""So many small runs are left as they are."""
SMALL_RUN = 500
FEW_BLOCKS = 64
"""So many small blocks are left as they are."""
SMALL_BLOCK = 2_048
MANY_BLOCKS = 1_024
"""Small blocks that are rewritten at once."""


def tidy(writer: Writer, stop: threading.Event) -> None:
    """One pass; ends early where `stop` is set. Raises apsw.InterruptError as the writer does."""
    steps = (merge_runs, merge_blocks)
    for step in steps:
        while not stop.is_set() and step(writer):
            pass


def merge_runs(writer: Writer) -> bool:
    """Makes one run of small neighbours; whether there were enough of them."""
    small: list[tuple[int, int]] = []
    for lo, hi in rows_of(writer.connection, "SELECT lo, hi FROM run ORDER BY lo"):
        if small and hi - small[0][0] >= RUN_DOCUMENTS:
            if len(small) > FEW_RUNS:
                break
            small = []
        if hi - lo < SMALL_RUN:
            small.append((lo, hi))
        elif len(small) > FEW_RUNS:
            break
        else:
            small = []
    if len(small) <= FEW_RUNS:
        return False
    low, high = small[0][0], small[-1][1]
    docs = _documents(writer.connection, low, high)
    if docs is None:
        return False
    with transaction(writer.connection):
        for ident, moment in rows_of(
            writer.connection,
            "SELECT id, time FROM doc WHERE id BETWEEN ? AND ? AND copy_of IS NULL",
            (low, high),
        ):
            copies.leave(writer.connection, ident, moment)
        for table, column in (("fts", "rowid"), ("doc", "id"), ("run", "lo")):
            sql = f"DELETE FROM {table} WHERE {column} BETWEEN ? AND ?"
            writer.connection.execute(sql, (low, high))
        writer.put_docs(docs)
    return True


_DOCUMENTS = """
SELECT d.session, d.message, d.part, d.kind, d.time, d.synthetic, s.title, m.error, m.role,
    p.block, p.at, p.length
FROM doc d JOIN session s ON s.id = d.session
    LEFT JOIN message m ON m.id = d.message LEFT JOIN part p ON p.id = d.part
WHERE d.id BETWEEN ? AND ?
"""


def _documents(connection: apsw.Connection, low: int, high: int) -> list[tuple[int, Doc]] | None:
    """The documents with their texts; None where one of them cannot be had again."""
    records = Records(connection)
    docs: list[tuple[int, Doc]] = []
    for session, message, part, number, time, synthetic, title, error, role, *place in rows_of(
        connection, _DOCUMENTS, (low, high)
    ):
        kind = KINDS[number]
        call = tool = ""
        if part is not None:
            content = records.content(*place)
            if isinstance(content, Tool):
                call, tool = content.call, content.name
            said = {"user_text": "user", "assistant_text": "assistant"}.get(kind, role or "")
            text = extract.body(content, said, kind)
        else:
            text = title if message is None else error
        if not text:
            return None
        doc = Doc(kind, indexed(text), time, message, part, bool(synthetic), call, tool)
        docs.append((session, doc))
    return docs


def merge_blocks(writer: Writer) -> bool:
    """Puts the records of small blocks into larger ones; whether there were enough of them."""
    connection = writer.connection
    small = rows_of(
        connection,
        "SELECT id FROM block WHERE length(bytes) < ? AND id < (SELECT max(id) FROM block)"
        " ORDER BY id LIMIT ?",
        (SMALL_BLOCK, MANY_BLOCKS),
    )
    if len(small) <= FEW_BLOCKS:
        return False
    names = json.dumps([row[0] for row in small])
    with transaction(connection):
        moved = _repack(connection, names)
    return moved


def _repack(connection: apsw.Connection, names: str) -> bool:
    among = "IN (SELECT value FROM json_each(?))"
    records: dict[int, bytes] = {}
    for ident, packed in rows_of(
        connection, f"SELECT id, bytes FROM block WHERE id {among}", (names,)
    ):
        try:
            records[ident] = open_block(packed)
        except zstandard.ZstdError:
            return False
    (start,) = rows_of(connection, "SELECT max(id) + 1 FROM block")[0]
    blocks = Blocks(start)
    places = [
        (*blocks.add(records[block][at : at + length]), part)
        for part, block, at, length in rows_of(
            connection,
            f"SELECT id, block, at, length FROM part WHERE block {among} ORDER BY message, id",
            (names,),
        )
    ]
    connection.executemany("UPDATE part SET block = ?, at = ?, length = ? WHERE id = ?", places)
    insert_rows(connection, "block", "id, bytes", blocks.take())
    connection.execute(f"DELETE FROM block WHERE id {among}", (names,))
    return True
