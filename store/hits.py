"""Documents found -> hits: their names, their text, the snippet with what matched."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import apsw

from store import extract
from store.body import Body
from store.filters import FLAG_BITS
from store.longtext import LongText
from store.model import FATES, KINDS, Hit, Kind, Place
from store.query import Query
from store.records import Records
from store.schema import flag_bits, flags_of, has_bit
from store.sieve import Needles, Sieve
from store.snippet import snippet
from store.sqlite import rows_of

_SQL = f"""
SELECT d.id, d.kind, d.time, n.name, s.native, s.title, s.project, s.directory,
    m.native, m.role, m.agent, m.slice, m.model, m.error, p.native, p.tool, p.status,
    coalesce(p.fate, m.fate, s.fate), coalesce(p.evidence, m.evidence, 'source'),
    {FLAG_BITS}, p.block, p.at, p.length,
    coalesce(d.copy_of, d.id),
    d.copy_of IS NOT NULL OR EXISTS (SELECT 1 FROM doc c WHERE c.copy_of = d.id), s.created,
    p.version, s.updated, n.missing_since IS NOT NULL, coalesce(p.has, 0)
FROM doc d JOIN session s ON s.id = d.session JOIN source n ON n.id = s.source
    LEFT JOIN message m ON m.id = d.message LEFT JOIN part p ON p.id = d.part
WHERE d.id IN (SELECT value FROM json_each(?))
"""
_COPIES = """
SELECT id FROM doc WHERE id IN (SELECT value FROM json_each(?1))
UNION ALL SELECT id FROM doc WHERE copy_of IN (SELECT value FROM json_each(?1))
"""


@dataclass(frozen=True, slots=True)
class Found:
    """A document with its names and its whole text, and the rows of its copies."""

    row: tuple[Any, ...]
    body: Body
    copies: tuple[tuple[Any, ...], ...] = ()

    @property
    def damaged(self) -> bool:
        """Whether its text cannot be read, so that only the full text can tell what was in it."""
        return not self.body.begin and not self.body.goes_on

    @property
    def original(self) -> int:
        """The id of the document that stands for it and its copies."""
        return int(self.row[23])

    @property
    def has_copies(self) -> bool:
        """Whether there are others."""
        return bool(self.row[24])

    def hit(
        self, query: Query, score: float | None, *, among: Collection[int] | None = None
    ) -> Hit:
        """The hit that a person sees: the most original of its copies, or of some (by id)."""
        able = [one for one in (self.row, *self.copies) if among is None or one[0] in among]
        row = min(able, key=_how_original, default=self.row)
        copies = [one for one in (self.row, *self.copies) if one[0] != row[0]]
        text, spans = snippet(self.body, query)
        return Hit(
            source=row[3],
            session=row[4],
            session_title=row[5],
            project=row[6],
            directory=row[7],
            message=row[8],
            part=row[14],
            kind=KINDS[row[1]],
            time=row[2],
            tool=row[15],
            status=row[16],
            failed=bool(row[15]) and bool(row[29] & has_bit("error")),
            role=row[9],
            agent=row[10],
            slice=row[11],
            model=row[12],
            fate=row[17],
            evidence=row[18],
            version=row[26] or None,
            flags=flags_of(row[19]),
            copies=tuple(
                Place(one[3], one[4], one[8], one[14]) for one in sorted(copies, key=_how_original)
            ),
            snippet=text,
            spans=spans,
            score=score,
        )


def _how_original(row: tuple[Any, ...]) -> tuple[bool, int, bool, int, int, int]:
    """Sorts copies, as `conversations.rank` does sessions: what a store that is there has before
    what is gone, and native text before a fork's or an import's; the earlier session, and of one
    session the place where it went on last.
    """
    taken = bool(row[19] & flag_bits(("fork", "imported")))
    return bool(row[28]), FATES.index(row[17]), taken, row[25], -row[27], row[0]


class Documents:
    """Looks documents up by id; not for two threads at once."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._records = Records(connection)
        self._sieve = Sieve(connection, self._records)

    def found(
        self, ids: Sequence[int], needles: Needles = (), exactly: bool = False
    ) -> list[Found]:
        """The documents of these ids in this order; those that went meanwhile are left out, and
        those that have none of the needles of a group.

        `exactly`: accents count.
        """
        if needles:
            ids = self._sieve.left(ids, needles, exactly)
        rows = {row[0]: row for row in rows_of(self._connection, _SQL, (json.dumps(ids),))}
        self._records.open(row[20] for row in rows.values() if row[20] is not None)
        return [Found(rows[one], self._body(rows[one])) for one in ids if one in rows]

    def with_all(self, blocks: Sequence[int], pieces: Sequence[bytes]) -> set[int]:
        """Those of the blocks that have all of the pieces, ascii letters in any case."""
        return self._records.with_all(blocks, pieces)

    def with_copies(self, found: Sequence[Found]) -> list[Found]:
        """The documents with the rows of their copies."""
        several = json.dumps([one.original for one in found if one.has_copies])
        if several == "[]":
            return list(found)
        ids = [row[0] for row in rows_of(self._connection, _COPIES, (several,))]
        rows = rows_of(self._connection, _SQL, (json.dumps(ids),))
        groups: dict[int, list[tuple[Any, ...]]] = {}
        for row in sorted(rows, key=_how_original):
            groups.setdefault(row[23], []).append(row)
        return [
            replace(
                one,
                copies=tuple(r for r in groups.get(one.original, ()) if r[0] != one.row[0]),
            )
            for one in found
        ]

    def _body(self, row: tuple[Any, ...]) -> Body:
        kind: Kind = KINDS[row[1]]
        if kind == "title":
            return Body(str(row[5]))
        if row[14] is None:
            return Body(str(row[13]))
        where = (row[20], row[21], row[22])
        if place := extract.PLAIN.get(kind):
            told = self._records.beginning(*where, *place)
            if told is not None:
                begin, is_all = told
                rest = None if is_all else LongText(self._records, where, *place)
                return Body(begin, rest)
        # The kind tells whose text it was; the message may say another role by now.
        role = {"user_text": "user", "assistant_text": "assistant"}.get(kind, row[9])
        content = self._records.content(*where, extract.UNUSED.get(kind, ()))
        return Body(extract.body(content, role, kind))
