"""The JSON of a message or part of opencode and MiMo Code, as model types.

Shapes: formats of opencode 1.2 to 1.18 and MiMo Code of August 2026 (both share them). A field of
an unexpected type counts as absent; a part of an unknown type keeps all its fields.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pydantic_core

from store.model import (
    Agent,
    Attachment,
    Checkpoint,
    Compaction,
    Content,
    File,
    Flag,
    Message,
    Part,
    Patch,
    Reasoning,
    Retry,
    Snapshot,
    StepFinish,
    StepStart,
    Subtask,
    Text,
    Tool,
    Unknown,
)

Fields = dict[str, Any]

YEAR_10000 = 253_402_300_800_000
"""In ms; dates end before it."""
COPIES = frozenset({"output", "preview", "display", "diff", "filediff", "results"})
"""Keys of a tool's metadata that repeat its output or input."""


DEEPEST = 200
"""Levels of nesting; everything that walks a value can go so deep."""
LONGEST_NUMBER = 4_000
"""Digits; the interpreter refuses to write longer ones out again (4,300)."""
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % LONGEST_NUMBER)
_PROBES = 8
_PROBED = re.compile(rb"[0-9]{%d}" % (_PROBES - 1))


def decode(data: bytes) -> Fields:
    """The JSON object of a row. Raises ValueError with the reason where it is none."""
    try:
        value = pydantic_core.from_json(data, cache_strings="keys")
        odd = _may_have_long_number(data)
    except ValueError:
        # Lone surrogates are legal JSON for the producers, and for the standard decoder.
        odd = True
        try:
            value = json.loads(data.decode("utf-8"))
        except RecursionError:
            raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    if odd:
        _check(value)
    return value


