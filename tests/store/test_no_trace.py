"""A whole visit of the library leaves a store's folder as it was, in whatever state it lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from store.library import Library
from tests.makers import (
    MessageSpec,
    PartSpec,
    SessionSpec,
    Writer,
    as_nobody,
    fingerprint,
    live_writer,
    mimocode_db,
    open_folder,
    opencode_db,
    text,
)

TALK = SessionSpec(
    "Talk",
    [MessageSpec("user", [PartSpec(text("first words"), id="prt_first")], id="msg_talk")],
    id="ses_talk",
)
Make = Callable[[Path], Path]


def visit(store: Path, index: Path) -> int:
    """Does everything that a command or the screen asks for; gives the number of hits."""
    library = Library.open(sources=[store], index=index)
    try:
        library.refresh()
        assert library.sync(Event()).sources[0].faults == ()
        assert [session.id for session in library.sessions().sessions] == ["ses_talk"]
        hits = library.search("words").hits
        for hit in hits:
            assert library.around(hit.id).part == hit.part
            assert len(library.show(hit.id).parts) == 1
            assert '"type":"text"' in library.raw(hit.id)
        assert library.page("ses_talk", 0, 10).total == 1
        library.sync(Event())
        assert library.coverage().complete
        library.health()
        return len(hits)
    finally:
        library.close()


@contextmanager
def untouched(folder: Path, *, shm: bool = True) -> Iterator[None]:
    before, changed = fingerprint(folder, shm=shm), folder.stat().st_mtime_ns
    yield
    assert fingerprint(folder, shm=shm) == before
    assert folder.stat().st_mtime_ns == changed


def opencode(folder: Path) -> Path:
    return opencode_db(folder / "opencode.db", sessions=[TALK])


def rollback_journal(folder: Path) -> Path:
    return opencode_db(folder / "opencode.db", sessions=[TALK], journal="delete")


def version_1_2(folder: Path) -> Path:
    return opencode_db(folder / "opencode.db", version="1.2.1", sessions=[TALK])


def mimocode(folder: Path) -> Path:
    return mimocode_db(folder / "mimocode.db", sessions=[TALK])


def with_an_empty_log(folder: Path) -> Path:
    path = opencode(folder)
    path.with_name("opencode.db-wal").write_bytes(b"")
    return path


def killed(folder: Path) -> Path:
    path = opencode(folder)
    writer = Writer(path)
    writer.add_texts("msg_talk", "ses_talk", ["later words"])
    writer.kill()
    return path


def killed_without_shm(folder: Path) -> Path:
    path = killed(folder)
    path.with_name("opencode.db-shm").unlink()
    return path


STATES = [
    (opencode, 1),
    (rollback_journal, 1),
    (version_1_2, 1),
    (mimocode, 1),
    (with_an_empty_log, 1),
    (killed, 2),
    (killed_without_shm, 2),
]


@pytest.mark.parametrize(("make", "hits"), STATES)
def test_a_visit(tmp_path: Path, make: Make, hits: int) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    path = make(folder)
    with untouched(folder):
        assert visit(path, tmp_path / "index" / "index.db") == hits


@pytest.mark.parametrize(("make", "hits"), STATES)
def test_a_visit_in_a_read_only_folder(make: Make, hits: int) -> None:
    with open_folder() as folder, open_folder() as own:
        path = make(folder)
        own.chmod(0o777)
        with as_nobody(folder), untouched(folder):
            assert visit(path, own / "index.db") == hits


def test_a_visit_beside_a_live_writer(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    path = opencode(folder)
    with live_writer(path) as writer:
        writer.add_texts("msg_talk", "ses_talk", ["later words", "last words"])
        with untouched(folder, shm=False):
            assert visit(path, tmp_path / "index.db") == 3
    assert [item.name for item in folder.iterdir()] == ["opencode.db"]


def test_a_library_that_stays_open_while_the_writer_closes(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    path = opencode(folder)
    library = Library.open(sources=[path], index=tmp_path / "index.db")
    with live_writer(path) as writer:
        writer.add_texts("msg_talk", "ses_talk", ["later words"])
        library.sync(Event())
        library.around("prt_live_0")
        writer.close()
        assert [item.name for item in folder.iterdir()] == ["opencode.db"]
    assert library.around("prt_live_0").part == "prt_live_0"
    library.close()
