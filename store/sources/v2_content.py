"""The JSON of a row of `session_message`, as a message and its parts.

Shapes: opencode 1.18.33 (recorded) and 2.x (from its sources), read alike: what one of them lacks
is simply not there. A part has no id of its own; its name is its message's id, `#` and its place:
a number in the order of the row's content, or `patch` for the files that the step changed.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

from store.model import (
    Agent,
    Attachment,
    Compaction,
    Content,
    File,
    Flag,
    Message,
    Part,
    Patch,
    Reasoning,
    StepFinish,
    Text,
    Tool,
    Unknown,
)
from store.sources.content import (
    COPIES,
    Fields,
    as_float,
    as_int,
    as_list,
    as_object,
    as_string,
    diff_of,
    inline_bytes,
    moment,
)

PATCH = "patch"
_STATUS = {"streaming": "pending", "exited": "completed", "timeout": "error", "killed": "error"}
_ROLES = {"synthetic": "user", "shell": "user", "skill": "user"}
"""Rows that stand on the person's side of the conversation; others keep their type as role."""


@dataclass(frozen=True, slots=True)
class Row:
    """A stored row, its JSON decoded. `parent`: the prompt before it."""

    id: str
    session: str
    type: str
    time: int
    updated: int
    size: int
    data: Fields
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part before it has a place in a session. `time`: its own, None where it has none."""

    content: Content
    flags: tuple[Flag, ...] = ()
    time: int | None = None
    raw: Any = None


def message(row: Row) -> Message:
    """The row as a message."""
    data = row.data
    times = as_object(data, "time")
    ended = moment(times.get("completed"))
    if row.type not in ("assistant", "shell"):
        ended = None
    return Message(
        id=row.id,
        session=row.session,
        role=_ROLES.get(row.type, row.type),
        time=row.time,
        updated=row.updated,
        completed=ended,
        agent=as_string(data, "agent") if row.type == "assistant" else "",
        model=_model(data) if row.type in ("assistant", "compaction") else "",
        parent=row.parent if row.type == "assistant" else "",
        error=_error(data.get("error")),
        cost=as_float(data, "cost"),
        tokens=as_object(data, "tokens"),
    )


def parts(row: Row) -> list[Part]:
    """The row's parts in order; as many as `places` says for the counts of its lists."""
    found = pieces(row)
    size = row.size // max(1, len(found))
    return [
        Part(
            f"{row.id}#{place}",
            row.id,
            row.session,
            piece.time or row.time,
            row.updated,
            piece.content,
            piece.flags,
            size=size,
        )
        for place, piece in found.items()
    ]


def raw(row: Row, place: str) -> str | None:
    """The JSON of one part, None where there is no such place."""
    piece = pieces(row).get(place)
    return None if piece is None else json.dumps(piece.raw, ensure_ascii=False)


def places(count: int, patch: bool) -> list[str]:
    """The places of a row with so many parts, and a patch or none."""
    return [*map(str, range(count)), *([PATCH] if patch else [])]


def pieces(row: Row) -> dict[str, Piece]:
    """The parts of a row by place."""
    data = row.data
    match row.type:
        case "user":
            return _numbered(_user(data))
        case "assistant":
            found = _numbered(map(_said, as_list(data, "content")))
            snapshot = as_object(data, "snapshot")
            if files := as_list(snapshot, "files"):
                names = tuple(name for name in files if isinstance(name, str))
                patch = Patch(as_string(snapshot, "end"), names)
                found[PATCH] = Piece(patch, raw=snapshot)
            return found
        case _:
            return {"0": _whole(row.type, data)}


def _numbered(found: Any) -> dict[str, Piece]:
    return {str(place): piece for place, piece in enumerate(found)}


# What the person said ------------------------------------------------------------------------


def _user(data: Fields) -> list[Piece]:
    said = as_string(data, "text")
    found = [Piece(Text(said), raw={"type": "text", "text": said})]
    for name, read in (("files", _file), ("agents", _agent), ("skills", _skill)):
        found += [read(_fields(value)) for value in as_list(data, name)]
    return found


def _fields(value: Any) -> Fields:
    return value if isinstance(value, dict) else {}


def _file(fields: Fields) -> Piece:
    mime, data = as_string(fields, "mime"), as_string(fields, "data")
    mention = as_string(as_object(fields, "mention"), "text")
    uri = as_string(as_object(fields, "source"), "uri") or as_string(fields, "uri")
    file = File(
        mime=mime,
        filename=as_string(fields, "name"),
        url="" if uri.startswith("data:") else uri,
        text=(_text_of(data) if mime.startswith("text/") else "") or mention,
        bytes=len(data.rstrip("=")) * 3 // 4 if data else inline_bytes(uri),
    )
    return Piece(file, raw=fields)


def _text_of(data: str) -> str:
    """The text that a file's base64 holds, "" where it is none."""
    try:
        return base64.b64decode(data, validate=True).decode("utf-8")
    except ValueError:
        return ""


def _agent(fields: Fields) -> Piece:
    mention = as_string(as_object(fields, "mention"), "text")
    return Piece(Agent(as_string(fields, "name"), mention), raw=fields)


