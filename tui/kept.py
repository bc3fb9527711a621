"""What is said once the first run is over: that a copy is kept, where, and how large it is."""

from __future__ import annotations

from pathlib import Path

from store.door import Door
from tui import words


def note(door: Door) -> str:
    """One line for the screen; "" where nothing is kept."""
    health = door.health()
    if not health.archived_parts:
        return ""
    path = words.home_short(health.path, str(Path.home()))
    return f"a copy that outlives the stores is kept: {path}, {health.bytes / 1e6:,.1f} MB"
