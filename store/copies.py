"""Copies of one text: forks, imports, the same store in several generations, backups.

Documents of one kind, text, time and call are one: the first that came stands for all, the others
name it in `copy_of`. The table `fold` finds it by time and a short hash of the rest.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import apsw
import pydantic_core

from store.sqlite import insert_rows, rows_of


def key(kind: int, body: bytes, call: str) -> int:
    """The hash of a document, which together with its time tells copies."""
    return kind << 32 | zlib.crc32(call.encode("utf-8", "replace"), zlib.crc32(body))


def originals(
    connection: apsw.Connection,
    start: int,
    keys: Sequence[tuple[int, int]],
    sessions: Sequence[int],
) -> list[int | None]:
    """For new documents with ids from `start` on, by (time, key) and session, the one each is a
    copy of.

    Those that are none are remembered. What one session says twice is no copy.
    """
    known = {
        (time, hashed): (ident, session)
        for time, hashed, ident, session in rows_of(
            connection,
            "SELECT f.time, f.hash, f.doc, d.session FROM json_each(?) j CROSS JOIN fold f"
            " ON f.time = j.value->>0 AND f.hash = j.value->>1 JOIN doc d ON d.id = f.doc",
            (pydantic_core.to_json(keys).decode(),),
        )
    }
    found: list[int | None] = []
    new: list[tuple[int, int, int]] = []
    for place, one in enumerate(keys):
        ident, session = known.setdefault(one, (start + place, sessions[place]))
        if ident == start + place:
            new.append((*one, ident))
        found.append(ident if session != sessions[place] else None)
    rows = sorted(new)
    insert_rows(connection, "fold", "time, hash, doc", rows)
    return found


def leave(connection: apsw.Connection, ident: int, time: int) -> None:
    """Lets the next copy stand for those of a document that goes."""
    heirs = rows_of(connection, "SELECT min(id) FROM doc WHERE copy_of = ?", (ident,))
    heir = heirs[0][0]
    if heir is None:
        connection.execute("DELETE FROM fold WHERE time = ? AND doc = ?", (time, ident))
        return
    connection.execute("UPDATE fold SET doc = ? WHERE time = ? AND doc = ?", (heir, time, ident))
    connection.execute("UPDATE doc SET copy_of = ? WHERE copy_of = ?", (heir, ident))
    connection.execute("UPDATE doc SET copy_of = NULL WHERE id = ?", (heir,))
