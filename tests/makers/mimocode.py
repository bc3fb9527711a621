"""Stores of MiMo Code as of August 2026: agent slices, and its own index beside the parts."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from tests.makers.opencode import Journal
from tests.makers.rows import (
    Talk,
    insert,
    insert_content,
    insert_projects,
    insert_session,
    settle,
    to_json,
)
from tests.makers.schemas import MIMOCODE_AUGUST
from tests.makers.specs import Data, SessionSpec


def mimocode_db(
    path: Path,
    *,
    sessions: Sequence[SessionSpec] = (),
    journal: Journal = "wal",
    imported: dict[str, str] | None = None,
) -> Path:
    """Writes a store with these sessions and closes it, so that no side files are left.

    What is `gone` stays in history_fts, as after a committed revert. `imported` gives sessions
    (by id) the program that they were taken over from: cc, codex or opencode.
    """
    talks = settle(tuple(sessions))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"pragma journal_mode = {journal}")
        db.execute("pragma synchronous = off")
        db.execute("begin")
        for statement in MIMOCODE_AUGUST:
            db.execute(statement)
        projects = insert_projects(db, talks)
        for talk in talks:
            project = projects[talk.session.directory]
            insert_session(db, talk, project, "local")
            insert_content(db, talk)
            _actors(db, talk)
            _history(db, talk, project)
        for session, source in (imported or {}).items():
            row: Data = {"source": source, "source_key": session, "session_id": session}
            row |= {"source_path": f"/home/mia/.{source}", "source_mtime": 1, "time_imported": 2}
            insert(db, "external_import", row)
        db.execute("commit")
    return path


def _actors(db: sqlite3.Connection, talk: Talk) -> None:
    slices = dict.fromkeys(["main", *(message.slice for message, _ in talk.messages)])
    for name in slices:
        row: Data = {
            "session_id": talk.session.id,
            "actor_id": name,
            "mode": "main" if name == "main" else "subagent",
            "status": "idle",
            "agent": name.partition("-")[0],
            "description": f"{name} agent",
            "context_mode": "full",
            "background": 0,
            "last_turn_time": talk.updated,
            "time_created": talk.session.time,
            "time_updated": talk.updated,
        }
        insert(db, "actor_registry", row)


def _history(db: sqlite3.Connection, talk: Talk, project: str) -> None:
    """Rows of history_fts with its default kinds: texts, tool inputs, tool errors."""
    for message, part in talk.parts():
        found = _document(part.data, message.role) if isinstance(part.data, dict) else None
        if found is None:
            continue
        kind, name, body = found
        row: Data = {"part_id": part.id, "session_id": talk.session.id, "message_id": message.id}
        row |= {"project_id": project, "kind": kind, "tool_name": name, "body": body}
        insert(db, "history_fts", row | {"time_created": part.updated})


def _document(data: Data, role: str) -> tuple[str, str | None, str] | None:
    """Kind, tool and body of a part, or None where the program indexes nothing."""
    if data["type"] == "text" and data["text"]:
        return "user_text" if role == "user" else "assistant_text", None, data["text"]
    if data["type"] != "tool":
        return None
    state = data["state"]
    head = f"{data['tool']} {to_json(state['input'])}"
    if state["status"] == "completed":
        return "tool_input", data["tool"], head
    if state["status"] == "error":
        return "tool_error", data["tool"], f"{head} {state['error']}"
    return None
