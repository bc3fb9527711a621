"""What every producer's source keeps to, whoever it is: reading without a trace, order, faults."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import pytest

from store import sources
from store.errors import StoreError
from store.library import Library
from store.model import Part, Text, Unknown
from store.source import Source
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    SessionSpec,
    fingerprint,
    mimocode_db,
    opencode_db,
    set_data,
    text,
)
from tests.makers.harness import LogSpec, assistant, harness_home, harness_sqlite, user
from tests.makers.harness import text as block
from tests.makers.opencode_files import opencode_files


@dataclass(frozen=True)
class Producer:
    """How to make one producer's store with the same talk, whole or with one thing broken.

    `make(folder)` gives the path for `--source`. `spoil` breaks one part of the talk, `remove`
    deletes its second session, `hide` makes the list of sessions unreadable in part.
    """

    name: str
    make: Callable[[Path], Path]
    spoil: Callable[[Path], None]
    remove: Callable[[Path], None]
    hide: Callable[[Path], None]


# The same two sessions of every producer, and ways to spoil them --------------------------------


def _sessions() -> list[SessionSpec]:
    talk = SessionSpec(
        "Talk",
        [
            MessageSpec("user", [text("first")], id="msg_1", time=BASE + 1000),
            MessageSpec("assistant", [PartSpec(text("broken"), id="prt_x")], id="msg_2"),
            MessageSpec("assistant", [text("second"), {"type": "odd", "size": 3}], id="msg_3"),
        ],
        id="ses_talk",
    )
    other = SessionSpec("Other", [MessageSpec("user", [text("elsewhere")])], id="ses_other")
    return [talk, other]


def _table_spoil(path: Path) -> None:
    set_data(path, "prt_x", '{"type":"text","te')


def _table_remove(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("delete from session where id = 'ses_other'")
        db.execute("delete from message where session_id = 'ses_other'")
        db.execute("delete from part where session_id = 'ses_other'")
        db.commit()


def _table_hide(path: Path) -> None:
    """Cuts the file's end off, where some of its pages are."""
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])


def _logs() -> list[LogSpec]:
    events = [
        user("first", "msg_1"),
        assistant(block("broken"), ident="msg_2"),
        assistant(block("second"), {"type": "odd", "size": 3}, ident="msg_3"),
    ]
    return [
        LogSpec("ses_talk", events),
        LogSpec("ses_other", [user("elsewhere", "msg_9")], cwd=None),
    ]


def _log(home: Path, session: str) -> Path:
    (found,) = home.glob(f"sessions/*/{session}/session.v4.jsonl")
    return found


def _log_spoil(home: Path) -> None:
    log = _log(home, "ses_talk")
    log.write_bytes(log.read_bytes().replace(b'{"type":"assistant', b'{"type"assistant', 1))


def _log_remove(home: Path) -> None:
    shutil.rmtree(_log(home, "ses_other").parent)


def _log_hide(home: Path) -> None:
    """Puts a project out of reach: in its place is a link that leads nowhere."""
    project = _log(home, "ses_other").parent.parent
    project.rename(home.parent / "moved")
    project.symlink_to(home / "nowhere")


def _rows_spoil(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            "update events set data = '{\"message' where seq = 1 and session_id = 'ses_talk'"
        )
        db.commit()


