"""Making the derived tables anew from the archive, without the sources."""

from __future__ import annotations

import threading

from store.batch import Doc, has_bits
from store.extract import documents
from store.index import Writer
from store.model import Tool
from store.records import Records
from store.schema import flags_of, make_derived
from store.sqlite import rows_of, transaction
from store.text import indexed

BATCH_DOCUMENTS = 5_000
_GONE = " AND {}.fate IN ('removed', 'deleted', 'replaced')"
_REST = " AND {}.updated = -1"
_RESTING = """
SELECT session FROM message WHERE updated = -1
UNION SELECT m.session FROM part p JOIN message m ON m.id = p.message WHERE p.updated = -1
"""


def begin_rebuild(writer: Writer) -> None:
    """Empties what is derived and lets every live row be read anew; the archive stays."""
    with transaction(writer.connection):
        make_derived(writer.connection, "gone")
        writer.set_meta("rebuild", 1)
        writer.connection.execute("UPDATE session SET stamp = NULL, done = 0")
        writer.connection.execute("UPDATE source SET state = '', listed = ''")
        writer.connection.execute("UPDATE message SET updated = -1 WHERE fate = 'live'")
        writer.connection.execute("UPDATE message SET updated = -1 WHERE fate = 'reverted'")
        writer.connection.execute("UPDATE part SET updated = -1 WHERE fate = 'live'")
        writer.connection.execute("UPDATE part SET updated = -1 WHERE fate = 'reverted'")


def refill(writer: Writer, stop: threading.Event) -> None:
    """Fills derived tables that were emptied, newest sessions first; goes on where it ended.

    Raises apsw.InterruptError where the writer's connection was told to stop.
    """
    told = writer.meta("refill")
    if not told or told == "done":
        return
    what, _, place = str(told).partition(":")
    sessions = rows_of(
        writer.connection,
        "SELECT id, title, created, updated FROM session ORDER BY updated DESC, id DESC",
    )
    begin = next((n for n, row in enumerate(sessions) if str(row[0]) == place), -1) + 1
    if begin == 0:
        with transaction(writer.connection):
            writer.put_titles([row[:3] for row in sessions])
    docs: list[tuple[int, Doc]] = []
    has: list[tuple[int, int]] = []
    for number in range(begin, len(sessions)):
        session = sessions[number]
        only = _GONE if what == "gone" else ""
        docs += documents_of_session(writer, session[0], only, has)
        last = number == len(sessions) - 1
        if last or len(docs) >= BATCH_DOCUMENTS:
            with transaction(writer.connection):
                writer.put_docs(docs)
                writer.connection.executemany("UPDATE part SET has = ? WHERE id = ?", has)
                writer.set_meta("refill", "done" if last else f"{what}:{session[0]}")
            docs, has = [], []
        if stop.is_set():
            return
    if begin >= len(sessions):
        writer.set_meta("refill", "done")


def refill_rest(writer: Writer, stop: threading.Event) -> None:
    """Ends a rebuild: fills from the archive what no source told anew, and drops old records.

    A store may be missing, damaged or not among those that were asked. Raises as `refill`.
    """
    if not writer.meta("rebuild") or stop.is_set():
        return
    sessions = [row[0] for row in rows_of(writer.connection, _RESTING)]
    docs: list[tuple[int, Doc]] = []
    told: list[int] = []
    for session in sessions:
        docs += documents_of_session(writer, session, _REST)
        told.append(session)
        if session == sessions[-1] or len(docs) >= BATCH_DOCUMENTS:
            with transaction(writer.connection):
                writer.put_docs(docs)
                writer.told_from_archive(told)
            docs, told = [], []
        if stop.is_set():
            return
    with transaction(writer.connection):
        writer.drop_unused_blocks()
        writer.set_meta("rebuild", 0)


def documents_of_session(
    writer: Writer, session: int, only: str = "", has: list[tuple[int, int]] | None = None
) -> list[tuple[int, Doc]]:
    """Documents of a session's messages and parts, `only` of some of the rows.

    `has` takes what `part.has` should be (with the part's id) where it is another now.
    """
    docs: list[tuple[int, Doc]] = []
    for ident, time, error in rows_of(
        writer.connection,
        "SELECT m.id, m.time, m.error FROM message m WHERE m.session = ? AND m.error != ''"
        + only.format("m"),
        (session,),
    ):
        docs.append((session, Doc("error", indexed(error), time, ident, None, False)))
    records = Records(writer.connection)
    for ident, above, time, flags, known, role, *place in rows_of(
        writer.connection,
        "SELECT p.id, p.message, p.time, p.flags, p.has, m.role, p.block, p.at, p.length"
        " FROM message m JOIN part p ON p.message = m.id WHERE m.session = ?" + only.format("p"),
        (session,),
    ):
        synthetic = "synthetic" in flags_of(flags)
        content = records.content(*place)
        call = tool = ""
        if isinstance(content, Tool):
            call, tool = content.call, content.name
            if has is not None and (bits := has_bits(content)) != known:
                has.append((bits, ident))
        for kind, text in documents(content, role):
            doc = Doc(kind, indexed(text), time, above, ident, synthetic, call, tool)
            docs.append((session, doc))
    return docs
