"""One conversation in several stores: which of them speaks for it, and where they disagree.

Producers make ids that never repeat, and importing keeps them: the same id is the same
conversation, in a backup, an import, another channel's file, an exported log. Where two stores
disagree on what never changes, neither can stand for the other: both are shown, and it is a fault.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

import apsw

from store.model import Copy, Fate, Fault, Session
from store.schema import flag_bits, flags_of
from store.sqlite import rows_of
from store.unread import UNREAD

_IMPORTED = flag_bits(("imported",))
_GONE = ("removed", "deleted")
_SQL = f"""SELECT s.id, s.native, s.source, n.name, s.parent, s.directory, s.created, s.updated,
    s.messages, s.parts, s.flags, s.fate, n.missing_since IS NOT NULL, {UNREAD}
    FROM session s JOIN source n ON n.id = s.source WHERE s.native """
_SEVERAL = "IN (SELECT native FROM session GROUP BY native HAVING count(*) > 1)"


class Held(NamedTuple):
    """A session as one store has it; `missing`: that store is not where it was."""

    ident: int
    native: str
    source: int
    name: str
    parent: str
    directory: str
    created: int
    updated: int
    messages: int
    parts: int
    flags: int
    fate: Fate
    missing: bool
    unread: bool

    @property
    def is_told(self) -> bool:
        """Whether its store says this of it now, and said it first."""
        return self.fate == "live" and not self.missing and not self.flags & _IMPORTED


def rank(
    fate: str, missing: bool, flags: int, updated: int, ident: int
) -> tuple[bool, bool, bool, int, int]:
    """Sorts the places of one conversation, the primary first: a store that is there before one
    that is missing, what is there before what is gone, native before imported, then the newest.
    """
    return missing, fate in _GONE, bool(flags & _IMPORTED), -updated, ident


def conversations(
    connection: apsw.Connection, sources: Sequence[int] | None, native: str | None = None
) -> list[list[Held]]:
    """The conversations that several stores have (or that one), their primary first.

    `sources` may answer (None: all). Those that disagree are conversations of their own, and may
    be alone in them.
    """
    found: list[list[Held]] = []
    for same in _same_ids(connection, sources, native):
        left = same
        while left:
            found.append([one for one in left if not differences(left[0], one)])
            left = [one for one in left if differences(left[0], one)]
    return found


def _same_ids(
    connection: apsw.Connection, sources: Sequence[int] | None, native: str | None = None
) -> list[list[Held]]:
    rows = (
        rows_of(connection, f"{_SQL}{_SEVERAL}")
        if native is None
        else rows_of(connection, f"{_SQL}= ?", (native,))
    )
    groups: dict[str, list[Held]] = defaultdict(list)
    for row in rows:
        one = Held(*row)
        if sources is None or one.source in sources:
            groups[one.native].append(one)
    return [
        sorted(same, key=lambda one: rank(one.fate, one.missing, one.flags, one.updated, one.ident))
        for same in groups.values()
        if len(same) > 1
    ]


def differences(one: Held, other: Held) -> list[str]:
    """What two stores tell differently of a session, in words; nothing where one has it from the
    other, or does not tell it any more.
    """
    if not (one.is_told and other.is_told):
        return []
    told = []
    if one.created != other.created:
        told.append(f"created {_moment(one.created)} and {_moment(other.created)}")
    if one.parent != other.parent:
        told.append(f"parent {one.parent or 'none'} and {other.parent or 'none'}")
    if one.directory != other.directory:
        told.append(f"folder {one.directory or 'none'} and {other.directory or 'none'}")
    return told


def _moment(time: int) -> str:
    try:
        return f"{datetime.fromtimestamp(time / 1000, UTC):%Y-%m-%dT%H:%M:%S}.{time % 1000:03d}Z"
    except (OverflowError, ValueError, OSError):
        return str(time)


def conflicts(
    connection: apsw.Connection, sources: Sequence[int] | None
) -> dict[str, tuple[Fault, ...]]:
    """By the name of a store, where it disagrees with the one that speaks for a session."""
    found: dict[str, list[Fault]] = defaultdict(list)
    for first, *others in _same_ids(connection, sources):
        for other in others:
            told = differences(first, other)
            if told:
                words = (
                    f"{first.name} and {other.name} disagree on session {first.native}: "
                    f"{'; '.join(told)}; both are shown"
                )
                about = f"{other.name}:{other.native}"
                found[other.name].append(Fault("SOURCE_CONFLICT", about, words))
    return {name: tuple(faults) for name, faults in found.items()}


def copies_of(conversation: Iterable[Held], ident: int) -> tuple[Copy, ...]:
    """The other places of a conversation than the session with this id, the best first."""
    return tuple(
        Copy(
            one.name,
            one.messages,
            one.parts,
            one.updated,
            one.fate,
            flags_of(one.flags),
            bool(one.unread),
        )
        for one in conversation
        if one.ident != ident
    )


def with_copies(
    connection: apsw.Connection, session: Session, ident: int, sources: Sequence[int] | None
) -> Session:
    """A session (and its id) with its other places."""
    for conversation in conversations(connection, sources, session.id):
        if any(one.ident == ident for one in conversation):
            return replace(session, copies=copies_of(conversation, ident))
    return session


def other_places(connection: apsw.Connection, idents: Sequence[int]) -> list[int]:
    """The ids of these sessions in all other stores that have them."""
    told = json.dumps(list(idents))
    sql = "SELECT DISTINCT native FROM session WHERE id IN (SELECT value FROM json_each(?))"
    wanted = set(idents)
    found: list[int] = []
    for (native,) in rows_of(connection, sql, (told,)):
        for conversation in conversations(connection, None, native):
            every = [one.ident for one in conversation]
            if wanted & set(every):
                found += [ident for ident in every if ident not in wanted]
    return found