def _rows_remove(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("delete from sessions where id = 'ses_other'")
        db.execute("delete from events where session_id = 'ses_other'")
        db.commit()


def _files_spoil(storage: Path) -> None:
    part = storage / "part" / "msg_2" / "prt_x.json"
    part.write_text(part.read_text()[:-9])


def _files_session(storage: Path) -> Path:
    (found,) = storage.glob("session/*/ses_other.json")
    return found


def _files_remove(storage: Path) -> None:
    _files_session(storage).unlink()
    messages = storage / "message" / "ses_other"
    for message in messages.iterdir():
        shutil.rmtree(storage / "part" / message.stem)
    shutil.rmtree(messages)


def _files_hide(storage: Path) -> None:
    """Leaves half of a session's file, as a reader meets it while it is written."""
    session = _files_session(storage)
    session.write_text(session.read_text()[:40])


PRODUCERS = (
    Producer(
        "opencode",
        lambda folder: opencode_db(folder / "opencode.db", sessions=_sessions()),
        _table_spoil,
        _table_remove,
        _table_hide,
    ),
    Producer(
        "mimocode",
        lambda folder: mimocode_db(folder / "mimocode.db", sessions=_sessions()),
        _table_spoil,
        _table_remove,
        _table_hide,
    ),
    Producer(
        "dsh",
        lambda folder: harness_home(folder / "home", _logs(), packed=False),
        _log_spoil,
        _log_remove,
        _log_hide,
    ),
    Producer(
        "dsh",
        lambda folder: harness_sqlite(folder / "sessions.sqlite", _logs()),
        _rows_spoil,
        _rows_remove,
        _table_hide,
    ),
)
FILES = Producer(
    "opencode",
    lambda folder: opencode_files(folder / "storage", sessions=_sessions()),
    _files_spoil,
    _files_remove,
    _files_hide,
)
"""The files from before opencode had a database."""
DATABASES = {"opencode": "part", "mimocode": "part", "dsh": "events"}


@pytest.fixture(
    params=(*PRODUCERS, FILES),
    ids=["opencode", "mimocode", "dsh", "dsh-sqlite", "opencode-files"],
)
def producer(request: pytest.FixtureRequest) -> Producer:
    found = request.param
    assert isinstance(found, Producer)
    return found


@pytest.fixture
def store(producer: Producer, tmp_path: Path) -> Path:
    """The producer's store in a folder of its own."""
    folder = tmp_path / "store"
    folder.mkdir()
    return producer.make(folder)


@pytest.fixture
def library(store: Path, tmp_path: Path) -> Iterator[Library]:
    opened = Library.open(sources=[store], index=tmp_path / "index" / "index.db")
    yield opened
    opened.close()


def opened(store: Path) -> Source:
    (found,), errors = sources.open_given([store])
    assert errors == []
    return found


def talk(source: Source) -> list[Part]:
    """All parts of the first session, in reading order."""
    natives = [place.id for place in source.order("ses_talk")]
    return list(source.window("ses_talk", natives).parts)


def words(parts: list[Part]) -> list[str]:
    return [one.content.text for one in parts if isinstance(one.content, Text)]


def visit(source: Source) -> None:
    """Asks a source everything that it can be asked."""
    listing = source.listing("x")
    natives = [session.id for session in listing.sessions]
    source.stamps(natives)
    for outline in source.outlines(natives):
        source.bodies(outline.session, outline.messages, outline.parts)
        order = source.order(outline.session)
        source.window(outline.session, [place.id for place in order])
        for found in source.find(outline.session[:5], 5):
            source.raw(found)
    assert source.state() == listing.state


# The contract --------------------------------------------------------------------------------


def test_a_visit_leaves_no_trace(store: Path) -> None:
    folder = store.parent
    before, changed = fingerprint(folder), folder.stat().st_mtime_ns
    visit(opened(store))
    assert fingerprint(folder) == before
    assert folder.stat().st_mtime_ns == changed


def test_it_says_whose_it_is_and_where(producer: Producer, store: Path) -> None:
    source = opened(store)
    assert source.producer == producer.name
    assert source.path.is_relative_to(store)
    assert {one.source for one in source.listing("a-name").sessions} == {"a-name"}


def test_sessions_are_listed_once_each(store: Path) -> None:
    listing = opened(store).listing("x")
    assert sorted(one.id for one in listing.sessions) == ["ses_other", "ses_talk"]
    assert (listing.complete, listing.faults) == (True, ())


def test_messages_and_parts_come_in_reading_order(store: Path) -> None:
    source = opened(store)
    order = source.order("ses_talk")
    assert [place.id for place in order] == ["msg_1", "msg_2", "msg_3"]
    assert sorted(order) == order
    assert words(talk(source)) == ["first", "broken", "second"]


def test_bodies_are_what_the_outline_names(store: Path) -> None:
    source = opened(store)
    (outline,) = source.outlines(["ses_talk"])
    assert outline.complete
    bodies = source.bodies("ses_talk", outline.messages, outline.parts)
    assert {one.id for one in bodies.messages} == {one.id for one in outline.messages}
    refs = {one.id: one.parent for one in outline.parts}
    assert {one.id: one.message for one in bodies.parts} == refs
    assert len(refs) == len(outline.parts) == 4
    one = outline.parts[0]
    assert [part.id for part in source.bodies("ses_talk", (), [one]).parts] == [one.id]


def test_parts_of_unknown_types_are_kept(store: Path) -> None:
    assert talk(opened(store))[-1].content == Unknown("odd", {"size": 3})


def test_a_broken_row_is_a_fault_beside_good_ones(producer: Producer, store: Path) -> None:
    producer.spoil(store)
    source = opened(store)
    (outline,) = source.outlines(["ses_talk"])
    bodies = source.bodies("ses_talk", outline.messages, outline.parts)
    assert words(list(bodies.parts)) == ["first", "second"]
    faults = outline.faults + bodies.faults
    assert {fault.code for fault in faults} <= {"CORRUPT_PART", "CORRUPT_SESSION"}
    assert len(faults) == 1


def test_an_incomplete_scan_deletes_nothing(
    producer: Producer, store: Path, library: Library, tmp_path: Path
) -> None:
    library.sync(Event())
    producer.hide(store)
    (info,) = library.sync(Event()).sources
    assert info.faults
    # What the index knows is asked without the store: a damaged one may not answer at all.
    known = Library.open(index=tmp_path / "index" / "index.db")
    assert {one.id: one.fate for one in known.sessions().sessions} == {
        "ses_talk": "live",
        "ses_other": "live",
    }
    assert [hit.fate for hit in known.search("elsewhere").hits] == ["live"]
    known.close()


def test_a_complete_scan_says_what_is_gone(
    producer: Producer, store: Path, library: Library
) -> None:
    library.sync(Event())
    producer.remove(store)
    library.sync(Event())
    fates = {one.id: one.fate for one in library.sessions().sessions}
    assert fates == {"ses_talk": "live", "ses_other": "deleted"}
    assert [hit.fate for hit in library.search("elsewhere").hits] == ["deleted"]


def test_a_store_that_is_gone_is_an_error_with_a_code(store: Path) -> None:
    source = opened(store)
    store.rename(store.with_name("moved"))
    with pytest.raises(StoreError) as caught:
        source.state()
    assert caught.value.code == "SOURCE_NOT_FOUND"


def test_what_is_still_in_the_write_ahead_log_is_seen(
    producer: Producer, store: Path, tmp_path: Path
) -> None:
    if store.is_dir():
        pytest.skip("log files have no write-ahead log")
    table = DATABASES[producer.name]
    copy = tmp_path / "copy" / store.name
    copy.parent.mkdir()
    with closing(sqlite3.connect(store)) as db:
        db.execute("pragma journal_mode = wal")
        db.execute("pragma wal_autocheckpoint = 0")
        db.execute(f"update {table} set data = replace(data, 'second', 'in the log')")
        db.commit()
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{store}{suffix}", f"{copy}{suffix}")
    assert "in the log" in words(talk(opened(copy)))


def test_two_visits_find_the_same(store: Path, library: Library) -> None:
    first = library.sync(Event()).sources[0]
    again = library.sync(Event()).sources[0]
    assert (first.sessions, first.messages, first.parts) == (2, 4, 5)
    assert (again.sessions, again.messages, again.parts, again.documents) == (
        first.sessions,
        first.messages,
        first.parts,
        first.documents,
    )
    assert again.opened == "unchanged"
