"""One row of the reading pane, and how text is cut into rows of a given width."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Literal

from rich.cells import cell_len, chop_cells, split_graphemes
from textual.content import Content, Span

PROSE_WIDTH = 100
MATCH = "reverse $warning"

Role = Literal["message", "heading", "inside", "body", "gap", "blank", "rule"]
Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of text with its styles, and what it stands for.

    `indent` blank cells come before the text and are no part of it. `base` is the style of the
    whole row up to its right edge. `role` says what a click on the row means: a heading folds
    (`inside` is that of a folded part with a match in it), a gap shows what it hides. `match` rows
    hold a text that was searched for, or stand for one.
    """

    text: str
    spans: Spans = ()
    indent: int = 0
    base: str = ""
    role: Role = "body"
    match: bool = False
    part: str = ""
    message: str = ""
    fate: str = "live"

    def content(self) -> Content:
        """The row as Textual paints it; its text is never read as markup."""
        return Content(self.text, list(self.spans))


class Marker:
    """Finds the texts that were searched for, whatever their case and accents."""

    def __init__(self, terms: Iterable[str] = ()) -> None:
        folded = sorted({plain_letters(term).strip() for term in terms}, key=len, reverse=True)
        patterns = [r"\s+".join(map(re.escape, term.split())) for term in folded if term]
        self._find = re.compile("|".join(patterns)) if patterns else None

    def __bool__(self) -> bool:
        return self._find is not None

    def spans(self, text: str) -> Spans:
        """One span per place where a term stands in the text."""
        if self._find is None:
            return ()
        found = self._find.finditer(plain_letters(text))
        return tuple(Span(match.start(), match.end(), MATCH) for match in found)

    def found(self, text: str) -> bool:
        """Whether a term stands in the text."""
        return self._find is not None and self._find.search(plain_letters(text)) is not None

    def lines(self, lines: list[str]) -> list[int]:
        """The places of the lines in which a term stands."""
        if self._find is None or not lines:
            return []
        # All at once is several times as fast; a term over the end of a line is none.
        text = plain_letters("\n".join(lines))
        ends = list(accumulate(len(line) + 1 for line in lines))
        found, at = [], 0
        while match := self._find.search(text, at):
            place = bisect_right(ends, match.start())
            if match.end() < ends[place] or self.found(lines[place]):
                found.append(place)
            at = ends[place]
        return found


_LAST_ACCENTED = "\u058f"  # Latin, Greek and Cyrillic are below


@lru_cache(maxsize=4096)
def _plain_letter(letter: str) -> str:
    base = unicodedata.normalize("NFD", letter)[0]
    if base > _LAST_ACCENTED:  # elsewhere a mark makes another letter
        base = letter
    small = base.lower()
    return small if len(small) == 1 else base


class _PlainLetters(dict[int, str]):
    def __missing__(self, code: int) -> str:
        return _plain_letter(chr(code))


_PLAIN_LETTERS = _PlainLetters()


def plain_letters(text: str) -> str:
    """The text in lower case and without accents; as long as it was, so that places carry over."""
    return text.lower() if text.isascii() else text.translate(_PLAIN_LETTERS)


def is_marked(spans: Iterable[Span]) -> bool:
    """Whether one of the spans marks a match."""
    return any(span.style == MATCH for span in spans)


def divide(spans: Spans, rows: list[tuple[int, int]]) -> list[Spans]:
    """The spans of a text dealt out to its rows (each [start, end), ascending)."""
    dealt: list[list[Span]] = [[] for _ in rows]
    ends = [end for _, end in rows]
    for first, last, style in spans:
        for place in range(bisect_right(ends, first), len(rows)):
            start, end = rows[place]
            if start >= last:
                break
            if (begin := max(first, start)) < (stop := min(last, end)):
                dealt[place].append(Span(begin - start, stop - start, style))
    return [tuple(row) for row in dealt]


# Cutting into rows -------------------------------------------------------------------------

# Wide characters may part anywhere, but these do not begin a row.
_NO_START = frozenset("，。、；：？！）》」』】〉〕…—·,.;:?!)]}%”’")


