"""The colours that a program printed, kept as colours; every other control is dropped.

Of ANSI only SGR ("select graphic rendition", ECMA-48 8.3.117) becomes a style. The first eight
colours and their bright twins are those of the theme with the same meaning, so that they can be
read in every theme; the other 240 and RGB are taken as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from textual.content import Span

from tui.render.row import Spans
from tui.render.safe import TAB, clean, visible, without_sequences

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


_MARK = "\ufdd0"  # no character; stands where a colour was switched
_GAP = f"\x1b{_MARK}"  # the escape keeps it from being taken into a sequence around it

_State = tuple[tuple[str, ...], str, str]
"""Attributes, colour of the letters, colour behind them."""
_NONE: _State = ((), "", "")


class Painter:
    """Reads a text piece by piece; what is switched on stays on from piece to piece."""

    def __init__(self) -> None:
        self._state = _NONE

    def take(self, text: str) -> tuple[list[str], dict[int, Spans]]:
        """The clean lines of a text, and the colours of those that have any, by their place."""
        plain = "\x1b[" not in text and "\x9b" not in text
        if plain and self._state == _NONE:
            return clean(text).split("\n"), {}
        text = _SPLIT_END.sub(r"\1\n", text.replace(_MARK, "\ufffd"))
        pieces = _SGR.split(text)  # text, what was switched, text, ...
        codes = iter(pieces[1::2])
        bare = without_sequences(_GAP.join(pieces[::2])).replace(_GAP, _MARK)
        lines = visible(bare).split("\n")
        spans: dict[int, Spans] = {}
        for place, line in enumerate(lines):
            if _MARK in line or self._state != _NONE or "\t" in line:
                lines[place], own = self._line(line, codes)
                if own:
                    spans[place] = own
        return lines, spans

    def _line(self, line: str, codes: Iterator[str]) -> tuple[str, Spans]:
        """A line without its marks, and its colours; tabs are filled up where they stand."""
        done, spans = "", []
        for place, piece in enumerate(line.split(_MARK)):
            if place:
                self._state = _switched(self._state, next(codes))
            if not piece:
                continue
            start = len(done)
            if "\t" in piece:
                piece = (" " * (start % TAB) + piece).expandtabs(TAB)[start % TAB :]
            done += piece
            if self._state != _NONE:
                spans.append(Span(start, len(done), _style(self._state)))
        return done, tuple(spans)


@lru_cache(maxsize=1024)
def _style(state: _State) -> str:
    attributes, front, back = state
    pieces = [*attributes, front]
    if back:
        pieces += ["" if front else "$background", f"on {back}"]
    return " ".join(piece for piece in pieces if piece)


@lru_cache(maxsize=4096)
def _switched(state: _State, given: str) -> _State:
    """The state after an SGR sequence with these numbers."""
    attributes, front, back = list(state[0]), state[1], state[2]
    numbers = _numbers(given)
    for number in numbers:
        if number == 0:
            attributes, front, back = [], "", ""
        elif number in _ON and _ON[number] not in attributes:
            attributes.append(_ON[number])
        elif number in _OFF:
            attributes = [one for one in attributes if one not in _OFF[number]]
        elif number == 38:
            front = _extended(numbers)
        elif number == 48:
            back = _extended(numbers)
        elif number == 39 or 30 <= number <= 37 or 90 <= number <= 97:
            front = "" if number == 39 else _COLOURS[number % 10]
        elif number == 49 or 40 <= number <= 47 or 100 <= number <= 107:
            back = "" if number == 49 else _COLOURS[number % 10]
    return tuple(attributes), front, back


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
