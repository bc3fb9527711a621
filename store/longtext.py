"""One long text of a part, read when somebody asks for it, and no further than needed."""

from __future__ import annotations

from collections.abc import Sequence

from store.archive import place_of
from store.records import Records, text_in

PIECE = 1_000
"""Bytes on both sides of a place."""
STRETCH = 65_536
"""Bytes that are opened at a time."""


class LongText:
    """The text of that name in the record there; not for two threads at once."""

    def __init__(
        self, records: Records, place: tuple[int, int, int], kind: str, field: str
    ) -> None:
        self._records = records
        self._block, self._at, self._length = place
        self._name = (kind, field)

    @property
    def is_slow(self) -> bool:
        """Whether its block is so long that only the beginning was opened so far."""
        return self._records.is_long(self._block)

    def text(self) -> str | None:
        """All of it; None where it cannot be read."""
        records = self._records.opened(self._block)
        told = text_in(records, self._at, self._length, *self._name, self._length)
        return told[0] if told else None

    def near(self, sought: Sequence[Sequence[bytes]]) -> str:
        """A piece of the text around the first place of one of some words, "" where there is none.

        Each word is written in one of some ways, the first of which also stands for any case.
        """
        begin = self._records.beginning_of(self._block)
        if begin is not None and (piece := self._streamed(begin, sought)):
            return piece
        records = self._records.opened(self._block)
        first, last = self._ends(records) if isinstance(records, bytes) else (0, 0)
        if last == 0:
            return ""
        assert isinstance(records, bytes)
        at = _first(records, [way for ways in sought for way in ways], first, last)
        if at < 0:  # costs as much as twenty times looking
            small = records[first:last].lower()
            at = _first(small, [ways[0].lower() for ways in sought if ways], 0, len(small))
            at += first if at >= 0 else 0
        return _around(records, at, first, last) if at >= 0 else ""

    def _ends(self, records: bytes) -> tuple[int, int]:
        """Where the text begins and ends in its block; (0, 0) where that cannot be told."""
        try:
            place = place_of(records, self._at, self._length, *self._name)
        except (ValueError, TypeError, LookupError):
            return 0, 0
        return (place[0], sum(place)) if isinstance(place, tuple) else (0, 0)

    def _streamed(self, begin: bytes, sought: Sequence[Sequence[bytes]]) -> str:
        """As `near`, opening the block only up to there; in another case it is not seen."""
        first, last = self._ends(begin)
        ways = [way for ways in sought for way in ways]
        held, start = b"", 0
        for some in self._records.stretches(self._block, STRETCH):
            kept = held[-2 * PIECE :]
            start += len(held) - len(kept)
            held = kept + some
            low, high = max(first - start, 0), min(last - start, len(held))
            at = _first(held, ways, low, high) if low < high else -1
            if at >= 0 and (at + PIECE < high or start + len(held) >= last):
                return _around(held, at, low, high)
        return ""


def _first(text: bytes, ways: Sequence[bytes], start: int, end: int) -> int:
    """The first place of one of some words there, or -1."""
    best = -1
    for way in ways:
        place = text.find(way, start, end)
        if place >= 0:
            best, end = place, place + len(way) - 1
    return best


def _around(text: bytes, at: int, first: int, last: int) -> str:
    """The text beside a place, cut at spaces within [first, last)."""
    start = max(text.rfind(b" ", first, max(first, at - PIECE)), first)
    end = text.find(b" ", at + PIECE, last)
    return text[start : end if end >= 0 else last].decode("utf-8", "replace")
