"""Stores are found wherever their programs may put them, and each place looked at is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.library import Library
from store.sources import discover, open_given
from store.sources.opencode_files import OpencodeFiles
from tests.makers import SessionSpec, garbage, mimocode_db, opencode_db, two_talks
from tests.makers.opencode_files import opencode_files
from tests.makers.opencode_v2 import V2Spec, opencode_v2_db, said


@pytest.fixture
def data() -> Path:
    """The data folder of a person without any environment of their own."""
    return Path.home() / ".local" / "share"


def opencode(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return opencode_db(path, sessions=two_talks())


def mimocode(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return mimocode_db(path, sessions=two_talks())


def found() -> list[tuple[str, Path]]:
    return sorted((source.producer, source.path) for source in discover()[0])


def test_nothing_anywhere_is_told_place_by_place(data: Path) -> None:
    sources, looked = discover()
    assert sources == []
    assert [(one.producer, one.path, one.found) for one in looked] == [
        ("opencode", f"{data}/opencode/opencode*.db", False),
        ("opencode", f"{data}/opencode/storage", False),
        ("mimocode", f"{data}/mimocode/mimocode*.db", False),
        ("dsh", f"{Path.home()}/.dsh/sessions/*/*/session*.jsonl*", False),
    ]


def test_every_channel_has_a_file_of_its_own(data: Path) -> None:
    names = ("opencode.db", "opencode-dev.db", "opencode-next.db")
    paths = [opencode(data / "opencode" / name) for name in names]
    mimo = mimocode(data / "mimocode" / "mimocode.db")
    expected = [("mimocode", mimo), *(("opencode", path) for path in paths)]
    assert found() == sorted(expected)


@pytest.mark.parametrize("named", ["mine.db", "elsewhere/store"])
def test_a_named_file_of_opencode(data: Path, monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    path = opencode(data / "opencode" / named)
    monkeypatch.setenv("OPENCODE_DB", named)
    assert found() == [("opencode", path)]
    assert (str(path), True) in [(one.path, one.found) for one in discover()[1]]


def test_a_file_in_memory_is_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = discover()[1]
    monkeypatch.setenv("OPENCODE_DB", ":memory:")
    monkeypatch.setenv("MIMOCODE_DB", ":memory:")
    assert discover()[1] == usual


def test_a_home_of_mimocode(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MIMOCODE_HOME", str(tmp_path))
    monkeypatch.setenv("MIMOCODE_DB", "mine.db")
    paths = [
        mimocode(tmp_path / "data" / "mimocode-dev.db"),
        mimocode(tmp_path / "data" / "mine.db"),
        mimocode(data / "mimocode" / "mimocode.db"),
    ]
    assert found() == sorted(("mimocode", path) for path in paths)


def test_the_usual_folder_beside_the_one_of_the_environment(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    paths = [
        opencode(tmp_path / "opencode" / "opencode.db"),
        opencode(data / "opencode" / "opencode.db"),
    ]
    assert found() == sorted(("opencode", path) for path in paths)


def test_a_storage_folder(data: Path) -> None:
    folder = opencode_files(data / "opencode" / "storage", sessions=two_talks())
    assert found() == [("opencode", folder)]
    assert (str(folder), True) in [(one.path, one.found) for one in discover()[1]]


def test_a_storage_folder_of_later_versions_is_none(data: Path) -> None:
    path = opencode(data / "opencode" / "opencode.db")
    (data / "opencode" / "storage" / "session_diff").mkdir(parents=True)
    assert found() == [("opencode", path)]


def test_a_folder_that_a_person_named_is_opened_whole(tmp_path: Path) -> None:
    opencode(tmp_path / "opencode.db")
    opencode_v2_db(tmp_path / "opencode-next.db", sessions=[V2Spec("New", [said("x")])])
    garbage(tmp_path / "opencode-bad.db")
    opencode_files(tmp_path / "storage", sessions=[SessionSpec("Old", id="ses_old")])
    sources, errors = open_given([tmp_path])
    assert [error.about for error in errors] == [str(tmp_path / "opencode-bad.db")]
    titles = [[one.title for one in source.listing("x").sessions] for source in sources]
    assert titles == [["查端口", "Find the port"], ["New"], ["Old"]]
    assert [source.producer for source in sources] == ["opencode"] * 3


def test_a_storage_folder_that_a_person_named(tmp_path: Path) -> None:
    folder = opencode_files(tmp_path / "storage", sessions=two_talks())
    (source,), errors = open_given([folder])
    assert errors == []
    assert isinstance(source, OpencodeFiles)


def test_a_store_that_appears_later(data: Path, tmp_path: Path) -> None:
    library = Library.open(index=tmp_path / "index.db")
    assert library.refresh() == ()
    opencode(data / "opencode" / "opencode.db")
    assert [(one.name, one.sessions) for one in library.refresh()] == [("opencode", 2)]
    opencode_files(data / "opencode" / "storage", sessions=[SessionSpec("Old", id="ses_old")])
    assert [(one.name, one.sessions, one.opened) for one in library.refresh()] == [
        ("opencode", 2, "unchanged"),
        ("opencode-2", 1, "files"),
    ]
    library.close()
