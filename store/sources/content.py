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


def _text(fields: Fields, key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def _object(fields: Fields, key: str) -> Fields:
    value = fields.get(key)
    return value if isinstance(value, dict) else {}


def _list(fields: Fields, key: str) -> list[Any]:
    value = fields.get(key)
    return value if isinstance(value, list) else []


def _int(fields: Fields, key: str) -> int | None:
    return _whole(fields.get(key))


def _whole(value: Any) -> int | None:
    if type(value) is int:
        return value if -(2**63) <= value < 2**63 else None
    if not isinstance(value, float) or not abs(value) < 2**63:
        return None
    return int(value)


def moment(value: Any) -> int | None:
    """A time in ms, None for what is none: not a number, before 1970, after the year 9999."""
    whole = _whole(value)
    return whole if whole is not None and 0 <= whole < YEAR_10000 else None


def _float(fields: Fields, key: str) -> float:
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
        _text(fields, "mime"), _text(fields, "filename"), inline_bytes(_text(fields, "url"))
    )


def _tool(data: Fields) -> tuple[Content, tuple[Flag, ...]]:
    state = _object(data, "state")
    metadata = _object(state, "metadata")
    times = _object(state, "time")
    output, error = state.get("output"), state.get("error")
    status = _text(state, "status")
    flags: list[Flag] = []
    if times.get("compacted"):
        flags.append("compacted")
    if metadata.get("interrupted") is True:
        flags.append("interrupted")
    if metadata.get("truncated") is True:
        flags.append("truncated")
    tool = Tool(
        name=_text(data, "tool"),
        call=_text(data, "callID"),
        status=status,
        title=_text(state, "title"),
        input=state.get("input"),
        output=output if isinstance(output, str) else None,
        error=error if isinstance(error, str) else None,
        started=moment(times.get("start")),
        ended=moment(times.get("end")),
        exit=_int(metadata, "exit"),
        diff=_diff(metadata),
        spilled=_text(metadata, "outputPath"),
        attachments=tuple(_attachment(value) for value in _list(state, "attachments")),
        meta={key: value for key, value in metadata.items() if key not in COPIES},
    )
    return tool, tuple(flags)


def _diff(metadata: Fields) -> str:
    """The unified diff that a tool noted; multiedit notes one an edit."""
    whole = _text(metadata, "diff") or _text(_object(metadata, "filediff"), "patch")
    if whole:
        return whole
    results = [one for one in _list(metadata, "results") if isinstance(one, dict)]
    return "\n".join(filter(None, (_text(one, "diff") for one in results)))


def _file(data: Fields) -> Content:
    source = _object(data, "source")
    quoted = _object(source, "text")
    url = _text(data, "url")
    return File(
        mime=_text(data, "mime"),
        filename=_text(data, "filename"),
        url="" if url.startswith("data:") else url,
        path=_text(source, "path"),
        text=_text(quoted, "value"),
        bytes=inline_bytes(url),
    )


def _retry(data: Fields) -> Content:
    return Retry(attempt=_int(data, "attempt") or 0, error=error_text(data.get("error")))


def _compaction(data: Fields) -> Content:
    projection = _object(data, "projection")
    pieces = [_text(projection, "summary"), _text(projection, "manifest")]
    return Compaction(
        auto=data.get("auto") is True,
        overflow=data.get("overflow") is True,
        text="\n".join(piece for piece in pieces if piece),
    )


def content(data: Fields) -> tuple[Content, tuple[Flag, ...]]:
    """What a part holds, and the flags that its JSON gives it."""
    kind = _text(data, "type")
    flags: tuple[Flag, ...] = ()
    if data.get("synthetic") is True:
        flags += ("synthetic",)
    if data.get("ignored") is True:
        flags += ("ignored",)
    match kind:
        case "text":
            return Text(_text(data, "text")), flags
        case "reasoning":
            return Reasoning(_text(data, "text")), flags
        case "tool":
            tool, more = _tool(data)
            return tool, flags + more
        case "step-start":
            return StepStart(_text(data, "snapshot")), flags
        case "step-finish":
            finish = StepFinish(
                _text(data, "reason"),
                _float(data, "cost"),
                _object(data, "tokens"),
                _text(data, "snapshot"),
            )
            return finish, flags
        case "file":
            return _file(data), flags
        case "patch":
            files = tuple(name for name in _list(data, "files") if isinstance(name, str))
            return Patch(_text(data, "hash"), files), flags
        case "snapshot":
            return Snapshot(_text(data, "snapshot")), flags
        case "compaction":
            return _compaction(data), flags
        case "subtask":
            subtask = Subtask(
                _text(data, "prompt"),
                _text(data, "description"),
                _text(data, "agent"),
                _text(data, "command"),
            )
            return subtask, flags
        case "agent":
            return Agent(_text(data, "name"), _text(_object(data, "source"), "value")), flags
        case "retry":
            return _retry(data), flags
        case "checkpoint":
            saved = Checkpoint(
                _text(data, "checkpointDir"),
                _int(data, "checkpointNumber") or 0,
                _text(data, "coveredUpTo"),
            )
            return saved, flags
    return Unknown(kind, {key: value for key, value in data.items() if key != "type"}), flags


def part_time(data: Fields) -> int | None:
    """A part's own time in ms: a tool's start, a text's start; None where it has none."""
    times = _object(_object(data, "state"), "time") or _object(data, "time")
    return moment(times.get("start"))


def error_text(error: Any) -> str:
    """An error object of a message or retry as `Name: message`; the provider's answer below."""
    if isinstance(error, str):
        return error
    if not isinstance(error, dict):
        return ""
    data = _object(error, "data")
    name = _text(error, "name")
    words = _text(data, "message") or _text(error, "message")
    head = ": ".join(piece for piece in (name, words) if piece)
    body = _text(data, "responseBody")
    return f"{head}\n{body}" if body and body not in head else head


def _model(data: Fields) -> str:
    """`provider/model` of a message; users keep it in an object, answers in two fields."""
    chosen = _object(data, "model") or data
    pieces = (_text(chosen, "providerID"), _text(chosen, "modelID"))
    return "/".join(piece for piece in pieces if piece)


def message(
    data: Fields, *, ident: str, session: str, time: int, updated: int, slice_id: str
) -> Message:
    """A message's row and JSON as a Message."""
    return Message(
        id=ident,
        session=session,
        role=_text(data, "role") or "assistant",
        time=time,
        updated=updated,
        completed=moment(_object(data, "time").get("completed")),
        agent=_text(data, "agent") or _text(data, "mode"),
        slice=slice_id,
        model=_model(data),
        parent=_text(data, "parentID"),
        error=error_text(data.get("error")),
        cost=_float(data, "cost"),
        tokens=_object(data, "tokens"),
    )
