"""The blocks of a DeepSeek Harness message as model types: texts, calls, results, streams."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

from store.model import (
    Attachment,
    Content,
    File,
    Flag,
    Json,
    Reasoning,
    Text,
    Todos,
    Tool,
    Unknown,
)
from store.sources.content import decode
from store.sources.harness_events import PACKED, mapping, string, whole

Block = dict[str, Any]

INTERRUPTED = frozenset({"TOOL_NOT_STARTED", "TOOL_OUTCOME_UNKNOWN"})
"""Error codes of results that dsh added after a crash."""
REGISTRY = frozenset({"tool-addition", "tool-removal"})
COMPARED = 4_000
"""Lines; of longer texts a change is shown whole instead of compared."""
_EXIT = re.compile(r"\[exit code: (-?\d{1,10})\]\s*\Z")
_SETTLED = re.compile(r"exit code: (-?\d{1,10})\b")
_STARTED = re.compile(r"started subagent (\S+)")


def blocks_of(message: dict[str, Any]) -> list[Block]:
    """The content of a message as blocks; bare text counts as one."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return []
    return [one if isinstance(one, dict) else {"type": "", "value": one} for one in content]


def content_of(block: Block) -> Content:
    """One block as content. Of an unknown type all fields are kept."""
    match block.get("type"):
        case "text":
            return Text(string(block.get("text")))
        case "reasoning":
            return Reasoning(string(block.get("text")))
        case "tool-call":
            return call(string(block.get("name")), string(block.get("id")), block.get("arguments"))
        case "image" | "file":
            return _file(block)
    kind = string(block.get("type"))
    return Unknown(kind, {key: value for key, value in block.items() if key != "type"})


def call(name: str, ident: str, arguments: Json) -> Tool:
    """A call that has no result yet. Arguments are JSON as text, and may be broken."""
    given = arguments
    if isinstance(arguments, str):
        try:
            given = decode(arguments.encode()) if arguments.strip() else {}
        except ValueError:
            given = arguments
    return Tool(name=name, call=ident, status="pending", input=given)


def _file(block: Block) -> File:
    held = mapping(block.get("attachment")) or block
    return File(
        mime=string(held.get("mediaType")) or string(held.get("mimeType")) or f"{block['type']}/*",
        filename=string(held.get("name")) or string(held.get("filename")),
        url=string(held.get("attachmentId")) or string(held.get("id")),
        bytes=whole(held.get("size")) or whole(held.get("byteLength")) or 0,
    )


def registry(blocks: Iterable[Block]) -> Unknown:
    """Changes of the tools that a model may call, by name: their schemas are no conversation."""
    fields: dict[str, list[str]] = {}
    for block in blocks:
        tool = mapping(block.get("tool"))
        name = (
            string(block.get("name")) or string(block.get("toolName")) or string(tool.get("name"))
        )
        fields.setdefault(string(block.get("type")), []).append(name)
    return Unknown("tool-registry", dict(fields))


# Results -------------------------------------------------------------------------------------


def result_of(data: dict[str, Any]) -> tuple[str, bool, list[Block]]:
    """The text of a tool/result, whether it failed, and its blocks (all versions)."""
    message = mapping(data.get("message"))
    blocks = blocks_of(message)
    failed = message.get("isError") is True
    held: list[Block] = []
    for block in blocks:
        if block.get("type") == "tool-result":  # versions 0 to 3 keep it one level deeper
            failed = failed or block.get("isError") is True
            held += blocks_of(block)
        else:
            held.append(block)
    texts = [string(block.get("text")) for block in held if block.get("type") == "text"]
    return "\n".join(texts), failed or bool(mapping(data.get("error"))), held


def answered(tool: Tool, data: dict[str, Any], time: int) -> tuple[Tool, tuple[Flag, ...]]:
    """A call with its result, and the flags that the result gives it."""
    text, failed, blocks = result_of(data)
    error, meta = mapping(data.get("error")), mapping(data.get("meta"))
    names = [string(error.get("name")), string(error.get("code"))]
    code = _EXIT.search(text)
    flags: tuple[Flag, ...] = ("interrupted",) if string(error.get("code")) in INTERRUPTED else ()
    more = {key: value for key, value in meta.items() if key not in ("diffs", "lines")}
    child = _STARTED.match(text)
    if child and "sessionId" not in tool.meta:
        more["sessionId"] = child.group(1)
    told = Tool(
        name=tool.name,
        call=tool.call,
        status="error" if failed else "completed",
        title=tool.title,
        input=tool.input,
        output=None if failed else text,
        error="\n".join(one for one in (text, *names) if one) if failed else None,
        started=tool.started,
        ended=time,
        exit=int(code.group(1)) if code else tool.exit,
        diff=_diff(meta.get("diffs")),
        attachments=tuple(_attachment(one) for one in blocks if one.get("type") != "text"),
        meta={**tool.meta, **more},
    )
    return told, flags


