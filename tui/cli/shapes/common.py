"""What all shapes share: times, errors, what could not be read, how much is indexed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from store.errors import StoreError
from store.model import Coverage, Fault

Object = dict[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(time: int | None) -> str | None:
    """Milliseconds since 1970 as `2026-09-01T10:00:00.000Z`, None beyond the calendar."""
    if time is None:
        return None
    try:
        moment = _EPOCH + timedelta(milliseconds=time)
    except OverflowError:
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + f".{moment.microsecond // 1000:03d}Z"


def error(problem: StoreError) -> Object:
    """What stands on stderr instead of a sentence."""
    return {
        "error": {"code": problem.code, "message": problem.message, "about": problem.about or None}
    }


def fault(one: Fault) -> Object:
    """Something that could not be read."""
    return {"code": one.code, "about": one.about, "message": one.message}


def coverage(one: Coverage) -> Object:
    """How much is indexed, in parts."""
    return {
        "indexed": one.indexed,
        "known": one.known,
        "skipped": one.skipped,
        "behind": one.behind,
        "complete": one.complete,
    }
