"""Documents found -> hits: their names, their text, the snippet with what matched."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from store import extract
from store.model import KINDS, Hit, Kind
from store.query import Query
from store.records import Records
from store.schema import flags_of
from store.snippet import snippet
from store.sqlite import rows_of

_SQL = """
SELECT d.id, d.kind, d.time, n.name, s.native, s.title, s.project, s.directory,
    m.native, m.role, m.agent, m.slice, m.model, m.error, p.native, p.tool, p.status,
    coalesce(p.fate, m.fate, s.fate), coalesce(p.evidence, m.evidence, 'source'),
    coalesce(p.flags, 0) | coalesce(m.flags, 0) | s.flags, p.block, p.at, p.length, p.version
FROM doc d JOIN session s ON s.id = d.session JOIN source n ON n.id = s.source
    LEFT JOIN message m ON m.id = d.message LEFT JOIN part p ON p.id = d.part
WHERE d.id IN (SELECT value FROM json_each(?))
"""


@dataclass(frozen=True, slots=True)
class Found:
    """A document with its names and its whole text."""

    row: tuple[Any, ...]
    body: str

    def hit(self, query: Query, score: float | None) -> Hit:
        """The hit that a person sees."""
        row = self.row
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
            role=row[9],
            agent=row[10],
            slice=row[11],
            model=row[12],
            fate=row[17],
            evidence=row[18],
            version=row[23] or None,
            flags=flags_of(row[19]),
            snippet=text,
            spans=spans,
            score=score,
        )


class Documents:
    """Looks documents up by id; not for two threads at once."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._records = Records(connection)

    def found(self, ids: Sequence[int]) -> list[Found]:
        """The documents of these ids in this order; those that went meanwhile are left out."""
        rows = {row[0]: row for row in rows_of(self._connection, _SQL, (json.dumps(ids),))}
        return [Found(rows[one], self._body(rows[one])) for one in ids if one in rows]

    def _body(self, row: tuple[Any, ...]) -> str:
        kind: Kind = KINDS[row[1]]
        if kind == "title":
            return str(row[5])
        if row[14] is None:
            return str(row[13])
        # The kind tells whose text it was; the message may say another role by now.
        role = {"user_text": "user", "assistant_text": "assistant"}.get(kind, row[9])
        return extract.body(self._records.content(*row[20:23]), role, kind)
