"""Makes stores of DeepSeek Harness: logs of versions 0 to 4, a home of them, a ZIP, a database.

Rows, names and frames as 0.1.1 (version 0) and 0.2.1 (version 4) write them. Seqs and times that
are left out are made, the same every time.
"""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard

from tests.makers.specs import BASE, Data

FOLDER = "/home/mia/src/alpha"
MODEL = {"kind": "model", "provider": "stub", "model": "stub-1"}


@dataclass(frozen=True)
class LogSpec:
    """A log. `extra` goes over the usual header fields; an event may be raw bytes."""

    id: str = "session-one"
    events: Sequence[Data | bytes] = ()
    version: int = 4
    cwd: str | None = FOLDER
    created: int = BASE
    parent: str = ""
    origin: str = ""
    extra: Data = field(default_factory=dict)


# Events --------------------------------------------------------------------------------------


def event(kind: str, data: Data | None = None, **more: Any) -> Data:
    """Any event; `more` are other keys of the row, for instance `ignorable=True`."""
    return {"type": kind, "data": data or {}, **more}


def text(said: str) -> Data:
    """A text block."""
    return {"type": "text", "text": said}


def thought(said: str) -> Data:
    """A reasoning block."""
    return {"type": "reasoning", "text": said}


def call(name: str, arguments: str, ident: str = "call_1") -> Data:
    """A tool-call block."""
    return {"type": "tool-call", "id": ident, "name": name, "arguments": arguments}


def user(said: str, ident: str = "u1", *, kind: str = "user", **more: Any) -> Data:
    """A user/message, by a person or (another `kind`) by the program."""
    content = [text(said)]
    data = {"role": "user", "id": ident, "content": content, "source": {"kind": kind}}
    return event("user/message", data, **{"surfaceOp": "append", **more})


def assistant(*blocks: Data, ident: str = "a1", turn: int = 1, **more: Any) -> Data:
    """An assistant/message."""
    message = {"role": "assistant", "id": ident, "content": list(blocks), "source": MODEL}
    data = {"turn": turn, "step": 1, "message": message, "stream": []}
    return event("assistant/message", data, **{"surfaceOp": "append", **more})


def tool_call(name: str, arguments: str, ident: str = "call_1", turn: int = 1) -> Data:
    """A tool/call."""
    data = {"turn": turn, "step": 1, "callId": ident, "name": name, "arguments": arguments}
    return event("tool/call", data)


def tool_result(
    output: str,
    ident: str = "call_1",
    *,
    version: int = 4,
    failed: bool = False,
    error: Data | None = None,
    meta: Data | None = None,
    **more: Any,
) -> Data:
    """A tool/result in the shape of that version."""
    message: Data = {"id": f"r-{ident}", "source": {"kind": "tool", "callId": ident}}
    if version >= 4:
        message |= {"role": "tool", "toolCallId": ident, "isError": failed}
        message["content"] = [text(output)]
    else:
        inner = {"type": "tool-result", "toolCallId": ident, "isError": failed}
        message |= {"role": "user", "content": [{**inner, "content": [text(output)]}]}
    data: Data = {"turn": 1, "step": 1, "message": message}
    data |= {"error": error} if error else {}
    data |= {"meta": meta} if meta else {}
    return event("tool/result", data, **{"surfaceOp": "append", **more})


def turn_start(turn: int = 1) -> Data:
    """A turn/start."""
    return event("turn/start", {"turn": turn})


def turn_end(kind: str = "completed", turn: int = 1, **reason: Any) -> Data:
    """A turn/end."""
    return event("turn/end", {"turn": turn, "reason": {"kind": kind, **reason}})


def title(words: str) -> Data:
    """A session/title."""
    return event("session/title", {"title": words, "messageSeqs": [], "source": {"kind": "user"}})


def todos(*items: tuple[str, str]) -> Data:
    """A todo/write of (status, content)."""
    told = [{"status": status, "content": content} for status, content in items]
    return event("todo/write", {"todos": told})


def replacing(start: int, end: int, *, version: int = 4) -> Data:
    """The surfaceOp of a replacement."""
    names = ("startSeq", "endSeq") if version >= 3 else ("start", "end")
    return {"op": "replace", names[0]: start, names[1]: end}


def small_talk(answer: str = "It listens on 4096.") -> list[Data]:
    """A turn with everything usual in it: a question, a call and its result, an answer."""
    return [
        turn_start(),
        user("Which port does the server use? 端口"),
        title("Find the port"),
        assistant(thought("Ask the socket list."), call("bash", '{"command":"ss -ltn"}')),
        tool_call("bash", '{"command":"ss -ltn"}'),
        tool_result("LISTEN 127.0.0.1:4096\n"),
        assistant(text(answer), ident="a2"),
        turn_end(),
    ]


# Files ---------------------------------------------------------------------------------------


def to_line(value: Data | bytes) -> bytes:
    """A row as dsh writes it: JSON without spaces, every letter as it is."""
    if isinstance(value, bytes):
        return value + b"\n"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def header(spec: LogSpec) -> Data:
    """The header's fields."""
    fields: Data = {
        "type": "session",
        "version": spec.version,
        "id": spec.id,
        "createdAt": spec.created,
        "cwd": spec.cwd,
        "parentSession": spec.parent or None,
        "isSeeded": False if spec.version >= 2 else None,
        "origin": spec.origin or None,
        "delegationDepth": 1 if spec.parent else 0,
        **spec.extra,
    }
    return {key: value for key, value in fields.items() if value is not None}


