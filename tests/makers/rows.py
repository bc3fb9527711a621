"""Turns specs into rows: ids and times that were left out, and JSON as producers write it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace

from store.demo.ids import Ids
from tests.makers.specs import BASE, Data, MessageSpec, PartSpec, SessionSpec

MODEL = {"providerID": "stub", "modelID": "stub-1"}


@dataclass(frozen=True)
class Talk:
    """A session with every id and time settled."""

    session: SessionSpec
    messages: tuple[tuple[MessageSpec, tuple[PartSpec, ...]], ...]
    updated: int

    def parts(self) -> Iterator[tuple[MessageSpec, PartSpec]]:
        """Every part with its message."""
        for message, parts in self.messages:
            for part in parts:
                yield message, part


def settle(sessions: tuple[SessionSpec, ...]) -> list[Talk]:
    """Fills what the specs leave out; ids depend on the order and the times alone."""
    ids = Ids(7)
    return [_talk(spec, BASE + place * 3_600_000, ids) for place, spec in enumerate(sessions)]


def _talk(spec: SessionSpec, start: int, ids: Ids) -> Talk:
    start = spec.time or start
    session = replace(spec, time=start, id=spec.id or ids.new("ses", start))
    messages = []
    last = start
    for place, raw in enumerate(spec.messages):
        moment = raw.time or start + (place + 1) * 1000
        message = replace(raw, time=moment, id=raw.id or ids.new("msg", moment))
        parts = tuple(
            _part(part, moment + 10 * (number + 1), ids) for number, part in enumerate(raw.parts)
        )
        messages.append((message, parts))
        last = max([last, moment, *(part.updated for part in parts)])
    return Talk(session, tuple(messages), last)


def _part(spec: PartSpec | Data, moment: int, ids: Ids) -> PartSpec:
    part = spec if isinstance(spec, PartSpec) else PartSpec(spec)
    moment = part.time or moment
    ident = part.id or ids.new("prt", moment)
    return replace(part, id=ident, time=moment, updated=part.updated or moment)


def message_data(message: MessageSpec, directory: str, parent: str) -> str:
    """The data column of a message; `parent` is the user message an answer belongs to."""
    if message.raw is not None:
        return message.raw
    data: Data = {"role": message.role, "time": {"created": message.time}, "agent": "build"}
    if message.role == "assistant":
        tokens = {"input": 10, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}}
        data["time"]["completed"] = message.time + 900
        data |= {
            "parentID": parent,
            "mode": "build",
            "path": {"cwd": directory, "root": directory},
            "cost": 0.001,
            "tokens": tokens,
            "finish": "stop",
            **MODEL,
        }
    else:
        data["model"] = MODEL
    return to_json(data | message.extra)


def part_data(part: PartSpec) -> str | bytes:
    """The data column of a part."""
    return to_json(part.data) if isinstance(part.data, dict) else part.data


def to_json(value: object) -> str:
    """JSON as JavaScript writes it: no spaces, every letter as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def columns(db: sqlite3.Connection, table: str) -> set[str]:
    """The names of a table's columns."""
    return {row[1] for row in db.execute(f"pragma table_info({table})")}


def insert(db: sqlite3.Connection, table: str, row: Data) -> None:
    """Inserts a row, leaving out what the table of this version does not have."""
    known = columns(db, table)
    row = {name: value for name, value in row.items() if name in known}
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    db.execute(f"insert into {table} ({names}) values ({marks})", list(row.values()))


def insert_projects(db: sqlite3.Connection, talks: list[Talk]) -> dict[str, str]:
    """One git project per folder, and `global` for what lies in `/tmp`; folder -> project id."""
    projects: dict[str, str] = {}
    for talk in talks:
        folder = talk.session.directory
        if folder in projects:
            continue
        outside = folder.startswith("/tmp")
        ident = "global" if outside else f"{len(projects) + 1:040x}"
        projects[folder] = ident
        if outside and list(projects.values()).count("global") > 1:
            continue
        row = {
            "id": ident,
            "worktree": "/" if outside else folder,
            "vcs": None if outside else "git",
            "time_created": BASE,
            "time_updated": BASE,
            "sandboxes": "[]",
        }
        insert(db, "project", row)
    return projects


def insert_session(db: sqlite3.Connection, talk: Talk, project: str, version: str) -> None:
    """The session's row."""
    spec = talk.session
    row = {
        "id": spec.id,
        "project_id": project,
        "parent_id": spec.parent,
        "slug": "quiet-pond",
        "directory": spec.directory,
        "path": "",
        "title": spec.title,
        "version": version,
        "agent": "build",
        "model": to_json({"id": "stub-1", "providerID": "stub"}),
        "time_created": spec.time,
        "time_updated": talk.updated,
    }
    insert(db, "session", row | spec.columns)


def insert_content(db: sqlite3.Connection, talk: Talk) -> None:
    """The messages and parts that are still there."""
    parent = ""
    for message, parts in talk.messages:
        data = message_data(message, talk.session.directory, parent)
        parent = message.id if message.role == "user" else parent
        if message.gone:
            continue
        row: Data = {"id": message.id, "session_id": talk.session.id, "agent_id": message.slice}
        row |= {"time_created": message.time, "time_updated": message.time, "data": data}
        insert(db, "message", row)
        for part in parts:
            if part.gone:
                continue
            row = {"id": part.id, "message_id": message.id, "session_id": talk.session.id}
            row |= {"time_created": part.time, "time_updated": part.updated}
            insert(db, "part", row | {"data": part_data(part)})