def _may_have_long_number(data: bytes) -> bool:
    """Whether there are so many digits in a row; one byte in 500 tells of nearly all data."""
    if len(data) < LONGEST_NUMBER:
        return False
    some = data[:: LONGEST_NUMBER // _PROBES]
    return _PROBED.search(some) is not None and _LONG_NUMBER.search(data) is not None


def _check(value: Any) -> None:
    """Raises ValueError for a value that cannot be walked or written out again."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise ValueError("nested too deeply")
        if any(type(one) is int and one.bit_length() > 10 * LONGEST_NUMBER // 3 for one in level):
            raise ValueError("a number has too many digits")
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]


def as_string(fields: Fields, key: str) -> str:
    """The text of a field, "" where it is none."""
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def as_object(fields: Fields, key: str) -> Fields:
    """The object of a field, an empty one where it is none."""
    value = fields.get(key)
    return value if isinstance(value, dict) else {}


def as_list(fields: Fields, key: str) -> list[Any]:
    """The list of a field, an empty one where it is none."""
    value = fields.get(key)
    return value if isinstance(value, list) else []


def as_int(fields: Fields, key: str) -> int | None:
    """The whole number of a field, None where it is none or too large to store."""
    return _whole(fields.get(key))


def _whole(value: Any) -> int | None:
    if type(value) is int:
        return value if -(2**63) <= value < 2**63 else None
    if not isinstance(value, float) or not abs(value) < 2**63:
        return None
    return int(value)


def moment(value: Any) -> int | None:
    """A time in ms, None for what is none: not a number, before 1970, after the year 9999."""
    if type(value) is int:
        return value if 0 <= value < YEAR_10000 else None
    whole = _whole(value)
    return whole if whole is not None and 0 <= whole < YEAR_10000 else None


def as_float(fields: Fields, key: str) -> float:
    """The number of a field, 0 where it is none."""
    value = fields.get(key)
    return float(value) if isinstance(value, int | float) and abs(value) < 1e18 else 0.0


def inline_bytes(url: str) -> int:
    """How many bytes a base64 `data:` URL holds (0 where it is none)."""
    if not url.startswith("data:") or ";base64," not in url[:256]:
        return 0
    payload = url.rstrip("=")
    return (len(payload) - url.index(";base64,") - 8) * 3 // 4


def _attachment(value: Any) -> Attachment:
    fields = value if isinstance(value, dict) else {}
    return Attachment(
        as_string(fields, "mime"),
        as_string(fields, "filename"),
        inline_bytes(as_string(fields, "url")),
    )


def _tool(data: Fields) -> tuple[Content, tuple[Flag, ...]]:
    state = as_object(data, "state")
    metadata = as_object(state, "metadata")
    times = as_object(state, "time")
    output, error = state.get("output"), state.get("error")
    status = as_string(state, "status")
    flags: list[Flag] = []
    if times.get("compacted"):
        flags.append("compacted")
    if metadata.get("interrupted") is True:
        flags.append("interrupted")
    if metadata.get("truncated") is True:
        flags.append("truncated")
    tool = Tool(
        name=as_string(data, "tool"),
        call=as_string(data, "callID"),
        status=status,
        title=as_string(state, "title"),
        input=state.get("input"),
        output=output if isinstance(output, str) else None,
        error=error if isinstance(error, str) else None,
        started=moment(times.get("start")),
        ended=moment(times.get("end")),
        exit=as_int(metadata, "exit"),
        diff=diff_of(metadata),
        spilled=as_string(metadata, "outputPath"),
        attachments=tuple(_attachment(value) for value in as_list(state, "attachments")),
        meta={key: value for key, value in metadata.items() if key not in COPIES},
    )
    return tool, tuple(flags)


def diff_of(metadata: Fields) -> str:
    """The unified diff that a tool noted; multiedit notes one an edit."""
    whole = as_string(metadata, "diff") or as_string(as_object(metadata, "filediff"), "patch")
    if whole:
        return whole
    results = [one for one in as_list(metadata, "results") if isinstance(one, dict)]
    return "\n".join(filter(None, (as_string(one, "diff") for one in results)))


def _file(data: Fields) -> Content:
    source = as_object(data, "source")
    quoted = as_object(source, "text")
    url = as_string(data, "url")
    return File(
        mime=as_string(data, "mime"),
        filename=as_string(data, "filename"),
        url="" if url.startswith("data:") else url,
        path=as_string(source, "path"),
        text=as_string(quoted, "value"),
        bytes=inline_bytes(url),
    )


def _retry(data: Fields) -> Content:
    return Retry(attempt=as_int(data, "attempt") or 0, error=error_text(data.get("error")))


def _compaction(data: Fields) -> Content:
    projection = as_object(data, "projection")
    pieces = [as_string(projection, "summary"), as_string(projection, "manifest")]
    return Compaction(
        auto=data.get("auto") is True,
        overflow=data.get("overflow") is True,
        text="\n".join(piece for piece in pieces if piece),
    )


def content(data: Fields) -> tuple[Content, tuple[Flag, ...]]:
    """What a part holds, and the flags that its JSON gives it."""
    kind = as_string(data, "type")
    flags: tuple[Flag, ...] = ()
    if data.get("synthetic") is True:
        flags += ("synthetic",)
    if data.get("ignored") is True:
        flags += ("ignored",)
    match kind:
        case "text":
            return Text(as_string(data, "text")), flags
        case "reasoning":
            return Reasoning(as_string(data, "text")), flags
        case "tool":
            tool, more = _tool(data)
            return tool, flags + more
        case "step-start":
            return StepStart(as_string(data, "snapshot")), flags
        case "step-finish":
            finish = StepFinish(
                as_string(data, "reason"),
                as_float(data, "cost"),
                as_object(data, "tokens"),
                as_string(data, "snapshot"),
            )
            return finish, flags
        case "file":
            return _file(data), flags
        case "patch":
            files = tuple(name for name in as_list(data, "files") if isinstance(name, str))
            return Patch(as_string(data, "hash"), files), flags
        case "snapshot":
            return Snapshot(as_string(data, "snapshot")), flags
        case "compaction":
            return _compaction(data), flags
        case "subtask":
            subtask = Subtask(
                as_string(data, "prompt"),
                as_string(data, "description"),
                as_string(data, "agent"),
                as_string(data, "command"),
            )
            return subtask, flags
        case "agent":
            mention = as_string(as_object(data, "source"), "value")
            return Agent(as_string(data, "name"), mention), flags
        case "retry":
            return _retry(data), flags
        case "checkpoint":
            saved = Checkpoint(
                as_string(data, "checkpointDir"),
                as_int(data, "checkpointNumber") or 0,
                as_string(data, "coveredUpTo"),
            )
            return saved, flags
    return Unknown(kind, {key: value for key, value in data.items() if key != "type"}), flags


def part(
    data: Fields, *, ident: str, message: str, session: str, time: int, updated: int, size: int
) -> Part:
    """A part's JSON as a Part; `time` is its message's, for parts that have none of their own."""
    held, flags = content(data)
    return Part(ident, message, session, part_time(data) or time, updated, held, flags, size=size)


def part_time(data: Fields) -> int | None:
    """A part's own time in ms: a tool's start, a text's start; None where it has none."""
    times = as_object(as_object(data, "state"), "time") or as_object(data, "time")
    return moment(times.get("start"))


def error_text(error: Any) -> str:
    """An error object of a message or retry as `Name: message`; the provider's answer below."""
    if isinstance(error, str):
        return error
    if not isinstance(error, dict):
        return ""
    data = as_object(error, "data")
    name = as_string(error, "name")
    words = as_string(data, "message") or as_string(error, "message")
    head = ": ".join(piece for piece in (name, words) if piece)
    body = as_string(data, "responseBody")
    return f"{head}\n{body}" if body and body not in head else head


def _model(data: Fields) -> str:
    """`provider/model` of a message; users keep it in an object, answers in two fields."""
    chosen = as_object(data, "model") or data
    pieces = (as_string(chosen, "providerID"), as_string(chosen, "modelID"))
    return "/".join(piece for piece in pieces if piece)


def message(
    data: Fields, *, ident: str, session: str, time: int, updated: int, slice_id: str
) -> Message:
    """A message's row and JSON as a Message."""
    return Message(
        id=ident,
        session=session,
        role=as_string(data, "role") or "assistant",
        time=time,
        updated=updated,
        completed=moment(as_object(data, "time").get("completed")),
        agent=as_string(data, "agent") or as_string(data, "mode"),
        slice=slice_id,
        model=_model(data),
        parent=as_string(data, "parentID"),
        error=error_text(data.get("error")),
        cost=as_float(data, "cost"),
        tokens=as_object(data, "tokens"),
    )
