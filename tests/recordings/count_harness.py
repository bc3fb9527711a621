"""An independent count of recorded logs: plain JSON lines, nothing of the program.

Frames are unpacked one after another; of a damaged one nothing counts, of a torn one what comes
out of it. A database is opened by SQLite itself, on a copy.
"""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard

MESSAGES = ("user/message", "assistant/message", "system/message", "developer/message")


@dataclass
class LogCount:
    """What the rows of one log say. `said` counts (message, kind, text)."""

    title: str = ""
    messages: list[str] = field(default_factory=list)
    said: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    calls: list[str] = field(default_factory=list)
    todos: int = 0
    errors: list[str] = field(default_factory=list)


def count_lines(lines: list[bytes]) -> dict[str, LogCount]:
    """The log of a file, by its session's id."""
    rows = list(_rows(lines))
    header = rows[0] if rows and rows[0].get("type") == "session" else {"id": ""}
    return {header["id"]: _count([row for row in rows if row is not header])}


def _rows(lines: list[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row


def _count(rows: list[dict[str, Any]]) -> LogCount:
    found = LogCount()
    results: Counter[str] = Counter()
    for row in rows:
        data = row["data"]
        if row["type"] in MESSAGES:
            message = data if row["type"] == "user/message" else data["message"]
            found.messages.append(message["id"])
            for block in message["content"]:
                if block["type"] in ("text", "reasoning"):
                    found.said[message["id"], block["type"], block["text"]] += 1
                elif block["type"] == "tool-call":
                    found.calls.append(block["id"])
        elif row["type"] == "tool/result":
            text, failed, call = _result(data)
            results[call] += 1
            kind = "replaced" if results[call] > 1 else "error" if failed else "output"
            found.said[call, kind, text] += 1
        elif row["type"] == "session/title":
            found.title = data["title"]
        elif row["type"] == "todo/write":
            found.todos += 1
        elif row["type"] == "turn/end" and data["reason"]["kind"] not in ("completed", "blocked"):
            found.errors.append(data["reason"]["kind"])
    return found


def _result(data: dict[str, Any]) -> tuple[str, bool, str]:
    message = data["message"]
    held = message["content"]
    failed, call = message.get("isError", False), message["source"]["callId"]
    if held and held[0]["type"] == "tool-result":
        failed, held = held[0]["isError"], held[0]["content"]
    return "\n".join(one["text"] for one in held if one["type"] == "text"), failed, call


def lines_of(path: Path) -> list[bytes]:
    """The lines of a log file, unpacked."""
    data = path.read_bytes()
    if path.suffix != ".zstd":
        return data.split(b"\n")
    told = b""
    while data:
        reader = zstandard.ZstdDecompressor().decompressobj()
        try:
            told += reader.decompress(data)
            data = reader.unused_data
        except zstandard.ZstdError:
            place = data.find(b"\x28\xb5\x2f\xfd", 4)
            data = data[place:] if place > 0 else b""
    return told.split(b"\n")


def _generation(path: Path) -> int:
    middle = path.name.split(".")[1]
    return 0 if middle == "jsonl" else int(middle[1:])


def count_folder(root: Path) -> dict[str, LogCount]:
    """All sessions below a folder, the newest generation of each."""
    newest: dict[Path, Path] = {}
    for path in root.glob("**/session*.jsonl*"):
        known = newest.get(path.parent)
        if known is None or _generation(path) > _generation(known):
            newest[path.parent] = path
    found: dict[str, LogCount] = {}
    for path in newest.values():
        found |= count_lines(lines_of(path))
    return found


def count_zip(path: Path) -> dict[str, LogCount]:
    """All sessions in an exported ZIP."""
    found: dict[str, LogCount] = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(".jsonl"):
                found |= count_lines(archive.read(name).split(b"\n"))
    return found


def count_database(copy: Path) -> dict[str, LogCount]:
    """All sessions of a copy of the SQLite store."""
    found: dict[str, LogCount] = {}
    with closing(sqlite3.connect(copy)) as db:
        for (session,) in db.execute("select id from sessions").fetchall():
            rows = []
            for kind, data in db.execute(
                "select type, data from events where session_id = ? order by seq", (session,)
            ):
                text = zstandard.decompress(data) if isinstance(data, bytes) else data
                rows.append({"type": kind, "data": json.loads(text)})
            found[session] = _count(rows)
    return found
