"""How the C library keeps memory for a program whose threads hold megabytes for a moment."""

from __future__ import annotations

import sys
from contextlib import suppress

MMAP_THRESHOLD, ARENA_MAX = -3, -8
"""Parameters of `mallopt` in the GNU C library (malloc.h)."""
LARGE = 256 * 1024
POOLS = 2


def spare() -> None:
    """Lets what was freed go back to the system; does nothing where the C library is another.

    By itself glibc keeps a pool for each thread, and takes what is large from these pools once a
    few large blocks were freed: after half an hour of large outputs 50 MB of them were empty.
    """
    if sys.platform != "linux":
        return
    import ctypes

    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(MMAP_THRESHOLD, LARGE)
        mallopt(ARENA_MAX, POOLS)
