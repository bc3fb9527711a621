"""Writes played talks into an opencode store; the one place here that speaks SQL."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from store.demo.ledger import Ledger
from store.demo.schema import MIGRATIONS, OPENCODE_1_18
from store.demo.script import Data, Project

_HEADER = {
    "id": "id",
    "project_id": "projectID",
    "parent_id": "parentID",
    "slug": "slug",
    "directory": "directory",
    "path": "path",
    "title": "title",
    "version": "version",
    "cost": "cost",
    "agent": "agent",
}
"""Columns of session that events hold under another name, as they are."""


def write_store(
    path: Path, projects: dict[str, Project], project_ids: dict[str, str], books: list[Ledger]
) -> None:
    """Makes the store at `path` in write-ahead mode and closes it, so that one file is left."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = off")
        db.execute("begin")
        for statement in OPENCODE_1_18:
            db.execute(statement)
        first = min(book.header["time"]["created"] for book in books)
        db.executemany(
            "insert into migration values (?, ?)", [(name, first) for name in MIGRATIONS]
        )
        for key, project in projects.items():
            _project(db, project, project_ids[key], books)
        for book in books:
            _session(db, book)
        db.execute("commit")
    for book in books:
        for name, text in book.spills.items():
            folder = path.parent / "tool-output"
            folder.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")


def _project(db: sqlite3.Connection, project: Project, ident: str, books: list[Ledger]) -> None:
    times = [book.header["time"] for book in books if book.header["projectID"] == ident]
    created = min(time["created"] for time in times)
    row = {
        "id": ident,
        "worktree": project.worktree,
        "vcs": "git" if project.vcs else None,
        "time_created": created,
        "time_updated": max(time["updated"] for time in times),
        "sandboxes": "[]",
    }
    _insert(db, "project", row)
    if project.vcs:
        known = {"project_id": ident, "directory": project.worktree, "time_created": created}
        _insert(db, "project_directory", known)


def _session(db: sqlite3.Connection, book: Ledger) -> None:
    _insert(db, "session", _columns(book.header))
    messages = [
        (row.id, book.id, row.created, row.updated, _json(row.data))
        for row in book.messages.values()
    ]
    db.executemany("insert into message values (?, ?, ?, ?, ?)", messages)
    parts = [
        (row.id, row.owner, book.id, row.created, row.updated, _json(row.data))
        for row in book.parts.values()
    ]
    db.executemany("insert into part values (?, ?, ?, ?, ?, ?)", parts)
    for position, todo in enumerate(book.todos):
        times = {"time_created": book.todo_time, "time_updated": book.todo_time}
        _insert(db, "todo", {"session_id": book.id, **todo, "position": position, **times})
    last = {"aggregate_id": book.id, "seq": len(book.events) - 1}
    _insert(db, "event_sequence", last)
    events = [
        (event.id, book.id, seq, event.type, _json(event.data))
        for seq, event in enumerate(book.events)
    ]
    db.executemany("insert into event values (?, ?, ?, ?, ?)", events)


def _columns(header: Data) -> Data:
    """The row of a session, from the object that events show."""
    tokens, time, summary = header["tokens"], header["time"], header.get("summary", {})
    row = {column: header[name] for column, name in _HEADER.items() if name in header}
    row |= {f"tokens_{name}": tokens[name] for name in ("input", "output", "reasoning")}
    row |= {f"tokens_cache_{name}": tokens["cache"][name] for name in ("read", "write")}
    row |= {f"summary_{name}": count for name, count in summary.items()}
    row |= {
        name: _json(header[name]) for name in ("revert", "permission", "model") if name in header
    }
    return row | {f"time_{name}": ms for name, ms in time.items()}


def _insert(db: sqlite3.Connection, table: str, row: Data) -> None:
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    db.execute(f"insert into {table} ({names}) values ({marks})", list(row.values()))


def _json(data: Data) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
