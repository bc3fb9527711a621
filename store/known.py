"""What the index has of a session: enough to see what must be read again."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass

import apsw

from store.schema import flags_of
from store.source import Ref
from store.sqlite import rows_of
from store.versions import GONE

AMONG = " AND native IN (SELECT value FROM json_each(?))"


@dataclass(slots=True)
class Known:
    """What the index has of a row: enough to see whether it must be read again."""

    id: int
    updated: int
    size: int
    fate: str
    unfinished: bool = False
    role: str = ""
    noticed: int | None = None

    def differs(self, ref: Ref) -> bool:
        """Whether the stored row must be read again."""
        same = self.updated == ref.updated and self.size == ref.size
        return not same or self.fate in GONE or self.unfinished


@dataclass(slots=True)
class KnownSession:
    """What the index has of a session, by native id; parts by (message, part).

    What a person had `forgotten`, of this store or another, is as if it were known and never
    changed.
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
    some = "" if only is None else AMONG
    values = (session,) if only is None else (session, json.dumps(list(only)))
    for ident, native, updated, size, fate, role, noticed in connection.execute(
        "SELECT id, native, updated, size, fate, role, noticed_at FROM message"
        f" WHERE session = ?{some}",
        values,
    ):
        messages[native] = Known(ident, updated, size, fate, role=role, noticed=noticed)
        names[ident] = native
    parts: dict[tuple[str, str], Known] = {}
    for ident, above, native, updated, size, fate, status, flags, noticed in connection.execute(
        "SELECT p.id, p.message, p.native, p.updated, p.size, p.fate, p.status, p.flags,"
        " p.noticed_at"
        " FROM message m JOIN part p ON p.message = m.id"
        f" WHERE m.session = ? AND p.version = 0{some.replace('native', 'm.native')}",
        values,
    ):
        open_tool = status in ("pending", "running") and "interrupted" not in flags_of(flags)
        if above in names:  # not so in a damaged index alone
            known = Known(ident, updated, size, fate, open_tool, noticed=noticed)
            parts[names[above], native] = known
    forgotten = rows_of(
        connection,
        "SELECT f.message, f.part FROM session s JOIN forgotten f ON f.session = s.native"
        " WHERE s.id = ?",
        (session,),
    )
    return KnownSession(messages, parts, frozenset((row[0], row[1]) for row in forgotten))
