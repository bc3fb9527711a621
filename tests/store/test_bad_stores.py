"""What is no store, or a damaged one, gives a code and a sentence; the readable rest answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from threading import Event

import pytest

from store.errors import StoreError
from store.library import Library
from store.model import SourceInfo
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    SessionSpec,
    empty_file,
    folder_in_place,
    garbage,
    huge_row,
    opencode_db,
    set_column,
    set_data,
    text,
    two_talks,
    unrelated_tables,
)
from tests.makers.opencode_v2 import Generation, opencode_v2_db
from tests.store.shelf import edit

Open = Callable[..., Library]
TALK = SessionSpec(
    "Talk",
    [
        MessageSpec("user", [PartSpec(text("bad words"), id="prt_bad")], id="msg_bad"),
        MessageSpec("user", [PartSpec(text("good words"), id="prt_good")], id="msg_good"),
    ],
    id="ses_talk",
)


def absent(path: Path) -> Path:
    return path


def open_library(*stores: Path, index: Path) -> Library:
    library = Library.open(sources=stores, index=index)
    library.sync(Event())
    return library


@pytest.fixture
def damaged(tmp_path: Path) -> Iterator[Open]:
    """Opens a library over a small store in which one row was replaced."""
    opened: list[Library] = []

    def make(data: object, ident: str = "prt_bad", table: str = "part") -> Library:
        path = opencode_db(tmp_path / "opencode.db", sessions=[TALK])
        set_data(path, ident, data, table=table)
        opened.append(open_library(path, index=tmp_path / "index" / "index.db"))
        return opened[0]

    yield make
    opened[0].close()


def faults(source: SourceInfo) -> list[tuple[str, str]]:
    return [(fault.code, fault.about) for fault in source.faults]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"PK\x03\x04 and nothing behind it", "it is a ZIP archive that is damaged"),
        (b"PK\x05\x06" + bytes(18), "or has no log in it"),
        (bytes.fromhex("28b52ffd") + b"cut", "it is packed (zstd)"),
        (b'\xef\xbb\xbf{"messages":', "its JSON is broken"),
        (b' {"inf', "it is JSON, but begins neither as a log nor as a session"),
        (b"[]", "it is JSON"),
    ],
)
def test_a_damaged_file_is_called_what_it_is(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "given"
    path.write_bytes(content)
    with closing(Library.open(sources=[path], index=tmp_path / "index.db")) as library:
        (info,) = library.sync(Event()).sources
    (fault,) = info.faults
    assert fault.code == "SOURCE_UNREADABLE"
    assert sentence in fault.message


@pytest.mark.parametrize(
    ("make", "code", "sentence"),
    [
        (absent, "SOURCE_NOT_FOUND", "does not exist"),
        (empty_file, "SOURCE_UNREADABLE", "the file is empty"),
        (garbage, "SOURCE_UNREADABLE", "it is not an SQLite database"),
        (folder_in_place, "SOURCE_UNREADABLE", "is a folder without a store in it"),
        (unrelated_tables, "SOURCE_UNSUPPORTED", "missing: session.directory"),
    ],
)
def test_a_bad_store_beside_a_good_one(
    tmp_path: Path, make: Callable[[Path], Path], code: str, sentence: str
) -> None:
    bad = make(tmp_path / "opencode.db")
    good = opencode_db(tmp_path / "good.db", sessions=two_talks())
    library = open_library(bad, good, index=tmp_path / "index" / "index.db")
    infos = {info.path: info for info in library.sources()}
    assert faults(infos[str(bad)]) == [(code, str(bad))]
    assert infos[str(bad)].opened in ("failed", "missing")
    assert sentence in infos[str(bad)].faults[0].message
    assert infos[str(good)].faults == ()
    assert [hit.session_title for hit in library.search("4096").hits] == ["Find the port"] * 2
    library.close()


@pytest.mark.parametrize("data", ['{"type":"text","te', "", "[]", b"\xff\x00", 17])
def test_a_broken_row_is_named_and_the_rest_is_found(damaged: Open, data: object) -> None:
    library = damaged(data)
    (source,) = library.sources()
    assert faults(source) == [("CORRUPT_PART", "prt_bad")]
    assert (source.messages, source.parts) == (2, 2)
    assert [hit.part for hit in library.search("words").hits] == ["prt_good"]
    window = library.around("prt_good")
    assert [message.message.id for message in window.messages] == ["msg_bad", "msg_good"]
    assert [fault.about for fault in window.faults] == ["prt_bad"]
    with pytest.raises(StoreError, match="prt_bad cannot be read") as caught:
        library.show("prt_bad")
    assert caught.value.code == "CORRUPT_PART"


def test_a_broken_message_keeps_its_parts(damaged: Open) -> None:
    library = damaged('{"role', "msg_bad", "message")
    assert faults(library.sources()[0]) == [("CORRUPT_PART", "msg_bad")]
    assert [hit.part for hit in library.search("words").hits] == ["prt_good", "prt_bad"]


def test_a_row_that_was_repaired_is_no_fault_any_more(damaged: Open, tmp_path: Path) -> None:
    library = damaged('{"type":')
    assert library.coverage().skipped == 1
    path = tmp_path / "opencode.db"
    set_data(path, "prt_bad", '{"type":"text","text":"mended words"}')
    set_column(path, "part", "prt_bad", "time_updated", BASE + 50_000)
    library.sync(Event())
    assert library.sources()[0].faults == ()
    assert [hit.part for hit in library.search("words is:live").hits] == ["prt_good", "prt_bad"]


def test_a_row_too_large_to_read_is_skipped(tmp_path: Path) -> None:
    path = opencode_db(tmp_path / "opencode.db", sessions=[TALK])
    huge_row(path, "prt_bad", 40)
    library = open_library(path, index=tmp_path / "index" / "index.db")
    (source,) = library.sources()
    assert faults(source) == [("CORRUPT_PART", "prt_bad")]
    assert "too large" in source.faults[0].message
    assert [hit.part for hit in library.search("words").hits] == ["prt_good"]
    library.close()


def test_a_large_row_is_indexed_to_its_end(tmp_path: Path) -> None:
    path = opencode_db(tmp_path / "opencode.db", sessions=[TALK])
    huge_row(path, "prt_bad", 3)
    library = open_library(path, index=tmp_path / "index" / "index.db")
    assert [hit.part for hit in library.search('"last-word"').hits] == ["prt_bad"]
    library.close()


@pytest.mark.parametrize(
    ("generation", "table"),
    [
        *product(("1.18", "2.x"), ("session", "message", "part", "session_message")),
        ("2.x", "session_v2"),
    ],
)
def test_a_store_that_lost_a_table_changes_no_fate(
    tmp_path: Path, table: str, generation: Generation
) -> None:
    talk = SessionSpec("One", [MessageSpec("user", [PartSpec(text("words"), id="prt_a")])])
    path = opencode_v2_db(tmp_path / "opencode.db", generation=generation, old=[talk])
    library = open_library(path, index=tmp_path / "index" / "index.db")
    edit(path, ("pragma foreign_keys = off", ()), (f"drop table {table}", ()))
    library.sync(Event())
    assert faults(library.sources()[0]) == [("SOURCE_UNSUPPORTED", str(path))]
    assert f"missing: {table}" in library.sources()[0].faults[0].message
    assert [hit.part for hit in library.search("words is:live").hits] == ["prt_a"]
    library.close()
