"""A backfill may be killed or stopped at any moment, and others may work beside it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from store import backfill
from store.errors import StoreError
from store.model import Progress
from tests.makers import MessageSpec, opencode_db, text, tool
from tests.store.shelf import documents, edit, fates, found, library, sync, synced, talk

PROCESS = Path(__file__).parent / "backfill_process.py"


def many(path: Path, sessions: int = 6, messages: int = 10) -> Path:
    """A store of several sessions with a text and a tool in each message."""
    talks = [
        talk(
            f"s{n}",
            *[
                MessageSpec(
                    "assistant",
                    [text(f"word{n}x{m} common"), tool("bash", {"n": m}, f"out{n}x{m}")],
                )
                for m in range(messages)
            ],
            title=f"Talk {n}",
        )
        for n in range(sessions)
    ]
    return opencode_db(path, sessions=talks)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return many(tmp_path / "opencode.db")


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "ours" / "index.db"


def killed(store: Path, index: Path, statements: int) -> bool:
    """Whether the process died before it was done."""
    command = [sys.executable, "-m", "tests.store.backfill_process"]
    done = subprocess.run(
        [*command, str(store), str(index), str(statements)],
        capture_output=True,
        text=True,
        cwd=PROCESS.parents[2],
        check=False,
    )
    assert done.returncode in (0, -9), done.stderr
    return done.returncode == -9


@pytest.mark.parametrize("statements", [1, 9, 20, 45, 80, 130, 150])
def test_a_kill_at_any_moment_loses_nothing(
    tmp_path: Path, store: Path, index: Path, statements: int
) -> None:
    assert killed(store, index, statements)
    synced(index, store)
    fresh = tmp_path / "fresh" / "index.db"
    synced(fresh, store)
    assert documents(index) == documents(fresh)
    assert fates(index, "part") == fates(fresh, "part")


def test_kill_after_kill_comes_to_an_end(tmp_path: Path, store: Path, index: Path) -> None:
    kills = 0
    while killed(store, index, 60):
        kills += 1
        assert kills < 40
    assert kills > 1
    fresh = tmp_path / "fresh" / "index.db"
    synced(fresh, store)
    assert documents(index) == documents(fresh)


def test_a_kill_while_changes_are_taken_in(tmp_path: Path, store: Path, index: Path) -> None:
    synced(index, store)
    edit(
        store,
        (
            "update part set time_updated = time_updated + 1,"
            " data = replace(data, 'common', 'rare')",
            (),
        ),
        ("delete from session where id = 'ses_s2'", ()),
        ("delete from message where session_id = 'ses_s3'", ()),
    )
    other = tmp_path / "other.db"
    other.write_bytes(index.read_bytes())
    assert killed(store, index, 70)
    synced(index, store)
    synced(other, store)
    assert documents(index) == documents(other)
    assert fates(index, "part") == fates(other, "part")
    held = library(index, store)
    assert len(found(held, "rare")) == 40
    assert len(found(held, "common is:removed,deleted")) == 20
    assert len(found(held, "common is:replaced")) == 40


class StopAfter(threading.Event):
    """Is set once it was asked so many times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("times", [0, 1, 2, 3, 5, 8, 13, 21, 34, 60, 100, 200])
def test_a_stop_at_any_moment_is_a_report(
    tmp_path: Path, store: Path, index: Path, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backfill, "BATCH_PARTS", 7)
    monkeypatch.setattr(backfill, "STOP_STEPS", 50)
    held = library(index, store)
    for _ in range(2):
        assert held.sync(StopAfter(times)).stopped
    assert not sync(held).stopped
    fresh = tmp_path / "fresh" / "index.db"
    synced(fresh, store)
    assert documents(index) == documents(fresh)


