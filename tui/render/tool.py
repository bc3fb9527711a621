"""A tool's call: its heading, what it was given, and what came of it."""

from __future__ import annotations

from store.model import Json, Part, Tool
from tui.render.asked import answers, questions
from tui.render.diff import Change, changes, compare, counts
from tui.render.envelope import inside, lines_read
from tui.render.heading import Heading
from tui.render.safe import one_line
from tui.render.todos import todo_words
from tui.render.tree import compact, pretty
from tui.render.words import duration, line_count, many

SHELL = frozenset({"bash", "shell"})
EDIT = frozenset({"edit", "write", "multiedit", "apply_patch", "patch", "notebook_edit"})
TODO = frozenset({"todowrite", "todo_write"})
ASK = frozenset({"question", "ask_user", "askuserquestion", "ask_user_question"})
READ = frozenset({"read", "read_file", "notebook_read"})
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
PATHS = ("filePath", "file_path", "path", "notebook_path")


def family(tool: Tool) -> str:
    """The tool's name as the renderers know it."""
    return tool.name.lower()


def given(tool: Tool) -> dict[str, Json]:
    """The input's fields; none where the input is no object."""
    return tool.input if isinstance(tool.input, dict) else {}


def text_of(value: Json) -> str:
    """A string as it is; "" for everything else."""
    return value if isinstance(value, str) else ""


def path(tool: Tool) -> str:
    """The file that the call is about, as it was given; "" where it names none."""
    return next((text for key in PATHS if (text := text_of(given(tool).get(key)))), "")


def command(tool: Tool) -> str:
    """The shell command of the call; "" where there is none."""
    value = given(tool).get("command")
    if isinstance(value, list):
        return " ".join(part if isinstance(part, str) else compact(part) for part in value)
    return text_of(value)


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
    if tool.failed:
        return "✗", "$error"
    if tool.status != "completed" or "interrupted" in part.flags:
        return "…", "$warning"
    return ("✎" if family(tool) in EDIT else "✓"), "$success"


def _state(part: Part, tool: Tool) -> tuple[str, str]:
    if tool.failed and not tool.exit:
        return "failed", "$error"
    if "interrupted" in part.flags:
        return "interrupted", "$warning"
    if tool.status != "completed":
        return one_line(tool.status, 11) or "unfinished", "$warning"
    if tool.exit is None:
        return "", MUTED
    return f"exit {tool.exit}", MUTED if tool.exit == 0 else "$error"


def _size(tool: Tool) -> str:
    if tool.status == "error":
        return ""
    if family(tool) in EDIT and (found := tool_changes(tool)):
        return counts(found)
    if family(tool) == "grep" and isinstance(count := tool.meta.get("matches"), int):
        return many(count, "match").replace("matchs", "matches")
    if family(tool) == "glob" and isinstance(count := tool.meta.get("count"), int):
        return many(count, "file")
    if found_lines := _lines_read(tool):
        return many(max(found_lines[1] - found_lines[0] + 1, 1), "line")
    held = (tool.output or "") if family(tool) in SHELL else inside(tool.output or "")
    return many(line_count(held), "line") if held else ""


def _lines_read(tool: Tool) -> tuple[int, int, bool] | None:
    return lines_read(tool.output or "") if family(tool) in READ else None


def about_call(tool: Tool) -> str:
    """What the call was about, in one line."""
    name, fields = family(tool), given(tool)
    if name in SHELL and command(tool):
        return command(tool).strip()
    if name in TODO and isinstance(todos := fields.get("todos"), list):
        states = (item.get("status") if isinstance(item, dict) else "" for item in todos)
        return todo_words(map(text_of, states))
    if name in AGENT:
        inner = operation(tool)
        agent = text_of(inner.get("subagent_type")) or text_of(inner.get("agent"))
        said = text_of(inner.get("description")) or text_of(inner.get("summary")) or tool.title
        return f"{agent}: {said}" if agent and said else said or agent
    if name in ASK and (asked := questions(tool)):
        chosen = ", ".join(one for answer in answers(tool) for one in answer)
        said = text_of(asked[0].get("question")) or text_of(asked[0].get("header"))
        return f"{said} → {chosen}" if chosen else said
    if name in READ or name in EDIT:
        titled = one_line(tool.title, 500) == tool.title and tool.title
        named = (path(tool) and titled) or path(tool) or _patched(tool) or tool.title
        return named + _range(tool)
    wanted = [
        text_of(fields.get(key)) or (path(tool) if key == "path" else "")
        for key in _ABOUT.get(name, ())
    ]
    if said := "  ".join(text for text in wanted if text):
        return said + (f"  in {path(tool)}" if name in ("grep", "glob") and path(tool) else "")
    if tool.title and tool.title.casefold() != name:
        return tool.title
    return next((v for v in fields.values() if isinstance(v, str) and v), "")


def _range(tool: Tool) -> str:
    if read := _lines_read(tool):
        start, end, whole = read
        return "" if whole else f"  {start}-{end}"
    fields = given(tool)
    first, count = fields.get("offset"), fields.get("limit")
    if not isinstance(first, int) and not isinstance(count, int):
        return ""
    start = first if isinstance(first, int) else 1
    return f"  {start}-{start + count - 1}" if isinstance(count, int) else f"  {start}-"


def _patched(tool: Tool) -> str:
    return ", ".join(change.text for change in tool_changes(tool) if change.sign == "#")


def operation(tool: Tool) -> dict[str, Json]:
    """The fields of the call; MiMo Code's actor has them one level deeper."""
    inner = given(tool).get("operation")
    return inner if isinstance(inner, dict) else given(tool)


def tool_changes(tool: Tool) -> list[Change]:
    """What an editing call changed: the recorded diff, else what its input tells of it."""
    fields = given(tool)
    if tool.diff:
        return changes(tool.diff)
    for key in ("patchText", "patch", "input"):
        if text := text_of(fields.get(key)):
            return changes(text)
    edits = fields.get("edits")
    pairs = (
        [edit for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else [fields]
    )
    made = [compare(*pair) for pair in map(_pair, pairs) if pair != ("", "")]
    return changes("\n".join(made)) if made else []


def _pair(fields: dict[str, Json]) -> tuple[str, str]:
    old = text_of(fields.get("oldString")) or text_of(fields.get("old_string"))
    new = text_of(fields.get("newString")) or text_of(fields.get("new_string"))
    return old, new or text_of(fields.get("content"))


def opens(tool: Tool) -> bool:
    """Whether a call that did not fail is worth showing without being asked."""
    if family(tool) in TODO or family(tool) in ASK:
        return True
    return family(tool) in EDIT and 0 < len(tool_changes(tool)) <= OPEN_EDIT


def tool_input(tool: Tool) -> str:
    """The call's input to copy: a shell's command, else readable JSON."""
    if family(tool) in SHELL and command(tool):
        return command(tool)
    return "" if tool.input is None else pretty(tool.input)


def tool_text(tool: Tool) -> str:
    """What came of the call, as it is stored: its output, else its error."""
    return tool.output if tool.output is not None else tool.error or ""
