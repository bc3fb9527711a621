"""What was forgotten, by what it said: so that a copy that comes later stays away too.

Things are noted by their ids, and texts by a short keyed hash of them and of when they were said.
A fork or an import has other ids and says the same at the same time.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import apsw

from store.batch import Chunk, Prepared
from store.carried import Carriers, by_place
from store.records import Records
from store.sqlite import insert_rows, one, rows_of
from store.targets import Target, parts_of, said_at

_NOWHERE = 0
"""The source of notes that are about texts; no store has this number."""
_KEY, _TEXT = "key", "text"
_ANY_TIME = -1


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts that were forgotten."""

    key: bytes = b""
    signs: frozenset[str] = frozenset()

    def have(self, time: int, texts: Sequence[str]) -> bool:
        """Whether these texts, said at this time (ms), were forgotten."""
        return bool(self.signs and texts) and _sign(self.key, time, texts) in self.signs

    def have_in(self, session: str, texts: Sequence[str]) -> bool:
        """Whether these texts were forgotten in a session, whenever they were said."""
        return bool(texts) and _sign(self.key, _ANY_TIME, (session, *texts)) in self.signs


def read(connection: apsw.Connection) -> Texts:
    """All of them."""
    rows = rows_of(connection, "SELECT message, part FROM forgotten WHERE source = ?", (_NOWHERE,))
    keys = [bytes.fromhex(value) for kind, value in rows if kind == _KEY]
    return Texts(
        keys[0] if keys else b"", frozenset(value for kind, value in rows if kind == _TEXT)
    )


def note_texts(connection: apsw.Connection, targets: Iterable[Target]) -> None:
    """Notes what these say, before they go."""
    records = Records(connection)
    known = read(connection).signs
    names = dict(rows_of(connection, "SELECT id, native FROM session"))
    said: set[tuple[int, tuple[str, ...]]] = set()
    for target in targets:
        for _, _, session, time, *place in parts_of(connection, target):
            if words := said_at(records, time, place):
                said |= {words, (_ANY_TIME, (names[session], *words[1]))}
    key = _key(connection)
    fresh = {_sign(key, *words) for words in said} - known
    rows = [(_NOWHERE, "", _TEXT, sign) for sign in sorted(fresh)]
    insert_rows(connection, "forgotten", "source, session, message, part", rows)


def said_in(connection: apsw.Connection, texts: Texts, chunk: Chunk) -> set[tuple[str, str]]:
    """The parts (message, part) of a chunk that say what was forgotten, or may say it.

    An upgrade gives parts other names, puts several texts into one, and moves some to another
    message; what goes afterwards is told by the old names again. Of a message of which something
    had been forgotten, what comes under another name is only let in where all of it was said by
    what is left.
    """
    name = str(one(connection, "SELECT native FROM session WHERE id = ?", (chunk.session,)))
    carriers = Carriers(connection, chunk.session, gone=True)
    placed = {key for key in chunk.known.forgotten if by_place(*key)}
    named_otherwise = {
        True: {message for message, _ in chunk.known.forgotten - placed},
        False: {message for message, _ in placed},
    }
    old = {
        (left.part.message, left.part.id)
        for left in chunk.left
        if left.part and left.trace.evidence == "source"
    }

    def is_meant(part: Prepared) -> bool:
        said = [text.decode() for _, text in part.texts]
        if texts.have(part.time, said):
            return True
        key = (part.message, part.id)
        is_placed = by_place(*key)
        if is_placed and (part.synthetic or part.type == "compaction"):
            return texts.have_in(name, said)
        if key in old and texts.have_in(name, said):
            return True
        is_noted = part.message in named_otherwise[is_placed]
        return is_noted and key not in chunk.known.parts and not carriers.told_before(part)

    parts = (*chunk.parts, *(left.part for left in chunk.left if left.part))
    return {(part.message, part.id) for part in parts if is_meant(part)}


def note(connection: apsw.Connection, session: int, parts: Iterable[tuple[str, str]]) -> None:
    """Notes parts (message, part) of a session by their ids."""
    connection.execute(
        "INSERT OR IGNORE INTO forgotten(source, session, message, part)"
        " SELECT s.source, s.native, j.value->>0, j.value->>1 FROM session s, json_each(?2) j"
        " WHERE s.id = ?1",
        (session, json.dumps(list(parts))),
    )


def _key(connection: apsw.Connection) -> bytes:
    told = one(
        connection,
        "SELECT part FROM forgotten WHERE source = ? AND message = ?",
        (_NOWHERE, _KEY),
    )
    if told is None:
        told = secrets.token_hex(16)
        row = (_NOWHERE, "", _KEY, told)
        insert_rows(connection, "forgotten", "source, session, message, part", [row])
    return bytes.fromhex(told)


def _sign(key: bytes, time: int, texts: Sequence[str]) -> str:
    told = hashlib.blake2b(str(time).encode(), key=key, digest_size=8)
    for text in texts:
        told.update(b"\0" + text.encode("utf-8", "surrogatepass"))
    return told.hexdigest()