def exit_code(detail: Json) -> int | None:
    """The exit code that a settled job tells of."""
    found = _SETTLED.search(string(detail))
    return int(found.group(1)) if found else None


def _attachment(block: Block) -> Attachment:
    held = content_of(block)
    if isinstance(held, File):
        return Attachment(held.mime, held.filename or held.url, held.bytes)
    return Attachment(string(block.get("type")), "", 0)


def _diff(changes: Json) -> str:
    """What a tool changed, as a unified diff."""
    told: list[str] = []
    for one in changes if isinstance(changes, list) else []:
        change = mapping(one)
        path = string(change.get("path"))
        old = string(change.get("oldText")).splitlines()
        new = string(change.get("newText")).splitlines()
        if len(old) + len(new) <= COMPARED:
            told += difflib.unified_diff(old, new, path, path, lineterm="")
        else:
            told += [f"--- {path}", f"+++ {path}", f"@@ -1,{len(old)} +1,{len(new)} @@"]
            told += [f"-{line}" for line in old] + [f"+{line}" for line in new]
    return "\n".join(told)


# Streams -------------------------------------------------------------------------------------


def streamed(items: Json) -> list[Block]:
    """The blocks that a stream had brought until it broke off, in the order of their places.

    Items are chunks, or runs of them (`text-chunks` and its like) with texts or arguments.
    """
    blocks: dict[int, Block] = {}
    for one in items if isinstance(items, list) else []:
        item = mapping(mapping(one).get("chunk")) or mapping(one)
        index = whole(item.get("index"))
        if index is None:
            continue
        kind = string(item.get("type"))
        pieces = item.get(PACKED[kind]) if kind in PACKED else [_piece(item)]
        if kind.startswith("tool-call"):
            block = blocks.setdefault(index, {"type": "tool-call", "arguments": ""})
            block.update({key: item[key] for key in ("id", "name") if string(item.get(key))})
            into = "arguments"
        elif kind.startswith(("text", "reasoning")):
            block = blocks.setdefault(index, {"type": kind.partition("-")[0], "text": ""})
            into = "text"
        else:
            continue
        held = pieces if isinstance(pieces, list) else []
        block[into] = string(block.get(into)) + "".join(string(one) for one in held)
    told = [blocks[index] for index in sorted(blocks)]
    return [one for one in told if one.get("text") or one.get("name")]


def _piece(item: dict[str, Any]) -> str:
    for key in ("text", "args", "arguments", "argumentsDelta"):
        if string(item.get(key)):
            return string(item[key])
    return ""


# Beside messages -----------------------------------------------------------------------------


def text_of(content: Json) -> str:
    """The texts of a list of blocks."""
    return "\n".join(string(block.get("text")) for block in blocks_of({"content": content}))


def todos_of(data: dict[str, Any]) -> Todos:
    """The list of a todo/write, which is always the whole list."""
    todos = data.get("todos")
    items = [mapping(one) for one in todos] if isinstance(todos, list) else []
    return Todos(tuple((string(one.get("status")), string(one.get("content"))) for one in items))


def tokens_of(usage: Json) -> dict[str, Json]:
    """A model's usage in the words that the rest of the program knows."""
    told = mapping(usage)
    if not told:
        return {}
    count = {key: whole(value) or 0 for key, value in told.items()}
    return {
        "input": count.get("inputTokens", 0),
        "output": count.get("outputTokens", 0),
        "reasoning": count.get("reasoningTokens", 0),
        "cache": {
            "read": count.get("cacheReadTokens", 0),
            "write": count.get("cacheWriteTokens", 0),
        },
    }


def failure_of(failure: Json) -> str:
    """A failed model call as `CODE: message`."""
    told = mapping(failure)
    pieces = (string(told.get("code")), string(told.get("message")))
    return ": ".join(piece for piece in pieces if piece)


def turn_error(reason: Json) -> str:
    """How a turn ended, where it did not end well ("" where it did)."""
    told = mapping(reason)
    kind = string(told.get("kind"))
    if kind == "error":
        error = mapping(told.get("error"))
        pieces = (string(error.get("code")), str(error.get("status") or ""))
        more = " ".join(piece for piece in pieces if piece)
        return "\n".join(one for one in ("error", string(error.get("message")), more) if one)
    return kind if kind in ("aborted", "max-tokens", "interrupted") else ""
