"""The colours that a program printed, kept as colours; every other control is dropped.

Of ANSI only SGR ("select graphic rendition", ECMA-48 8.3.117) becomes a style. The first eight
colours and their bright twins are those of the theme with the same meaning, so that they can be
read in every theme; the other 240 and RGB are taken as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from textual.content import Span

from tui.render.row import Spans
from tui.render.safe import TAB, clean, clean_with_tabs

_SGR = re.compile(r"(?:\x1b\[|\x9b)([0-9;:]*)m")
_SPLIT_END = re.compile(r"\r((?:(?:\x1b\[|\x9b)[0-9;:]*m)+)\n")
_COLOURS = (
    "$text-muted",
    "$error",
    "$success",
    "$warning",
    "$primary",
    "$accent",
    "$secondary",
    "",
)
_LEVELS = (0, 95, 135, 175, 215, 255)
_ON = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike"}
_OFF = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("reverse",), 29: ("strike",)}


class Painter:
    """Reads a text piece by piece; what is switched on stays on from piece to piece."""

    def __init__(self) -> None:
        self._attributes: list[str] = []
        self._front = self._back = ""

    def take(self, text: str) -> tuple[list[str], dict[int, Spans]]:
        """The clean lines of a text, and the colours of those that have any, by their place."""
        plain = "\x1b[" not in text and "\x9b" not in text
        if plain and not self._style():
            return clean(text).split("\n"), {}
        lines = _Lines()
        text = _SPLIT_END.sub(r"\1\n", text)
        start = 0
        for found in _SGR.finditer(text):
            lines.add(clean_with_tabs(text[start : found.start()]), self._style())
            self._switch(found[1])
            start = found.end()
        lines.add(clean_with_tabs(text[start:]), self._style())
        return lines.texts, lines.spans

    def _style(self) -> str:
        pieces = [*self._attributes, self._front]
        if self._back:
            pieces += ["" if self._front else "$background", f"on {self._back}"]
        return " ".join(piece for piece in pieces if piece)

    def _switch(self, given: str) -> None:
        numbers = _numbers(given)
        for number in numbers:
            if number == 0:
                self._attributes, self._front, self._back = [], "", ""
            elif number in _ON and _ON[number] not in self._attributes:
                self._attributes.append(_ON[number])
            elif number in _OFF:
                self._attributes = [one for one in self._attributes if one not in _OFF[number]]
            elif number in (38, 48):
                colour = _extended(numbers)
                if number == 38:
                    self._front = colour
                else:
                    self._back = colour
            elif 30 <= number <= 37 or 90 <= number <= 97:
                self._front = _COLOURS[number % 10]
            elif 40 <= number <= 47 or 100 <= number <= 107:
                self._back = _COLOURS[number % 10]
            elif number == 39:
                self._front = ""
            elif number == 49:
                self._back = ""


class _Lines:
    """Lines under way: tabs are filled up here, where the column is known."""

    def __init__(self) -> None:
        self.texts = [""]
        self.spans: dict[int, Spans] = {}

    def add(self, text: str, style: str) -> None:
        for place, piece in enumerate(text.split("\n")):
            if place:
                self.texts.append("")
            if piece:
                self._append(piece, style)

    def _append(self, piece: str, style: str) -> None:
        start = len(self.texts[-1])
        if "\t" in piece:
            piece = (" " * (start % TAB) + piece).expandtabs(TAB)[start % TAB :]
        self.texts[-1] += piece
        if style:
            at = len(self.texts) - 1
            self.spans[at] = (*self.spans.get(at, ()), Span(start, start + len(piece), style))


def _numbers(given: str) -> Iterator[int]:
    return iter([int(one[:4]) if one else 0 for one in re.split("[;:]", given)][:32])


def _extended(numbers: Iterator[int]) -> str:
    """The colour behind 38 or 48: `5;n` of 256, `2;r;g;b`; "" where it is cut off."""
    kind = next(numbers, 0)
    if kind == 5:
        return _of_256(next(numbers, 0))
    if kind == 2:
        rgb = [min(next(numbers, 0), 255) for _ in range(3)]
        return "#{:02x}{:02x}{:02x}".format(*rgb)
    return ""


def _of_256(number: int) -> str:
    if number < 16:
        return _COLOURS[number % 8]
    if number < 232:
        number -= 16
        rgb = [_LEVELS[number // 36], _LEVELS[number // 6 % 6], _LEVELS[number % 6]]
    else:
        rgb = [min(8 + 10 * (number - 232), 255)] * 3
    return "#{:02x}{:02x}{:02x}".format(*rgb)
