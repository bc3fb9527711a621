"""The demo store holds everything that a newcomer should be able to try."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from store.demo import build
from store.model import Unknown
from store.sources.opencode import OpencodeSource

NOW = 1_796_060_000_000
MINUTE = 60_000


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("demo"), now_ms=NOW)


@pytest.fixture(scope="module")
def db(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as connection:
        yield connection


def parts(db: sqlite3.Connection) -> list[dict[str, Any]]:
    return [json.loads(data) for (data,) in db.execute("select data from part")]


def tools(db: sqlite3.Connection) -> list[dict[str, Any]]:
    return [part for part in parts(db) if part["type"] == "tool"]


def session(db: sqlite3.Connection, title: str) -> str:
    ids = db.execute("select id from session where title = ?", (title,)).fetchall()
    assert len(ids) == 1
    return str(ids[0][0])


def count(db: sqlite3.Connection, sql: str, *values: object) -> int:
    return int(db.execute(sql, values).fetchone()[0])


def test_one_clean_file_in_write_ahead_mode(path: Path, db: sqlite3.Connection) -> None:
    assert sorted(item.name for item in path.parent.iterdir()) == ["opencode.db", "tool-output"]
    assert path.read_bytes()[18:20] == b"\x02\x02"  # the header's sign of the write-ahead mode
    assert db.execute("pragma integrity_check").fetchone()[0] == "ok"
    assert db.execute("pragma foreign_key_check").fetchall() == []


def test_same_moment_gives_the_same_store(path: Path, tmp_path: Path) -> None:
    second = build(tmp_path, now_ms=NOW)
    ids = "select id from part order by rowid"
    with closing(sqlite3.connect(path)) as one, closing(sqlite3.connect(second)) as two:
        assert one.execute(ids).fetchall() == two.execute(ids).fetchall()


def test_refuses_to_write_over_a_store(path: Path) -> None:
    with pytest.raises(FileExistsError, match="There is a store already"):
        build(path.parent)


def test_projects_and_sessions(db: sqlite3.Connection) -> None:
    sizes = dict(
        db.execute(
            "select p.worktree, count(*) from session s join project p on p.id = s.project_id"
            " group by p.id"
        )
    )
    assert sizes == {
        "/home/mia/src/gateway": 6,
        "/home/mia/src/order-service": 6,
        "/home/mia/src/tides": 3,
        "/": 1,
    }


def test_times_are_fresh_and_in_order(db: sqlite3.Connection) -> None:
    newest = count(db, "select max(time_updated) from part")
    assert NOW - 40 * MINUTE < newest < NOW
    assert count(db, "select min(time_created) from session") == NOW - 20 * 24 * 60 * MINUTE
    pairs = "select count(*) from message m join part p on p.message_id = m.id"
    assert count(db, f"{pairs} where p.time_created < m.time_created") == 0


def test_ids_hold_their_time(db: sqlite3.Connection) -> None:
    for ident, created in db.execute("select id, time_created from part"):
        assert ident.startswith("prt_")
        assert len(ident) == 30
        assert int(ident[4:16], 16) >> 12 == created % (1 << 36)
    for ident, created in db.execute("select id, time_created from session"):
        assert (int(ident[4:16], 16) ^ ((1 << 48) - 1)) >> 12 == created % (1 << 36)


def test_every_part_type(db: sqlite3.Connection) -> None:
    kinds = Counter(part["type"] for part in parts(db))
    assert kinds == {
        "text": 61,
        "reasoning": 12,
        "tool": 66,
        "file": 3,
        "agent": 1,
        "subtask": 1,
        "step-start": 55,
        "step-finish": 54,
        "patch": 11,
        "compaction": 1,
        "retry": 1,
        "snapshot": 1,
        "bookmark": 1,
    }


def test_every_usual_tool(db: sqlite3.Connection) -> None:
    names = {tool["tool"] for tool in tools(db)}
    usual = "apply_patch bash edit glob grep invalid list multiedit postgres_query question read"
    assert names == set(f"{usual} skill task todowrite webfetch write".split())


def test_every_tool_status(db: sqlite3.Connection) -> None:
    states = Counter(tool["state"]["status"] for tool in tools(db))
    assert states == {"completed": 60, "error": 4, "running": 1, "pending": 1}
    failed = [tool["state"]["error"] for tool in tools(db) if tool["state"]["status"] == "error"]
    assert any(error.startswith("Could not find oldString") for error in failed)
    assert any("白天不要重启" in error for error in failed)


def test_commands_have_exit_codes_and_colours(db: sqlite3.Connection) -> None:
    done = [tool["state"] for tool in tools(db) if tool["tool"] == "bash"]
    exits = Counter(state.get("metadata", {}).get("exit") for state in done)
    assert exits == {0: 17, 1: 3, 2: 1, None: 3}
    assert any("\x1b[31m503\x1b[0m" in state.get("output", "") for state in done)


def test_edits_have_diffs(db: sqlite3.Connection) -> None:
    edits = [tool for tool in tools(db) if tool["tool"] == "edit" and "output" in tool["state"]]
    diff = next(
        edit["state"]["metadata"]["diff"]
        for edit in edits
        if edit["state"]["input"]["filePath"].endswith("csv_writer.py")
    )
    assert diff.splitlines()[2:] == [
        "--- /home/mia/src/order-service/app/export/csv_writer.py",
        "+++ /home/mia/src/order-service/app/export/csv_writer.py",
        "@@ -17,1 +17,1 @@",
        '-    stream = open(path, "w", encoding="utf-8")',
        '+    stream = open(path, "w", encoding="utf-8-sig", newline="")',
    ]


def test_inline_image_is_a_picture(db: sqlite3.Connection) -> None:
    urls = [part["url"] for part in parts(db) if part["type"] == "file" and "image" in part["mime"]]
    assert len(urls) == 1
    assert urls[0].startswith("data:image/png;base64,iVBORw0KGgo")


def test_a_sub_agent_is_linked_both_ways(db: sqlite3.Connection) -> None:
    parent = session(db, "Gateway cannot reach Postgres after the move")
    child = session(db, "Trace where the pool is opened (@explore subagent)")
    assert db.execute("select parent_id from session where id = ?", (child,)).fetchone() == (
        parent,
    )
    calls = [tool["state"]["metadata"] for tool in tools(db) if tool["tool"] == "task"]
    assert (parent, child) in [(call["parentSessionId"], call["sessionId"]) for call in calls]


def test_a_child_lies_within_its_call(db: sqlite3.Connection) -> None:
    calls = [tool["state"] for tool in tools(db) if tool["tool"] == "task"]
    spans = {
        call["metadata"]["sessionId"]: (call["time"]["start"], call["time"]["end"])
        for call in calls
    }
    children = db.execute(
        "select session_id, min(time_created), max(time_updated) from message"
        " where session_id in (select id from session where parent_id is not null) group by 1"
    ).fetchall()
    assert len(children) == 3
    for child, first, last in children:
        assert spans[child][0] <= first
        assert last <= spans[child][1] + MINUTE


def test_a_fork_repeats_calls_under_fresh_ids(db: sqlite3.Connection) -> None:
    origin = session(db, "Rate limiter: token bucket instead of fixed window")
    fork = session(db, "Rate limiter: token bucket instead of fixed window (fork #1)")
    calls = (
        "select json_extract(data, '$.callID') from part"
        " where session_id = ? and json_extract(data, '$.type') = 'tool'"
    )
    copied = {row[0] for row in db.execute(calls, (origin,))}
    shared = copied & {row[0] for row in db.execute(calls, (fork,))}
    assert len(shared) == 6
    assert db.execute("select parent_id from session where id = ?", (fork,)).fetchone() == (None,)


def test_a_pending_revert_hides_five_messages(db: sqlite3.Connection) -> None:
    rows = db.execute("select id, revert from session where revert is not null").fetchall()
    assert len(rows) == 1
    ident, revert = rows[0][0], json.loads(rows[0][1])
    assert revert["diff"].splitlines()[5] == (
        "+// Package shared keeps buckets in Redis so that all gateways agree."
    )
    target = db.execute(
        "select json_extract(p.data, '$.text'), m.time_created from message m join part p"
        " on p.message_id = m.id where m.id = ?",
        (revert["messageID"],),
    ).fetchone()
    assert target[0] == "Lovely. We run four gateways though. Could the buckets live in Redis?"
    hidden = "select count(*) from message where session_id = ? and time_created >= ?"
    assert count(db, hidden, ident, target[1]) == 5


@pytest.mark.parametrize(
    "text",
    ["仙人掌也能通过这个测试", "合同号 QS-2291", "旧的文件名也保留一周", "orders-2026-11-20.csv"],
)
def test_removed_and_replaced_texts_are_in_events_only(db: sqlite3.Connection, text: str) -> None:
    assert count(db, "select count(*) from part where instr(data, ?)", text) == 0
    assert count(db, "select count(*) from event where instr(data, ?)", text) >= 1


def test_what_was_removed_has_its_events(db: sqlite3.Connection) -> None:
    removals = "select type, count(*) from event where type like '%removed%' group by 1"
    kinds = dict(db.execute(removals))
    assert kinds == {"message.removed.1": 5, "message.part.removed.1": 1}


def test_events_fold_to_the_parts(db: sqlite3.Connection) -> None:
    folded: dict[str, dict[str, Any]] = {}
    for kind, raw in db.execute("select type, data from event order by aggregate_id, seq"):
        data = json.loads(raw)
        if kind == "message.part.updated.1":
            folded[data["part"]["id"]] = data["part"]
        elif kind == "message.part.removed.1":
            del folded[data["partID"]]
        elif kind == "message.removed.1":
            gone = [key for key, part in folded.items() if part["messageID"] == data["messageID"]]
            for key in gone:
                del folded[key]
    rows = db.execute("select id, message_id, session_id, data from part")
    stored = {
        ident: {"id": ident, "messageID": message, "sessionID": owner, **json.loads(data)}
        for ident, message, owner, data in rows
    }
    assert folded == stored


def test_the_sequence_is_that_of_the_last_event(db: sqlite3.Connection) -> None:
    last = "select aggregate_id, max(seq) from event group by 1"
    assert dict(db.execute("select aggregate_id, seq from event_sequence")) == dict(
        db.execute(last)
    )


def test_long_output_and_cut_output(db: sqlite3.Connection, path: Path) -> None:
    states = [tool["state"] for tool in tools(db) if tool["tool"] == "bash"]
    longest = max((state.get("output", "") for state in states), key=len)
    assert longest.count("\n") == 3000
    assert "marker=odd-one-out" in longest
    cut = next(state for state in states if state.get("metadata", {}).get("truncated"))
    spilled = Path(cut["metadata"]["outputPath"])
    assert spilled.parent == path.parent / "tool-output"
    assert str(spilled) in cut["output"]
    whole = spilled.read_text(encoding="utf-8")
    assert "TestRetryBackoff/2040" in whole
    assert "TestRetryBackoff/2040" not in cut["output"]


def test_archived_empty_and_unfinished_sessions(db: sqlite3.Connection) -> None:
    put_away = db.execute("select title from session where time_archived is not null").fetchall()
    assert put_away == [("Release 0.3",)]
    empty = "select title from session where id not in (select session_id from message)"
    assert db.execute(empty).fetchall() == [("New session - started and left",)]
    crashed = session(db, "Load test against staging")
    last = "select data from message where session_id = ? order by time_created desc limit 1"
    newest = json.loads(db.execute(last, (crashed,)).fetchone()[0])
    assert "completed" not in newest["time"]
    assert "finish" not in newest


def test_an_error_without_parts(db: sqlite3.Connection) -> None:
    silent = "select data from message where id not in (select message_id from part)"
    rows = [json.loads(data) for (data,) in db.execute(silent)]
    assert [row["error"]["data"]["message"] for row in rows] == ["Overloaded, try again later"]


def test_things_to_do_and_synthetic_texts(db: sqlite3.Connection) -> None:
    assert count(db, "select count(*) from todo") == 6
    assert count(db, "select count(*) from todo where content = '补一个泄漏测试 🧪'") == 1
    assert sum(part.get("synthetic", False) for part in parts(db)) == 7


@pytest.mark.parametrize(
    ("text", "sessions"), [("connection refused", 2), ("连接池", 3), ("満潮", 1), ("🌊", 1)]
)
def test_words_to_try(db: sqlite3.Connection, text: str, sessions: int) -> None:
    found = "select count(distinct session_id) from part where instr(lower(data), ?)"
    assert count(db, found, text) == sessions


def test_our_own_source_reads_all_of_it(path: Path) -> None:
    source = OpencodeSource(path)
    sessions = [one.id for one in source.listing("demo").sessions]
    outlines = source.outlines(sessions)
    bodies = [source.bodies(one.session, one.messages, one.parts) for one in outlines]
    found = [part for one in bodies for part in one.parts]
    assert [fault for one in bodies for fault in one.faults] == []
    assert len(found) == 268
    strange = [part.content for part in found if isinstance(part.content, Unknown)]
    assert [(one.type, one.fields["color"]) for one in strange] == [("bookmark", "teal")]
