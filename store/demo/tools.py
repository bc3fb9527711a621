"""Makes the tool parts of opencode 1.18, one function per tool; times are added when played."""

from __future__ import annotations

import difflib
import json

from store.demo.script import Ask, Block, Data, Step

_PREVIEW = 30_000


def call(
    name: str,
    given: Data,
    output: str,
    *,
    title: str = "",
    meta: Data | None = None,
    ms: int = 400,
    label: str = "",
) -> Block:
    """A completed call of any tool."""
    state = {
        "status": "completed",
        "input": given,
        "output": output,
        "title": title,
        "metadata": {**(meta or {}), "truncated": False},
    }
    return Block({"type": "tool", "tool": name, "state": state}, ms=ms, label=label)


def failed(name: str, given: Data, error: str, ms: int = 120) -> Block:
    """A call that came back with an error."""
    state = {"status": "error", "input": given, "error": error}
    return Block({"type": "tool", "tool": name, "state": state}, ms=ms)


def running(name: str, given: Data, so_far: str) -> Block:
    """A call that never came back."""
    state = {"status": "running", "input": given, "metadata": {"output": so_far}}
    return Block({"type": "tool", "tool": name, "state": state})


def pending(name: str) -> Block:
    """A call of which only the name had arrived."""
    state = {"status": "pending", "input": {}, "raw": ""}
    return Block({"type": "tool", "tool": name, "state": state})


def bash(command: str, output: str, *, exit: int = 0, about: str = "", ms: int = 900) -> Block:  # noqa: A002
    """A command with its output; a failing one is completed too, with its exit code."""
    given = {"command": command, "description": about or "Runs a command"}
    meta = {"output": output[-_PREVIEW:], "exit": exit}
    return call("bash", given, output, title=command, meta=meta, ms=ms)


def bash_cut(command: str, output: str, keep: int, *, exit: int = 0, about: str) -> Block:  # noqa: A002
    """A command whose output was cut to its last `keep` lines; the rest is in a file."""
    tail = "".join(output.splitlines(keepends=True)[-keep:])
    kept = f"...output truncated...\n\nFull output saved to: «spill»\n\n{tail}"
    meta = {"output": "...\n\n" + output[-_PREVIEW:], "exit": exit}
    block = call("bash", {"command": command, "description": about}, kept, title=command, meta=meta)
    block.data["state"]["metadata"].update(truncated=True, outputPath="«spill»")
    return Block(block.data, ms=41_000, spill=output)


def shell(command: str, output: str, *, after: int = 30, ms: int = 4000) -> tuple[Ask, Step]:
    """A command that the person ran with `!`; its output is never cut."""
    note = {
        "type": "text",
        "text": "The following tool was executed by the user",
        "synthetic": True,
    }
    state = {
        "status": "completed",
        "input": {"command": command},
        "title": "",
        "metadata": {"output": output[-_PREVIEW:]},
        "output": output,
    }
    tool = Block({"type": "tool", "tool": "bash", "state": state}, ms=ms)
    return Ask((Block(note),), after=after), Step((tool,), framed=False)


def read(path: str, text: str, first: int = 1) -> Block:
    """A file read, its lines numbered from `first`."""
    lines = text.splitlines()
    body = "\n".join(f"{number}: {line}" for number, line in enumerate(lines, first))
    last = first + len(lines) - 1
    output = (
        f"<path>{path}</path>\n<type>file</type>\n<content>\n{body}\n\n"
        f"(End of file - total {last} lines)\n</content>"
    )
    meta = {"preview": text, "loaded": []}
    return call("read", {"filePath": path}, output, title=_short(path), meta=meta, ms=60)


def edit(path: str, old: str, new: str, line: int = 1) -> Block:
    """One replacement, with its diff; `line` is where the fragment begins."""
    diff = unified(path, old, new, line)
    given = {"filePath": path, "oldString": old, "newString": new}
    meta = {"diagnostics": {}, "diff": diff, "filediff": _filediff(path, diff)}
    return call("edit", given, "Edit applied successfully.", title=_short(path), meta=meta, ms=90)


def multiedit(path: str, changes: tuple[tuple[str, str, int], ...]) -> Block:
    """Several replacements in one file: (old, new, line)."""
    edits = [{"oldString": old, "newString": new} for old, new, _ in changes]
    diffs = [unified(path, old, new, line) for old, new, line in changes]
    results = [{"diff": diff, "filediff": _filediff(path, diff)} for diff in diffs]
    meta = {"results": results}
    given = {"filePath": path, "edits": edits}
    return call("multiedit", given, "Edit applied successfully.", title=_short(path), meta=meta)


def apply_patch(path: str, old: str, new: str, line: int = 1) -> Block:
    """A change written as a patch."""
    diff = unified(path, old, new, line)
    body = [f"-{text}" for text in old.splitlines()] + [f"+{text}" for text in new.splitlines()]
    head = f"*** Begin Patch\n*** Update File: {path}\n@@\n"
    patch = head + "\n".join(body) + "\n*** End Patch"
    file = {"filePath": path, "relativePath": _short(path), "type": "update", "patch": diff}
    meta = {"diff": diff, "files": [file], "diagnostics": {}}
    output = f"Success. Updated the following files:\nM {_short(path)}"
    return call("apply_patch", {"patchText": patch}, output, title=output, meta=meta)


