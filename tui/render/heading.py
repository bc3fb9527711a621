"""The heading of a part: sign, name and what it is about on the left, its figures on the right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import dropwhile

from rich.cells import cell_len

from tui.render.excerpt import Look
from tui.render.row import Row, assemble, styled
from tui.render.safe import clip, one_line

COLUMNS = (11, 9, 13)  # cells for state, duration and size; where there is room they line up
ROOMY = 66
ABOUT = 24  # cells that what a part is about should have
INSIDE = "match inside"
MUTED = "$text-muted"
PLAIN = 400  # cells of each thing said in plain text


@dataclass(frozen=True, slots=True)
class Heading:
    """What a heading says. `facts` are up to three (text, style), right-aligned in columns.

    `inside` says that a match is in what is folded away.
    """

    sign: str
    name: str
    about: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    label: str = ""
    sign_style: str = "$text-muted"
    name_style: str = "$text-muted"
    about_style: str = ""
    foldable: bool = True
    inside: bool = False

    def plain(self) -> str:
        """The heading as one line of text."""
        said = [self.name, self.about, self.label, *(text for text, _ in self.facts)]
        line = "  ".join(one_line(text, PLAIN) for text in said if text)
        return f"{self.sign} {line}".strip()


def heading_row(heading: Heading, look: Look, *, indent: int = 2) -> Row:
    """The heading in one row of exactly the width.

    Figures stand in columns where what the part is about has room beside them. Where the room is
    short, those that only inform give way to it.
    """
    room = max(look.width - indent, 12)
    left = _left(heading, room)
    used = _cells(left)
    fold = (" ▸" if look.folded else " ▾") if heading.foldable else "  "
    free = room - used - 3 - len(fold)
    right = [*_figures(heading, free, room >= ROOMY), (fold, "$text-muted")]
    about = one_line(heading.about, max(room - used - _cells(right) - 3, 0))
    if about:
        left.append((f"  {about}", heading.about_style))
    pad = max(room - _cells(left) - _cells(right), 1)
    text, spans = assemble(*left, (" " * pad, ""), *right)
    row = styled(text, spans + look.marker.spans(text), indent=indent)
    if heading.inside:
        row = replace(row, match=True)
    return row if cell_len(text) <= room else replace(row, text=clip(text, room))


def _left(heading: Heading, room: int) -> list[tuple[str, str]]:
    name = clip(heading.name, max(room - 12, 4))
    left = [(f"{heading.sign} ", heading.sign_style), (name, heading.name_style)]
    if heading.label:
        left.append((f"  {heading.label}", "$error"))
    if heading.inside:
        left.append((f"  {INSIDE}", "$warning"))
    return left


def _figures(heading: Heading, free: int, roomy: bool) -> list[tuple[str, str]]:
    facts = list(dropwhile(lambda fact: not fact[0], heading.facts))
    wide = cell_len(one_line(heading.about, free + 1))
    columns = [
        (" " * max(width - cell_len(text), 2) + text, style)
        for (text, style), width in zip(facts, COLUMNS[len(COLUMNS) - len(facts) :], strict=True)
    ]
    if roomy and wide + _cells(columns) <= free:
        return columns
    cells = [(f"  {text}", style) for text, style in facts if text]
    most = free - min(wide, ABOUT)
    while _cells(cells) > most and (muted := [fact for fact in cells if fact[1] == MUTED]):
        cells.remove(muted[0])
    return cells


def _cells(pieces: list[tuple[str, str]]) -> int:
    return sum(cell_len(text) for text, _ in pieces)
