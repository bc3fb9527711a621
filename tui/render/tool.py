"""A tool's call: its heading, what it was given, and what came of it."""

from __future__ import annotations

from collections.abc import Callable

from store.model import Json, Part, Tool
from tui.render.diff import Change, changes, compare, counts, diff_rows
from tui.render.excerpt import Look, output_rows
from tui.render.heading import Heading
from tui.render.prose import prose_rows
from tui.render.row import Row, wrapped
from tui.render.safe import one_line
from tui.render.todos import todo_rows, todo_words
from tui.render.tree import compact, pretty, tree_rows
from tui.render.words import duration, line_count, many

SHELL = frozenset({"bash", "shell"})
EDIT = frozenset({"edit", "write", "multiedit", "apply_patch", "patch", "notebook_edit"})
TODO = frozenset({"todowrite", "todo_write"})
AGENT = frozenset({"task", "actor", "subagent", "subagent_fork", "agent"})
OPEN_EDIT = 40  # lines of a change that are shown without asking

MUTED = "$text-muted"
_ABOUT = {
    "read": ("path",),
    "grep": ("pattern", "include"),
    "glob": ("pattern",),
    "list": ("path",),
    "webfetch": ("url",),
    "websearch": ("query",),
    "skill": ("name",),
}
_PATHS = ("filePath", "file_path", "path", "notebook_path")


def family(tool: Tool) -> str:
    """The tool's name as the renderers know it."""
    return tool.name.lower()


def given(tool: Tool) -> dict[str, Json]:
    """The input's fields; none where the input is no object."""
    return tool.input if isinstance(tool.input, dict) else {}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def path(tool: Tool) -> str:
    """The file that the call is about, as it was given; "" where it names none."""
    return next((text for key in _PATHS if (text := _text(given(tool).get(key)))), "")


def command(tool: Tool) -> str:
    """The shell command of the call; "" where there is none."""
    value = given(tool).get("command")
    if isinstance(value, list):
        return " ".join(part if isinstance(part, str) else compact(part) for part in value)
    return _text(value)


def tool_heading(part: Part, tool: Tool) -> Heading:
    """The heading of a call: `✓ bash  pytest -x  exit 1  8.4 s  212 lines`."""
    sign, style = _sign(part, tool)
    took = tool.ended - tool.started if tool.started and tool.ended else None
    facts = (
        _state(part, tool),
        (duration(took) if took is not None else "", MUTED),
        (_size(tool), MUTED),
    )
    about = about_call(tool)
    if "compacted" in part.flags:
        about = f"{about} · compacted".lstrip(" ·")
    name = one_line(tool.name, 40) or "tool"
    return Heading(sign, name, about, facts, sign_style=style, name_style="$secondary")


def _sign(part: Part, tool: Tool) -> tuple[str, str]:
    if tool.status == "error":
        return "✗", "$error"
    if tool.status != "completed" or "interrupted" in part.flags:
        return "…", "$warning"
    return ("✎" if family(tool) in EDIT else "✓"), "$success"


def _state(part: Part, tool: Tool) -> tuple[str, str]:
    if tool.status == "error":
        return "failed", "$error"
    if "interrupted" in part.flags:
        return "interrupted", "$warning"
    if tool.status != "completed":
        return one_line(tool.status, 11) or "unfinished", "$warning"
    if tool.exit is None:
        return "", MUTED
    return f"exit {tool.exit}", MUTED if tool.exit == 0 else "$warning"


def _size(tool: Tool) -> str:
    if tool.status == "error":
        return ""
    if family(tool) in EDIT and (found := tool_changes(tool)):
        return counts(found)
    return many(line_count(tool.output), "line") if tool.output else ""


def about_call(tool: Tool) -> str:
    """What the call was about, in one line."""
    name, fields = family(tool), given(tool)
    if name in SHELL and command(tool):
        return command(tool).strip()
    if name in TODO and isinstance(todos := fields.get("todos"), list):
        states = (item.get("status") if isinstance(item, dict) else "" for item in todos)
        return todo_words(map(_text, states))
    if name in AGENT:
        inner = _operation(tool)
        agent = _text(inner.get("subagent_type")) or _text(inner.get("agent"))
        said = _text(inner.get("description")) or _text(inner.get("summary")) or tool.title
        return f"{agent}: {said}" if agent and said else said or agent
    if name == "read" or name in EDIT:
        return (tool.title or path(tool) or _patched(tool)) + _range(fields)
    wanted = [
        _text(fields.get(key)) or (path(tool) if key == "path" else "")
        for key in _ABOUT.get(name, ())
    ]
    if said := "  ".join(text for text in wanted if text):
        return said + (f"  in {path(tool)}" if name in ("grep", "glob") and path(tool) else "")
    return tool.title or next((v for v in fields.values() if isinstance(v, str) and v), "")


