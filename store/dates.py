"""Dates of a query as spans of time: `since:`, `before:` and `on:`, absolute or relative."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo

Span = tuple[int | None, int | None]
"""From (included) and to (left out), ms since 1970 UTC; None where it is open."""

VALID = "2026-09-01, 2026-09-01T10:00, today, yesterday, 7d or 3h"

_RELATIVE = re.compile(r"(\d{1,6})([dh])", re.ASCII)
_ABSOLUTE = re.compile(
    r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?)?",
    re.ASCII | re.IGNORECASE,
)
_UNIT = {"d": 86_400_000, "h": 3_600_000}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def span(key: str, value: str, now: int, tz: tzinfo | None) -> Span | None:
    """The time that `key:value` speaks of, None for a value that is no date.

    `now` in ms. `tz` is what times without an offset are meant in, None for the machine's own.
    """
    try:
        moment = _moment(value, now, tz)
        if moment is None:
            return None
        if key == "since":
            return (moment, None)
        if key == "before":
            return (None, moment)
        day = _local(moment, tz).date()
        return (_start(day, tz), _start(day + timedelta(days=1), tz))
    except (ValueError, OverflowError, OSError):
        return None


def iso(ms: int) -> str:
    """The time in ISO 8601, UTC, with milliseconds."""
    moment = _EPOCH + timedelta(milliseconds=ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _moment(value: str, now: int, tz: tzinfo | None) -> int | None:
    if relative := _RELATIVE.fullmatch(value):
        return max(0, now - int(relative[1]) * _UNIT[relative[2]])
    if value in ("today", "yesterday"):
        return _start(_local(now, tz).date() - timedelta(days=value == "yesterday"), tz)
    if not _ABSOLUTE.fullmatch(value):
        return None
    return _ms(datetime.fromisoformat(value.upper()), tz)


def _local(ms: int, tz: tzinfo | None) -> datetime:
    return (_EPOCH + timedelta(milliseconds=ms)).astimezone(tz)


def _start(day: date, tz: tzinfo | None) -> int:
    return _ms(datetime.combine(day, time()), tz)


def _ms(moment: datetime, tz: tzinfo | None) -> int:
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=tz) if tz else moment.astimezone()
    return max(0, (moment - _EPOCH) // timedelta(milliseconds=1))
