"""`index` and `doctor`: the JSON, the tables for people, and their exit codes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from store.errors import StoreError
from store.model import Coverage, Fault, Memory, Progress
from tests.tui.cli.conftest import Run
from tests.tui.cli.fake import BAD, SOURCE, Fake
from tui.cli.catchup import bar

SOURCE_JSON = {
    "source": "opencode",
    "producer": "opencode",
    "path": "/data/opencode.db",
    "opened": "immutable",
    "sessions": 1,
    "messages": 2,
    "parts": 3,
    "documents": 5,
    "leftovers": 1,
    "skipped": [],
    "behind": 0,
}
FAULT_JSON = {
    "code": "SOURCE_UNREADABLE",
    "about": "/data/torn.db",
    "message": "/data/torn.db is not a database",
}


def test_index_as_json(run: Run) -> None:
    ran = run("index", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.answer == {"sources": [SOURCE_JSON], "elapsed_s": 0.25, "complete": True}


@pytest.mark.parametrize(("more", "rebuild"), [([], False), (["--rebuild"], True)])
def test_rebuilding_is_asked_for(run: Run, door: Fake, more: list[str], rebuild: bool) -> None:
    run("index", *more)
    assert door.calls[-1] == ("sync", rebuild)


def test_index_for_people_with_what_was_skipped(run: Run, door: Fake) -> None:
    torn = Fault("CORRUPT_PART", "prt_x", "prt_x is no JSON")
    door.found = (replace(SOURCE, parts=48_784, faults=(torn,)),)
    ran = run("index")
    assert ran.out.splitlines() == [
        "source    sessions  messages   parts  documents  leftovers  skipped",
        "opencode         1         2  48,784          5          1        1",
        "  opencode: CORRUPT_PART: prt_x is no JSON",
        "0.2 seconds",
    ]


def test_index_of_a_machine_without_a_store(run: Run, door: Fake) -> None:
    door.found = ()
    ran = run("index", "--json")
    assert (ran.code, ran.answer["sources"]) == (1, [])
    assert "--demo" in ran.err


def test_index_reports_a_bad_store_among_several_once(run: Run, door: Fake) -> None:
    door.found = (SOURCE, BAD)
    ran = run("index")
    assert ran.code == 0
    assert ran.err == "backscroll: SOURCE_UNREADABLE: /data/torn.db is not a database\n"
    assert "SOURCE_UNREADABLE" not in ran.out


def test_index_of_a_bad_store_is_an_error(run: Run, door: Fake) -> None:
    door.found = (BAD,)
    assert run("index").code == 2


def test_an_index_that_another_program_writes_is_an_error(run: Run, door: Fake) -> None:
    def busy(_: Event) -> None:
        raise StoreError("INDEX_BUSY", "another program writes the index", "/i")

    door.syncing = busy
    ran = run("index", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        '{"error": {"code": "INDEX_BUSY", "message": "another program writes the index", '
        '"about": "/i"}}\n'
    )


def test_progress_is_drawn_on_a_terminal_and_wiped(
    run: Run, door: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.cli.output.is_terminal", lambda _: True)
    door.progress = (Progress("opencode", 1, 4, 2), Progress("opencode", 4, 4, 8, finished=True))
    steps = run("index").err.split("\r")
    assert steps[1].startswith("indexing [######                  ]  25 %  1 of 4 parts  opencode")
    assert steps[2].startswith("indexing [########################] 100 %  4 of 4 parts")
    assert steps[3] == "\x1b[K"


def test_no_progress_in_a_pipe(run: Run, door: Fake) -> None:
    door.progress = (Progress("opencode", 1, 4, 2),)
    assert run("index").err == ""


def test_the_bar_is_full_only_at_the_end() -> None:
    assert " 99 %" in bar(Progress("opencode", 99_999, 100_000, 0), 80)
    assert "100 %" in bar(Progress("opencode", 0, 0, 0), 80)
    assert len(bar(Progress("opencode", 99_999, 100_000, 0), 30)) == 29


def test_doctor_as_json(run: Run, door: Fake, tmp_path: Path) -> None:
    door.found = (SOURCE, BAD)
    answer = run("doctor", "--json").answer
    assert answer.pop("version")
    assert answer["settings"].pop("values")["fold"] == "auto"
    assert answer == {
        "places": [
            {
                "producer": "opencode",
                "path": "/home/me/.local/share/opencode",
                "found": True,
                "why": "default",
            }
        ],
        "sources": [
            SOURCE_JSON,
            {
                "source": "opencode-2",
                "producer": "opencode",
                "path": "/data/torn.db",
                "opened": "failed",
                "sessions": 0,
                "messages": 0,
                "parts": 0,
                "documents": 0,
                "leftovers": 0,
                "skipped": [FAULT_JSON],
                "behind": 0,
            },
        ],
        "index": {
            "path": "/data/index.db",
            "bytes": 4096,
            "version": 1,
            "documents": 5,
            "archived_parts": 3,
            "archive_bytes": 100,
            "coverage": {"indexed": 3, "known": 3, "skipped": 0, "behind": 0, "complete": True},
            "problem": None,
            "busy": False,
        },
        "coverage": {"indexed": 3, "known": 3, "skipped": 0, "behind": 0, "complete": True},
        "faults": [FAULT_JSON],
        "leftovers": [],
        "settings": {"path": str(tmp_path / "settings.toml"), "exists": False, "faults": []},
    }


def test_doctor_for_people(run: Run, door: Fake, tmp_path: Path) -> None:
    door.found = (SOURCE, BAD)
    door.covered = Coverage(indexed=2, known=3, behind=1)
    out = run("doctor").out
    assert "  opencode  found  /home/me/.local/share/opencode  default\n" in out
    assert "  opencode-2: SOURCE_UNREADABLE: /data/torn.db is not a database\n" in out
    assert "2 of 3 parts indexed, 0 skipped, 1 behind\n" in out
    assert (
        f"{tmp_path}/settings.toml (not there: defaults; the key , on the screen makes it)\n" in out
    )


MEMORY = (
    Memory("opencode", 1_796_000_000_000, {"event_log": 1_795_000_000_000}),
    Memory("opencode-2", None, {"storage_files": None}),
    Memory("dsh", 1_796_000_000_000),
)


def test_doctor_says_how_far_back_leftovers_can_be_seen(
    run: Run, door: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "memory", lambda: MEMORY)
    out = run("doctor").out
    assert re.sub(r"since [-:0-9 ]+", "since TIME", out).partition("leftovers can be seen\n")[
        2
    ].partition("settings")[0] == (
        "  opencode    our archive               since TIME\n"
        "              its event log             since TIME\n"
        "  opencode-2  our archive               nothing yet: it was never indexed to its end\n"
        "              files of its old storage  whatever reverts left in them\n"
        "  dsh         our archive               since TIME\n"
        "              the store itself          nothing but what a pending revert hides\n"
    )


def test_doctor_says_where_no_copy_is_kept(
    run: Run, door: Fake, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(door, "memory", lambda: MEMORY[:1])
    settings = tmp_path / "other.toml"
    settings.write_text("[archive]\non = false\n")
    assert "3 parts, 100 bytes; outlives its store\n" in run("doctor").out
    out = run("doctor", "--config", str(settings)).out
    assert "3 parts, 100 bytes; off: what its store drops goes here too\n" in out
    assert "  opencode  our archive    off in the settings\n" in out


def test_doctor_names_a_bad_setting(run: Run, tmp_path: Path) -> None:
    settings = tmp_path / "other.toml"
    settings.write_text('theme = "dusk"\nfold = "sideways"\n')
    ran = run("doctor", "--json", "--config", str(settings))
    assert ran.code == 0
    assert ran.answer["settings"]["exists"] is True
    [fault] = ran.answer["settings"]["faults"]
    assert fault["code"] == "INVALID_CONFIG"
    assert "line 2" in fault["message"]


def test_doctor_still_reports_where_no_store_can_be_read(run: Run, door: Fake) -> None:
    door.found = (BAD,)
    ran = run("doctor")
    assert ran.code == 2
    assert "failed" in ran.out
    assert ran.err == "backscroll: SOURCE_UNREADABLE: /data/torn.db is not a database\n"


def test_doctor_without_a_store_is_one(run: Run, door: Fake) -> None:
    door.found = ()
    ran = run("doctor")
    assert ran.code == 1
    assert "  opencode  not there  /home/me/.local/share/opencode" in ran.out


def test_doctor_says_that_another_program_writes(run: Run, door: Fake) -> None:
    door.refresh_error = StoreError("INDEX_BUSY", "another program writes the index")
    assert run("doctor", "--json").answer["index"]["busy"] is True


def test_doctor_counts_the_documents_of_a_store(run: Run, door: Fake) -> None:
    door.documents_of = {door.found[0].name: 7}
    [source, *_] = run("doctor", "--json").answer["sources"]
    assert source["documents"] == 7