def rows(spec: LogSpec) -> list[Data | bytes]:
    """The rows after the header, with seqs and times."""
    told: list[Data | bytes] = []
    seq = 0
    for one in spec.events:
        if isinstance(one, bytes):
            told.append(one)
            continue
        members = one["data"].get("texts", one["data"].get("args"))
        packed = one["type"].endswith("-chunks")
        names = ("seq0", "time0") if packed else ("seq", "time")
        seq = one.get(names[0], seq)
        told.append({"type": one["type"], names[0]: seq, names[1]: spec.created + 10 * seq, **one})
        seq += len(members) if packed and members is not None else 1
    return told


def log_lines(spec: LogSpec) -> list[bytes]:
    """The lines of a log, the header first."""
    return [to_line(header(spec)), *map(to_line, rows(spec))]


def frame(*lines: bytes) -> bytes:
    """Lines as one zstd frame: with a checksum, without its size."""
    compressor = zstandard.ZstdCompressor(write_checksum=True, write_content_size=False)
    return compressor.compress(b"".join(lines))


def frames(spec: LogSpec, batch: int = 3) -> list[bytes]:
    """A log as frames: the header alone, then batches of rows."""
    head, *lines = log_lines(spec)
    batches = [lines[start : start + batch] for start in range(0, len(lines), batch)]
    return [frame(head), *(frame(*one) for one in batches)]


def log_name(version: int, *, packed: bool) -> str:
    """A log's file name."""
    middle = f".v{version}" if version else ""
    return f"session{middle}.jsonl{'.zstd' if packed else ''}"


def escaped(ident: str) -> str:
    """A session's folder name: letters that are not plain as `~XXXX`."""
    plain = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
    return "".join(one if one in plain else f"~{ord(one):04X}" for one in ident)


def log_file(path: Path, spec: LogSpec, *, packed: bool = True) -> Path:
    """One log file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(frames(spec) if packed else log_lines(spec)))
    return path


def harness_home(home: Path, logs: Sequence[LogSpec], *, packed: bool = True) -> Path:
    """A home with logs, their locks, and files beside that nobody but dsh may read."""
    for spec in logs:
        project = "--home-mia-work-alpha--" if spec.cwd else "_no-cwd"
        folder = home / "sessions" / project / escaped(spec.id)
        log_file(folder / log_name(spec.version, packed=packed), spec, packed=packed)
        (folder / "session.lock").touch()
    home.mkdir(parents=True, exist_ok=True)
    (home / ".credentials.yaml").write_text("key: secret\n")
    return home


def harness_zip(path: Path, logs: Sequence[LogSpec]) -> Path:
    """An exported ZIP: the first log at the root, the others below subagents/."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, spec in enumerate(logs):
            folder = f"subagents/{spec.id}/" if place else ""
            name = folder + log_name(spec.version, packed=False)
            archive.writestr(name, b"".join(log_lines(spec)))
    return path


def harness_sqlite(path: Path, logs: Sequence[LogSpec]) -> Path:
    """The SQLite store of 0.1.1: large data as a zstd frame, sources as varints."""
    with closing(sqlite3.connect(path)) as db:
        db.executescript(_SCHEMA)
        for number, spec in enumerate(logs):
            head = header(spec)
            values = [head.get(name) for name in _NAMES]
            marks = ",".join("?" * (len(values) + 2))
            db.execute(f"insert into sessions values({marks})", [*values, f"inc-{number}", 1])
            for row in rows(spec):
                assert not isinstance(row, bytes)
                db.execute("insert into events values(?,?,?,?,?,?,?,?)", _sql_row(spec.id, row))
        db.commit()
    return path


def _sql_row(session: str, row: Data) -> tuple[Any, ...]:
    plain = json.dumps(row["data"], ensure_ascii=False)
    large = len(plain) >= 4096
    data = zstandard.ZstdCompressor(level=3).compress(plain.encode()) if large else plain
    packed = "seq0" in row
    seq, time = (row["seq0"], row["time0"]) if packed else (row["seq"], row["time"])
    sources = row.get("sourceEventSeqs")
    op = json.dumps(row["surfaceOp"]) if "surfaceOp" in row else None
    cited = None if sources is None else varints(sources)
    return session, seq, row["type"], time, data, cited, op, 0 if packed else None


def varints(seqs: Sequence[int]) -> bytes:
    """Seqs as dsh packs them: the first plain, then zigzag differences, 7 bits a byte."""
    told = bytearray()
    for place, seq in enumerate(seqs):
        step = seq - seqs[place - 1] if place else 0
        value = (step << 1 if step >= 0 else (-step << 1) - 1) if place else seq
        while value >= 0x80:
            told.append(value & 0x7F | 0x80)
            value >>= 7
        told.append(value)
    return bytes(told)


_NAMES = (
    "id",
    "version",
    "createdAt",
    "cwd",
    "parentSession",
    "seedLength",
    "origin",
    "delegationDepth",
    "agentPreset",
)
_SCHEMA = """
pragma application_id = 1146308688;
pragma user_version = 17;
create table persistence_state(singleton integer primary key, store_id text not null) strict;
create table sessions(id text primary key, version integer not null, created_at integer not null,
    cwd text, parent_session text, seed_length integer, origin text, delegation_depth integer,
    agent_preset text, incarnation text not null, revision integer not null) strict;
create table events(session_id text not null, seq integer not null, type text not null,
    time integer not null, data any not null, source_event_seqs any, surface_op text,
    ignorable integer, primary key(session_id, seq)) strict;
"""
