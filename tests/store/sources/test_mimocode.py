"""MiMo Code of September 2026: more columns, another index of its own, both schemes of ids."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from store.model import Part
from store.sources import open_given
from store.sources.mimocode import MimoSource
from tests.makers import BASE, MessageSpec, PartSpec, SessionSpec, mimocode_db, text

SEPTEMBER = (
    "alter table history_fts drop column kind",
    "alter table session add column title_source text not null default 'user'",
    "alter table session add column title_revision integer not null default 0",
    "create table session_deleted_identity (id text primary key)",
    "create table history_index_migration (version integer primary key, phase text)",
    "update history_fts set part_id = part_id || '#0'",
    "insert into history_fts select part_id || '1', session_id, message_id, project_id,"
    " tool_name, body, time_created from history_fts",
)

TALK = SessionSpec(
    "Wrap",
    [
        MessageSpec(
            "user",
            [PartSpec(text("old id"), id="prt_fff0000000001aaaaaaaaaaaaaa")],
            id="msg_fff0000000001aaaaaaaaaaaaaa",
            time=BASE,
        ),
        MessageSpec(
            "assistant",
            [PartSpec(text("new id"), id="prt_g001a22d069f1b001u630N9zHu")],
            id="msg_g001a22d069f1b001u630N9zHv",
            time=BASE + 5,
            slice="explore-1",
        ),
        MessageSpec("user", [PartSpec(text("after"), id="prt_001")], id="msg_001", time=BASE + 9),
    ],
    id="ses_-ffe5dd2f988cfffefcaj5x30c",
)


def everything(source: MimoSource) -> tuple[Part, ...]:
    (outline,) = source.outlines([TALK.id])
    assert outline.complete
    return source.bodies(TALK.id, outline.messages, outline.parts).parts


def test_september_is_read_like_august(tmp_path: Path) -> None:
    path = mimocode_db(tmp_path / "mimocode.db", sessions=[TALK], imported={TALK.id: "cc"})
    source = MimoSource(path)
    august = source.listing("x").sessions, source.order(TALK.id), everything(source)
    with closing(sqlite3.connect(path)) as db:
        for statement in SEPTEMBER:
            db.execute(statement)
        db.commit()
    assert (source.listing("x").sessions, source.order(TALK.id), everything(source)) == august
    ((recognised,), errors) = open_given([path])
    assert (type(recognised), errors) == (MimoSource, [])


def test_both_schemes_of_ids_in_one_session(tmp_path: Path) -> None:
    source = MimoSource(mimocode_db(tmp_path / "mimocode.db", sessions=[TALK]))
    assert [place.id[:8] for place in source.order(TALK.id)] == ["msg_fff0", "msg_g001", "msg_001"]
    assert [place.slice for place in source.order(TALK.id)] == ["main", "explore-1", "main"]
    (found,) = source.find("prt_g001a", 5)
    assert (found.message, found.session) == ("msg_g001a22d069f1b001u630N9zHv", TALK.id)


def test_a_session_that_an_older_version_imported(tmp_path: Path) -> None:
    path = mimocode_db(tmp_path / "mimocode.db", sessions=[TALK])
    with closing(sqlite3.connect(path)) as db:
        db.execute("create table claude_import (source_uuid text primary key, session_id text)")
        db.execute("insert into claude_import values ('u', ?)", (TALK.id,))
        db.commit()
    assert MimoSource(path).listing("x").sessions[0].flags == ("imported",)
