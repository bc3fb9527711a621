"""What happened to a session, in words and as lines: how a review of leftovers reads."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from store.door import Door
from store.model import Happening, Leftover, Part, Text, Tool, WindowMessage
from tui import words
from tui.render.part import copied_together
from tui.render.safe import clean
from tui.render.words import many, moment

MOST_UNDONE = 1000
AFTER = 20
"""Messages that are shown of what came after."""
EXCERPT = 12
"""Lines of a text that are shown."""

_CAUSES = {
    "revert_pending": "pending revert",
    "revert_committed": "revert",
    "message_deleted": "deletion of a message",
    "part_deleted": "deletion of a part",
    "session_deleted": "deletion of the session",
    "edited": "edit",
    "unknown": "gone, nothing tells why",
}
_EVIDENCE = {
    "source": "still in the store",
    "event_log": "in the store's event log",
    "history_fts": "in the store's own search index",
    "storage_files": "in part files of the old storage",
    "kept": "in backscroll's own copy alone",
}


@dataclass(frozen=True, slots=True)
class Undone:
    """One happening with all that it took, and what came after it."""

    happening: Happening
    parts: tuple[Leftover, ...]
    after: tuple[WindowMessage, ...]


def whole_text(undone: Undone) -> str:
    """All that a happening took, to be copied or saved."""
    return "\n\n".join(part.text for part in undone.parts if part.text)


def heading(one: Happening) -> str:
    """What it was and how much: `revert of 14:32: 3 messages, 7 parts, 2 files`."""
    numbers = ((one.messages, "message"), (one.parts, "part"), (len(one.files), "file"))
    counts = [many(number, what) for number, what in numbers if number]
    seen = "seen" if one.fate == "reverted" else "missed"
    known = one.removed_at is not None
    when = f" of {clock(one.moment)}" if known else f", {seen} at {clock(one.moment)}"
    return f"{_CAUSES[one.cause]}{when}: {', '.join(counts)}"


def clock(ms: int) -> str:
    """The time of the day, here; blank where it cannot be one."""
    found = moment(ms)
    return f"{found:%H:%M}" if found else ""


def evidence(one: Happening) -> str:
    """Where the text is, in words."""
    return "; ".join(_EVIDENCE.get(name, name) for name in one.evidence)


def read(door: Door, one: Happening) -> Undone:
    """Asks for all that a happening took, and for what came after."""
    session = one.session
    query = f'session:"{session.source}:{session.id}" cause:{one.cause} is:{one.fate}'
    parts: list[Leftover] = []
    cursor = None
    while len(parts) < MOST_UNDONE:
        page = door.leftovers(query, limit=200, cursor=cursor)
        parts += [part for part in page.leftovers if _belongs(part, one)]
        cursor = page.cursor
        if cursor is None:
            break
    parts.sort(key=lambda part: (part.place, part.version or 0))
    window = door.around(f"{session.source}:{one.message}", before=0, after=50)
    gone = {part.message for part in parts}
    after = [
        message
        for message in window.messages
        if message.message.fate == "live" and message.message.id not in gone
    ]
    return Undone(one, tuple(parts), tuple(after[:AFTER]))


def _belongs(part: Leftover, one: Happening) -> bool:
    if one.fate == "reverted":
        return True
    return (part.removed_at or part.noticed_at or part.time) == one.moment


def lines(undone: Undone, width: int) -> list[Content]:
    """The page of one happening: the evidence, the prompt, the files, then all of it.

    What was undone stands beside what came after where there is room for both.
    """
    one = undone.happening
    told = [
        Content.styled(heading(one), "bold"),
        Content.styled(evidence(one), "$text-muted"),
        Content(""),
    ]
    if one.prompt:
        told.append(Content.styled("the prompt", "$accent"))
        told += [Content("  " + line) for line in _excerpt(one.prompt, 40)]
        told.append(Content(""))
    if one.files:
        told.append(Content.styled(many(len(one.files), "file"), "$accent"))
        told += [Content("  " + clean(name)) for name in one.files]
        told.append(Content(""))
    revert = one.session.revert
    if one.fate == "reverted" and revert and revert.diff:
        told.append(Content.styled("what it changed on disk", "$accent"))
        told += [diff_line(line) for line in clean(revert.diff).split("\n")]
        told.append(Content(""))
    left = [Content.styled("undone", "$warning"), *_parts(undone.parts)]
    right = [Content.styled("what came after", "$success"), *_messages(undone.after)]
    if not undone.after:
        return told + left
    if width < 80:
        return [*told, *left, Content(""), *right]
    return told + beside(left, right, width)


def beside(left: Sequence[Content], right: Sequence[Content], width: int) -> list[Content]:
    """Two columns of lines, each folded to its half."""
    half = (width - 3) // 2
    columns = [[row for line in side for row in _folded(line, half)] for side in (left, right)]
    height = max(map(len, columns))
    blank = Content("")
    rows = []
    for at in range(height):
        one, other = (side[at] if at < len(side) else blank for side in columns)
        pad = " " * max(0, half - cell_len(one.plain))
        rows.append(Content.assemble(one, pad, (" │ ", "$text-muted"), other))
    return rows


def _folded(line: Content, width: int) -> list[Content]:
    return list(line.wrap(width)) if line.cell_length > width else [line]


def _parts(parts: Sequence[Leftover]) -> list[Content]:
    rows: list[Content] = []
    message = ""
    for part in parts:
        if part.message != message:
            message = part.message
            who = "you" if part.role == "user" else words.flat(part.agent or "agent")
            rows.append(Content.styled(f"{who}  {clock(part.time)}", "bold dim"))
        if not part.text:
            continue
        text = part.text
        if part.tool:  # its input begins with it
            rows.append(Content.styled(f"  {words.flat(part.tool)}", "dim $accent"))
            text = text.removeprefix(part.tool).lstrip()
        if text:
            rows += [Content.styled("  " + line, "dim") for line in _excerpt(text, EXCERPT)]
    return rows


def _messages(messages: Sequence[WindowMessage]) -> list[Content]:
    rows: list[Content] = []
    for one in messages:
        who = "you" if one.message.role == "user" else words.flat(one.message.agent or "agent")
        rows.append(Content.styled(f"{who}  {clock(one.message.time)}", "bold"))
        for part in one.parts:
            if part.fate == "live" and "synthetic" not in part.flags:
                rows += [Content("  " + line) for line in _said(part)]
    return rows


def _said(part: Part) -> list[str]:
    if not isinstance(part.content, Text | Tool):
        return []
    text, _ = copied_together([part], "text")
    return _excerpt(text, EXCERPT) if text else []


def _excerpt(text: str, most: int) -> list[str]:
    found = clean(text).strip("\n").split("\n")
    more = len(found) - most
    return found if more <= 1 else [*found[:most], f"… {many(more, 'more line')}"]


# Versions ------------------------------------------------------------------------------------


def version_lines(parts: Sequence[Part]) -> list[Content]:
    """The texts of a part one after the other, each as its difference to the one before."""
    rows: list[Content] = []
    before: list[str] | None = None
    for part in parts:
        text = clean(copied_together([part], "text")[0]).split("\n")
        gone = moment(part.removed_at) if part.removed_at else None
        until = f", until {gone:%Y-%m-%d %H:%M}" if gone else ""
        name = f"version {part.version}" if part.version else "now"
        where = _EVIDENCE.get(part.evidence, part.evidence)
        rows.append(Content.styled(f"{name}{until}  ({where})", "bold $accent"))
        if before is None:
            rows += [Content("  " + line) for line in text]
        else:
            found = list(difflib.unified_diff(before, text, lineterm="", n=3))[2:]
            rows += [diff_line(line) for line in found]
        rows.append(Content(""))
        before = text
    return rows


def diff_line(line: str) -> Content:
    """A line of a diff in the colour of its sign."""
    styles = {"+": "$success", "-": "$error", "@": "$text-muted"}
    return Content.styled(line, styles.get(line[:1], "")) if line[:1] in styles else Content(line)
