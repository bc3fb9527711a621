"""The write side of our index: the only place that adds to it, one transaction a batch.

A commit makes one run: documents with ascending ids, sorted by time inside. Search walks the runs
from the newest on, so the order by time is exact although batches arrive newest first.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

import apsw

from store import copies, extract
from store.archive import Blocks, pack
from store.gone import GONE, Gone, Left
from store.kinds import kinds_of
from store.model import (
    KINDS,
    Content,
    Fault,
    File,
    Kind,
    Message,
    Part,
    Retry,
    Session,
    Tool,
    type_name,
)
from store.rows import MESSAGE_NAMES, PART_NAMES, message_row
from store.rules import Rules
from store.schema import HAS, flag_bits, flags_of
from store.source import Listing, Ref
from store.sqlite import insert_rows, one, rows_of, transaction
from store.text import encodable, spaced

RUN_DOCUMENTS = 5_000


@dataclass(slots=True)
class Known:
    """What the index has of a row: enough to see whether it must be read again."""

    id: int
    updated: int
    size: int
    fate: str
    unfinished: bool = False
    role: str = ""

    def differs(self, ref: Ref) -> bool:
        """Whether the stored row must be read again."""
        same = self.updated == ref.updated and self.size == ref.size
        return not same or self.fate in GONE or self.unfinished


@dataclass(slots=True)
class KnownSession:
    """What the index has of a session, by native id; parts by (message, part).

    What a person had `forgotten` is as if it were known and never changed.
    """

    messages: dict[str, Known]
    parts: dict[tuple[str, str], Known]
    forgotten: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class ToDo:
    """A session as the index has it; `revert` is its pending revert as JSON.

    `mark` says up to where its traces were followed.
    """

    id: int
    native: str
    stamp: str | None
    revert: str | None
    parts: int
    updated: int
    mark: str = ""


@dataclass(slots=True)
class Doc:
    """A document before it has an id; `message` and `part` are our ids."""

    kind: Kind
    body: str
    time: int
    message: int | None
    part: int | None
    synthetic: bool
    call: str = ""


@dataclass(slots=True)
class Prepared:
    """A part made ready to be written: its row, its record and its documents."""

    message: str
    id: str
    time: int
    size: int
    synthetic: bool
    row: tuple[Any, ...]
    record: bytes
    texts: list[extract.Document]
    call: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """What the list of sessions could not say of a session, and reading it did."""

    title: str
    updated: int
    messages: int
    parts: int


@dataclass(slots=True)
class SessionEnd:
    """A session was read to its end: what is gone, what a revert hides, and the new stamp.

    Gone rows go by our ids, reverted ones by native ids; `handled` counts the parts that are there.
    Where `partly`, only the session's last messages were read: it says nothing but `unfinished`.
    """

    stamp: str | None
    gone_messages: list[int]
    gone_parts: list[int]
    reverted_messages: list[str]
    reverted_parts: list[str]
    has_revert: bool
    unfinished: bool
    handled: int
    told: Told | None = None
    partly: bool = False


@dataclass(slots=True)
class Chunk:
    """Rows of one session that were read and are to be written.

    `first` marks the session's first chunk of a pass, `end` comes with its last. `left` is what
    is gone, `stale` the evidence that does not hold any longer, `mark` (with the last of them) up
    to where traces were followed.
    """

    session: int
    known: KnownSession
    messages: list[tuple[Message, Ref]]
    parts: list[Prepared]
    faults: tuple[Fault, ...] = ()
    first: bool = False
    end: SessionEnd | None = None
    left: Sequence[Left] = ()
    stale: Sequence[str] = ()
    mark: str | None = None

    @property
    def size(self) -> int:
        """The stored bytes of its parts."""
        gone = sum(one.trace.ref.size for one in self.left)
        return sum(part.size for part in self.parts) + gone


def prepare(part: Part, ref: Ref, role: str) -> Prepared:
    """A part's row, record and documents; `role` is its message's."""
    tool = part.content if isinstance(part.content, Tool) else None
    row = (
        part.id,
        part.time,
        ref.created,
        ref.updated,
        ref.size,
        encodable(type_name(part.content)),
        encodable(tool.name) if tool else None,
        encodable(tool.status) if tool else None,
        flag_bits(part.flags),
        _has(part.content),
    )
    texts = [(kind, spaced(text)) for kind, text in extract.documents(part.content, role)]
    return Prepared(
        part.message,
        part.id,
        part.time,
        ref.size,
        "synthetic" in part.flags,
        row,
        pack(part.content),
        texts,
        tool.call if tool else "",
    )


def _has(content: Content) -> int:
    """What `has:` asks for, as bits in the order of HAS."""
    match content:
        case Tool():
            mimes = [one.mime for one in content.attachments]
            present = {
                "error": bool(content.error) or content.status == "error",
                "file": bool(content.attachments),
                "diff": bool(content.diff),
                "output": bool(content.output),
            }
        case File(mime=mime):
            mimes = [mime]
            present = {"file": True}
        case Retry():
            return 1 << HAS.index("error")
        case _:
            return 0
    present["image"] = any(mime.startswith("image/") for mime in mimes)
    return sum(1 << HAS.index(name) for name, there in present.items() if there)


class Writer:
    """Adds to the index through one connection, as far as the `rules` allow it.

    Not for two threads at once.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.rules = Rules()

    def meta(self, key: str) -> Any:
        """A value of ours, None where it was never set."""
        return one(self.connection, "SELECT value FROM meta WHERE key = ?", (key,))

    def set_meta(self, key: str, value: Any) -> None:
        """Sets a value of ours."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (key, value))

    # Sources and sessions --------------------------------------------------------------------

    def source(self, producer: str, path: str) -> tuple[int, str]:
        """The id and name of a store; a new one gets the producer's name, numbered if taken."""
        for row in self.connection.execute(
            "SELECT id, name FROM source WHERE producer = ? AND path = ?", (producer, path)
        ):
            return row[0], row[1]
        with transaction(self.connection):
            names = {row[0] for row in self.connection.execute("SELECT name FROM source")}
            number = 1
            while (name := producer if number == 1 else f"{producer}-{number}") in names:
                number += 1
            self.connection.execute(
                "INSERT INTO source(name, producer, path) VALUES(?, ?, ?)", (name, producer, path)
            )
            return self.connection.last_insert_rowid(), name

    def mark_missing(self, found: Sequence[int]) -> None:
        """Notes which stores are not where they were. They are unscanned: no fate changes."""
        gone = "id NOT IN (SELECT value FROM json_each(?))"
        self.connection.execute(
            f"UPDATE source SET missing_since = CASE WHEN {gone} THEN ? END"
            f" WHERE ({gone}) = (missing_since IS NULL)",
            (told := json.dumps(list(found)), _now(), told),
        )

    def listed_state(self, source: int) -> str:
        """The state of the files whose list of sessions was taken in last."""
        return str(one(self.connection, "SELECT listed FROM source WHERE id = ?", (source,)))

    def compared_state(self, source: int) -> str:
        """The state of the files at the last complete comparison ("" before the first)."""
        return str(one(self.connection, "SELECT state FROM source WHERE id = ?", (source,)))

    def put_listing(self, source: int, listing: Listing) -> None:
        """Takes in the list of a store's sessions; those missing from a complete one are gone."""
        if self.rules.passes_over:
            heard = [one for one in listing.sessions if not self.rules.excludes(one)]
            lost = [one for one in listing.lost if not self.rules.excludes(one)]
            listing = replace(listing, sessions=tuple(heard), lost=tuple(lost))
        with transaction(self.connection):
            self._hand_over(source, listing.elsewhere)
            old = self._listed(source, "", ())
            titles: list[tuple[int, Session]] = []
            forgotten = self._forgotten_sessions(source)
            for session in listing.sessions:
                if session.id in forgotten:
                    continue
                known = old.pop(session.id, None)
                if known and session.id in listing.stamps:
                    session = _as_told(session, known, listing.stamps[session.id])
                ident = self._put_session(source, session, known)
                if known is None or known[1] != session.title:
                    titles.append((ident, session))
            if listing.complete:
                for native, (ident, _, fate, *_) in old.items():
                    if fate != "deleted" and native not in listing.elsewhere:
                        Gone(self.connection).session(ident)
                titles += self._put_lost(source, listing.lost, old)
            self.put_titles([(ident, one.title, one.created) for ident, one in titles])
            self._put_faults(source, None, listing.faults)
            self.changed()
            self.connection.execute(
                "UPDATE source SET listed = ?, opened = ?, missing_since = NULL WHERE id = ?",
                (listing.state if listing.complete else "", listing.opened, source),
            )

    def _forgotten_sessions(self, source: int) -> set[str]:
        rows = rows_of(
            self.connection,
            "SELECT session FROM forgotten WHERE source = ? AND message = ''",
            (source,),
        )
        return {row[0] for row in rows}

    def _put_lost(
        self, source: int, lost: Sequence[Session], old: Mapping[str, Any]
    ) -> list[tuple[int, Session]]:
        """Adds sessions of which only traces are left; returns those that are new."""
        known = {*old, *self._forgotten_sessions(source)}
        fresh = [session for session in lost if session.id not in known]
        added = [(self._put_session(source, session, None), session) for session in fresh]
        for ident, _ in added:
            Gone(self.connection).session(ident)
        return added

    def _listed(self, source: int, more: str, values: tuple[Any, ...]) -> dict[str, Any]:
        rows = rows_of(
            self.connection,
            "SELECT native, id, title, fate, revert, stamp, updated, messages, parts"
            f" FROM session WHERE source = ?{more}",
            (source, *values),
        )
        return {row[0]: row[1:] for row in rows}

    def put_some(self, source: int, listing: Listing, sessions: Collection[str]) -> None:
        """Takes in what a store says of these sessions; those that it does not name are gone."""
        with transaction(self.connection):
            old = self._listed(source, _AMONG, (json.dumps(list(sessions)),))
            titles = []
            forgotten = self._forgotten_sessions(source)
            for session in listing.sessions:
                if session.id in forgotten or self.rules.excludes(session):
                    continue
                known = old.pop(session.id, None)
                ident = self._put_session(source, session, known)
                if known is None or known[1] != session.title:
                    titles.append((ident, session.title, session.created))
            for ident, _, fate, *_ in old.values():
                if fate != "deleted" and not listing.faults:
                    Gone(self.connection).session(ident)
            self.put_titles(titles)
            self.changed()

    def _hand_over(self, source: int, elsewhere: Mapping[str, str]) -> None:
        """Lets other stores have what is known of sessions that they tell from now on."""
        for path in set(elsewhere.values()):
            mine = json.dumps([native for native in elsewhere if elsewhere[native] == path])
            self.connection.execute(
                "UPDATE OR IGNORE session SET stamp = NULL, source ="
                " (SELECT id FROM source WHERE path = ?2) WHERE source = ?1 AND fate != 'deleted'"
                " AND native IN (SELECT value FROM json_each(?3))"
                " AND EXISTS (SELECT 1 FROM source WHERE path = ?2)",
                (source, path, mine),
            )

    def _put_session(self, source: int, session: Session, known: Any) -> int:
        revert = session.revert
        told = astuple(revert) if revert else None
        values = (
            session.parent,
            session.project,
            session.directory,
            session.title,
            session.version,
            session.created,
            session.updated,
            session.messages,
            session.parts,
            flag_bits(session.flags),
            json.dumps(told) if told else None,
        )
        if known is None:
            self.connection.execute(
                "INSERT INTO session(source, native, parent, project, directory, title, version,"
                " created, updated, messages, parts, flags, revert)"
                " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
                (source, session.id, *values),
            )
            return self.connection.last_insert_rowid()
        ident: int = known[0]
        again = "" if known[2] != "deleted" else ", stamp = NULL, fate = 'live'"
        self.connection.execute(
            "UPDATE session SET parent=?, project=?, directory=?, title=?, version=?, created=?,"
            f" updated=?, messages=?, parts=?, flags=?, revert=?{again} WHERE id = ?",
            (*values, ident),
        )
        return ident

    def put_titles(self, titles: Sequence[tuple[int, str, int]]) -> None:
        """Makes the titles (session, title, time created) documents, in place of earlier ones."""
        for session, _, _ in titles:
            self._drop_titles(session)
        self.put_docs(_title_docs(titles))

    def _drop_titles(self, session: int) -> None:
        self.drop_docs("session = ? AND part IS NULL AND message IS NULL", (session,))

    def to_do(self, source: int, only: Collection[str] | None = None) -> list[ToDo]:
        """The live sessions of a store, all or some, latest activity first."""
        some = "" if only is None else _AMONG
        rows = rows_of(
            self.connection,
            f"{_TO_DO} WHERE source = ? AND fate = 'live'{some} ORDER BY updated DESC, native",
            (source,) if only is None else (source, json.dumps(list(only))),
        )
        return [ToDo(*row) for row in rows]

    def lost(self, source: int, sessions: Sequence[Session]) -> list[ToDo]:
        """Those of these sessions that are deleted: what traces they left is to be followed."""
        told = json.dumps([session.id for session in sessions])
        rows = rows_of(
            self.connection,
            f"{_TO_DO} WHERE source = ? AND fate = 'deleted'"
            " AND native IN (SELECT value FROM json_each(?)) ORDER BY updated DESC, native",
            (source, told),
        )
        return [ToDo(*row) for row in rows]

    def compared(self, source: int, state: str) -> None:
        """Notes that a store was compared completely in this state of its files."""
        self.connection.execute(
            "UPDATE source SET state = ?1, compared_at = ?2, since = coalesce(since, ?2)"
            " WHERE id = ?3",
            (state, _now(), source),
        )

    # Batches ---------------------------------------------------------------------------------

    def write(self, chunks: Sequence[Chunk], source: int) -> int:
        """Writes chunks in one transaction; returns the number of documents added."""
        with transaction(self.connection):
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

    def changed(self) -> None:
        """Every commit that changes what a search may find has a number of its own."""
        self.set_meta("generation", int(self.meta("generation") or 0) + 1)

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
                    body = spaced(message.error)
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
        rows: list[tuple[Any, ...]] = []
        fresh = self._next("part")
        blocks = Blocks(self._next("block"))
        gone = Gone(self.connection)
        keeps = self._keeps_versions(source)
        for chunk in chunks:
            for part in chunk.parts:
                above = self._message_id(chunk, part.message, ids)
                if above is None:
                    lost = Fault("CORRUPT_PART", part.id, "its message is not there")
                    self._put_faults(source, chunk.session, [lost])
                    continue
                known = chunk.known.parts.get((part.message, part.id))
                if known and keeps and self._keep_version(gone, chunk.session, known, above, part):
                    known = None
                ident = known.id if known else fresh
                fresh += known is None
                if known:
                    self._drop_part(chunk.session, ident)
                rows.append((ident, above, *part.row, *blocks.add(part.record)))
                docs += [
                    (
                        chunk.session,
                        Doc(kind, text, part.time, above, ident, part.synthetic, part.call),
                    )
                    for kind, text in part.texts
                ]
        insert_rows(self.connection, "part", PART_NAMES, rows)
        insert_rows(self.connection, "block", "id, bytes", blocks.take())

    def _keeps_versions(self, source: int) -> bool:
        """Whether a text that changed was another text before: a log only goes on with it."""
        producer = one(self.connection, "SELECT producer FROM source WHERE id = ?", (source,))
        return bool(producer != "dsh")

    def _keep_version(
        self, gone: Gone, session: int, known: Known, above: int, part: Prepared
    ) -> bool:
        """Lets what a part said stay as a version; the text it has now is none."""
        updated = int(part.row[3])
        kept = gone.keep(known.id, above, part, updated)
        same = gone.same_as_now(above, part)
        for ident in same:
            self._drop_part(session, ident)
        if kept or same:
            gone.number(above, part.id)
        return kept

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
                docs += [
                    (session, Doc(kind, text, part.time, above, ident, part.synthetic, part.call))
                    for kind, text in part.texts
                ]
            if chunk.mark is not None:
                self.connection.execute(
                    "UPDATE session SET traced = ? WHERE id = ?", (chunk.mark, chunk.session)
                )
                self._count_kept(chunk.session)
        insert_rows(self.connection, "block", "id, bytes", blocks.take())

    def _count_kept(self, session: int) -> None:
        """A deleted session has what we have of it."""
        self.connection.execute(
            "UPDATE session SET messages = (SELECT count(*) FROM message WHERE session = ?1),"
            " parts = (SELECT count(*) FROM message m JOIN part p ON p.message = m.id"
            " WHERE m.session = ?1 AND p.version = 0) WHERE id = ?1 AND fate = 'deleted'",
            (session,),
        )

    def _next(self, table: str) -> int:
        return int(one(self.connection, f"SELECT coalesce(max(id), 0) + 1 FROM {table}"))

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
            (start - 1, apsw.carray(tuple(doc.body for _, doc in docs))),
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
        for table, idents in (("message", end.gone_messages), ("part", end.gone_parts)):
            if idents:
                Gone(self.connection).rows(table, idents)
        if end.has_revert:
            self._mark_reverted(chunk.session, end)
        self.connection.execute(
            "UPDATE session SET stamp = ?, done = ?, unfinished = ? WHERE id = ?",
            (end.stamp, end.handled, end.unfinished, chunk.session),
        )

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
            docs += _title_docs([(session, told.title, created)])

    def _mark_reverted(self, session: int, end: SessionEnd) -> None:
        """Sets the fate of what a pending revert hides, and of what it hides no more."""
        for table, natives, mine in (
            ("message", end.reverted_messages, "session = ?"),
            ("part", end.reverted_parts, "message IN (SELECT id FROM message WHERE session = ?)"),
        ):
            told = json.dumps(natives)
            # The plus keeps the session's rows from being looked up one by one by native id.
            named = "+native IN (SELECT value FROM json_each(?))"
            self.connection.execute(
                f"UPDATE {table} SET fate = 'live', cause = NULL"
                f" WHERE {mine} AND fate = 'reverted' AND NOT {named}",
                (session, told),
            )
            self.connection.execute(
                f"UPDATE {table} SET fate = 'reverted', cause = 'revert_pending'"
                f" WHERE {mine} AND fate = 'live' AND {named}",
                (session, told),
            )

    def _put_faults(self, source: int, session: int | None, faults: Iterable[Fault]) -> None:
        rows = [(source, session, one.about, one.code, one.message) for one in faults]
        for row in rows:
            self.connection.execute("INSERT OR REPLACE INTO fault VALUES(?, ?, ?, ?, ?)", row)

    def clear_faults(self, source: int, session: int | None) -> None:
        """Forgets the faults of a session (None: of the list of sessions) before it is read."""
        self.connection.execute(
            "DELETE FROM fault WHERE source = ? AND session IS ?", (source, session)
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

    # Merging ---------------------------------------------------------------------------------

    def fast(self, on: bool) -> None:
        """While many documents arrive, segments are merged at the end instead of in between."""
        self._fts("automerge", 0 if on else 4)
        self._fts("crisismerge", 1900 if on else 16)
        self._fts("hashsize", 4_000_000 if on else 1_000_000)
        self.set_meta("merging", int(on))

    def _fts(self, name: str, value: int) -> None:
        self.connection.execute("INSERT INTO fts(fts, rank) VALUES(?, ?)", (name, value))

    def merge_step(self, pages: int) -> bool:
        """One bounded step of merging, negative to begin; False when nothing is left to merge."""
        before = self.connection.total_changes()
        self._fts("merge", pages)
        return bool(self.connection.total_changes() - before >= 2)


def title_of(title: str, created: int) -> Doc:
    """The document of a session's title."""
    return Doc("title", spaced(title), created, None, None, False)


def _title_docs(titles: Sequence[tuple[int, str, int]]) -> list[tuple[int, Doc]]:
    return [(session, title_of(title, created)) for session, title, created in titles if title]


def _as_told(session: Session, known: Any, stamp: str) -> Session:
    """A listed session with what its outline told before, as far as that still holds."""
    _, title, _, _, read, updated, messages, parts = known
    if read is None:
        return session
    if read != f"{stamp}|":
        updated = session.updated
    return replace(session, title=title, updated=updated, messages=messages, parts=parts)


_TO_DO = "SELECT id, native, stamp, revert, parts, updated, traced FROM session"
_AMONG = " AND native IN (SELECT value FROM json_each(?))"
_AFTER_RUNS = "SELECT coalesce(max(hi), 0) + 1 FROM run"


def _now() -> int:
    return time.time_ns() // 1_000_000


def is_forgotten(known: KnownSession, message: str, part: str) -> bool:
    """Whether a person had this part forgotten, or its message."""
    gone = known.forgotten
    return bool(gone) and ((message, "") in gone or (message, part) in gone)


def known_session(
    connection: apsw.Connection, session: int, only: Collection[str] | None = None
) -> KnownSession:
    """What the index has of a session, or of some of its messages."""
    messages: dict[str, Known] = {}
    names: dict[int, str] = {}
    some = "" if only is None else _AMONG
    values = (session,) if only is None else (session, json.dumps(list(only)))
    for ident, native, updated, size, fate, role in connection.execute(
        f"SELECT id, native, updated, size, fate, role FROM message WHERE session = ?{some}",
        values,
    ):
        messages[native] = Known(ident, updated, size, fate, role=role)
        names[ident] = native
    parts: dict[tuple[str, str], Known] = {}
    for ident, above, native, updated, size, fate, status, flags in connection.execute(
        "SELECT p.id, p.message, p.native, p.updated, p.size, p.fate, p.status, p.flags"
        " FROM message m JOIN part p ON p.message = m.id"
        f" WHERE m.session = ? AND p.version = 0{some.replace('native', 'm.native')}",
        values,
    ):
        open_tool = status in ("pending", "running") and "interrupted" not in flags_of(flags)
        if above in names:  # not so in a damaged index alone
            parts[names[above], native] = Known(ident, updated, size, fate, open_tool)
    forgotten = rows_of(
        connection,
        "SELECT f.message, f.part FROM session s JOIN forgotten f"
        " ON f.source = s.source AND f.session = s.native WHERE s.id = ?",
        (session,),
    )
    return KnownSession(messages, parts, frozenset((row[0], row[1]) for row in forgotten))
