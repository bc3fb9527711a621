"""`search`: the JSON, the lines for people, and what is said beside them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from threading import Event

import pytest

from store.errors import StoreError
from store.model import Coverage, Fault, Json
from tests.tui.cli.conftest import Run
from tests.tui.cli.fake import BAD, HIT, NOON, SOURCE, Fake


def test_the_answer_as_json(run: Run) -> None:
    ran = run("search", "connection refused", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.answer == {
        "query": {"text": "connection refused"},
        "hits": [
            {
                "id": "opencode:prt_bash",
                "source": "opencode",
                "session": "ses_pool",
                "session_title": "Fix pool timeout",
                "project": "api",
                "directory": "/src/api",
                "message": "msg_two",
                "part": "prt_bash",
                "kind": "tool_output",
                "tool": "bash",
                "status": "completed",
                "role": "assistant",
                "agent": "build",
                "slice": "main",
                "model": "gpt-5.2",
                "time": "2026-09-01T12:00:00.123Z",
                "fate": "reverted",
                "evidence": "source",
                "version": None,
                "flags": [],
                "copies": [
                    {
                        "source": "opencode-2",
                        "session": "ses_copy",
                        "message": "msg_copy",
                        "part": "prt_copy",
                    }
                ],
                "snippet": "at \x1b[5mconnection refused\x07 by 10.0.0.7",
                "spans": [[7, 25]],
                "score": None,
            }
        ],
        "total": 1,
        "total_at_least": 1,
        "more": True,
        "cursor": "next",
        "elapsed_ms": 2.1,
        "coverage": {"indexed": 3, "known": 3, "skipped": 0, "behind": 0, "complete": True},
        "faults": [],
        "widened": None,
        "synthetic": {"left_out": None, "shown": False},
        "approximate": False,
        "diagnosis": [],
    }


def test_json_is_one_line_that_cannot_steer_a_terminal(run: Run, door: Fake) -> None:
    door.hits = (replace(HIT, snippet="\x1b]0;x\x07 \x9b2J \u202e \x7f \udc80 数据"),)
    out = run("search", "--json").out
    assert out.count("\n") == 1
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", out)
    assert "数据" in out
    assert run("search", "--json").answer["hits"][0]["snippet"] == door.hits[0].snippet


def test_numbers_that_json_lacks_are_null(run: Run, door: Fake) -> None:
    door.hits = (replace(HIT, score=float("nan")),)
    ran = run("search", "--json")
    assert "NaN" not in ran.out
    assert ran.answer["hits"][0]["score"] is None


def test_a_hit_for_people_without_colour_in_a_pipe(run: Run) -> None:
    ran = run("search", "refused")
    when = f"{datetime.fromtimestamp(NOON / 1000):%Y-%m-%d %H:%M}"
    head, snippet = ran.out.splitlines()
    assert re.split(" {2,}", head) == [
        when,
        "bash output",
        "Fix pool timeout",
        "opencode:prt_bash",
        "(reverted, 1 copy)",
    ]
    assert snippet == "    at ␛[5mconnection refused␇ by 10.0.0.7"
    assert ran.err == "backscroll: 1 of 1 hit; the next with --cursor next\n"


def test_a_terminal_gets_the_match_marked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.cli.output.is_terminal", lambda _: True)
    assert "at ␛[5m\x1b[7mconnection refused\x1b[0m␇ by" in run("search", "refused").out


def test_no_color_is_honoured_on_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.cli.output.is_terminal", lambda _: True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("search", "refused").out


def test_columns_are_aligned_by_cells_not_characters(run: Run, door: Fake) -> None:
    door.hits = (HIT, replace(HIT, session_title="数据库连接池超时"))
    first, _, second, _ = run("search", "refused").out.splitlines()
    assert first.index("opencode:") == second.index("opencode:") + len("数据库连接池超时")


def test_options_reach_the_door(run: Run, door: Fake) -> None:
    run("search", "a", "b", "--limit", "7", "--sort", "relevance", "--cursor", "c")
    assert door.calls[-1] == ("search", ("a b", 7, "relevance", "c"))


def test_nothing_found_is_one_and_says_what_was_checked(run: Run, door: Fake) -> None:
    missing: dict[str, Json] = {
        "check": "word",
        "message": "“timout” does not occur anywhere; near it: timeout",
        "word": "timout",
        "nearest": ["timeout"],
        "query": "timeout",
    }
    there: dict[str, Json] = {
        "check": "literal",
        "message": "as exact text it is there",
        "query": "timout",
        "literal": True,
    }
    door.hits = ()
    door.diagnosis = (missing, there)
    ran = run("search", "timout")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.splitlines() == [
        "backscroll: nothing found",
        "backscroll: “timout” does not occur anywhere; near it: timeout; try: timeout",
        "backscroll: as exact text it is there; try: --literal timout",
    ]
    ran = run("search", "timout", "--json")
    assert ran.code == 1
    assert ran.answer["diagnosis"] == [missing, there]


def test_no_store_says_where_it_looked(run: Run, door: Fake) -> None:
    door.found, door.hits, door.covered = (), (), Coverage()
    ran = run("search", "pool", "--json")
    assert ran.code == 1
    assert ran.answer["hits"] == []
    assert "looked at: /home/me/.local/share/opencode;" in ran.err


def test_it_catches_up_first(run: Run, door: Fake) -> None:
    run("search", "pool")
    assert [name for name, _ in door.calls] == ["open", "sync", "search"]


def test_no_index_does_not_catch_up(run: Run, door: Fake) -> None:
    run("search", "pool", "--no-index")
    assert [name for name, _ in door.calls] == ["open", "search"]


def test_a_first_search_answers_in_time_and_says_how_far_it_is(
    run: Run, door: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.cli.catchup.PATIENCE", 0.01)
    door.covered = Coverage(indexed=12, known=100, behind=88)
    seen: list[bool] = []
    door.syncing = lambda stop: seen.append(stop.wait(30))
    ran = run("search", "pool", "--json")
    assert seen == [True]
    assert ran.code == 0
    assert "indexed 12 of 100 parts so far (12 %), newest first" in ran.err
    assert ran.answer["coverage"]["complete"] is False


def test_a_complete_index_is_brought_up_to_date_without_a_limit(
    run: Run, door: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.cli.catchup.PATIENCE", 0.0)
    seen: list[bool] = []
    door.syncing = lambda stop: seen.append(stop.wait(0.05))
    assert run("search", "pool").code == 0
    assert seen == [False]


def busy(_: Event) -> None:
    raise StoreError("INDEX_BUSY", "another program writes the index")


def test_a_busy_index_answers_from_what_is_there(run: Run, door: Fake) -> None:
    door.syncing = busy
    ran = run("search", "pool", "--json")
    assert ran.code == 0
    assert len(ran.answer["hits"]) == 1
    assert "another program is writing the index" in ran.err


def test_a_busy_index_without_stores_yet_is_no_machine_without_a_store(
    run: Run, door: Fake
) -> None:
    door.syncing, door.found = busy, ()
    assert "no store" not in run("search", "pool").err


def test_another_error_of_catching_up_ends_the_search(run: Run, door: Fake) -> None:
    def fail(_: Event) -> None:
        raise StoreError("INDEX_FAILED", "/i is not an index", "/i")

    door.syncing, door.covered = fail, Coverage()
    ran = run("search", "pool")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "backscroll: INDEX_FAILED: /i is not an index\n"


def test_an_index_that_cannot_be_written_answers_as_it_is(run: Run, door: Fake) -> None:
    def fail(_: Event) -> None:
        raise StoreError("INDEX_FAILED", "the disk that holds /i is full", "/i")

    door.syncing = fail
    ran = run("--json", "search", "pool")
    assert ran.code == 0
    assert len(ran.answer["hits"]) == 1
    assert "the disk that holds /i is full; this answers from what is there" in ran.err


def test_a_bad_store_among_several_is_reported_beside_the_answer(run: Run, door: Fake) -> None:
    door.found = (SOURCE, BAD)
    ran = run("--source", "/data/opencode.db", "--source", "/data/torn.db", "search", "x", "--json")
    assert ran.code == 0
    assert ran.answer["faults"] == [
        {
            "code": "SOURCE_UNREADABLE",
            "about": "/data/torn.db",
            "message": "/data/torn.db is not a database",
        }
    ]
    assert ran.err == "backscroll: SOURCE_UNREADABLE: /data/torn.db is not a database\n"


def test_rows_that_cannot_be_read_are_counted_beside_the_answer(run: Run, door: Fake) -> None:
    torn = tuple(Fault("CORRUPT_PART", f"prt_{at}", f"prt_{at} is no JSON") for at in range(30))
    door.found = (replace(SOURCE, faults=torn),)
    ran = run("search", "x", "--json")
    assert len(ran.answer["faults"]) == 30
    assert ran.err == (
        "backscroll: 30 sessions or parts could not be read; `backscroll doctor` lists them\n"
    )


def test_only_bad_stores_are_an_error(run: Run, door: Fake) -> None:
    door.found = (BAD,)
    ran = run("--source", "/data/torn.db", "search", "x")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "backscroll: SOURCE_UNREADABLE: /data/torn.db is not a database\n"


def test_a_store_that_is_gone_still_answers_from_what_was_kept(run: Run, door: Fake) -> None:
    door.found = (replace(SOURCE, opened="missing"),)
    assert run("search", "x").code == 0


def test_a_named_store_that_is_gone_is_an_error(run: Run, door: Fake) -> None:
    gone = Fault("SOURCE_NOT_FOUND", "/data/opencode.db", "nothing at /data/opencode.db")
    door.found = (replace(SOURCE, opened="missing", faults=(gone,)),)
    assert run("--source", "/data/opencode.db", "search", "x").code == 2
