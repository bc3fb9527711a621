"""A disk that is full, a home that cannot be written: what is there answers, nothing is lost."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from store import follow
from store.errors import StoreError
from store.model import Change
from tests.makers import MessageSpec, PartSpec, as_nobody, open_folder, opencode_db, text
from tests.store.shelf import add_part, edit, found, library, sync, synced, talk


def store_of(path: Path, count: int) -> Path:
    """A store whose index needs several MB."""
    noise = " ".join(f"w{n * 7919 % 1_000_003}" for n in range(4_000))
    messages = [
        MessageSpec(
            "user", [PartSpec(text(f"common n{n} {noise}{n}"), id=f"prt_{n}")], id=f"msg_{n}"
        )
        for n in range(count)
    ]
    talks = [talk(f"s{n}", *messages[n::4]) for n in range(4)]
    return opencode_db(path, sessions=talks)


class Disk:
    """A small file system in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def mount(self, size: str) -> None:
        options = f"size={size},mode=700"
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(self.folder)]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("no file system can be mounted here")

    def resize(self, size: str) -> None:
        command = ["mount", "-o", f"remount,size={size}", str(self.folder)]
        subprocess.run(command, check=True)

    def fill(self) -> None:
        with (self.folder / "ballast").open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(b"\0" * 4096)
            except OSError:
                return

    def empty(self) -> None:
        (self.folder / "ballast").unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    folder = tmp_path / "small"
    folder.mkdir()
    made = Disk(folder)
    made.mount("1m")
    yield made
    subprocess.run(["umount", "-l", str(folder)], check=False)


def test_a_disk_too_small_for_the_index(tmp_path: Path, disk: Disk) -> None:
    store, index = store_of(tmp_path / "opencode.db", 200), disk.folder / "index.db"
    held = library(index, store)
    for _ in range(2):
        with pytest.raises(StoreError) as caught:
            sync(held)
        assert caught.value.code == "INDEX_FAILED"
        assert "full" in caught.value.message
        assert len(held.search("common", limit=1000).hits) < 200
        held.sessions()
    disk.resize("64m")
    sync(held)
    assert len(found(held, "common")) == 200
    held.close()


def test_a_disk_that_fills_up_later(tmp_path: Path, disk: Disk) -> None:
    disk.resize("64m")
    store, index = store_of(tmp_path / "opencode.db", 20), disk.folder / "index.db"
    held = library(index, store)
    sync(held)
    disk.fill()
    new = {"type": "text", "text": "quartz " + "word " * 40_000}
    add_part(store, "prt_new", "msg_0", "ses_s0", new, 1_796_000_900_000)
    with pytest.raises(StoreError, match="full"):
        sync(held)
    assert len(held.search("common", limit=1000).hits) == 20
    disk.empty()
    sync(held)
    assert "prt_new" in found(held, "quartz")
    held.close()


def test_following_goes_on_when_there_is_room(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "TICK_S", 0.01)
    monkeypatch.setattr(follow, "COLD_S", 0.05)
    disk.resize("64m")
    store, index = store_of(tmp_path / "opencode.db", 20), disk.folder / "index.db"
    held = library(index, store)
    sync(held)
    stop, told = threading.Event(), queue.Queue[Change]()
    thread = threading.Thread(target=held.follow, args=(stop, told.put))
    thread.start()
    assert told.get(timeout=20).everything
    disk.fill()
    title = "quartz " * 9_000
    edit(store, ("update session set title = ? where id = 'ses_s1'", (title,)))
    while (problem := told.get(timeout=20).problem) is None:
        pass
    assert (problem.code, "full" in problem.message) == ("INDEX_FAILED", True)
    disk.empty()
    while not found(held, "quartz"):
        told.get(timeout=20)
    assert found(held, "quartz") == ["ses_s1"]
    stop.set()
    thread.join(20)
    held.close()


@pytest.mark.parametrize("state", ["closed", "log"])
def test_a_home_that_cannot_be_written(state: str) -> None:
    with open_folder() as folder:
        store = store_of(folder / "opencode.db", 8)
        index = folder / "index.db"
        synced(index, store)
        if state == "log":  # as a killed program leaves it
            live = folder / "live.db"
            index.rename(live)
            with closing(apsw.Connection(str(live))) as keeper:
                keeper.execute("select count(*) from meta").fetchall()
                edit(store, ("update session set title = 'quartz'", ()))
                synced(live, store)
                for ending in ("", "-wal"):
                    shutil.copyfile(f"{live}{ending}", f"{index}{ending}")
            assert (folder / "index.db-wal").stat().st_size
        with as_nobody(folder):
            held = library(index, store)
            for call in (lambda: sync(held), held.refresh):
                with pytest.raises(StoreError, match="INDEX_FAILED"):
                    call()
            assert len(found(held, "common")) == 8
            assert len(found(held, "quartz")) == (4 if state == "log" else 0)
            assert len(held.sessions().sessions) == 4
            assert len(held.around("prt_3").messages) == 2
            assert held.show("prt_3").parts[0].id == "prt_3"
            assert held.coverage().complete
            assert held.health().documents > 0
            held.close()


def test_a_home_that_cannot_be_written_is_followed_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with open_folder() as folder:
        store, index = store_of(folder / "opencode.db", 8), folder / "index.db"
        synced(index, store)
        with as_nobody(folder):
            held = library(index, store)
            stop, told = threading.Event(), queue.Queue[Change]()
            monkeypatch.setattr(follow, "COLD_S", 0.01)
            thread = threading.Thread(target=held.follow, args=(stop, told.put))
            thread.start()
            problem = told.get(timeout=20).problem
            stop.set()
            thread.join(20)
            assert problem is not None
            assert problem.code == "INDEX_FAILED"
            held.close()
