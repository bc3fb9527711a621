"""Reading parts and messages back from our own index."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from sys import intern
from typing import Any, Generic, TypeVar

import apsw
import zstandard

from store.archive import (
    BLOCK_BYTES,
    open_beginning,
    open_block,
    opened_size,
    tells,
    text_of,
    unpack,
)
from store.model import Content, Message, Part, Revert, Session, Unknown
from store.schema import flags_of
from store.sqlite import one, rows_of
from store.unread import UNREAD

KEPT = 4_000_000
"""Bytes of blocks that stay open: searches look at the latest ones again and again."""
BEGINNING = 48_000
"""Bytes of a text that are looked at first."""
LONG = 128_000
"""Bytes of a block from which on its beginning is opened first: all of it takes a millisecond."""

SESSION = (
    "s.native, n.name, s.title, s.directory, s.project, s.parent, s.created, s.updated,"
    " s.messages, s.parts, s.version, s.fate, s.flags, s.revert, s.unfinished,"
    " (SELECT count(*) FROM fault f WHERE f.source = s.source AND f.session = s.id),"
    f" {UNREAD}"
)
"""Columns of a session `s` with its source `n`, as `session_of` takes them."""


def session_of(row: tuple[Any, ...]) -> Session:
    """A session from a row of `SESSION`; texts that many sessions share are there once."""
    revert = Revert(*json.loads(row[13])) if row[13] else None
    return Session(
        source=intern(row[1]),
        id=row[0],
        title=row[2],
        directory=intern(row[3]),
        project=intern(row[4]),
        parent=row[5],
        created=row[6],
        updated=row[7],
        messages=row[8],
        parts=row[9],
        version=intern(row[10]),
        fate=row[11],
        flags=flags_of(row[12]),
        revert=revert,
        unfinished=bool(row[14]),
        faults=row[15],
        unread=bool(row[16]),
    )


T = TypeVar("T")


class _Latest(Generic[T]):
    """What was used last, by the number of its block; KEPT bytes of it, but one at least."""

    def __init__(self) -> None:
        self._held: OrderedDict[int, tuple[T, int]] = OrderedDict()
        self._bytes = 0

    def __contains__(self, block: int) -> bool:
        return block in self._held

    def get(self, block: int) -> T | None:
        if block not in self._held:
            return None
        self._held.move_to_end(block)
        return self._held[block][0]

    def put(self, block: int, value: T, size: int) -> T:
        self._held[block] = (value, size)
        self._bytes += size
        while self._bytes > KEPT and len(self._held) > 1:
            _, (_, dropped) = self._held.popitem(last=False)
            self._bytes -= dropped
        return value


def text_in(
    records: bytes | str, at: int, length: int, kind: str, field: str, most: int
) -> tuple[str, bool] | None:
    """As `archive.text_of`, None also where the records cannot be read."""
    if isinstance(records, str):
        return None
    try:
        return text_of(records, at, length, kind, field, most)
    except (ValueError, TypeError, LookupError):
        return None


class Records:
    """The archive through one connection; not for two threads at once."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._blocks: _Latest[bytes] = _Latest()
        self._beginnings: _Latest[bytes] = _Latest()
        self._latest: tuple[object, Content] = (None, Unknown("", {}))
        self._lowered: _Latest[bytes] = _Latest()
        self._tells: _Latest[bool] = _Latest()
        self._opener = zstandard.ZstdDecompressor()

    def content(self, block: int, at: int, length: int, without: Sequence[str] = ()) -> Content:
        """The content of a part by the place of its record, without long texts of these names."""
        key = (block, at, length, without)
        if self._latest[0] != key:
            self._latest = (key, self._unpacked(*key))
        return self._latest[1]

    def _unpacked(self, block: int, at: int, length: int, without: Sequence[str]) -> Content:
        records = self.opened(block)
        if isinstance(records, str):
            return Unknown(records, {})
        try:
            return unpack(records[at : at + length], without)
        except (ValueError, TypeError, LookupError):
            return Unknown("damaged record", {})

    def beginning(
        self, block: int, at: int, length: int, kind: str, field: str
    ) -> tuple[str, bool] | None:
        """The first bytes of one text of a part, and whether that is all; LONG ones, of a block
        of which only the beginning was opened BEGINNING ones.

        None where it has no such text, or it cannot be read so.
        """
        begin = self.beginning_of(block)
        if begin is not None:
            return text_in(begin, at, length, kind, field, BEGINNING)
        return text_in(self.opened(block), at, length, kind, field, LONG)

    def beginning_of(self, block: int) -> bytes | None:
        """The first bytes of a block of which only these were opened, None for others."""
        return self._beginnings.get(block)

    def record(self, block: int, at: int, length: int) -> bytes:
        """A part's record; b"" where it cannot be read."""
        records = self.opened(block)
        return records[at : at + length] if isinstance(records, bytes) else b""

    def is_long(self, block: int) -> bool:
        """Whether only the beginning of a block was opened."""
        return block in self._beginnings

    def stretches(self, block: int, size: int) -> Iterator[bytes]:
        """The records of a block, so many bytes at a time; none or fewer where it is damaged."""
        packed = one(self._connection, "SELECT bytes FROM block WHERE id = ?", (block,))
        try:
            with self._opener.stream_reader(packed or b"") as reader:
                while some := reader.read(size):
                    yield some
        except (zstandard.ZstdError, TypeError):
            return

    def open(self, blocks: Iterable[int]) -> None:
        """Opens blocks that are about to be read, together; of long ones the beginning."""
        known = (self._blocks, self._beginnings)
        wanted = [one for one in dict.fromkeys(blocks) if not any(one in some for some in known)]
        if len(wanted) > 1:
            sql = "SELECT id, bytes FROM block WHERE id IN (SELECT value FROM json_each(?))"
            for block, packed in rows_of(self._connection, sql, (json.dumps(wanted),)):
                if not self._is_begun(block, packed):
                    self._open(block, packed)

    def _is_begun(self, block: int, packed: bytes) -> bool:
        """Opens the beginning of a long block; of others, and damaged ones, nothing."""
        try:
            if opened_size(packed) <= LONG:
                return False
            begin = open_beginning(packed, BLOCK_BYTES + BEGINNING, self._opener)
        except (zstandard.ZstdError, TypeError):
            return False
        self._beginnings.put(block, begin, len(begin))
        return True

    def opened(self, block: int) -> bytes | str:
        """The records of a block, or what is wrong with it."""
        records = self._blocks.get(block)
        if records is not None:
            return records
        packed = one(self._connection, "SELECT bytes FROM block WHERE id = ?", (block,))
        return "missing record" if packed is None else self._open(block, packed)

    def _open(self, block: int, packed: bytes) -> bytes | str:
        try:
            records = open_block(packed, self._opener)
        except (zstandard.ZstdError, TypeError):
            return "damaged record"
        return self._blocks.put(block, records, len(records))

    def with_all(self, blocks: Iterable[int], pieces: Iterable[bytes]) -> set[int]:
        """Those of the blocks that have all of the pieces (small letters), in any case.

        None of them is kept open: they are looked at by the thousand.
        """
        sought = tuple(pieces)
        cased = any(one.upper() != one for one in sought)
        found = set()
        sql = "SELECT id, bytes FROM block WHERE id IN (SELECT value FROM json_each(?))"
        for block, packed in rows_of(self._connection, sql, (json.dumps(list(blocks)),)):
            try:
                text = open_block(packed, self._opener)
            except (zstandard.ZstdError, TypeError):
                continue
            text = text.lower() if cased else text
            if all(one in text for one in sought):
                found.add(block)
        return found

    def lowered(self, block: int) -> bytes:
        """The records of a block in small letters; b"" where it cannot be read."""
        known = self._lowered.get(block)
        if known is None:
            records = self.opened(block)
            lowered = records.lower() if isinstance(records, bytes) else b""
            known = self._lowered.put(block, lowered, len(lowered))
        return known

    def tells(self, block: int) -> bool:
        """Whether the small letters of a block tell what is in its texts."""
        known = self._tells.get(block)
        if known is None:
            records = self.opened(block)
            known = self._tells.put(block, isinstance(records, bytes) and tells(records), 1)
        return known

    def messages(self, session: int, natives: Iterable[str], native: str) -> list[Message]:
        """Messages of a session (its id and native id) in reading order."""
        rows = rows_of(
            self._connection,
            "SELECT native, role, time, updated, completed, agent, slice, model, parent, error,"
            " cost, tokens, flags, fate FROM message"
            " WHERE session = ? AND native IN (SELECT value FROM json_each(?))"
            " ORDER BY seq, time, native",
            (session, json.dumps(list(natives))),
        )
        return [
            Message(
                id=row[0],
                session=native,
                role=row[1],
                time=row[2],
                updated=row[3],
                completed=row[4],
                agent=row[5],
                slice=row[6],
                model=row[7],
                parent=row[8],
                error=row[9],
                cost=row[10],
                tokens=json.loads(row[11]) if row[11] else {},
                flags=flags_of(row[12]),
                fate=row[13],
            )
            for row in rows
        ]

    def part_ids(self, session: int, messages: Iterable[str]) -> list[tuple[str, str]]:
        """(message, part) of all parts of these messages of a session, in reading order."""
        rows = rows_of(
            self._connection,
            "SELECT m.native, p.native FROM message m JOIN part p ON p.message = m.id"
            " WHERE m.session = ? AND m.native IN (SELECT value FROM json_each(?))"
            " AND p.version = 0 ORDER BY p.created, p.native",
            (session, json.dumps(list(messages))),
        )
        return [(row[0], row[1]) for row in rows]

    def parts(self, session: int, messages: Iterable[str], native: str) -> list[Part]:
        """All parts of these messages of a session, in reading order."""
        rows = rows_of(
            self._connection,
            f"SELECT {_PART} FROM message m JOIN part p ON p.message = m.id"
            " WHERE m.session = ? AND m.native IN (SELECT value FROM json_each(?))"
            " AND p.version = 0 ORDER BY p.created, p.native",
            (session, json.dumps(list(messages))),
        )
        return [self._part(row, native) for row in rows]

    def versions(self, session: int, message: str, part: str, native: str) -> list[Part]:
        """The earlier texts of a part, the oldest first."""
        rows = rows_of(
            self._connection,
            f"SELECT {_PART} FROM message m JOIN part p ON p.message = m.id"
            " WHERE m.session = ? AND m.native = ? AND p.native = ? AND p.version > 0"
            " ORDER BY p.version",
            (session, message, part),
        )
        return [self._part(row, native) for row in rows]

    def edited(self, session: int, messages: Iterable[str]) -> set[tuple[str, str]]:
        """The parts (message, part) of these messages of a session that have earlier texts."""
        rows = rows_of(
            self._connection,
            "SELECT m.native, p.native FROM message m JOIN part p ON p.message = m.id"
            " WHERE m.session = ? AND m.native IN (SELECT value FROM json_each(?))"
            " AND p.fate != 'live' AND p.version > 0",
            (session, json.dumps(list(messages))),
        )
        return {(row[0], row[1]) for row in rows}

    def hidden(
        self, session: int, messages: Iterable[str]
    ) -> dict[tuple[str, str], tuple[int | None, int | None]]:
        """Of parts (message, part) that a pending revert hides: since when, and when we saw it."""
        rows = rows_of(
            self._connection,
            "SELECT m.native, p.native, p.removed_at, p.noticed_at"
            " FROM message m JOIN part p ON p.message = m.id"
            " WHERE m.session = ? AND m.native IN (SELECT value FROM json_each(?))"
            " AND p.fate != 'live' AND p.fate = 'reverted'",
            (session, json.dumps(list(messages))),
        )
        return {(row[0], row[1]): (row[2], row[3]) for row in rows}

    def _part(self, row: tuple[Any, ...], session: str) -> Part:
        return Part(
            id=row[0],
            message=row[1],
            session=session,
            time=row[2],
            updated=row[3],
            content=self.content(*row[9:12]),
            flags=flags_of(row[5]),
            fate=row[6],
            cause=row[7],
            evidence=row[8],
            size=row[4],
            version=row[12],
            removed_at=row[13],
            noticed_at=row[14],
        )


_PART = (
    "p.native, m.native, p.time, p.updated, p.size, p.flags, p.fate, p.cause, p.evidence,"
    " p.block, p.at, p.length, p.version, p.removed_at, p.noticed_at"
)
"""Columns of a part, as `Records` takes them."""
