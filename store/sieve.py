"""Which documents can have some words at all, told from the bytes of their records.

A record in the archive has its texts as they are, so a block that is opened once tells for all its
documents, at a tenth of what taking them apart and comparing costs. It may say yes too often, and
never no where the text has the words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import apsw

from store.archive import tells
from store.query import Query
from store.records import Records
from store.sqlite import rows_of
from store.terms import Term
from store.text import stands_alone

Needles = Sequence[Sequence[bytes]]
"""Groups of bytes: of each group a record must have one."""

_WHERE = (
    "SELECT d.id, p.block, p.at, p.length FROM doc d LEFT JOIN part p ON p.id = d.part"
    " WHERE d.id IN (SELECT value FROM json_each(?))"
)


def needles(query: Query) -> list[list[bytes]]:
    """For each group the bytes of which a record must have one, as far as bytes can tell."""
    groups = []
    for group in query.groups:
        told = [_needle(term) for term in group]
        if all(told):
            groups.append(told)
    return groups


def _needle(term: Term) -> bytes:
    """The longest token of a term, or its punctuation; b"" where bytes cannot tell."""
    if not term.tokens:
        plain = [run for run in re.findall(r"[^\s\w\"\\:/]+", term.text) if run.isascii()]
        return max(plain, key=len, default="").encode()
    sure = [one for one in term.tokens if one.isascii() or all(map(stands_alone, one))]
    return max(sure, key=len, default="").encode()


class Sieve:
    """Looks at blocks through one connection; not for two threads at once."""

    def __init__(self, connection: apsw.Connection, records: Records) -> None:
        self._connection = connection
        self._records = records

    def left(self, ids: Sequence[int], groups: Needles, exactly: bool = False) -> list[int]:
        """Those of the documents that can have a needle of each group, in their order.

        `exactly`: letters with accents are others.
        """
        if not groups:
            return list(ids)
        places = {row[0]: row[1:] for row in rows_of(self._connection, _WHERE, (json.dumps(ids),))}
        blocks = [place[0] for place in places.values() if place[0] is not None]
        self._records.open(blocks)
        together = len(blocks) > 2 * len(set(blocks))
        can = self._can_of_block if together else self._can
        return [one for one in ids if one in places and can(places[one], groups, exactly)]

    def _can(self, place: tuple[Any, ...], groups: Needles, exactly: bool) -> bool:
        block, at, length = place
        if block is None:
            return True
        if self._records.is_long(block):
            return True  # opening all of it here would not spare the opening it again
        record = self._records.record(block, at, length)
        text = record.lower()
        if all(any(one in text for one in group) for group in groups):
            return True
        return not exactly and not tells(record)

    def _can_of_block(self, place: tuple[Any, ...], groups: Needles, exactly: bool) -> bool:
        """As `_can`, where many of the block are looked at."""
        block, at, length = place
        if block is None or self._records.is_long(block):
            return self._can(place, groups, exactly)
        text = self._records.lowered(block)
        end = at + length
        if all(any(text.find(one, at, end) >= 0 for one in group) for group in groups):
            return True
        return not exactly and not self._records.tells(block)
