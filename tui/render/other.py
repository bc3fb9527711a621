"""Every part that is neither prose nor a tool: its heading, and its body where it has one."""

from __future__ import annotations

from dataclasses import replace

from store.model import (
    Agent,
    Checkpoint,
    Compaction,
    Content,
    File,
    Patch,
    Reasoning,
    Retry,
    Snapshot,
    StepFinish,
    StepStart,
    Subtask,
    Text,
    Todos,
    Tool,
    Unknown,
    type_name,
)
from tui.render.envelope import inside, seen
from tui.render.excerpt import Look, output_rows
from tui.render.heading import Heading
from tui.render.prose import prose_rows
from tui.render.row import Row, wrapped
from tui.render.safe import clip, one_line
from tui.render.todos import todo_rows, todo_words
from tui.render.tree import scalar, tree_rows
from tui.render.words import many, size

MUTED = "$text-muted"


def text_size(text: str) -> str:
    """The size of a text in bytes, in words."""
    return size(len(text.encode("utf-8", "surrogatepass")))


def _quoted(text: str) -> str:
    line = one_line(text, 200)
    return f"“{line}”" if line else ""


def other_heading(content: Content) -> Heading:
    """The heading of any part; tools have a richer one of their own."""
    match content:
        case Text(text):
            return Heading(
                "↪", "injected", _quoted(inside(text)), _fact(text_size(text)), about_style=MUTED
            )
        case Reasoning(text):
            size_ = _fact(text_size(text))
            return Heading("∴", "thinking", _quoted(text), size_, about_style=MUTED)
        case File():
            return _file(content)
        case Patch(hash=commit, files=files):
            about = f"{many(len(files), 'file')} changed"
            return Heading("✎", "patch", about, _fact(short(commit)), foldable=bool(files))
        case Subtask(description=said, agent=agent, command=command, prompt=prompt):
            about = ": ".join(filter(None, (agent, said or command or one_line(prompt, 200))))
            return Heading("↳", "subtask", about, name_style="$secondary")
        case Unknown(fields=fields):
            about = ", ".join(map(str, fields))
            return Heading(
                "?", one_line(type_name(content), 40) or "unknown", about, about_style=MUTED
            )
        case Compaction(text=text):
            return Heading("─", "compacted", compaction_words(content), foldable=bool(text))
        case Todos(items=items):
            about = todo_words(status for status, _ in items)
            return Heading("☐", "todos", about, foldable=bool(items))
        case Tool(name=name):
            return Heading("✓", name)
        case _:
            return _quiet(content)


def _fact(text: str) -> tuple[tuple[str, str], ...]:
    return (("", MUTED), ("", MUTED), (text, MUTED))


def short(digest: str) -> str:
    """The first letters of a hash, enough to tell it from others."""
    return one_line(digest, 100)[:8]


def _file(file: File) -> Heading:
    name = file.filename or file.path or file.url or "file"
    about = f"{name}  {file.mime}".strip()
    much = file.bytes or len(file.text.encode("utf-8", "surrogatepass"))
    fact = _fact(size(much) if much else "")
    return Heading("@", "file", about, fact, name_style="$secondary", foldable=bool(file.text))


def _quiet(content: Content) -> Heading:
    sign, name, about, style = "·", type_name(content), "", MUTED
    match content:
        case StepStart():
            name, about = "step", "started"
        case StepFinish(reason=reason):
            name, about = "step", " · ".join(filter(None, (*step_figures(content), reason)))
        case Snapshot(snapshot=digest):
            about = short(digest)
        case Agent(name=who):
            sign, about, style = "@", who, "$secondary"
        case Retry(attempt=attempt, error=error):
            sign, about, style = "↻", f"attempt {attempt}  {error}".strip(), "$warning"
        case Checkpoint(number=number, directory=directory, covered=covered):
            kept = f"up to {covered}" if covered else ""
            about = "  ".join(filter(None, (f"{number}", directory, kept)))
    return Heading(sign, name, about, name_style=style, about_style=MUTED, foldable=False)


def step_figures(step: StepFinish) -> list[str]:
    """Dollars and tokens by kind of a step, only what is known and not nothing."""
    said = [f"${step.cost:.4f}"] if step.cost else []
    for kind in ("input", "output", "reasoning"):
        count = step.tokens.get(kind)
        if isinstance(count, int | float) and count:
            said.append(f"{count:,.0f} {kind}")
    cache = step.tokens.get("cache")
    cached = cache.get("read") if isinstance(cache, dict) else None
    if isinstance(cached, int | float) and cached:
        said.append(f"{cached:,.0f} cached")
    return said


def compaction_words(part: Compaction) -> str:
    """How the conversation was compacted, in words."""
    how = "the context was full" if part.overflow else "by itself" if part.auto else "on request"
    return f"{how} · from here on the agent knew a summary"


def compaction_rows(part: Compaction, look: Look) -> list[Row]:
    """A rule across the pane, and the summary where the part carries it."""
    room = max(look.width, 12)
    text = clip(f"── compacted {compaction_words(part)} ", room - 2)
    rule = text + "─" * (room - len(text))
    rows = [Row(rule, look.marker.spans(rule), base="$secondary", role="rule")]
    if part.text and not look.folded:
        rows += prose_rows(
            seen(part.text, look.marker), look.width, look.marker, indent=4, base=MUTED
        )
    return rows


def other_body(content: Content, look: Look) -> list[Row]:
    """What stands below the heading when the part is unfolded."""
    match content:
        case Text(text) | Reasoning(text):
            text = seen(text, look.marker)
            breaks = isinstance(content, Text)  # what was put in is seldom prose
            rows = prose_rows(text, look.width, look.marker, indent=4, base=MUTED, breaks=breaks)
            return rows if look.expanded or len(rows) <= 400 else _long(text, look)
        case File(text=text):
            return output_rows(text, look) if text else []
        case Patch(files=files):
            return output_rows("\n".join(files), look)
        case Subtask(prompt=prompt):
            return prose_rows(prompt, look.width, look.marker, indent=4)
        case Todos(items=items):
            return todo_rows(items, look)
        case Unknown(fields=fields):
            return tree_rows(fields, look) if fields else []
        case _:
            return []


def _long(text: str, look: Look) -> list[Row]:
    return [
        replace(row, base=MUTED) for row in output_rows(text, look, head=200, tail=100, words=True)
    ]


def error_rows(error: str, look: Look) -> list[Row]:
    """The error of a message: a heading in words, then all of it."""
    first = wrapped("✗ error", look.width - 2, indent=2, base="bold $error")
    return first + output_rows(error, look, base="$error", words=True)


def other_text(content: Content) -> str:
    """What copying such a part gives: its own text, else the fields it has."""
    match content:
        case Text(text) | Reasoning(text) | Agent(text=text) if text:
            return text
        case File(text=text, url=url, path=path, filename=name):
            return text or path or url or name
        case Patch(files=files):
            return "\n".join(files)
        case Subtask(prompt=prompt):
            return prompt
        case Compaction(text=text) if text:
            return text
        case Retry(error=error):
            return error
        case Todos(items=items):
            return "\n".join(f"{status}  {what}" for status, what in items)
        case Snapshot(snapshot=digest) | StepStart(snapshot=digest):
            return digest
        case Unknown(fields=fields):
            return scalar(fields)
        case _:
            return ""
