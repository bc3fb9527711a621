"""The stored JSON of a part as text to read."""

from __future__ import annotations

import json


def readable(stored: str) -> str:
    """JSON in lines, as it is where it is none; nothing that a string holds is left out."""
    try:
        return json.dumps(json.loads(stored), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return stored
