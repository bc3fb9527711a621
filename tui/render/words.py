"""Numbers and times in the few letters that a row has room for."""

from __future__ import annotations

from datetime import datetime, tzinfo


def duration(ms: int) -> str:
    """How long something took, from milliseconds: `340 ms`, `8.4 s`, `2 m 05 s`, `1 h 02 m`."""
    if ms < 1000:
        return f"{max(ms, 0)} ms"
    if ms < 59_950:
        return f"{ms / 1000:.1f} s"
    seconds = round(ms / 1000)
    if seconds < 3600:
        return f"{seconds // 60} m {seconds % 60:02} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02} m"


def size(count: int) -> str:
    """How much text or data, from bytes (or characters): `812 B`, `1.1 kB`, `3.4 MB`."""
    if count < 1000:
        return f"{count} B"
    for unit in ("kB", "MB"):
        count_in = count / (1e3 if unit == "kB" else 1e6)
        if count_in < 999.5 or unit == "MB":
            return f"{count_in:.1f} {unit}" if count_in < 99.95 else f"{count_in:,.0f} {unit}"
    return ""


def many(count: int, thing: str) -> str:
    """A number and its noun: `1 line`, `1,204 lines`."""
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


def moment(ms: int, zone: tzinfo | None = None) -> datetime | None:
    """A time of the store in a zone (the machine's for None); None where it cannot be one."""
    try:
        return datetime.fromtimestamp(ms / 1000, zone)
    except (OverflowError, ValueError, OSError):
        return None


def clock(ms: int, before: int = 0, zone: tzinfo | None = None) -> str:
    """The time of day, with the day in front where it is another than that of `before`."""
    when, then = moment(ms, zone), moment(before, zone) if before else None
    if ms <= 0 or when is None:
        return ""
    if then is not None and then.date() == when.date():
        return f"{when:%H:%M:%S}"
    year = "" if then is None or then.year == when.year else f" {when.year}"
    return f"{when.day} {when:%b}{year} {when:%H:%M:%S}"


def line_count(text: str) -> int:
    """How many lines a text has; a line feed at its end begins none."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0
