"""Any part as rows, and what of it can be copied."""

from __future__ import annotations

from dataclasses import replace

from store.model import (
    Compaction,
    Part,
    Snapshot,
    StepFinish,
    StepStart,
    Text,
    Tool,
)
from tui.render.envelope import inside
from tui.render.excerpt import Fold, Look
from tui.render.heading import PLAIN, Heading, heading_row
from tui.render.other import (
    compaction_rows,
    other_body,
    other_heading,
    other_text,
)
from tui.render.prose import prose_rows
from tui.render.row import Marker, Row
from tui.render.safe import one_line
from tui.render.tool import opens, tool_heading, tool_input, tool_text
from tui.render.toolbody import tool_body

LABELS = {
    "reverted": "reverted",
    "replaced": "replaced by an edit",
    "removed": "removed",
    "deleted": "deleted with its session",
}
EDITED = "edited"
INDENT = 2


def render_part(
    part: Part,
    *,
    width: int,
    folded: bool,
    terms: tuple[str, ...] = (),
    expanded: bool = False,
    breaks: bool = False,
    label: bool = True,
) -> list[Row]:
    """The rows of a part, each at most `width` cells wide and harmless.

    `expanded` shows what an unfolded part leaves out of a long text. `breaks` keeps line ends
    inside paragraphs. `label` says in words when the part is no longer live.
    """
    return part_rows(part, Look(width, folded, expanded, Marker(terms), breaks, label))


def part_rows(part: Part, look: Look) -> list[Row]:
    """The rows of a part, stamped with where they belong."""
    return [stamp(row, part.id, part.message, part.fate) for row in _rows(part, look)]


def stamp(row: Row, part: str, message: str, fate: str) -> Row:
    """The row with where it belongs and what became of that."""
    return Row(row.text, row.spans, row.indent, row.base, row.role, row.match, part, message, fate)


def is_prose(part: Part) -> bool:
    """Whether the part is something said in the open: text without a heading of its own."""
    return isinstance(part.content, Text) and "synthetic" not in part.flags


def is_quiet(part: Part) -> bool:
    """Whether moving from part to part passes this one by."""
    return isinstance(part.content, StepStart | StepFinish | Snapshot)


def is_error(part: Part) -> bool:
    """Whether the part tells of a failure."""
    content = part.content
    return isinstance(content, Tool) and content.failed


def can_fold(part: Part) -> bool:
    """Whether there is more to the part than its heading."""
    return not is_prose(part) and part_heading(part).foldable


def usual_fold(part: Part) -> Fold:
    """How much of the part is shown until more or less is asked for."""
    if is_error(part):
        return "brief"
    if is_prose(part) or (isinstance(part.content, Tool) and opens(part.content)):
        return "open"
    return "folded"


def part_heading(part: Part) -> Heading:
    """The heading of a part, with what became of it and of its place in the conversation."""
    content = part.content
    if isinstance(content, Tool):
        return tool_heading(part, content)
    found = other_heading(content)
    if isinstance(content, Text) and "synthetic" not in part.flags:
        return Heading("", "text", found.about.strip("“”"), found.facts)
    return found


def heading(part: Part) -> str:
    """The heading of a part as one line of plain text."""
    return _labelled(part_heading(part).plain(), part)


def _labelled(said: str, part: Part) -> str:
    return f"{said}  ({LABELS[part.fate]})" if part.fate in LABELS else said


def plain_text(part: Part) -> str:
    """What copying a part gives: its text, or a tool's output or error, exactly as stored."""
    content = part.content
    return tool_text(content) if isinstance(content, Tool) else other_text(content)


def input_text(part: Part) -> str:
    """What a tool was given: a shell's command, else readable JSON; "" for every other part."""
    return tool_input(part.content) if isinstance(part.content, Tool) else ""


def copied(part: Part, what: str) -> tuple[str, str]:
    """What a copy of a part holds, and its name: `text`, `whole`, `input` or `id`."""
    if what == "id":
        return part.id, "id"
    if what == "input":
        return input_text(part), "input"
    text = plain_text(part)
    if what == "whole":
        return f"{_heading_above(part, text)}\n\n{text}", "text with heading"
    return text, "text"


def _heading_above(part: Part, text: str) -> str:
    """The heading to stand above a text, without what it says of that text itself."""
    found = part_heading(part)
    if not isinstance(part.content, Tool):
        begun, whole = one_line(inside(text), PLAIN), one_line(found.about, PLAIN)
        quoted = whole.strip("“”").rstrip("…")
        about = "" if begun.startswith(quoted) else whole.removesuffix(begun).rstrip()
        found = replace(found, about=about)
    return _labelled(found.plain(), part)


def copied_together(parts: list[Part], what: str) -> tuple[str, str]:
    """What a copy of several parts holds, one below the other, and its name; of one as `copied`."""
    if len(parts) == 1:
        return copied(parts[0], what)
    texts = [copied(part, what)[0] for part in parts]
    joint = "\n" if what == "id" else "\n\n"
    names = {"id": "ids", "input": "inputs", "whole": "parts with headings"}
    return joint.join(text for text in texts if text), f"{len(parts)} {names.get(what, 'parts')}"


def _rows(part: Part, look: Look) -> list[Row]:
    content = part.content
    label = LABELS.get(part.fate, "") if look.label else ""
    if part.fate == "live" and "edited" in part.flags:
        label = EDITED
    if is_prose(part) and isinstance(content, Text):
        return _said(content, part, look, label)
    if isinstance(content, Compaction):
        return compaction_rows(content, look)
    inside = look.folded and _matches_inside(part, look.marker)
    head = replace(part_heading(part), label=label, inside=inside)
    first = replace(heading_row(head, look, indent=INDENT), role="inside" if inside else "heading")
    if look.folded or not head.foldable:
        return [first]
    body = tool_body(content, look) if isinstance(content, Tool) else other_body(content, look)
    return [first, *body]


def _matches_inside(part: Part, marker: Marker) -> bool:
    """Whether a match is in the part and not to be seen in its heading."""
    if not marker or marker.found(part_heading(part).about):
        return False
    return marker.found(input_text(part)) or marker.found(plain_text(part))


def _said(content: Text, part: Part, look: Look, label: str) -> list[Row]:
    labels = [label] if label else []
    if "ignored" in part.flags:
        labels.append("not sent to the model")
    style = "$text-muted" if labels == [EDITED] else "$error"
    rows = [Row(one_line(" · ".join(labels), look.width), (), INDENT, style)] if labels else []
    if not content.text.strip():
        return [*rows, Row("(no text)", (), INDENT, "$text-muted")]
    return rows + prose_rows(
        content.text, look.width, look.marker, indent=INDENT, breaks=look.breaks
    )
