"""Sources and their sessions in the index."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any

from store.documents import DocumentWriter
from store.gone import Gone
from store.known import AMONG, ToDo
from store.model import (
    Fault,
    Session,
)
from store.schema import flag_bits
from store.source import Listing
from store.sqlite import one, rows_of, transaction

_TO_DO = "SELECT id, native, stamp, revert, parts, updated, traced FROM session"


class Roster(DocumentWriter):
    """Takes in stores and the lists of their sessions."""

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
            (told := json.dumps(list(found)), now_ms(), told),
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
            noted = self._noted(source)
            for session in listing.sessions:
                if session.id in forgotten:
                    continue
                session = _without_diff(session, noted)
                known = old.pop(session.id, None)
                if known and session.id in listing.stamps:
                    session = _as_told(session, known, listing.stamps[session.id])
                ident = self._put_session(source, session, known)
                if known is None or known[1] != session.title:
                    titles.append((ident, session))
            if listing.complete:
                for native, (ident, _, fate, *_) in old.items():
                    told = native not in listing.elsewhere and native not in listing.unseen
                    if told and fate != "deleted":
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
        """Those of this store, and those of others that are not known here as something else."""
        rows = rows_of(
            self.connection,
            "SELECT session FROM forgotten WHERE message = '' AND (source = ?1 OR session NOT IN"
            " (SELECT native FROM session WHERE source = ?1))",
            (source,),
        )
        return {row[0] for row in rows}

    def _noted(self, source: int) -> set[str]:
        """Sessions of this store of which anything was forgotten."""
        rows = rows_of(
            self.connection, "SELECT DISTINCT session FROM forgotten WHERE source = ?", (source,)
        )
        return {row[0] for row in rows}

    def _put_lost(
        self, source: int, lost: Sequence[Session], old: Mapping[str, Any]
    ) -> list[tuple[int, Session]]:
        """Adds sessions of which only traces are left; returns those that are new.

        One that is new and of which something was forgotten is none: all of it was.
        """
        known = {*old, *self._forgotten_sessions(source), *self._noted(source)}
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
            old = self._listed(source, AMONG, (json.dumps(list(sessions)),))
            titles = []
            forgotten = self._forgotten_sessions(source)
            noted = self._noted(source)
            for session in listing.sessions:
                if session.id in forgotten or self.rules.excludes(session):
                    continue
                session = _without_diff(session, noted)
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

    def to_do(self, source: int, only: Collection[str] | None = None) -> list[ToDo]:
        """The live sessions of a store, all or some, latest activity first."""
        some = "" if only is None else AMONG
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

    def resting(self, source: int) -> list[ToDo]:
        """The sessions of which something is gone and whose store may tell more, or less, of it.

        Of a deleted one it tells nothing again once all of that is gone from it.
        """
        told = "fate NOT IN ('live', 'reverted')"
        rows = rows_of(
            self.connection,
            f"{_TO_DO} WHERE source = ? AND (traced != '' OR fate = 'live') AND id IN"
            " (SELECT m.session FROM part p JOIN message m ON m.id = p.message"
            f" WHERE p.fate != 'live' AND p.{told}"
            f" UNION SELECT m.session FROM message m WHERE m.fate != 'live' AND m.{told})",
            (source,),
        )
        return [ToDo(*row) for row in rows]

    def comparing(self, source: int) -> None:
        """Notes that from now on the index is not what it was at the last complete comparison.

        The files may come back to the state that they had then.
        """
        self.connection.execute("UPDATE source SET state = '' WHERE id = ?", (source,))

    def compared(self, source: int, state: str) -> None:
        """Notes that a store was compared completely in this state of its files."""
        self.connection.execute(
            "UPDATE source SET state = ?1, compared_at = ?2, since = coalesce(since, ?2)"
            " WHERE id = ?3",
            (state, now_ms(), source),
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


def _without_diff(session: Session, noted: Collection[str]) -> Session:
    """The diff of a revert repeats what its parts say; what of that was forgotten is not told."""
    if session.revert is None or session.id not in noted:
        return session
    return replace(session, revert=replace(session.revert, diff=""))


def _as_told(session: Session, known: Any, stamp: str) -> Session:
    """A listed session with what its outline told before, as far as that still holds."""
    _, title, _, _, read, updated, messages, parts = known
    if read is None:
        return session
    if read != f"{stamp}|":
        updated = session.updated
    return replace(session, title=title, updated=updated, messages=messages, parts=parts)


def now_ms() -> int:
    """The present in ms."""
    return time.time_ns() // 1_000_000
