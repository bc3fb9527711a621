"""Files are looked at often while they are in use, now and then otherwise; none is opened."""

from __future__ import annotations

import os
import time
from pathlib import Path

from store.watch import COLD_S, HOT_S, Watch


class Clock:
    def __init__(self) -> None:
        self.time = time.time() + 10

    def __call__(self) -> float:
        return self.time


def aged(path: Path, seconds: float, clock: Clock) -> Path:
    moment = clock.time - seconds
    os.utime(path, (moment, moment))
    return path


def watching(path: Path, clock: Clock) -> Watch:
    watch = Watch(clock)
    watch.put({"one": path})
    assert watch.moved() == {"one"}, "a store that was never seen counts as moved"
    return watch


def store(tmp_path: Path, clock: Clock, age: float) -> Path:
    path = tmp_path / "store.db"
    path.write_bytes(b"x")
    return aged(path, age, clock)


def test_a_store_at_rest_does_not_move(tmp_path: Path) -> None:
    clock = Clock()
    watch = watching(store(tmp_path, clock, 60), clock)
    for _ in range(3):
        clock.time += 2
        assert watch.moved() == set()


def test_a_log_that_appears_grows_or_goes(tmp_path: Path) -> None:
    clock = Clock()
    watch = watching(store(tmp_path, clock, 60), clock)
    log = tmp_path / "store.db-wal"
    for step in (b"a", b"ab", None):
        if step is None:
            log.unlink()
        else:
            log.write_bytes(step)
            aged(log, 1, clock)
        clock.time += 0.25
        assert watch.moved() == {"one"}
        assert watch.moved() == set()


def test_what_was_written_this_moment_is_looked_at_once_more(tmp_path: Path) -> None:
    clock = Clock()
    path = store(tmp_path, clock, 60)
    watch = watching(path, clock)
    aged(path, 0.05, clock)
    assert watch.moved() == {"one"}
    clock.time += 1
    assert watch.moved() == {"one"}
    assert watch.moved() == set()


def test_a_cold_store_waits_for_its_turn(tmp_path: Path) -> None:
    clock = Clock()
    path = store(tmp_path, clock, 2 * HOT_S)
    watch = Watch(clock)
    log = tmp_path / "store.db-wal"
    log.write_bytes(b"")
    aged(log, 2 * HOT_S, clock)
    watch.put({"one": path})
    watch.moved()
    path.write_bytes(b"other")
    aged(path, 1, clock)
    clock.time += COLD_S / 2
    assert watch.moved() == set()
    clock.time += COLD_S / 2 + 0.1
    assert watch.moved() == {"one"}


def test_a_clock_that_was_set_back_hides_nothing(tmp_path: Path) -> None:
    clock = Clock()
    path = store(tmp_path, clock, 2 * HOT_S)
    watch = watching(path, clock)
    clock.time -= 100_000
    path.write_bytes(b"other")
    aged(path, 2 * HOT_S, clock)
    assert watch.moved() == {"one"}


def test_a_file_anywhere_in_a_folder(tmp_path: Path) -> None:
    clock = Clock()
    folder = tmp_path / "logs" / "project"
    folder.mkdir(parents=True)
    log = folder / "session.jsonl"
    log.write_text("a\n")
    for path in (log, folder, folder.parent):
        aged(path, 60, clock)
    watch = watching(folder.parent, clock)
    assert watch.moved() == set()
    log.write_text("a\nb\n")
    aged(log, 1, clock)
    assert watch.moved() == {"one"}
    (folder / "other.jsonl").write_text("c\n")
    aged(folder, 1, clock)
    assert watch.moved() == {"one"}


def test_other_stores_in_the_place_of_these(tmp_path: Path) -> None:
    clock = Clock()
    watch = watching(store(tmp_path, clock, 60), clock)
    other = tmp_path / "other.db"
    other.write_bytes(b"y")
    aged(other, 60, clock)
    watch.put({"one": tmp_path / "store.db", "two": other})
    assert watch.moved() == {"two"}
    watch.put({"two": other})
    assert watch.moved() == set()
