"""The time inside an id of opencode: `msg_`, 12 hex digits of ms * 4096 + a counter, and more.

The digits hold 36 bits of the milliseconds only, so that a time comes again every 795 days; what
else is known of the row decides which one it is (opencode 1.2 to 1.18, `Identifier`).
"""

from __future__ import annotations

import re

CYCLE = 2**36
"""In ms."""
_HEX = re.compile(r"[a-z]+_([0-9a-f]{12})[0-9A-Za-z]*")


def time_of(ident: str, near: int) -> int | None:
    """The time in ms that an ascending id was made at, the one nearest to a time that is known.

    None for ids of another form.
    """
    found = _HEX.fullmatch(ident)
    if found is None:
        return None
    inside = int(found.group(1), 16) >> 12
    return inside + round((near - inside) / CYCLE) * CYCLE
