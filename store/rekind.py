"""A change of the kinds that are indexed: takes out and fills in exactly these kinds."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence

from store import words
from store.batch import Doc
from store.documents import title_of
from store.index import Writer
from store.kinds import kinds_of
from store.model import KINDS, Kind
from store.refill import BATCH_DOCUMENTS, documents_of_session
from store.sqlite import rows_of, transaction


def change_kinds(writer: Writer, wanted: Sequence[Kind], stop: threading.Event) -> None:
    """Brings the index to these kinds. What was broken off is begun anew at the next call.

    Raises apsw.InterruptError where the writer's connection was told to stop.
    """
    there = set(kinds_of(writer.connection))
    filling = set(json.loads(writer.meta("kinds_filling") or "[]"))
    gone = there - set(wanted)
    new = (set(wanted) - there) | (filling & set(wanted))
    if not gone and not new:
        return
    with transaction(writer.connection):
        for kind in gone | new:
            writer.drop_kind(kind)
        if gone:
            words.empty(writer.connection)
        writer.set_meta("kinds", json.dumps([kind for kind in KINDS if kind in wanted]))
        writer.set_meta("kinds_filling", json.dumps(sorted(new)))
        writer.changed()
    if new and _filled(writer, new, stop):
        writer.set_meta("kinds_filling", "[]")


def _filled(writer: Writer, kinds: set[Kind], stop: threading.Event) -> bool:
    """Makes the documents of these kinds from the archive; whether it came to the end."""
    sessions = rows_of(
        writer.connection,
        "SELECT id, title, created FROM session ORDER BY updated DESC, id DESC",
    )
    docs: list[tuple[int, Doc]] = []
    for ident, title, created in sessions:
        if stop.is_set():
            return False
        docs += [one for one in documents_of_session(writer, ident) if one[1].kind in kinds]
        if "title" in kinds and title:
            docs.append((ident, title_of(title, created)))
        if len(docs) >= BATCH_DOCUMENTS:
            _put(writer, docs)
            docs = []
    _put(writer, docs)
    return True


def _put(writer: Writer, docs: list[tuple[int, Doc]]) -> None:
    with transaction(writer.connection):
        writer.changed()
        writer.put_docs(docs)
