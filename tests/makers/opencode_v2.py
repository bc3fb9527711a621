"""Stores of opencode whose sessions lie in session_message: 1.18, 2.x, and one upgraded to 2.x."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from store.demo import schema
from store.demo.ids import Ids
from tests.makers.rows import (
    Talk,
    insert,
    insert_content,
    insert_projects,
    insert_session,
    settle,
    to_json,
)
from tests.makers.specs import BASE, Data, SessionSpec

Generation = Literal["1.18", "2.x"]

_TIMES = "time_created integer not null, time_updated integer not null"

_SESSION_V2 = f"""create table session_v2 (
    id text primary key, project_id text not null, workspace_id text, parent_id text,
    fork_session_id text, fork_boundary text, slug text not null, directory text not null,
    path text, title text, version text not null, revert text, agent text, model text, {_TIMES},
    time_archived integer, time_idle integer, idle_outcome text)"""

OPENCODE_2 = (
    *schema.LEDGERS[:1],
    schema.PROJECT,
    "alter table project add time_active integer",
    schema.EVENT_SEQUENCE,
    _SESSION_V2,
    f"""create table session_message (
    id text primary key, session_id text not null references session_v2(id) on delete cascade,
    type text not null, seq integer not null, {_TIMES}, data text not null)""",
    "create unique index session_message_session_seq_idx on session_message (session_id, seq)",
    """create table session_inbox (
    id text primary key, session_id text not null, type text not null, payload text not null,
    delivery text not null, enqueued_seq integer not null, time_created integer not null)""",
    """create table session_pending (
    id text primary key, session_id text not null, type text not null, data text not null,
    delivery text not null, admitted_seq integer not null, time_created integer not null)""",
    f"create table kv (key text primary key, value text not null, {_TIMES})",
)
"""The tables of 2.x that a reader touches; those of 1.x are not among them."""


@dataclass(frozen=True)
class RowSpec:
    """A row of session_message. A `data` of str or bytes is stored as it is.

    Left out, `seq` is twice the row's place and `time` a second after the row before.
    """

    type: str = "user"
    data: Data | str | bytes = field(default_factory=dict)
    id: str = ""
    seq: int | None = None
    time: int = 0
    updated: int = 0


@dataclass(frozen=True)
class V2Spec:
    """A session of session_message; `columns` goes over the usual columns of its own row.

    `waiting` are prompts that were not delivered yet.
    """

    title: str | None = "A talk"
    rows: Sequence[RowSpec] = ()
    id: str = ""
    parent: str | None = None
    directory: str = "/home/mia/src/alpha"
    time: int = 0
    columns: Data = field(default_factory=dict)
    waiting: Sequence[RowSpec] = ()


def said(text: str, **more: Any) -> RowSpec:
    """A prompt."""
    return RowSpec("user", {"text": text, **more})


def answered(*content: Any, **more: Any) -> RowSpec:
    """An answer with these items; a str stands for a text item."""
    items = [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]
    model = {"id": "stub-1", "providerID": "stub"}
    return RowSpec("assistant", {"agent": "build", "model": model, "content": items, **more})


def called(name: str, status: str, given: Any, *, call: str = "call_1", **state: Any) -> Data:
    """A tool item of an answer; `state` are the further fields of its state."""
    times = {"created": BASE, "ran": BASE + 3, "completed": BASE + 5}
    return {
        "type": "tool",
        "id": call,
        "name": name,
        "state": {"status": status, "input": given, **state},
        "time": times,
    }


def printed(*texts: str) -> list[Data]:
    """Text blocks of a tool's content."""
    return [{"type": "text", "text": text} for text in texts]


def opencode_v2_db(
    path: Path,
    *,
    generation: Generation = "2.x",
    sessions: Sequence[V2Spec] = (),
    old: Sequence[SessionSpec] | None = None,
) -> Path:
    """Writes a store with these sessions and closes it.

    `old` are sessions of the tables of 1.x; with it a store of 2.x has those tables, as after an
    upgrade. A session with the same id in both was taken over by the import.
    """
    ids = Ids(13)
    talks = settle(tuple(old or ()))
    newer = [
        Talk(_as_old(spec, BASE + n * 3_600_000, ids), (), 0) for n, spec in enumerate(sessions)
    ]
    statements = schema.OPENCODE_1_18 if generation == "1.18" else OPENCODE_2
    if generation == "2.x" and old is not None:
        statements = (*statements, schema.SESSION, schema.MESSAGE, schema.PART)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("pragma journal_mode = wal")
        db.execute("begin")
        for statement in statements:
            db.execute(statement)
        projects = insert_projects(db, [*talks, *newer])
        for talk in talks:
            insert_session(db, talk, projects[talk.session.directory], "1.18.33")
            insert_content(db, talk)
        for talk, spec in zip(newer, sessions, strict=True):
            _insert(db, talk.session, spec, projects[spec.directory], generation, ids)
        db.execute("commit")
    return path


def _as_old(spec: V2Spec, time: int, ids: Ids) -> SessionSpec:
    time = spec.time or time
    ident = spec.id or ids.new("ses", time)
    return SessionSpec(spec.title or "", (), ident, spec.parent, spec.directory, time)


def _insert(
    db: sqlite3.Connection,
    session: SessionSpec,
    spec: V2Spec,
    project: str,
    generation: Generation,
    ids: Ids,
) -> None:
    row: Data = {
        "id": session.id,
        "project_id": project,
        "parent_id": spec.parent,
        "slug": "quiet-pond",
        "directory": spec.directory,
        "title": spec.title,
        "version": "1.18.33" if generation == "1.18" else "2.0.5",
        "time_created": session.time,
        "time_updated": session.time,
    }
    insert(db, "session" if generation == "1.18" else "session_v2", row | spec.columns)
    last = 0
    for place, one in enumerate(spec.rows):
        time = one.time or session.time + (place + 1) * 1000
        last = 2 * place if one.seq is None else one.seq
        row = {"id": one.id or ids.new("msg", time), "session_id": session.id, "type": one.type}
        row |= {"seq": last, "time_created": time, "time_updated": one.updated or time}
        insert(db, "session_message", row | {"data": _data(one, time)})
    insert(db, "event_sequence", {"aggregate_id": session.id, "seq": last})
    for place, one in enumerate(spec.waiting):
        time = one.time or session.time + 500_000 + place
        row = {"id": one.id or ids.new("msg", time), "session_id": session.id, "type": one.type}
        row |= {"delivery": "queue", "time_created": time}
        row |= {"admitted_seq": last + 1 + place, "enqueued_seq": last + 1 + place}
        row |= {"prompt": to_json(one.data), "payload": to_json(one.data)}
        insert(db, "session_input" if generation == "1.18" else "session_inbox", row)


def _data(row: RowSpec, time: int) -> str | bytes:
    if isinstance(row.data, str | bytes):
        return row.data
    return to_json({"time": {"created": time, "completed": time + 900}, **row.data})
