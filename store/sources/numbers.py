"""Where messages without a number stand among those that have one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from store.source import WAITING, Place


def number_at(places: Sequence[Place], time: int) -> int:
    """The number with which a message without one stands after all that was said before it."""
    said = [place for place in places if place.seq < WAITING]
    if not said:
        return 0
    times = list(accumulate((place.time for place in said), max))
    return said[max(0, bisect_right(times, time) - 1)].seq