@pytest.mark.parametrize("times", [0, 1, 3, 8, 21, 60, 150, 400])
def test_a_stop_within_a_rebuild_loses_nothing(
    store: Path, index: Path, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced(index, store)
    edit(store, ("delete from session where id = 'ses_s2'", ()))
    synced(index, store)
    before = documents(index)
    monkeypatch.setattr(backfill, "BATCH_PARTS", 7)
    monkeypatch.setattr(backfill, "STOP_STEPS", 50)
    held = library(index, store)
    held.sync(StopAfter(times), rebuild=True)
    sync(held)
    assert documents(index) == before


def test_a_stop_ends_soon_and_keeps_what_was_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = many(tmp_path / "opencode.db", sessions=30, messages=60)
    index = tmp_path / "index.db"
    monkeypatch.setattr(backfill, "PROGRESS_S", 0)
    monkeypatch.setattr(backfill, "BATCH_PARTS", 100)
    held = library(index, store)
    stop = threading.Event()

    def told(progress: Progress) -> None:
        if progress.done >= 600:
            stop.set()

    report = held.sync(stop, told)
    assert report.stopped
    coverage = held.coverage()
    assert 600 <= coverage.indexed < 900 < coverage.known == 3600
    assert len(found(held, "common", limit=1000)) == coverage.indexed / 2


def test_progress_counts_up_to_what_is_known(store: Path, index: Path) -> None:
    told: list[Progress] = []
    library(index, store).sync(threading.Event(), told.append)
    assert [one.finished for one in told][-1]
    assert not any(one.finished for one in told[:-1])
    assert (told[-1].done, told[-1].known, told[-1].documents) == (120, 120, 180)
    assert all(one.done <= one.known for one in told)


# Beside each other ---------------------------------------------------------------------------


def in_the_middle(
    index: Path, store: Path, what: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Does something once while a backfill runs, after some of it was committed."""
    monkeypatch.setattr(backfill, "PROGRESS_S", 0)
    monkeypatch.setattr(backfill, "BATCH_PARTS", 7)
    met: list[int] = []

    def told(progress: Progress) -> None:
        if 0 < progress.done < progress.known and not met:
            met.append(progress.done)
            what()

    held = library(index, store)
    held.sync(threading.Event(), told)
    held.close()
    assert met


def test_one_program_writes_at_a_time(
    store: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: list[str] = []

    def second() -> None:
        script = (
            "import sys, threading; from pathlib import Path\n"
            "from store.library import Library; from store.errors import StoreError\n"
            "held = Library.open(sources=[Path(sys.argv[1])], index=Path(sys.argv[2]))\n"
            "try: held.sync(threading.Event())\n"
            "except StoreError as error: print(error.code)\n"
            "print(len(held.search('common', limit=1000).hits))"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, str(store), str(index)],
            capture_output=True,
            text=True,
            cwd=PROCESS.parents[2],
            check=True,
        )
        codes.extend(done.stdout.split())

    in_the_middle(index, store, second, monkeypatch)
    assert codes[0] == "INDEX_BUSY"
    assert 0 < int(codes[1]) < 60
    assert len(found(library(index, store), "common")) == 60


def test_two_libraries_of_one_process_take_turns(
    store: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: list[str] = []

    def second() -> None:
        with pytest.raises(StoreError) as caught:
            sync(library(index, store))
        codes.append(caught.value.code)

    in_the_middle(index, store, second, monkeypatch)
    assert codes == ["INDEX_BUSY"]
    sync(library(index, store))


def test_everything_can_be_read_while_the_index_is_written(
    store: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[object] = []

    def read() -> None:
        other = library(index, store)
        hits = other.search("common", limit=1000).hits
        answers.append(0 < len(hits) < 60)
        answers.append([hit.time for hit in hits] == sorted([h.time for h in hits], reverse=True))
        answers.append(other.show(hits[0].id).parts[0].id == hits[0].part)
        answers.append(len(other.sessions().sessions))
        answers.append(len(other.around("ses_s0").messages))
        answers.append(other.coverage().complete)
        other.close()

    in_the_middle(index, store, read, monkeypatch)
    assert answers == [True, True, True, 6, 6, False]


def test_the_newest_session_is_there_first(
    store: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions: list[set[str]] = []

    def read() -> None:
        hits = library(index, store).search("common", limit=1000).hits
        sessions.append({hit.session for hit in hits})

    in_the_middle(index, store, read, monkeypatch)
    assert sessions[0] <= {"ses_s5", "ses_s4"}
    assert "ses_s5" in sessions[0]


def test_a_closed_library_says_so(store: Path, index: Path) -> None:
    held = library(index, store)
    sync(held)
    held.search("common")
    held.close()
    held.close()
    for call in (lambda: held.search("common"), held.sessions, held.coverage, held.refresh):
        with pytest.raises(StoreError, match="ABORTED"):
            call()
