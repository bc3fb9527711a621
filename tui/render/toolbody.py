"""What stands below the heading of a tool's call: what it was given, and what came of it."""

from __future__ import annotations

from collections.abc import Callable

from store.model import Json, Tool
from tui.render.asked import answers, question_rows, questions
from tui.render.diff import diff_rows
from tui.render.envelope import seen
from tui.render.excerpt import Look, output_rows
from tui.render.paints import Paint, grep_paint, paths_paint, read_paint
from tui.render.printed import command_rows, printed_rows, read_rows
from tui.render.prose import prose_rows
from tui.render.row import Row, wrapped
from tui.render.safe import one_line
from tui.render.todos import todo_rows
from tui.render.tool import (
    AGENT,
    ASK,
    EDIT,
    MUTED,
    PATHS,
    READ,
    SHELL,
    TODO,
    about_call,
    command,
    family,
    given,
    operation,
    path,
    text_of,
    tool_changes,
)
from tui.render.tree import compact, tree_rows


def tool_body(tool: Tool, look: Look) -> list[Row]:
    """What the call was given and what came of it, the error in its colour."""
    rows = _renderer(tool)(tool, look)
    if tool.error is not None:
        rows += output_rows(
            tool.error or "(failed without a word)", look, base="$error", words=True
        )
    if tool.spilled:
        rows += _note(f"whole output: {tool.spilled}", look)
    for file in tool.attachments:
        rows += _note(f"@ {file.filename or 'attachment'}  {file.mime}", look)
    return rows


def _renderer(tool: Tool) -> Callable[[Tool, Look], list[Row]]:
    name = family(tool)
    if name in SHELL and command(tool):
        return _shell
    if name in EDIT and tool_changes(tool):
        return _edit
    if name in TODO and isinstance(given(tool).get("todos"), list):
        return _todos
    if name in ASK and questions(tool):
        return _question
    if name in AGENT:
        return _agent
    if name in READ and path(tool):
        return _read
    return _SEARCHES.get(name, _generic)


def _note(text: str, look: Look) -> list[Row]:
    line = one_line(text, 2000)
    return wrapped(line, look.width - 4, marker=look.marker, indent=4, base=MUTED)


def _shell(tool: Tool, look: Look) -> list[Row]:
    rows = output_rows(f"$ {command(tool).strip()}", look, base=MUTED, head=12, tail=4)
    return rows + _output(tool, look)


def _bare(tool: Tool, look: Look) -> str:
    return (tool.output or "") if family(tool) in SHELL else seen(tool.output or "", look.marker)


def _output(tool: Tool, look: Look, paint: Paint | None = None) -> list[Row]:
    if tool.output is None:
        return []
    text = _bare(tool, look)
    if not text.strip():
        return _note("(no output)", look)
    if paint is None:
        return command_rows(text, look)
    return output_rows(text, look, paint=paint)


def _but(tool: Tool, *shown: str) -> Json:
    """The input without what the heading says already."""
    return {key: value for key, value in given(tool).items() if key not in shown}


def _input(tool: Tool, look: Look, *shown: str) -> list[Row]:
    left = _but(tool, *shown)
    return tree_rows(left, look) if left else []


def _read(tool: Tool, look: Look) -> list[Row]:
    named = tool.title in ("", path(tool)) or path(tool) in _bare(tool, look)[:1000]
    rows = [] if named else _note(path(tool), look)
    rows += _input(tool, look, *PATHS, "offset", "limit")
    return rows + _output(tool, look, read_paint(path(tool)))


def _grep(tool: Tool, look: Look) -> list[Row]:
    rows = _input(tool, look)
    return rows + _output(tool, look, grep_paint(text_of(given(tool).get("pattern"))))


def _paths(tool: Tool, look: Look) -> list[Row]:
    return _input(tool, look) + _output(tool, look, paths_paint)


def _web(tool: Tool, look: Look) -> list[Row]:
    rows = _note(tool.title, look) if tool.title not in ("", about_call(tool)) else []
    rows += _input(tool, look)
    if not (tool.output or "").strip():
        return rows + _output(tool, look)
    return rows + [Row("", role="blank")] * bool(rows) + read_rows(tool.output or "", look)


def _skill(tool: Tool, look: Look) -> list[Row]:
    return _input(tool, look, "name") + read_rows(_bare(tool, look), look)


def _question(tool: Tool, look: Look) -> list[Row]:
    rows = question_rows(tool, look)
    if tool.output and not answers(tool):
        rows += [Row("", role="blank"), *output_rows(tool.output, look, words=True)]
    return rows


_SEARCHES: dict[str, Callable[[Tool, Look], list[Row]]] = {
    "grep": _grep,
    "glob": _paths,
    "list": _paths,
    "ls": _paths,
    "webfetch": _web,
    "web_fetch": _web,
    "websearch": _web,
    "web_search": _web,
    "codesearch": _web,
    "skill": _skill,
}


def _edit(tool: Tool, look: Look) -> list[Row]:
    named = tool.title not in ("", path(tool))  # else the heading has the path itself
    rows = _note(path(tool), look) if named and path(tool) else []
    return rows + diff_rows(tool_changes(tool), look)


def _todos(tool: Tool, look: Look) -> list[Row]:
    items = [item if isinstance(item, dict) else {"content": item} for item in given(tool)["todos"]]
    listed = (
        (text_of(one.get("status")), text_of(one.get("content")) or compact(one)) for one in items
    )
    return todo_rows(listed, look)


def _agent(tool: Tool, look: Look) -> list[Row]:
    inner = operation(tool)
    prompt = text_of(inner.get("prompt"))
    others = {key: value for key, value in inner.items() if key != "prompt"}
    rows = tree_rows(others, look) if others else []
    if prompt:
        rows += [Row("", role="blank"), *prose_rows(prompt, look.width, look.marker, indent=4)]
    if tool.output:
        rows += [Row("", role="blank"), *read_rows(_bare(tool, look), look)]
    if isinstance(tool.meta.get("sessionId"), str):
        rows += _note("> opens its conversation", look)
    return rows


def _generic(tool: Tool, look: Look) -> list[Row]:
    rows = tree_rows(tool.input, look) if tool.input not in (None, {}, "") else []
    if rows and tool.output:
        rows.append(Row("", role="blank"))
    if tool.output and tool.output.strip():
        return rows + printed_rows(_bare(tool, look), look)
    return rows + _output(tool, look)
