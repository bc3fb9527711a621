"""Changes of a file as rows: a line number, a sign and the line, in the colour of the sign."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from textual.content import Span

from tui.render.excerpt import HEAD, SLACK, TAIL, Look, gap_row
from tui.render.row import Row, folded
from tui.render.safe import clean
from tui.render.words import many

_NUMBER = r"(\d{1,9})"
_HUNK = re.compile(rf"@@ -{_NUMBER}(?:,{_NUMBER})? \+{_NUMBER}(?:,{_NUMBER})? @@ ?(.*)")
_FILE = re.compile(r"\*\*\* (?:Add|Update|Delete) File: (.*)")
_NOISE = (
    "Index: ",
    "=====",
    "diff --git",
    "index ",
    "*** Begin Patch",
    "*** End Patch",
)
MOST_PAIRS = 60  # lines that took the place of as many
MOST_LINE = 500  # characters; longer lines are not compared word by word
ALIKE = 0.5  # a line that shares less than this with another is a new one
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
STYLES = {"+": "$success", "-": "$error", " ": "", "@": "$text-muted", "#": "bold"}


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a diff. `sign`: `+ - ` or blank, `@` between hunks, `#` a file's name.

    `words` are the places in the line that differ from the line it takes the place of.
    """

    sign: str
    text: str
    number: int | None = None
    words: tuple[tuple[int, int], ...] = ()


def changes(diff: str) -> list[Change]:
    """The lines of a unified diff, or of a patch whose hunks have no numbers."""
    reader = _Reader()
    lines = clean(diff).rstrip("\n").split("\n")
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        reader.take(line, below)
    return reader.found


class _Reader:
    """Reads a diff line by line; a numbered hunk says how many lines it has of each side."""

    def __init__(self) -> None:
        self.found: list[Change] = []
        self._old = self._new = 0
        self._old_left = self._new_left = 0
        self._numbered = self._inside = False

    def take(self, line: str, below: str) -> None:
        if hunk := _HUNK.match(line):
            self._hunk(hunk)
        elif self._old_left > 0 or self._new_left > 0:
            self._body(line)
        elif line.startswith("@@"):
            self.found.append(Change("@", line[2:].strip()))
        elif file := _FILE.match(line):
            self.found.append(Change("#", file[1]))
        elif line.startswith("--- ") and below.startswith("+++ "):
            self._inside = False
        elif line.startswith("+++ ") and not self._inside and not self._hunks_alone():
            self.found.append(Change("#", line[4:].split("\t")[0]))
        elif not line.startswith(_NOISE):
            self._body(line)

    def _hunks_alone(self) -> bool:
        return bool(self.found) and self.found[-1].sign == "@"

    def _hunk(self, hunk: re.Match[str]) -> None:
        self._old, self._new = int(hunk[1]), int(hunk[3])
        self._old_left, self._new_left = int(hunk[2] or 1), int(hunk[4] or 1)
        self._numbered = True
        if self._inside:
            self.found.append(Change("@", hunk[5]))
        self._inside = True

    def _body(self, line: str) -> None:
        if line.startswith("\\"):  # "No newline at end of file"
            return
        sign = line[:1] if line[:1] in ("+", "-") else " "
        number = (self._old if sign == "-" else self._new) if self._numbered else None
        self._old, self._old_left = self._old + (sign != "+"), self._old_left - (sign != "+")
        self._new, self._new_left = self._new + (sign != "-"), self._new_left - (sign != "-")
        text = line[1:] if line[:1] in ("+", "-", " ") else line
        self.found.append(Change(sign, text, number))


def compare(old: str, new: str) -> str:
    """A unified diff of two texts, without numbers of its own: nobody knows where they stood."""
    before, after = old.splitlines(), new.splitlines()
    if len(before) + len(after) > 4000:  # difflib is quadratic; a whole replacement says as much
        lines = ["@@", *(f"-{line}" for line in before), *(f"+{line}" for line in after)]
        return "\n".join(lines)
    made = difflib.unified_diff(before, after, lineterm="", n=2)
    return "\n".join("@@" if line.startswith("@@ ") else line for line in list(made)[2:])


def counts(found: list[Change]) -> str:
    """How many lines came and went: `+4 −1`, `+3`."""
    signs = [change.sign for change in found]
    more, less = signs.count("+"), signs.count("-")
    return f"+{more} −{less}" if less else f"+{more}"


