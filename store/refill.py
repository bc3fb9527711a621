"""Making the derived tables anew from the archive, without the sources."""

from __future__ import annotations

import threading

from store.index import Doc, Writer, documents_of
from store.records import Records
from store.schema import flags_of, make_derived
from store.sqlite import rows_of, transaction
from store.text import spaced

BATCH_DOCUMENTS = 5_000


def begin_rebuild(writer: Writer) -> None:
    """Empties what is derived and lets every live row be read anew; the archive stays."""
    with transaction(writer.connection):
        make_derived(writer.connection, "gone")
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
    for number in range(begin, len(sessions)):
        session = sessions[number]
        docs += _documents(writer, session[0], what == "gone")
        last = number == len(sessions) - 1
        if last or len(docs) >= BATCH_DOCUMENTS:
            with transaction(writer.connection):
                writer.put_docs(docs)
                writer.set_meta("refill", "done" if last else f"{what}:{session[0]}")
            docs = []
        if stop.is_set():
            return
    if begin >= len(sessions):
        writer.set_meta("refill", "done")


def _documents(writer: Writer, session: int, gone: bool) -> list[tuple[int, Doc]]:
    """Documents of a session's messages and parts; with `gone` of those that no source has."""
    only = " AND {}.fate IN ('removed', 'deleted')" if gone else ""
    docs: list[tuple[int, Doc]] = []
    for ident, time, error, flags in rows_of(
        writer.connection,
        "SELECT m.id, m.time, m.error, m.flags FROM message m WHERE m.session = ? AND m.error != ''"
        + only.format("m"),
        (session,),
    ):
        if "fork" not in flags_of(flags):
            docs.append((session, Doc("error", spaced(error), time, ident, None, False)))
    records = Records(writer.connection)
    for ident, above, time, flags, role, *place in rows_of(
        writer.connection,
        "SELECT p.id, p.message, p.time, p.flags, m.role, p.block, p.at, p.length"
        " FROM message m JOIN part p ON p.message = m.id WHERE m.session = ?" + only.format("p"),
        (session,),
    ):
        synthetic = "synthetic" in flags_of(flags)
        for kind, text in documents_of(records.content(*place), role, flags_of(flags)):
            docs.append((session, Doc(kind, spaced(text), time, above, ident, synthetic)))
    return docs