def write(path: str, content: str, *, exists: bool = False) -> Block:
    """A whole file written."""
    meta = {"diagnostics": {}, "filepath": path, "exists": exists}
    given = {"filePath": path, "content": content}
    return call("write", given, "Wrote file successfully.", title=_short(path), meta=meta, ms=50)


def grep(pattern: str, path: str, matches: dict[str, tuple[tuple[int, str], ...]]) -> Block:
    """A search in files: file -> (line number, line)."""
    count = sum(len(lines) for lines in matches.values())
    blocks = [
        f"{file}:\n" + "\n".join(f"  Line {number}: {line}" for number, line in lines)
        for file, lines in matches.items()
    ]
    output = f"Found {count} matches\n" + "\n\n".join(blocks) if count else "No files found"
    given = {"pattern": pattern, "path": path}
    return call("grep", given, output, title=pattern, meta={"matches": count}, ms=80)


def glob(pattern: str, path: str, files: tuple[str, ...]) -> Block:
    """A search for file names."""
    given = {"pattern": pattern, "path": path}
    output = "\n".join(files) or "No files found"
    return call("glob", given, output, meta={"count": len(files)}, ms=40)


def listing(path: str, tree: str) -> Block:
    """A folder listed."""
    count = tree.count("\n")
    output = f"{path}/\n{tree}"
    return call("list", {"path": path}, output, title=_short(path), meta={"count": count}, ms=30)


def todos(*items: tuple[str, str, str]) -> Block:
    """The list of things to do: (content, status, priority)."""
    rows = [{"content": text, "status": state, "priority": rank} for text, state, rank in items]
    left = sum(row["status"] != "completed" for row in rows)
    output = json.dumps(rows, ensure_ascii=False, indent=2)
    meta = {"todos": rows}
    return call("todowrite", {"todos": rows}, output, title=f"{left} todos", meta=meta, ms=20)


def task(
    child: str, agent: str, about: str, prompt: str, result: str, *, parent: str, command: str = ""
) -> Block:
    """Work handed to a sub-agent: the talk with the key `child`, called by `parent`."""
    given = {"description": about, "prompt": prompt, "subagent_type": agent}
    if command:
        given["command"] = command
    meta = {
        "parentSessionId": f"«session:{parent}»",
        "sessionId": f"«session:{child}»",
        "model": {"providerID": "northwind", "modelID": "sonnet-large"},
    }
    output = (
        f'<task id="«session:{child}»" state="completed">\n<task_result>\n{result}\n'
        "</task_result>\n</task>"
    )
    return call("task", given, output, title=about, meta=meta, ms=58_000)


def fetch(url: str, text: str) -> Block:
    """A page read from the web."""
    given = {"url": url, "format": "markdown"}
    return call("webfetch", given, text, title=f"{url} (text/html)", ms=820)


def question(header: str, text: str, options: tuple[str, ...], answer: str) -> Block:
    """A question to the person, answered."""
    choices = [{"label": label, "description": ""} for label in options]
    given = {"questions": [{"question": text, "header": header, "options": choices}]}
    output = (
        f'User has answered your questions: "{text}"="{answer}". '
        "You can now continue with the user's answers in mind."
    )
    return call(
        "question", given, output, title="Asked 1 question", meta={"answers": [[answer]]}, ms=21_000
    )


def skill(name: str, text: str) -> Block:
    """Instructions loaded by name."""
    output = f'<skill_content name="{name}">\n{text}\n</skill_content>'
    return call("skill", {"name": name}, output, title=f"Loaded skill: {name}", meta={"name": name})


def invalid(tool: str, available: str) -> Block:
    """A call of a tool that does not exist."""
    error = f"Model tried to call unavailable tool '{tool}'. Available tools: {available}."
    output = f"The arguments provided to the tool are invalid: {error}"
    return call("invalid", {"tool": tool, "error": error}, output, title="Invalid Tool", ms=8)


def unified(path: str, old: str, new: str, line: int) -> str:
    """A unified diff of two fragments that begin at `line` of the file."""
    before, after = old.splitlines(), new.splitlines()
    whole = max(len(before), len(after))
    rows = list(difflib.unified_diff(before, after, lineterm="", n=whole))[3:]
    hunk = f"@@ -{line},{len(before)} +{line},{len(after)} @@"
    return "\n".join([f"Index: {path}", "=" * 67, f"--- {path}", f"+++ {path}", hunk, *rows, ""])


def _filediff(path: str, diff: str) -> Data:
    rows = diff.splitlines()[5:]
    added = sum(row.startswith("+") for row in rows)
    removed = sum(row.startswith("-") for row in rows)
    return {"file": path, "patch": diff, "additions": added, "deletions": removed}


def _short(path: str) -> str:
    """The path as titles show it: its last two pieces."""
    return "/".join(path.split("/")[-2:])
