"""A conversation for people: messages with their parts, indented, long output cut in a window."""

from __future__ import annotations

from collections.abc import Iterator

from store.model import (
    Message,
    Part,
    Session,
    Shown,
    Snapshot,
    StepFinish,
    StepStart,
    Text,
    Tool,
    Unknown,
    Window,
    type_name,
)
from tui.cli import shapes
from tui.cli.text import DIM, MATCH, PLAIN, moment, unusual
from tui.plain import clean, one_line, readable

_QUIET = (StepStart, StepFinish, Snapshot)
_MOST_LINES = 20


def window(one: Window, *, colour: bool) -> str:
    """The messages around an anchor, the anchor marked; says how much of long parts is cut."""
    count = len(one.messages)
    place = f"messages {one.first + 1:,} to {one.first + count:,}" if count else "no messages"
    lines = [_session_line(one.session), f"{place} of {one.total:,}"]
    for each in one.messages:
        asked = each.message.id == one.anchor
        lines += ["", _message_line(each.message, asked=asked, colour=colour)]
        for part in each.parts:
            if not isinstance(part.content, _QUIET):
                asked = part.id == one.part
                lines += _part_lines(part, asked=asked, colour=colour, most=_MOST_LINES)
    return "\n".join(lines)


def shown(one: Shown, *, colour: bool) -> str:
    """One message with the parts that were asked for, whole."""
    lines = [_session_line(one.session), "", _message_line(one.message, colour=colour)]
    for part in one.parts:
        lines += _part_lines(part, colour=colour)
    return "\n".join(lines)


def _session_line(one: Session) -> str:
    named = [one.title or "(no title)", f"{one.source}:{one.id}", one.directory]
    return "  ".join(one_line(word) for word in named if word)


def _message_line(one: Message, *, colour: bool, asked: bool = False) -> str:
    who = "you" if one.role == "user" else one.agent or one.role or "agent"
    words = [who, moment(one.time), one.model, one.id, unusual(one.fate, *one.flags)]
    line = "  ".join(one_line(word) for word in words if word)
    if one.error:
        line += f"\n    error: {one_line(one.error)}"
    return _heading(line, "> " if asked else "  ", asked=asked, colour=colour)


def _part_lines(
    part: Part, *, colour: bool, asked: bool = False, most: int | None = None
) -> list[str]:
    held = part.content
    words = [held.name, held.status, held.title] if isinstance(held, Tool) else [type_name(held)]
    words += [part.id, unusual(part.fate, *part.flags)]
    lines = []
    if asked or not isinstance(held, Text) or part.fate != "live" or part.flags or most is None:
        line = "  ".join(one_line(word) for word in words if word)
        lines.append(_heading(line, "  > " if asked else "    ", asked=asked, colour=colour))
    for name, body in _bodies(part):
        if name:
            lines.append(f"      {name}")
        lines += _indented(body, part.id, " " * (8 if name else 6), most)
    return lines


def _heading(line: str, margin: str, *, asked: bool, colour: bool) -> str:
    if not colour:
        return margin + line
    return f"{margin}{MATCH if asked else DIM}{line}{PLAIN}"


def _bodies(part: Part) -> Iterator[tuple[str, str]]:
    """What a part says, each text under its name ("" where there is but one)."""
    held = part.content
    if isinstance(held, Tool):
        if held.input not in (None, "", {}, []):
            yield "input", readable(held.input)
        if held.output:
            yield "output", held.output
        if held.error:
            yield "error", held.error
        if held.diff:
            yield "diff", held.diff
        for attached in held.attachments:
            yield "attachment", f"{attached.filename} {attached.mime} {attached.bytes:,} bytes"
    elif text := shapes.text(held):
        yield "", text
    elif isinstance(held, Unknown):
        yield "", readable(held.fields)
    else:
        fields = shapes.part(part, "")
        given = {key: value for key, value in fields["fields"].items() if value not in (None, "")}
        yield "", readable(given | ({"error": fields["error"]} if fields["error"] else {}))


def _indented(text: str, ident: str, margin: str, most: int | None) -> list[str]:
    """The text's lines, indented; beyond `most` a line that says how many are left out."""
    lines = clean(text).rstrip("\n").split("\n")
    left_out = 0 if most is None else len(lines) - most
    kept = lines[:most] if left_out > 0 else lines
    shown = [f"{margin}{line}".rstrip() for line in kept]
    if left_out > 0:
        shown.append(f"{margin}... {left_out:,} lines more: backscroll show {one_line(ident)}")
    return shown
