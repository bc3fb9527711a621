"""Upgrades of a store of opencode 1.x to 2.x, in place, as its import takes sessions over.

What the import keeps and what it drops is told by opencode 2's `v1-migration`: message ids stay,
parts lose theirs, several texts become one, the answer to a compaction goes into it, what the
program put into a prompt gets a row of its own, pruned outputs and steps are dropped, and so are
prompts that only start a sub-agent.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.makers.opencode_v2 import RowSpec, V2Spec, opencode_v2_db
from tests.makers.rows import Talk, settle
from tests.makers.specs import BASE, Data, MessageSpec, PartSpec, SessionSpec

CLEARED = "[Old tool result content cleared]"
IMPORTED = BASE + 50 * 86_400_000
"""When the import had ended."""


def upgrade(path: Path, sessions: Sequence[SessionSpec], *, old_tables: bool = True) -> None:
    """Puts in a store's place what 2.x makes of one with these sessions."""
    talks = settle(tuple(sessions))
    aside = path.with_suffix(".2x")
    old = [_settled(talk) for talk in talks] if old_tables else None
    opencode_v2_db(aside, sessions=[_imported(talk) for talk in talks], old=old)
    with closing(sqlite3.connect(aside)) as db:
        sql = "insert into kv values('migration.v1-v2', '{\"phase\":\"completed\"}', ?, ?)"
        db.execute(sql, (IMPORTED, IMPORTED))
        db.commit()
    aside.replace(path)


def _settled(talk: Talk) -> SessionSpec:
    messages = [
        MessageSpec(one.role, parts, one.id, one.time, extra=one.extra)
        for one, parts in talk.messages
    ]
    spec = talk.session
    return SessionSpec(
        spec.title, messages, spec.id, spec.parent, spec.directory, spec.time, spec.columns
    )


def _imported(talk: Talk) -> V2Spec:
    rows: list[RowSpec] = []
    compaction: Data | None = None
    for message, parts in talk.messages:
        held = [part for part in parts if isinstance(part.data, dict)]
        kinds = {_type(part) for part in held}
        if message.role == "user":
            compaction = None
            if "compaction" in kinds:
                compaction = {"status": "completed", "reason": "auto", "summary": ""}
                rows.append(_row("compaction", compaction, message))
            elif kinds != {"subtask"}:
                rows += _prompt(message, held)
        elif compaction is not None:
            texts = [_text(part) for part in held if _type(part) == "text"]
            compaction["summary"] = "".join(texts)
        else:
            rows.append(_answer(message, held))
    rows.append(RowSpec("system", {"text": "Tools have other names now."}))
    placed = [
        RowSpec(row.type, row.data, row.id, seq=place, time=row.time or BASE + 70_000_000)
        for place, row in enumerate(rows)
    ]
    spec = talk.session
    return V2Spec(spec.title, placed, spec.id, spec.parent, spec.directory, spec.time)


def _row(kind: str, data: Data, message: MessageSpec) -> RowSpec:
    return RowSpec(kind, data, message.id, time=message.time)


def _type(part: PartSpec) -> str:
    assert isinstance(part.data, dict)
    return str(part.data["type"])


def _text(part: PartSpec) -> str:
    assert isinstance(part.data, dict)
    return str(part.data["text"])


def _prompt(message: MessageSpec, parts: Sequence[PartSpec]) -> list[RowSpec]:
    said: list[str] = []
    files: list[Data] = []
    own: list[RowSpec] = []
    for part in parts:
        data: Any = part.data
        if data["type"] == "text" and data.get("synthetic"):
            told = {"text": data["text"]}
            own.append(RowSpec("synthetic", told, f"{message.id}s", time=message.time))
        elif data["type"] == "text":
            said.append(data["text"])
        elif data["type"] == "file" and data["url"].startswith("data:"):
            inside = data["url"].partition("base64,")[2]
            files.append({"data": inside, "mime": data["mime"], "name": data["filename"]})
        elif data["type"] == "file":
            said.append(f"[an attachment was left out: {data['mime']}]")
    row: Data = {"text": "\n\n".join(said)}
    if files:
        row["files"] = files
    return [_row("user", row, message), *own]


def _answer(message: MessageSpec, parts: Sequence[PartSpec]) -> RowSpec:
    content: list[Data] = []
    files: list[str] = []
    for part in parts:
        data: Any = part.data
        if data["type"] in ("text", "reasoning"):
            content.append({"type": data["type"], "text": data["text"]})
        elif data["type"] == "tool":
            content.append(_call(data))
        elif data["type"] == "patch":
            files += data["files"]
    row: Data = {"agent": "build", "model": {"id": "stub-1", "providerID": "stub"}}
    row["content"] = content
    if files:
        row["snapshot"] = {"end": "cafe", "files": files}
    return _row("assistant", row, message)


def _call(data: Any) -> Data:
    state = data["state"]
    ended = state["status"] in ("completed", "error")
    told: Data = {"status": "completed", "input": state.get("input")}
    if not ended:
        words = "Tool execution was interrupted"
        told |= {"status": "error", "error": {"type": "tool.interrupted", "message": words}}
    elif state["status"] == "error":
        told |= {"status": "error", "error": {"type": "unknown", "message": state["error"]}}
    else:
        pruned = state["time"].get("compacted")
        text = CLEARED if pruned else state["output"]
        told |= {"content": [{"type": "text", "text": text}], "metadata": state["metadata"]}
    times = {"created": BASE + 7, "ran": BASE + 8, "completed": BASE + 9}
    return {
        "type": "tool",
        "id": data["callID"],
        "name": data["tool"],
        "state": told,
        "time": times,
    }
