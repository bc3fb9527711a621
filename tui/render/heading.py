"""The heading of a part: sign, name and what it is about on the left, its figures on the right."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import dropwhile

from rich.cells import cell_len

from tui.render.excerpt import Look
from tui.render.row import Row, assemble, styled
from tui.render.safe import clip, one_line

COLUMNS = (11, 9, 13)  # cells for state, duration and size; where there is room they line up
ROOMY = 66
PLAIN = 400  # cells of each thing said in plain text


@dataclass(frozen=True, slots=True)
class Heading:
    """What a heading says. `facts` are up to three (text, style), right-aligned in columns."""

    sign: str
    name: str
    about: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    label: str = ""
    sign_style: str = "$text-muted"
    name_style: str = "$text-muted"
    about_style: str = ""
    foldable: bool = True

    def plain(self) -> str:
        """The heading as one line of text."""
        said = [self.name, self.about, self.label, *(text for text, _ in self.facts)]
        line = "  ".join(one_line(text, PLAIN) for text in said if text)
        return f"{self.sign} {line}".strip()


def heading_row(heading: Heading, look: Look, *, indent: int = 2) -> Row:
    """The heading in one row of exactly the width; what it is about gives way first."""
    room = max(look.width - indent, 12)
    right = _figures(heading, look, room)
    used = sum(cell_len(text) for text, _ in right)
    name = clip(heading.name, max(room - used - 4, 4))
    left = [(f"{heading.sign} ", heading.sign_style), (name, heading.name_style)]
    if heading.label:
        left.append((f"  {heading.label}", "$error"))
    left_used = sum(cell_len(text) for text, _ in left)
    about = one_line(heading.about, max(room - used - left_used - 3, 0))
    if about:
        left.append((f"  {about}", heading.about_style))
        left_used += 2 + cell_len(about)
    pad = max(room - left_used - used, 1)
    text, spans = assemble(*left, (" " * pad, ""), *right)
    spans += look.marker.spans(text)
    return _in_room(styled(text, spans, indent=indent), room)


def _in_room(row: Row, room: int) -> Row:
    """Cut to the room where even the shortest form is too long for it."""
    if cell_len(row.text) <= room:
        return row
    return styled(clip(row.text, room), row.spans, indent=row.indent)


def _figures(heading: Heading, look: Look, room: int) -> list[tuple[str, str]]:
    fold = (" ▸" if look.folded else " ▾") if heading.foldable else "  "
    facts = tuple(dropwhile(lambda fact: not fact[0], heading.facts))
    if room >= ROOMY:
        columns = COLUMNS[len(COLUMNS) - len(facts) :]
        cells = [
            (" " * max(width - cell_len(text), 2) + text, style)
            for (text, style), width in zip(facts, columns, strict=True)
        ]
    elif room >= 30:
        cells = [(f"  {text}", style) for text, style in facts if text]
    else:
        cells = [(f" {text}", style) for text, style in facts if text and style != "$text-muted"]
    return [*cells, (fold, "$text-muted")]