def diff_rows(found: list[Change], look: Look, *, indent: int = 4) -> list[Row]:
    """The changes as rows, the middle left out where they are many and nothing matches there."""
    found = with_words(_with_counts(_without_needless(found)))
    digits = max((len(str(change.number)) for change in found if change.number), default=0)
    if look.expanded or len(found) <= HEAD + TAIL + SLACK:
        return [row for change in found for row in _rows(change, look, indent, digits)]
    marked = [place for place, change in enumerate(found) if look.marker.spans(change.text)]
    keep = {*range(HEAD), *range(len(found) - TAIL, len(found))}
    keep.update(near for place in marked[:20] for near in range(place - 3, place + 4))
    rows: list[Row] = []
    hidden = 0
    for place, change in enumerate(found):
        if place not in keep:
            hidden += 1
            continue
        if hidden:
            rows.append(gap_row(many(hidden, "line"), look, indent))
            hidden = 0
        rows += _rows(change, look, indent, digits)
    return rows


def _with_counts(found: list[Change]) -> list[Change]:
    """The names of several files with what came and went in each."""
    starts = [place for place, change in enumerate(found) if change.sign == "#"]
    named = list(found)
    for start, end in zip(starts, [*starts[1:], len(found)], strict=False):
        text = f"{found[start].text}  {counts(found[start:end])}"
        named[start] = replace(found[start], text=text)
    return named


def with_words(found: list[Change]) -> list[Change]:
    """The changes, with the words marked that differ between a line and the one in its place."""
    marked = list(found)
    place = 0
    while place < len(found):
        removed = _run(found, place, "-")
        added = _run(found, place + removed, "+")
        if removed and removed == added and removed <= MOST_PAIRS:
            for old in range(place, place + removed):
                marked[old], marked[old + removed] = _differing(found[old], found[old + removed])
        place += max(removed + added, 1)
    return marked


def _run(found: list[Change], place: int, sign: str) -> int:
    length = 0
    while place + length < len(found) and found[place + length].sign == sign:
        length += 1
    return length


def _differing(old: Change, new: Change) -> tuple[Change, Change]:
    if max(len(old.text), len(new.text)) > MOST_LINE:
        return old, new
    before, after = _TOKEN.findall(old.text), _TOKEN.findall(new.text)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < ALIKE:
        return old, new
    steps = [step for step in matcher.get_opcodes() if step[0] != "equal"]
    return (
        replace(old, words=_places(before, [(first, last) for _, first, last, _, _ in steps])),
        replace(new, words=_places(after, [(first, last) for _, _, _, first, last in steps])),
    )


def _places(tokens: list[str], runs: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    ends = [0, *accumulate(map(len, tokens))]
    return tuple((ends[first], ends[last]) for first, last in runs if first < last)


def _without_needless(found: list[Change]) -> list[Change]:
    """Without the name of the only file: the heading says it; and nothing at the ends."""
    single = sum(change.sign == "#" for change in found) == 1
    kept = [change for change in found if not (single and change.sign == "#")]
    while kept and kept[0].sign == "@" and not kept[0].text:
        kept.pop(0)
    return kept


def _rows(change: Change, look: Look, indent: int, digits: int) -> Iterator[Row]:
    style = STYLES[change.sign]
    if change.sign in "@#":
        text = f"⋯ {change.text}".rstrip() if change.sign == "@" else change.text
        yield from folded(text, look.width - indent, marker=look.marker, indent=indent, base=style)
        return
    number = f"{change.number or '':>{digits}} " if digits else ""
    head = f"{number}{change.sign} "
    room = max(look.width - indent - len(head), 8)
    words = tuple(Span(first, last, "bold underline") for first, last in change.words)
    for place, row in enumerate(folded(change.text, room, words, marker=look.marker)):
        front = head if place == 0 else " " * len(head)
        moved = tuple(Span(s + len(front), e + len(front), kind) for s, e, kind in row.spans)
        muted = Span(0, len(number), "$text-muted")
        whole = Span(len(number), len(front) + len(row.text), style)
        spans = (muted, whole, *moved) if style else (muted, *moved)
        yield Row(front + row.text, spans, indent, match=row.match)
