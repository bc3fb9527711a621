"""Stores of opencode: 1.2.1, one upgraded from 1.2 over 1.14 to 1.18, and a fresh 1.18.33."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Literal

from store.demo import schema
from store.demo.ids import Ids
from tests.makers.rows import (
    Talk,
    insert,
    insert_content,
    insert_projects,
    insert_session,
    message_data,
    settle,
    to_json,
)
from tests.makers.schemas import OPENCODE_1_2, UPGRADE_1_14
from tests.makers.specs import Data, SessionSpec

Version = Literal["1.2.1", "1.14-upgraded", "1.18.33"]
Journal = Literal["wal", "delete"]

STATEMENTS: dict[Version, tuple[str, ...]] = {
    "1.2.1": OPENCODE_1_2,
    "1.14-upgraded": (*OPENCODE_1_2, *UPGRADE_1_14),
    "1.18.33": schema.OPENCODE_1_18,
}


def opencode_db(
    path: Path,
    *,
    version: Version = "1.18.33",
    sessions: Sequence[SessionSpec] = (),
    journal: Journal = "wal",
) -> Path:
    """Writes a store with these sessions and closes it, so that no side files are left.

    Versions before 1.18.33 get no events, so that what is `gone` there is gone for good.
    """
    talks = settle(tuple(sessions))
    event_ids = Ids(11)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"pragma journal_mode = {journal}")
        db.execute("pragma synchronous = off")
        db.execute("begin")
        for statement in STATEMENTS[version]:
            db.execute(statement)
        projects = insert_projects(db, talks)
        for talk in talks:
            insert_session(db, talk, projects[talk.session.directory], version)
            insert_content(db, talk)
            if version == "1.18.33":
                _events(db, talk, event_ids)
        db.execute("commit")
    return path


def _events(db: sqlite3.Connection, talk: Talk, ids: Ids) -> None:
    """The log of a session: it was created, everything came once, what is gone went."""
    session = talk.session.id
    log: list[tuple[str, Data]] = [("session.created.1", {"info": {"id": session}})]
    for message, parts in talk.messages:
        if message.raw is None:
            info = json.loads(message_data(message, talk.session.directory, ""))
            whole = {"id": message.id, "sessionID": session, **info}
            log.append(("message.updated.1", {"info": whole}))
        for part in parts:
            if isinstance(part.data, dict):
                place = {"id": part.id, "sessionID": session, "messageID": message.id}
                data = {"part": {**place, **part.data}, "time": part.updated}
                log.append(("message.part.updated.1", data))
    for message, parts in talk.messages:
        for part in parts:
            if part.gone and not message.gone:
                gone = {"messageID": message.id, "partID": part.id}
                log.append(("message.part.removed.1", gone))
        if message.gone:
            log.append(("message.removed.1", {"messageID": message.id}))
    insert(db, "event_sequence", {"aggregate_id": session, "seq": len(log) - 1})
    for seq, (kind, data) in enumerate(log):
        row = {"id": ids.new("evt", talk.session.time), "aggregate_id": session, "seq": seq}
        insert(db, "event", {**row, "type": kind, "data": to_json({"sessionID": session, **data})})
