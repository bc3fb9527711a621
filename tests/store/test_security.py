"""What is nobody's business stays closed: credentials, other people's files, our own index."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from store import salvage
from store.errors import StoreError
from store.sources.opencode import OpencodeSource
from tests.makers import live_writer, opencode_db, two_talks
from tests.makers.rows import insert
from tests.store.shelf import edit, every_hit, found, library, one_talk, sync, synced

SECRETS = ("account", "account_state", "control_account", "credential", "session_share")
TOKEN = "tok_4f1c9a77"


@pytest.fixture
def tables_read(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """The tables of which any connection reads a column."""
    read: set[str] = set()

    def noted(action: int, first: str | None, *_: object) -> int:
        if action == apsw.SQLITE_READ and first:
            read.add(first)
        return apsw.SQLITE_OK

    def watch(connection: apsw.Connection) -> None:
        connection.authorizer = noted

    apsw.connection_hooks.append(watch)
    yield read
    apsw.connection_hooks.remove(watch)


def with_tokens(path: Path) -> Path:
    times = {"time_created": 1, "time_updated": 1}
    with closing(sqlite3.connect(path)) as db:
        for table in ("account", "control_account"):
            row = {"email": "a@b", "url": "u", "access_token": TOKEN, "refresh_token": TOKEN}
            more = {"id": "acc"} if table == "account" else {"active": 1}
            insert(db, table, {**row, **more, **times})
        insert(db, "credential", {"id": "cre", "label": "x", "value": TOKEN, **times})
        db.commit()
    return path


def test_tables_with_tokens_are_never_read(
    tmp_path: Path, index: Path, tables_read: set[str]
) -> None:
    store = with_tokens(one_talk(tmp_path / "opencode.db"))
    held = library(index, store)
    sync(held)
    for hit in every_hit(held, "-kind:title"):
        held.show(hit.id)
        held.raw(hit.id)
    held.around("prt_say")
    OpencodeSource(store).glance()
    with live_writer(store) as writer:
        writer.add_texts("msg_say", "ses_one", ["more"])
        sync(held)
    held.close()
    assert {"session", "message", "part", "event_sequence"} <= tables_read
    assert not tables_read & set(SECRETS)
    assert TOKEN.encode() not in index.read_bytes()


def test_files_with_tokens_are_never_opened(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    places = [".dsh", ".local/share/opencode", ".local/share/mimocode"]
    secrets = [".credentials.yaml", "auth.json", "mcp-auth.json", "account.json"]
    for place in places:
        (home / place / "sessions" / "p").mkdir(parents=True)
        for name in secrets:
            for folder in ("", "sessions/", "sessions/p/"):
                (home / place / f"{folder}{name}").write_text(f'{{"token": "{TOKEN}"}}')
    opencode_db(home / places[1] / "opencode.db", sessions=two_talks())
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / ".local" / "share"))
    opened: list[str] = []
    listening = True

    def listen(event: str, given: tuple[object, ...]) -> None:
        if listening and event == "open":
            opened.append(str(given[0]))

    sys.addaudithook(listen)
    held = library(index)
    sync(held)
    assert found(held, "port")
    held.close()
    listening = False
    assert [path for path in opened if Path(path).name in secrets] == []


def test_everything_of_ours_is_its_owner_s_alone(store: Path, index: Path) -> None:
    held = library(index, store)
    sync(held)
    salvage.mark(index)
    assert index.with_name("index.db.damaged").stat().st_mode & 0o777 == 0o600
    sync(held)
    edit(store, ("update session set title = 'other'", ()))
    sync(held)
    held.search("other")
    modes = {path.name: path.stat().st_mode & 0o777 for path in index.parent.iterdir()}
    assert len(modes) > 3
    assert set(modes.values()) == {0o600}
    held.close()


# Links -----------------------------------------------------------------------------------------


def test_a_store_behind_a_link_is_named_by_its_real_place(
    tmp_path: Path, store: Path, index: Path
) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(store)
    report = synced(index, link)
    assert [source.path for source in report.sources] == [str(store)]


def test_a_link_that_takes_a_store_s_place_is_not_followed(
    tmp_path: Path, store: Path, index: Path
) -> None:
    held = library(index, store)
    sync(held)
    other = opencode_db(tmp_path / "private.db", sessions=two_talks())
    source = OpencodeSource(store)
    store.unlink()
    store.symlink_to(other)
    with pytest.raises(StoreError) as caught:
        source.listing("opencode")
    assert caught.value.code == "SOURCE_UNREADABLE"
    assert str(other) in caught.value.message
    held.close()


def test_a_folder_that_became_a_link(tmp_path: Path, index: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    source = OpencodeSource(one_talk(folder / "opencode.db"))
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="a link leads from there"):
        source.glance()


def test_a_log_that_is_a_link(tmp_path: Path, store: Path) -> None:
    (tmp_path / "secret").write_bytes(b"x" * 5_000)
    store.with_name("opencode.db-wal").symlink_to(tmp_path / "secret")
    with pytest.raises(StoreError, match="its log is a link"):
        OpencodeSource(store).listing("opencode")
