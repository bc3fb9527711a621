"""An independent count of what lies in other shapes: session_message, JSON files, exports.

Plain SQL and plain JSON again, nothing of the program.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.recordings.count import leaves, texts

Data = dict[str, Any]


class Line(NamedTuple):
    """One text of a part; line ends are left out, since blocks of an output may be joined."""

    session: str
    part: str
    kind: str
    text: str


@dataclass
class Counted:
    """Titles, messages by session, parts by message in order, and all texts."""

    titles: dict[str, str] = field(default_factory=dict)
    messages: dict[str, list[str]] = field(default_factory=dict)
    parts: dict[str, list[str]] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)


def flat(text: str) -> str:
    """A text without its line ends."""
    return text.replace("\n", "")


def count_v2(copy: Path) -> Counted:
    """A database with session_message; what only the old tables have is added by time."""
    found = Counted()
    with closing(sqlite3.connect(copy)) as db:
        tables = {row[0] for row in db.execute("select name from sqlite_master")}
        for table in ("session", "session_v2"):
            if table in tables:
                found.titles.update(db.execute(f"select id, coalesce(title, '') from {table}"))
        for session in found.titles:
            rows = list(
                db.execute(
                    "select seq, time_created, id, type, data from session_message"
                    " where session_id = ? order by seq",
                    (session,),
                )
            )
            if "session_inbox" in tables:
                rows += db.execute(
                    "select 9e9, time_created, id, type, payload from session_inbox"
                    " where session_id = ?",
                    (session,),
                )
            known = {row[2] for row in rows}
            for ident, kind, data in (row[2:] for row in rows):
                _row(found, session, ident, kind, json.loads(data))
            order = [row[2] for row in rows]
            for ident, _ in db.execute(
                "select id, time_created from message where session_id = ?"
                " order by time_created, id",
                (session,),
            ):
                if ident not in known:
                    order.append(ident)
                    _old(found, db, session, ident)
                else:
                    _restore(found, db, session, ident)
            found.messages[session] = order
    return found


def _row(found: Counted, session: str, ident: str, kind: str, data: Data) -> None:
    pieces: list[tuple[str, list[tuple[str, str]]]] = []
    if kind == "assistant":
        pieces = [(str(n), _item(item)) for n, item in enumerate(data.get("content", []))]
        if data.get("snapshot", {}).get("files"):
            pieces.append(("patch", []))
    elif kind == "user":
        pieces = [("0", [("text", data["text"])])]
        pieces += [(str(n + 1), []) for n in range(len(data.get("files", [])))]
    elif kind == "shell":
        told = [("tool_input", data["command"]), ("tool_output", data["output"]["output"])]
        pieces = [("0", told)]
    elif kind == "compaction":
        pieces = [("0", [("compaction", data["summary"])])]
    else:
        pieces = [("0", [("text", data["text"])] if "text" in data else [])]
    found.parts[ident] = [f"{ident}#{place}" for place, _ in pieces]
    found.lines += [
        Line(session, f"{ident}#{place}", name, flat(text))
        for place, told in pieces
        for name, text in told
    ]


def _item(item: Data) -> list[tuple[str, str]]:
    if item["type"] != "tool":
        return [(item["type"], item["text"])]
    state = item["state"]
    told = [("tool_input", leaf) for leaf in leaves(state["input"])]
    blocks = [block["text"] for block in state.get("content", []) if block["type"] == "text"]
    told += [("tool_output", "".join(blocks))] if blocks else []
    told += [("tool_error", state["error"]["message"])] if "error" in state else []
    return told


def _old(found: Counted, db: sqlite3.Connection, session: str, message: str) -> None:
    found.parts[message] = []
    for ident, data in db.execute(
        "select id, data from part where message_id = ? order by time_created, id", (message,)
    ):
        found.parts[message].append(ident)
        found.lines += [
            Line(session, ident, kind, flat(text)) for kind, text in texts(json.loads(data))
        ]


def _restore(found: Counted, db: sqlite3.Connection, session: str, message: str) -> None:
    """The import replaced outputs that 1.x had pruned; the old rows still have them."""
    for (data,) in db.execute("select data from part where message_id = ?", (message,)):
        state = json.loads(data).get("state", {})
        if "compacted" in state.get("time", {}):
            for place, line in enumerate(found.lines):
                if line.text == "[Old tool result content cleared]":
                    found.lines[place] = line._replace(text=flat(state["output"]))


def count_files(data: Path) -> Counted:
    """A data folder with `storage/`; files of parts without their message are not counted."""
    found = Counted()
    storage = data / "storage"
    for file in storage.glob("session/*/*.json"):
        info = json.loads(file.read_text("utf-8"))
        held = [
            json.loads(one.read_text("utf-8"))
            for one in storage.glob(f"message/{info['id']}/*.json")
        ]
        pairs = [
            (
                message,
                [
                    json.loads(one.read_text("utf-8"))
                    for one in sorted(storage.glob(f"part/{message['id']}/*.json"))
                ],
            )
            for message in held
        ]
        _talk(found, info, pairs)
    return found


def count_export(file: Path) -> Counted:
    """A file that `opencode export` wrote."""
    found = Counted()
    document = json.loads(file.read_text("utf-8"))
    _talk(found, document["info"], [(one["info"], one["parts"]) for one in document["messages"]])
    return found


def _talk(found: Counted, info: Data, pairs: list[tuple[Data, list[Data]]]) -> None:
    session = info["id"]
    found.titles[session] = info["title"]
    pairs.sort(key=lambda pair: (pair[0]["time"]["created"], pair[0]["id"]))
    found.messages[session] = [message["id"] for message, _ in pairs]
    for message, parts in pairs:
        found.parts[message["id"]] = [part["id"] for part in parts]
        for part in parts:
            found.lines += [
                Line(session, part["id"], kind, flat(text)) for kind, text in texts(part)
            ]
