"""The first prompt and the last answer of a session, from the index alone."""

from __future__ import annotations

import apsw

from store.hits import Documents
from store.model import KINDS, Glance, Kind
from store.sqlite import one

MOST = 600
"""Characters of each that are handed on."""
_DOCUMENT = """
SELECT d.id FROM doc d JOIN message m ON m.id = d.message JOIN part p ON p.id = d.part
WHERE d.session = ? AND d.kind = ? AND NOT d.synthetic
ORDER BY m.fate != 'live' OR p.fate != 'live', {order} LIMIT 1
"""
_FIRST = _DOCUMENT.format(order="m.time, m.seq, p.time, d.id")
_LAST = _DOCUMENT.format(order="m.time DESC, m.seq DESC, p.time DESC, d.id DESC")


def glance(connection: apsw.Connection, source: str, native: str) -> Glance:
    """What is live comes first; "" for what the index does not have."""
    session = one(
        connection,
        "SELECT s.id FROM session s JOIN source n ON n.id = s.source"
        " WHERE n.name = ? AND s.native = ?",
        (source, native),
    )
    documents = Documents(connection)

    def text(sql: str, kind: Kind) -> str:
        ident = one(connection, sql, (session, KINDS.index(kind)))
        found = documents.found([ident]) if ident is not None else []
        return found[0].body.text[:MOST] if found else ""

    return Glance(text(_FIRST, "user_text"), text(_LAST, "assistant_text"))