def fold(line: str, width: int) -> list[str]:
    """A line cut hard every `width` cells; one empty row for an empty line."""
    width = max(width, 2)
    if len(line) <= width and (line.isascii() or cell_len(line) <= width):
        return [line]
    return chop_cells(line, width) or [line]


def fold_places(line: str, width: int) -> list[tuple[int, int]]:
    """The [start, end) of each row of a line that is cut hard."""
    ends = list(accumulate(map(len, fold(line, width))))
    return list(zip([0, *ends], ends, strict=False))


def wrap(text: str, width: int) -> list[tuple[int, int]]:
    """The [start, end) of each row of one paragraph, broken at blanks or between wide characters.

    A word longer than a row is cut. The blank at which a row ends belongs to none.
    """
    width = max(width, 2)
    if text.isascii():
        return _wrap_ascii(text, width)
    if cell_len(text) <= width:
        return [(0, len(text))]
    return _wrap_cells(text, width)


def _wrap_ascii(text: str, width: int) -> list[tuple[int, int]]:
    rows = []
    start, length = 0, len(text)
    while length - start > width:
        end = text.rfind(" ", start + 1, start + width + 1)
        if end <= start or not text[start:end].strip():
            end = start + width
        rows.append((start, end))
        start = end
        while start < length and text[start] == " ":
            start += 1
    if start < length or not rows:
        rows.append((start, length))
    return rows


def _wrap_cells(text: str, width: int) -> list[tuple[int, int]]:
    rows = []
    start = used = 0
    breakable = 0
    after_wide = False
    graphemes, _ = split_graphemes(text)
    widths = {begin: cells for begin, _, cells in graphemes}
    blanks = {begin for begin, end, _ in graphemes if text[begin:end] == " "}
    for begin, _, cells in graphemes:
        blank, starts = begin in blanks, text[begin] not in _NO_START
        if begin > start and (blank or (starts and (after_wide or cells == 2))):
            breakable = begin
        while used + cells > width and begin > start and not blank:
            end = breakable if breakable > start else begin
            rows.append((start, end))
            start = end
            while start < begin and start in blanks:
                start += 1
            used = sum(widths.get(place, 0) for place in range(start, begin))
        used += cells
        after_wide = cells == 2
    rows.append((start, len(text)))
    return [(first, first + len(text[first:last].rstrip(" "))) for first, last in rows]


def wrapped(
    text: str,
    width: int,
    spans: Spans = (),
    *,
    marker: Marker | None = None,
    indent: int = 0,
    base: str = "",
) -> list[Row]:
    """One paragraph as rows broken between words, its styles and marks carried along."""
    spans += marker.spans(text) if marker else ()
    rows = wrap(text, width)
    return [
        styled(text[start:end], own, indent=indent, base=base)
        for (start, end), own in zip(rows, divide(spans, rows), strict=True)
    ]


def folded(
    line: str,
    width: int,
    spans: Spans = (),
    *,
    marker: Marker | None = None,
    indent: int = 0,
    base: str = "",
) -> list[Row]:
    """One line as rows cut hard, its styles and marks carried along."""
    spans += marker.spans(line) if marker else ()
    places = fold_places(line, width)
    dealt = divide(spans, places) if spans else [()] * len(places)
    return [
        styled(line[start:end], own, indent=indent, base=base)
        for (start, end), own in zip(places, dealt, strict=True)
    ]


def styled(text: str, spans: Spans, *, indent: int = 0, base: str = "") -> Row:
    """A row of the body that knows whether it is marked."""
    return Row(text, spans, indent, base, match=bool(spans) and is_marked(spans))


def assemble(*pieces: tuple[str, str]) -> tuple[str, Spans]:
    """Text and spans of pieces of text, each with its style ("" for none)."""
    spans, start = [], 0
    for text, style in pieces:
        if style and text:
            spans.append(Span(start, start + len(text), style))
        start += len(text)
    return "".join(text for text, _ in pieces), tuple(spans)
