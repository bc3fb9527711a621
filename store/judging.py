"""Whether a call of a tool that never ended may still be running."""

from __future__ import annotations

import time
from dataclasses import replace

from store.model import Part, Tool

IDLE_MS = 3_600_000
"""A tool still open in a session without activity for so long will never finish."""


def judged(part: Part, newest: str, active: int) -> Part:
    """The part; flagged as interrupted where it is an open call that nothing will end any more.

    `newest` is the message of its session that was said last, `active` (ms) the session's last
    activity: a call still runs only in that message and soon after that.
    """
    if not isinstance(part.content, Tool) or part.content.status not in ("pending", "running"):
        return part
    idle = time.time() * 1000 - active > IDLE_MS
    if (part.message == newest and not idle) or "interrupted" in part.flags:
        return part
    return replace(part, flags=(*part.flags, "interrupted"))