def _range(fields: dict[str, Json]) -> str:
    first, count = fields.get("offset"), fields.get("limit")
    if not isinstance(first, int) and not isinstance(count, int):
        return ""
    start = first if isinstance(first, int) else 1
    return f"  {start}-{start + count - 1}" if isinstance(count, int) else f"  {start}-"


def _patched(tool: Tool) -> str:
    return ", ".join(change.text for change in tool_changes(tool) if change.sign == "#")


def _operation(tool: Tool) -> dict[str, Json]:
    inner = given(tool).get("operation")
    return inner if isinstance(inner, dict) else given(tool)


def tool_changes(tool: Tool) -> list[Change]:
    """What an editing call changed: the recorded diff, else what its input tells of it."""
    fields = given(tool)
    if tool.diff:
        return changes(tool.diff)
    for key in ("patchText", "patch", "input"):
        if text := _text(fields.get(key)):
            return changes(text)
    edits = fields.get("edits")
    pairs = (
        [edit for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else [fields]
    )
    made = [compare(*pair) for pair in map(_pair, pairs) if pair != ("", "")]
    return changes("\n".join(made)) if made else []


def _pair(fields: dict[str, Json]) -> tuple[str, str]:
    old = _text(fields.get("oldString")) or _text(fields.get("old_string"))
    new = _text(fields.get("newString")) or _text(fields.get("new_string"))
    return old, new or _text(fields.get("content"))


def opens(tool: Tool) -> bool:
    """Whether a call is worth showing without being asked: failures, todos, small changes."""
    if tool.status == "error" or family(tool) in TODO:
        return True
    return family(tool) in EDIT and 0 < len(tool_changes(tool)) <= OPEN_EDIT


# Bodies --------------------------------------------------------------------------------------


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
    return _agent if name in AGENT else _generic


def _note(text: str, look: Look) -> list[Row]:
    line = one_line(text, 2000)
    return wrapped(line, look.width - 4, marker=look.marker, indent=4, base=MUTED)


def _shell(tool: Tool, look: Look) -> list[Row]:
    rows = output_rows(f"$ {command(tool).strip()}", look, base=MUTED, head=12, tail=4)
    return rows + _output(tool, look)


def _output(tool: Tool, look: Look) -> list[Row]:
    if tool.output is None:
        return []
    if not tool.output.strip():
        return _note("(no output)", look)
    return output_rows(tool.output, look)


def _edit(tool: Tool, look: Look) -> list[Row]:
    named = tool.title not in ("", path(tool))  # else the heading has the path itself
    rows = _note(path(tool), look) if named and path(tool) else []
    return rows + diff_rows(tool_changes(tool), look)


def _todos(tool: Tool, look: Look) -> list[Row]:
    items = [item if isinstance(item, dict) else {"content": item} for item in given(tool)["todos"]]
    return todo_rows(
        ((_text(one.get("status")), _text(one.get("content")) or compact(one)) for one in items),
        look,
    )


def _agent(tool: Tool, look: Look) -> list[Row]:
    inner = _operation(tool)
    prompt = _text(inner.get("prompt"))
    others = {key: value for key, value in inner.items() if key != "prompt"}
    rows = tree_rows(others, look) if others else []
    if prompt:
        rows += [Row("", role="blank"), *prose_rows(prompt, look.width, look.marker, indent=4)]
    if tool.output:
        rows += [Row("", role="blank"), *prose_rows(tool.output, look.width, look.marker, indent=4)]
    return rows


def _generic(tool: Tool, look: Look) -> list[Row]:
    rows = tree_rows(tool.input, look) if tool.input not in (None, {}, "") else []
    if rows and tool.output:
        rows.append(Row("", role="blank"))
    return rows + _output(tool, look)


def tool_input(tool: Tool) -> str:
    """The call's input to copy: a shell's command, else readable JSON."""
    if family(tool) in SHELL and command(tool):
        return command(tool)
    return "" if tool.input is None else pretty(tool.input)


def tool_text(tool: Tool) -> str:
    """What came of the call, as it is stored: its output, else its error."""
    return tool.output if tool.output is not None else tool.error or ""
