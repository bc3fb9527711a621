"""Documents of the index: the full text, the runs they lie in by time, and merging.

A commit makes one run: documents with ascending ids, sorted by time inside. Search walks the runs
from the newest on, so the order by time is exact although batches arrive newest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from store import copies
from store.batch import Doc
from store.kinds import kinds_of
from store.layout import LATE
from store.model import (
    KINDS,
    Kind,
)
from store.rules import Rules
from store.sqlite import insert_rows, one, rows_of
from store.tags import tags
from store.text import indexed

RUN_DOCUMENTS = 5_000
NEW_PARTS = 5_000
"""Parts up to which an index is new."""
_AFTER_RUNS = "SELECT coalesce(max(hi), 0) + 1 FROM run"


class DocumentWriter:
    """Adds and drops documents through one connection, as far as the `rules` allow it."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.rules = Rules()

    def meta(self, key: str) -> Any:
        """A value of ours, None where it was never set."""
        return one(self.connection, "SELECT value FROM meta WHERE key = ?", (key,))

    def set_meta(self, key: str, value: Any) -> None:
        """Sets a value of ours."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (key, value))

    def _next(self, table: str) -> int:
        return int(one(self.connection, f"SELECT coalesce(max(id), 0) + 1 FROM {table}"))

    def drop_docs(self, where: str, values: tuple[Any, ...]) -> None:
        """Takes documents out of the full text; what they are copies of, or stand for, stays."""
        sql = f"SELECT id, time, copy_of FROM doc WHERE {where}"
        for ident, moment, copy_of in rows_of(self.connection, sql, values):
            if copy_of is None:
                copies.leave(self.connection, ident, moment)
            self.connection.execute("DELETE FROM fts WHERE rowid = ?", (ident,))
            self.connection.execute("DELETE FROM doc WHERE id = ?", (ident,))

    def drop_kind(self, kind: Kind) -> None:
        """Takes out all documents of a kind."""
        self.drop_docs("kind = ?", (KINDS.index(kind),))

    def put_docs(self, docs: list[tuple[int, Doc]]) -> None:
        """Adds documents as one run: ids ascend with time. Those of other kinds are left out."""
        wanted = kinds_of(self.connection)
        if len(wanted) < len(KINDS):
            docs = [one for one in docs if one[1].kind in wanted]
        if not docs:
            return
        docs.sort(key=lambda pair: pair[1].time)
        start = max(self._next("doc"), int(one(self.connection, _AFTER_RUNS)))
        kinds = [KINDS.index(doc.kind) for _, doc in docs]
        keys = [
            (doc.time, copies.key(kind, doc.body, doc.call))
            for (_, doc), kind in zip(docs, kinds, strict=True)
        ]
        first = copies.originals(self.connection, start, keys, [session for session, _ in docs])
        rows = [
            (start + place, session, doc.message, doc.part, kinds[place], doc.time, first[place],
             doc.synthetic)
            for place, (session, doc) in enumerate(docs)
        ]  # fmt: skip
        insert_rows(
            self.connection,
            "doc",
            "id, session, message, part, kind, time, copy_of, synthetic",
            rows,
        )
        self.connection.execute(
            "INSERT INTO fts(rowid, body) SELECT ? + rowid, value FROM carray(?)",
            (start - 1, apsw.carray(tuple(_tagged(*one) for one in docs))),
        )
        self._put_run(start, len(docs), docs[0][1].time, docs[-1][1].time)

    def _put_run(self, start: int, count: int, oldest: int, newest: int) -> None:
        """Notes the run of new documents; a small one that only goes on continues the last."""
        for lo, hi, latest in rows_of(
            self.connection, "SELECT lo, hi, tmax FROM run ORDER BY lo DESC LIMIT 1"
        ):
            if hi == start - 1 and latest <= oldest and hi - lo + count < RUN_DOCUMENTS:
                self.connection.execute(
                    "UPDATE run SET hi = ?, tmax = ? WHERE lo = ?", (hi + count, newest, lo)
                )
                return
        self.connection.execute(
            "INSERT INTO run VALUES(?, ?, ?, ?)", (start, start + count - 1, oldest, newest)
        )

    def put_titles(self, titles: Sequence[tuple[int, str, int]]) -> None:
        """Makes the titles (session, title, time created) documents, in place of earlier ones."""
        for session, _, _ in titles:
            self._drop_titles(session)
        self.put_docs(title_docs(titles))

    def _drop_titles(self, session: int) -> None:
        self.drop_docs("session = ? AND part IS NULL AND message IS NULL", (session,))

    def changed(self) -> None:
        """Every commit that changes what a search may find has a number of its own."""
        self.set_meta("generation", int(self.meta("generation") or 0) + 1)

    def fast(self, on: bool) -> None:
        """While many documents arrive, segments are merged at the end instead of in between.

        So are indexes made of a file that was new.
        """
        if not on:
            for made in LATE.values():
                self.connection.execute(made)
        elif self._next("part") <= NEW_PARTS:
            for name in LATE:
                self.connection.execute(f"DROP INDEX IF EXISTS {name}")
        self._fts("automerge", 0 if on else 4)
        self._fts("crisismerge", 1900 if on else 16)
        self._fts("hashsize", 4_000_000 if on else 1_000_000)
        # Pages that every batch changes are copied into the file once for several of them.
        self.connection.pragma("wal_autocheckpoint", 8_000 if on else 1_000)
        self.set_meta("merging", int(on))

    def _fts(self, name: str, value: int) -> None:
        self.connection.execute("INSERT INTO fts(fts, rank) VALUES(?, ?)", (name, value))

    def merge_step(self, pages: int) -> bool:
        """One bounded step of merging, negative to begin; False when nothing is left to merge."""
        before = self.connection.total_changes()
        self._fts("merge", pages)
        return bool(self.connection.total_changes() - before >= 2)

    def give_back(self, pages: int) -> bool:
        """Shortens the file by so many of its free pages where it has more; whether it had.

        Nothing is done to a file that was made before its pages could be moved.
        """
        free = int(self.connection.pragma("freelist_count"))
        if free <= pages or not self.connection.pragma("auto_vacuum"):
            return False
        rows_of(self.connection, f"PRAGMA incremental_vacuum({pages})")
        return True


def _tagged(session: int, doc: Doc) -> bytes:
    return b"".join((tags(session, KINDS.index(doc.kind), doc.tool), doc.body))


def title_of(title: str, created: int) -> Doc:
    """The document of a session's title."""
    return Doc("title", indexed(title), created, None, None, False)


def title_docs(titles: Sequence[tuple[int, str, int]]) -> list[tuple[int, Doc]]:
    """The documents of titles (session, title, time created); an empty one has none."""
    return [(session, title_of(title, created)) for session, title, created in titles if title]
