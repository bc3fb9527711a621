"""Stored text made harmless: nothing that a terminal would obey is left in it.

What is dropped without a trace: whole ANSI sequences (colours, titles, links), marks that turn
the direction of writing, byte order marks. What is replaced by one visible character: a control
character that stands alone (its Unicode picture) and half of a surrogate pair (U+FFFD).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len, chop_cells

TAB = 8
CHUNK = 100_000  # characters
ELLIPSIS = "…"

_HARM = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"
    "\ufeff\ud800-\udfff]"
)
_HARM_BUT_TABS = re.compile(_HARM.pattern.replace("\x00-\x09", "\x00-\x08"))
# ECMA-48: a string (OSC, DCS, SOS, PM, APC) up to its end, a CSI sequence, a short escape. An
# unfinished string is not taken for one, else it would swallow the text behind it.
_SEQUENCE = re.compile(
    r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[#%(-/][0-~]"
    r"|\x1b[=>78cDEHMNOZ]"
)
_DIRECTION = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))

_REPLACE: dict[int, str | None] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)},
    0x7F: "\u2421",
    **dict.fromkeys((*range(0x80, 0xA0), *range(0xD800, 0xE000)), "\ufffd"),
    **dict.fromkeys((*_DIRECTION, 0xFEFF)),
    0x85: "\n",
    0x2028: "\n",
    0x2029: "\n",
}


def clean(text: str) -> str:
    """The text without anything a terminal would obey but line feeds; plain text as it is.

    Every kind of line end becomes one line feed and tabs become spaces. Printable characters
    outside of ANSI sequences are all kept, in their order; cleaning twice changes nothing more.
    """
    if len(text) > CHUNK:  # in steps, so that other threads are not kept waiting
        return "".join(map(_clean, _chunks(text)))
    return _clean(text)


def _chunks(text: str) -> Iterator[str]:
    """Pieces that end behind a line feed; no sequence reaches over one."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + CHUNK) + 1 or len(text)
        yield text[start:end]
        start = end


def _clean(text: str) -> str:
    text = clean_with_tabs(text)
    return text.expandtabs(TAB) if "\t" in text else text


def clean_with_tabs(text: str) -> str:
    """As `clean`, but tabs stay, for those who know the column that the text begins at."""
    if _HARM.search(text) is None:
        return text
    return visible(without_sequences(text))


def without_sequences(text: str) -> str:
    """The text without ANSI sequences."""
    return _SEQUENCE.sub("", text)


def visible(text: str) -> str:
    """The text with one line end and stand-ins for single controls; tabs stay."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.translate(_REPLACE) if _HARM_BUT_TABS.search(text) else text


def one_line(text: str, limit: int) -> str:
    """The text on one line of at most `limit` cells, runs of blanks joined, cut with an ellipsis.

    Only as much of a long text is looked at as can be seen.
    """
    line = " ".join(clean(text[: 8 * limit + 512]).split())
    return clip(line, limit)


def clip(line: str, limit: int) -> str:
    """A line cut to `limit` cells, its last cell an ellipsis where something was cut."""
    if cell_len(line) <= limit:
        return line
    if limit <= 1:
        return ELLIPSIS[:limit]
    return chop_cells(line, limit - 1)[0].rstrip() + ELLIPSIS
