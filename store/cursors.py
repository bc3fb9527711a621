"""Cursors: where a page ended, as one opaque word bound to the question that it answers."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence

from store.errors import StoreError


def question(*parts: object) -> str:
    """A short fingerprint of everything that makes a question."""
    return hashlib.blake2s(repr(parts).encode("utf-8", "replace"), digest_size=6).hexdigest()


def make(asked: str, place: Sequence[int]) -> str:
    """A cursor for the question behind this place."""
    told = json.dumps([1, asked, list(place)], separators=(",", ":"))
    return base64.urlsafe_b64encode(told.encode()).decode().rstrip("=")


def read(cursor: str, asked: str, length: int) -> list[int]:
    """The place of a cursor. Raises INVALID_CURSOR for another question's, or for garbage."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        version, whose, place = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
        good = version == 1 and whose == asked and len(place) == length
        if good and all(type(value) is int and abs(value) < 2**62 for value in place):
            return [int(value) for value in place]
    except (ValueError, TypeError, RecursionError):
        pass
    raise StoreError(
        "INVALID_CURSOR", "the cursor belongs to another query; begin with the first page", cursor
    )


def reading(cursor: str) -> int:
    """The last number of a cursor's place: which reading of the question it goes on with."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        return max(0, int(json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))[2][-1]))
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError):
        return 0


def check_limit(limit: int) -> None:
    """Raises INVALID_LIMIT where no page has room for that many."""
    if not 1 <= limit <= 1000:
        raise StoreError("INVALID_LIMIT", f"a limit is 1 to 1000, not {limit}", str(limit))
