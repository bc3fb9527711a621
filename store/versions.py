"""Earlier texts of parts: rows of their own, with a version from 1 on, the oldest first.

What a part says at present is never one of them; it has the flag `edited`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import apsw

from store import extract
from store.archive import Blocks, unpack
from store.model import Content, Unknown
from store.records import Records
from store.schema import flag_bits
from store.sqlite import insert_rows, rows_of

if TYPE_CHECKING:
    from store.batch import Prepared

GONE = ("removed", "deleted")
_EDITED = flag_bits(["edited"])
_SAID = ("text", "reasoning")


class Versions:
    """The texts of parts, through the connection of a writer at the moment `now` (ms)."""

    def __init__(self, connection: apsw.Connection, now: int) -> None:
        self._connection = connection
        self._records = Records(connection)
        self._now = now

    def keep(self, ident: int, above: int, part: Prepared, updated: int) -> bool:
        """Whether the text of a row (by our id) stays as a version beside its new one.

        A text that was finished does, where the new one says something else.
        """
        rows = rows_of(
            self._connection,
            "SELECT type, status, fate, block, at, length, updated FROM part WHERE id = ?",
            (ident,),
        )
        if not rows:
            return False
        kind, status, fate, *place, before = rows[0]
        ended = status in ("completed", "error") if kind == "tool" else kind in _SAID
        if not ended or (fate in GONE and updated == before):
            return False
        old, new = words_of(self._records.content(*place)), words_of(unpack(part.record))
        if not old or old == new:
            return False
        said = self._versions(above, part.id)
        if any(words == old for _, words in said):
            return False
        self._connection.execute(
            "UPDATE part SET version = ?, fate = 'replaced', cause = 'edited', evidence = 'kept',"
            " removed_at = ?, noticed_at = ? WHERE id = ?",
            (
                max((number for number, _ in self._numbers(above, part.id)), default=0) + 1,
                updated if updated > before else None,
                self._now,
                ident,
            ),
        )
        return True

    def hand_over(self, above: int, before: str, native: str) -> None:
        """Gives the versions of a part to the one that has its place, as the older ones."""
        mine = self._numbers(above, before)
        if not mine:
            return
        last = max((number for number, _ in self._numbers(above, native)), default=0)
        for place, (_, ident) in enumerate(mine):
            self._connection.execute(
                "UPDATE part SET native = ?, version = ? WHERE id = ?",
                (native, last + 1 + place, ident),
            )
        self.number(above, native)
        self.mark_edited([(above, native)])

    def same_as_now(self, above: int, part: Prepared) -> tuple[list[int], bool]:
        """Versions (our ids) that say what the part says now, and are none any more; and whether
        there are others.
        """
        versions = self._versions(above, part.id)
        if not versions:
            return [], False
        now = words_of(unpack(part.record))
        same = [ident for ident, words in versions if words == now]
        return same, len(versions) > len(same)

    def mark_edited(self, parts: Iterable[tuple[int, str]]) -> None:
        """Gives the present text of these parts (our message, native id) its flag."""
        self._connection.executemany(
            f"UPDATE part SET flags = flags | {_EDITED}"
            " WHERE message = ? AND native = ? AND version = 0",
            list(parts),
        )

    def _numbers(self, above: int, native: str) -> list[tuple[int, int]]:
        rows = rows_of(
            self._connection,
            "SELECT version, id FROM part WHERE message = ? AND native = ? AND version > 0"
            " ORDER BY updated, id",
            (above, native),
        )
        return [(row[0], row[1]) for row in rows]

    def _versions(self, above: int, native: str) -> list[tuple[int, object]]:
        rows = rows_of(
            self._connection,
            "SELECT id, block, at, length FROM part"
            " WHERE message = ? AND native = ? AND version > 0",
            (above, native),
        )
        return [(row[0], words_of(self._records.content(*row[1:]))) for row in rows]

    def texts(self, above: int, native: str, blocks: Blocks) -> dict[int, tuple[int, object]]:
        """What all versions of a part say, 0 being the present one, as (our id, words)."""
        insert_rows(self._connection, "block", "id, bytes", blocks.take())
        rows = rows_of(
            self._connection,
            "SELECT version, id, block, at, length FROM part WHERE message = ? AND native = ?",
            (above, native),
        )
        return {row[0]: (row[1], words_of(self._records.content(*row[2:]))) for row in rows}

    def number(self, above: int, native: str) -> None:
        """Numbers the versions of a part anew, the oldest is 1."""
        numbers = self._numbers(above, native)
        if [number for number, _ in numbers] == list(range(1, len(numbers) + 1)):
            return
        for sign in (-1, 1):  # a number may not be taken twice at any moment
            for place, (_, ident) in enumerate(numbers):
                self._connection.execute(
                    "UPDATE part SET version = ? WHERE id = ?", (sign * (place + 1), ident)
                )


def words_of(content: Content) -> object:
    """What a part says, to be compared; None for what cannot be read."""
    if isinstance(content, Unknown):
        return None
    return tuple(extract.documents(content, "")) or None
