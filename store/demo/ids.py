"""Ids as opencode makes them: a prefix, 12 hex digits of time, 14 random letters and digits.

The hex digits are the low 48 bits of `milliseconds * 4096 + counter`, so they wrap every 795 days;
session ids hold the bitwise inverse (formats of opencode 1.18).
"""

from __future__ import annotations

from random import Random
from string import ascii_lowercase, ascii_uppercase, digits

_LETTERS = digits + ascii_uppercase + ascii_lowercase
_MASK = (1 << 48) - 1


class Ids:
    """Makes ids that depend on the seed and the order of calls alone."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._ms = 0
        self._counter = 0

    def new(self, prefix: str, ms: int) -> str:
        """An id of the moment `ms` (milliseconds since 1970) with `prefix` msg, prt, evt, ..."""
        self._counter = self._counter + 1 if ms == self._ms else 1
        self._ms = ms
        stamp = (ms * 4096 + self._counter) & _MASK
        if prefix == "ses":
            stamp ^= _MASK
        tail = "".join(self._random.choices(_LETTERS, k=14))
        return f"{prefix}_{stamp:012x}{tail}"

    def digest(self, length: int = 40) -> str:
        """Hex digits that look like a git hash."""
        return f"{self._random.getrandbits(length * 4):0{length}x}"