def _skill(fields: Fields) -> Piece:
    """A skill that the person named: its text goes to the model, so it is the program's."""
    ident = as_string(fields, "id") or as_string(fields, "skill")
    given = {"name": as_string(fields, "name") or ident, "id": ident}
    text = as_string(fields, "text")
    tool = Tool(name="skill", status="completed", input=given, output=text or None)
    return Piece(tool, ("synthetic",), raw=fields)


# What the agent said -------------------------------------------------------------------------


def _said(value: Any) -> Piece:
    fields = _fields(value)
    match as_string(fields, "type"):
        case "text":
            return Piece(Text(as_string(fields, "text")), raw=value)
        case "reasoning":
            time = moment(as_object(fields, "time").get("created"))
            return Piece(Reasoning(as_string(fields, "text")), time=time, raw=value)
        case "tool":
            return _tool(fields)
        case other:
            return Piece(_unknown(other, fields or {"value": value}), raw=value)


def _tool(fields: Fields) -> Piece:
    state, times = as_object(fields, "state"), as_object(fields, "time")
    noted = as_object(state, "metadata") or as_object(state, "structured")
    told = as_string(state, "status")
    error = _error_text(state.get("error"))
    blocks = [_fields(block) for block in as_list(state, "content")]
    started = moment(times.get("ran")) or moment(times.get("created"))
    spilled = [one for one in as_list(state, "outputPaths") if isinstance(one, str)]
    flags: list[Flag] = []
    if times.get("pruned"):
        flags.append("compacted")
    kind = as_string(as_object(state, "error"), "type")
    if kind.endswith((".interrupted", ".aborted")) or noted.get("interrupted") is True:
        flags.append("interrupted")
    if noted.get("truncated") is True:
        flags.append("truncated")
    tool = Tool(
        name=as_string(fields, "name"),
        call=as_string(fields, "id"),
        status=_STATUS.get(told, told),
        title=as_string(state, "title"),
        input=state.get("input"),
        output=_output(blocks, ended=told in ("completed", "error")),
        error=error,
        started=started,
        ended=moment(times.get("completed")),
        exit=as_int(noted, "exit"),
        diff=diff_of(noted),
        spilled=as_string(noted, "outputPath") or next(iter(spilled), ""),
        attachments=tuple(_attachment(one) for one in blocks if one.get("type") == "file"),
        meta={key: value for key, value in noted.items() if key not in COPIES},
    )
    return Piece(tool, tuple(flags), started, fields)


def _output(blocks: list[Fields], *, ended: bool) -> str | None:
    """The text blocks of an output, each on a line of its own; None where nothing came out."""
    texts = [as_string(block, "text") for block in blocks if block.get("type") == "text"]
    joined = ""
    for text in texts:
        joined += "\n" if joined and not joined.endswith("\n") else ""
        joined += text
    return joined if texts or (ended and blocks) else None


def _attachment(block: Fields) -> Attachment:
    uri = as_string(block, "uri")
    return Attachment(as_string(block, "mime"), as_string(block, "name"), inline_bytes(uri))


# Whole rows ----------------------------------------------------------------------------------


def _whole(kind: str, data: Fields) -> Piece:
    match kind:
        case "synthetic" | "system":
            return Piece(Text(as_string(data, "text")), ("synthetic",), raw=data)
        case "skill":
            return _skill(data)
        case "shell":
            return _shell(data)
        case "idle":
            return Piece(StepFinish(as_string(data, "outcome")), raw=data)
        case "compaction":
            auto = as_string(data, "reason") == "auto"
            return Piece(Compaction(auto=auto, text=as_string(data, "summary")), raw=data)
    return Piece(_unknown(kind, data), raw=data)


def _shell(data: Fields) -> Piece:
    """The person's own command. 1.18 has its output as a text, 2.x as an object."""
    told, times = as_string(data, "status"), as_object(data, "time")
    held = as_object(data, "output")
    output = as_string(held, "output") if held else as_string(data, "output")
    status = _STATUS.get(told, told) or "completed"
    tool = Tool(
        name="shell",
        call=as_string(data, "shellID") or as_string(data, "callID"),
        status=status,
        input={"command": as_string(data, "command")},
        output=output if output or status != "running" else None,
        error=told if status == "error" else None,
        started=moment(times.get("created")),
        ended=moment(times.get("completed")),
        exit=as_int(data, "exit"),
    )
    return Piece(tool, ("truncated",) if held.get("truncated") is True else (), raw=data)


def _unknown(kind: str, fields: Fields) -> Unknown:
    return Unknown(kind, {key: fields[key] for key in fields if key not in ("type", "time")})


def _model(data: Fields) -> str:
    model = as_object(data, "model")
    named = (as_string(model, "providerID"), as_string(model, "id"))
    return "/".join(piece for piece in named if piece)


def _error(error: Any) -> str:
    """The error of a message as `type: message`."""
    kind, words = as_string(_fields(error), "type"), _error_text(error) or ""
    return f"{kind}: {words}" if kind not in ("", "unknown", words) else words


def _error_text(error: Any) -> str | None:
    if isinstance(error, str):
        return error
    fields = _fields(error)
    return as_string(fields, "message") or as_string(fields, "type") or None
