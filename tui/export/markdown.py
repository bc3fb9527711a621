"""Markdown for people: a heading for each turn, tools and thoughts folded, outputs fenced.

Stored text cannot end what it stands in: fences are longer than any inside, said text has its own
fences closed and its HTML shown instead of obeyed.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from store.model import (
    Agent,
    Compaction,
    File,
    Message,
    Part,
    Patch,
    Reasoning,
    Retry,
    Session,
    Snapshot,
    StepFinish,
    StepStart,
    Subtask,
    Text,
    Todos,
    Tool,
    Unknown,
    WindowMessage,
    type_name,
)
from tui.export import headings
from tui.plain import clean, one_line, readable

_QUIET = (StepStart, StepFinish, Snapshot)
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~&!])")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_CODE_OR_TAG = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)|<(?=[A-Za-z/!?])(?!(?:https?|mailto):)")
_BOXES = {"completed": "x", "done": "x"}
_PLAIN_STATES = frozenset({*_BOXES, "pending", ""})
_SUMMARY = 120
"""Characters of a text that stand for it while it is folded."""


def as_markdown(session: Session, messages: Iterable[WindowMessage]) -> Iterator[str]:
    """A session as Markdown, block after block."""
    yield f"# {_plain(headings.title(session))}\n"
    facts = [f"- {name}: {_plain(value)}\n" for name, value in headings.about(session)]
    yield "\n" + "".join(facts)
    before: Message | None = None
    for one in messages:
        if not headings.same_turn(one.message, before):
            yield f"\n## {_heading(one.message)}\n"
        before = one.message
        for block in chain.from_iterable(_part(part) for part in one.parts):
            yield f"\n{block}\n"
        if one.message.error:
            yield f"\n**Error**\n\n{fenced(one.message.error)}\n"


def _heading(message: Message) -> str:
    unusual = headings.notes(message.fate, *message.flags)
    facts = [headings.speaker(message), headings.utc(message.time), message.model, unusual]
    return " · ".join(_plain(fact) for fact in facts if fact)


def _part(part: Part) -> Iterator[str]:
    held, unusual = part.content, headings.part_notes(part)
    match held:
        case Text(text):
            if text.strip():
                yield said(text) if not unusual else folded(f"text · {unusual}", said(text))
        case Reasoning(text):
            if text.strip():
                first = one_line(text.strip().split("\n", 1)[0])
                short = first if len(first) <= _SUMMARY else first[:_SUMMARY] + "…"
                yield folded(_with("thinking: " + short, unusual), said(text))
        case Tool():
            label = _with(" · ".join(headings.tool(held)), unusual)
            yield folded(label, "\n\n".join(_tool(held)))
        case File():
            yield _with(f"Attached: {_plain(headings.file(held))}", unusual)
            if held.text:
                yield folded("its text", fenced(held.text))
        case Todos():
            boxes = [(_BOXES.get(how, " "), how, what) for how, what in held.items]
            told = [f"- [{box}] {_plain(_with(what, _odd(how)))}" for box, how, what in boxes]
            yield folded(_with("to do", unusual), "\n".join(told))
        case Patch():
            if held.files:
                yield folded(_with("changed files", unusual), fenced("\n".join(held.files)))
        case Compaction():
            how = "by itself" if held.auto else "as asked"
            yield f"---\n\n*The agent replaced what was before by a summary, {how}.*"
            if held.text:
                yield said(held.text)
        case Subtask():
            label = " · ".join(filter(None, ("task", held.agent, held.description, unusual)))
            yield folded(label, said(held.prompt) if held.prompt.strip() else "")
        case Agent():
            yield f"Agent: {_plain(held.name)}"
        case Retry():
            yield f"**Attempt {held.attempt} failed**\n\n{fenced(held.error)}"
        case _ if not isinstance(held, _QUIET):
            fields = held.fields if isinstance(held, Unknown) else _fields(held)
            yield folded(_with(type_name(held), unusual), fenced(readable(fields)))


def _odd(status: str) -> str:
    """A state that a box cannot show."""
    return "" if status in _PLAIN_STATES else status.replace("_", " ")


def _fields(held: object) -> dict[str, object]:
    return {name: getattr(held, name) for name in getattr(held, "__dataclass_fields__", ())}


def _tool(held: Tool) -> Iterator[str]:
    asked = held.input
    if isinstance(asked, dict) and isinstance(asked.get("command"), str):
        yield fenced(asked["command"], "sh")
        asked = {key: value for key, value in asked.items() if key != "command"}
    if asked not in (None, "", {}, []):
        yield f"Input\n\n{fenced(readable(asked))}"
    if held.diff:
        yield f"Diff\n\n{fenced(held.diff, 'diff')}"
    if held.output:
        yield f"Output\n\n{fenced(held.output)}"
    if held.error:
        yield f"Error\n\n{fenced(held.error)}"
    if held.spilled:
        yield f"The whole output was in {_plain(held.spilled)}"
    for attached in held.attachments:
        yield f"Attached: {_plain(headings.file(attached))}"


def folded(label: str, body: str) -> str:
    """A block that opens on demand; `label` is stored text, `body` Markdown."""
    summary = html.escape(one_line(label), quote=False)
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"


def fenced(text: str, language: str = "text") -> str:
    """Stored text as a block of code that nothing inside can end."""
    shown = clean(text, keep_tabs=True).rstrip("\n")
    longest = max((len(run) for run in re.findall("`{3,}", shown)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}"


def said(text: str) -> str:
    """Said text, which is Markdown already, so that it ends where it ends."""
    lines, fence = [], ""
    for line in clean(text, keep_tabs=True).strip("\n").split("\n"):
        found = _FENCE.fullmatch(line)
        if fence:
            closes = found and found[1].startswith(fence) and not found[2].strip()
            fence = "" if closes else fence
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            fence = found[1]
        else:
            line = _CODE_OR_TAG.sub(_literal, line)
        lines.append(line)
    return "\n".join([*lines, fence] if fence else lines)


def _literal(found: re.Match[str]) -> str:
    return found[0] if found[1] else "\\<"


def _with(label: str, unusual: str) -> str:
    return f"{label} · {unusual}" if unusual else label


def _plain(text: str) -> str:
    """Stored text in a line of Markdown, each character itself."""
    return _SPECIAL.sub(r"\\\1", one_line(text))
