"""The makers make what they say, in the state they say."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import get_args

import pytest

from tests.makers import (
    MessageSpec,
    PartSpec,
    SessionSpec,
    as_nobody,
    empty_file,
    fingerprint,
    folder_in_place,
    garbage,
    half,
    huge_row,
    killed_writer,
    live_writer,
    mimocode_db,
    open_folder,
    opencode_db,
    set_data,
    text,
    two_talks,
    unrelated_tables,
)
from tests.makers.opencode import Version

GREETING = SessionSpec(
    "Greeting",
    (
        MessageSpec("user", [PartSpec(text("hello"), id="prt_hello")], id="msg_hello"),
        MessageSpec("assistant", [PartSpec(text("unsaid"), gone=True), text("hi")]),
        MessageSpec("user", [text("forget this")], gone=True),
    ),
    id="ses_greeting",
)


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(sql).fetchall()


@pytest.mark.parametrize("version", get_args(Version))
def test_every_version_holds_the_same_talks(tmp_path: Path, version: Version) -> None:
    path = opencode_db(tmp_path / "opencode.db", version=version, sessions=two_talks())
    assert rows(path, "select title from session order by time_created") == [
        ("Find the port",),
        ("查端口",),
    ]
    sizes = "select (select count(*) from message), (select count(*) from part)"
    assert rows(path, sizes) == [(5, 8)]
    assert [item.name for item in tmp_path.iterdir()] == ["opencode.db"]


def test_versions_differ_in_tables_and_columns(tmp_path: Path) -> None:
    columns = {}
    for version in get_args(Version):
        path = opencode_db(tmp_path / f"{version}.db", version=version)
        columns[version] = [row[1] for row in rows(path, "pragma table_info(session)")]
    assert "agent" not in columns["1.2.1"]
    assert columns["1.14-upgraded"][:18] == columns["1.2.1"]
    assert columns["1.18.33"][2] == "workspace_id"
    assert set(columns["1.14-upgraded"]) == set(columns["1.18.33"])
    tables = "select count(*) from sqlite_master where type = 'table' and name = 'event'"
    assert rows(tmp_path / "1.2.1.db", tables) == [(0,)]


def test_what_is_gone_is_in_the_event_log_only(tmp_path: Path) -> None:
    path = opencode_db(tmp_path / "opencode.db", sessions=[GREETING])
    parts = [json.loads(str(data))["text"] for (data,) in rows(path, "select data from part")]
    assert parts == ["hello", "hi"]
    removed = rows(path, "select type, data from event where type like '%removed%' order by seq")
    assert [kind for kind, _ in removed] == ["message.part.removed.1", "message.removed.1"]
    logged = "select json_extract(data, '$.part.text') from event where type like '%part.upd%'"
    assert rows(path, logged) == [("hello",), ("unsaid",), ("hi",), ("forget this",)]


def test_mimocode_keeps_what_is_gone_in_its_index(tmp_path: Path) -> None:
    path = mimocode_db(tmp_path / "mimocode.db", sessions=[*two_talks(), GREETING])
    orphans = "select body from history_fts where part_id not in (select id from part)"
    assert rows(path, orphans) == [("unsaid",), ("forget this",)]
    found = "select rowid from history_fts_idx where history_fts_idx match 'unsaid'"
    assert len(rows(path, found)) == 1
    kinds = "select kind, count(*) from history_fts group by kind order by kind"
    assert rows(path, kinds) == [
        ("assistant_text", 4),
        ("tool_error", 1),
        ("tool_input", 1),
        ("user_text", 5),
    ]


def test_mimocode_has_slices_and_imports(tmp_path: Path) -> None:
    talk = SessionSpec(
        messages=[MessageSpec("user", [text("a")]), MessageSpec("user", [text("b")], slice="x-1")],
        id="ses_a",
    )
    path = mimocode_db(tmp_path / "mimocode.db", sessions=[talk], imported={"ses_a": "codex"})
    assert rows(path, "select agent_id from message order by id") == [("main",), ("x-1",)]
    assert rows(path, "select actor_id, mode from actor_registry order by 1") == [
        ("main", "main"),
        ("x-1", "subagent"),
    ]
    assert rows(path, "select source, session_id from external_import") == [("codex", "ses_a")]


def test_a_live_writer_keeps_its_commits_in_the_log(tmp_path: Path) -> None:
    path = opencode_db(tmp_path / "opencode.db", sessions=[GREETING])
    before = path.read_bytes()
    with live_writer(path) as writer:
        writer.say("prt_hello", "changed in the log")
        assert path.read_bytes() == before
        assert (tmp_path / "opencode.db-wal").stat().st_size > 0
        writer.checkpoint()
        assert b"changed in the log" in path.read_bytes()
        writer.close()
        assert [item.name for item in tmp_path.iterdir()] == ["opencode.db"]


def test_a_failed_order_is_reported(tmp_path: Path) -> None:
    path = opencode_db(tmp_path / "opencode.db")
    with live_writer(path) as writer, pytest.raises(RuntimeError, match="no such table"):
        writer.commit(("delete from nowhere", ()))


@pytest.mark.parametrize("shm", [True, False])
def test_a_killed_writer_leaves_its_files(tmp_path: Path, shm: bool) -> None:
    path = opencode_db(tmp_path / "opencode.db", sessions=[GREETING])
    killed_writer(path, [("update session set title = ?", ("from the log",))], shm=shm)
    names = {"opencode.db", "opencode.db-wal", "opencode.db-shm"}
    assert {item.name for item in tmp_path.iterdir()} == (
        names if shm else names - {"opencode.db-shm"}
    )
    assert b"from the log" not in path.read_bytes()
    assert rows(path, "select title from session") == [("from the log",)]


def test_rollback_journal_mode(tmp_path: Path) -> None:
    path = opencode_db(tmp_path / "opencode.db", sessions=two_talks(), journal="delete")
    assert path.read_bytes()[18:20] == b"\x01\x01"


def test_nobody_cannot_write() -> None:
    with open_folder() as folder:
        path = opencode_db(folder / "opencode.db", sessions=two_talks())
        with as_nobody(folder):
            with pytest.raises(PermissionError):
                (folder / "new").write_text("x")
            with pytest.raises(PermissionError):
                path.open("ab")
            assert path.read_bytes()[:15] == b"SQLite format 3"
        (folder / "new").write_text("x")


def test_a_fingerprint_sees_names_and_bytes(tmp_path: Path) -> None:
    (tmp_path / "a-shm").write_text("1")
    first, blind = fingerprint(tmp_path), fingerprint(tmp_path, shm=False)
    (tmp_path / "a-shm").write_text("2")
    assert fingerprint(tmp_path) != first
    assert fingerprint(tmp_path, shm=False) == blind
    (tmp_path / "b").mkdir()
    assert fingerprint(tmp_path, shm=False) == {**blind, "b": "folder"}


def test_odd_files(tmp_path: Path) -> None:
    assert empty_file(tmp_path / "empty.db").stat().st_size == 0
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        rows(garbage(tmp_path / "garbage.db"), "select 1 from sqlite_master")
    assert folder_in_place(tmp_path / "folder.db").is_dir()
    familiar = "select name from sqlite_master where name in ('session', 'message', 'part')"
    assert rows(unrelated_tables(tmp_path / "other.db"), familiar) == [("session",)]
    cut = half(opencode_db(tmp_path / "half.db", sessions=two_talks()))
    with pytest.raises(sqlite3.DatabaseError, match="malformed"):
        rows(cut, "select count(*) from part, event, session, message")


def test_odd_rows(tmp_path: Path) -> None:
    path = opencode_db(tmp_path / "opencode.db", sessions=[GREETING])
    set_data(path, "prt_hello", '{"type":"text","te')
    set_data(path, "msg_hello", 42, table="message")
    assert rows(path, "select data from part where id = 'prt_hello'") == [('{"type":"text","te',)]
    assert rows(path, "select data from message where id = 'msg_hello'") == [("42",)]
    huge_row(path, "prt_hello", 2)
    size = "select length(data), data like '%last-word\"}' from part where id = 'prt_hello'"
    assert rows(path, size) == [(2 * 1_048_576 + 34, 1)]
