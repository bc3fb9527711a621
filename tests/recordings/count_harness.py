"""An independent count of recorded logs: plain JSON lines, nothing of the program.

Frames are unpacked one after another; of a damaged one nothing counts, of a torn one what comes
out of it. A database is opened by SQLite itself, on a copy.
"""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard

Row = dict[str, Any]
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


def _rows(lines: list[bytes]) -> Iterator[Row]:
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row


def _count(rows: list[Row]) -> LogCount:
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


def folder_rows(root: Path) -> Iterator[list[Row]]:
    """The rows of all sessions below a folder, of the newest generation of each."""
    newest: dict[Path, Path] = {}
    for path in root.glob("**/session*.jsonl*"):
        known = newest.get(path.parent)
        if known is None or _generation(path) > _generation(known):
            newest[path.parent] = path
    for path in newest.values():
        yield list(_rows(lines_of(path)))


def zip_rows(path: Path) -> Iterator[list[Row]]:
    """The rows of all sessions in an exported ZIP."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(".jsonl"):
                yield list(_rows(archive.read(name).split(b"\n")))


def database_rows(copy: Path) -> Iterator[list[Row]]:
    """The rows of all sessions of a copy of the SQLite store, each below a header."""
    with closing(sqlite3.connect(copy)) as db:
        for (session,) in db.execute("select id from sessions").fetchall():
            rows: list[Row] = [{"type": "session", "id": session}]
            for kind, data in db.execute(
                "select type, data from events where session_id = ? order by seq", (session,)
            ):
                text = zstandard.decompress(data) if isinstance(data, bytes) else data
                rows.append({"type": kind, "data": json.loads(text)})
            yield rows


def file_rows(path: Path) -> Iterator[list[Row]]:
    """The rows of one log."""
    yield list(_rows(lines_of(path)))


def count_logs(logs: Iterable[list[Row]]) -> dict[str, LogCount]:
    """What the logs say, by the ids of their sessions."""
    found = {}
    for rows in logs:
        header = rows[0] if rows and rows[0].get("type") == "session" else {"id": ""}
        found[header["id"]] = _count([row for row in rows if row is not header])
    return found
