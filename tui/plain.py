"""Stored text made harmless for a terminal, and its width there; pure, without a screen library."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

_PICTURES = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}
_DIRECTIONS = [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_STAND_IN = dict.fromkeys([*range(0x80, 0xA0), *_DIRECTIONS, *range(0xD800, 0xE000)], 0xFFFD)
_BREAKS = dict.fromkeys([0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029], 0x20)
_LINE = {**_PICTURES, **_STAND_IN, **_BREAKS}
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and moves of the cursor
    r"|\x1b[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)"  # titles, links, pictures
    r"|\x1b[ -/]*[0-Z\\^-~]"
)
_LINES = {**_PICTURES, **_STAND_IN, 0x0A: 0x0A, 0x85: 0x0A, 0x2028: 0x0A, 0x2029: 0x0A}
_TABBED_LINES = {**_LINES, 0x09: 0x09}


def one_line(text: str) -> str:
    """The text as one harmless line, one character for each of the input.

    Offsets into the text stay right: line ends and tabs become a space each, what would steer a
    terminal or turn the reading direction becomes a visible stand-in.
    """
    return text.translate(_LINE)


def clean(text: str, *, keep_tabs: bool = False) -> str:
    """The text as harmless lines: escape sequences dropped, line ends unified, tabs widened.

    A control character that stands alone becomes a visible stand-in. `keep_tabs` is for files,
    where code has to stay code.
    """
    lines = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    if keep_tabs:
        return lines.translate(_TABBED_LINES)
    return "\n".join(line.expandtabs(8) for line in lines.split("\n")).translate(_LINES)


def width(text: str) -> int:
    """How many cells a harmless line takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def pad(text: str, cells: int) -> str:
    """The line filled with spaces to this width; a longer one stays as it is."""
    return text + " " * (cells - width(text))


def cut(text: str, cells: int) -> str:
    """The line cut to this width, with an ellipsis where something was cut."""
    if width(text) <= cells:
        return text
    kept, left = [], cells - 1
    for character in text:
        left -= _cells(character)
        if left < 0:
            break
        kept.append(character)
    return "".join(kept) + "…"


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def readable(value: Any) -> str:
    """A stored value in lines: the keys of an object one by one, text as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(f"{key}: {_inner(each)}" for key, each in value.items())
    return _inner(value)


def _inner(value: Any) -> str:
    if isinstance(value, str):
        return value if "\n" not in value else "\n  " + value.replace("\n", "\n  ")
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "(nested too deeply to print)"
