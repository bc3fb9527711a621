"""The list of sessions: newest first, in pages, narrowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import StoreError
from tests.makers import (
    BASE,
    MessageSpec,
    opencode_db,
    text,
)
from tests.store.shelf import edit, library, opened, synced, talk, ten


def test_sessions_newest_first_through_pages(tmp_path: Path) -> None:
    specs = [
        talk(f"{n:02}", MessageSpec("user", [text("x")]), time=BASE + (n // 2) * 60_000)
        for n in range(11)
    ]
    held = opened(tmp_path, *specs)
    everything = [one.id for one in held.sessions(limit=None).sessions]
    assert len(everything) == 11
    moments = [one.updated for one in held.sessions(limit=None).sessions]
    assert moments == sorted(moments, reverse=True)
    paged: list[str] = []
    cursor = None
    while True:
        page = held.sessions(limit=3, cursor=cursor)
        assert page.total == 11
        paged += [one.id for one in page.sessions]
        assert page.more == (page.cursor is not None)
        if not (cursor := page.cursor):
            break
    assert paged == everything


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", "a b c"),
        ("title:first", "a"),
        ("first", "a"),
        ("FIRST | second", "a b"),
        ("-first", "b c"),
        ("project:beta", "b"),
        ("-project:beta", "a c"),
        ("session:ses_c", "c"),
        ("is:archived", "c"),
        ("is:reverted", "b"),
        ("is:leftover", "b"),
        ("is:live -is:archived", "a b"),
        ("since:2026-12-02", "c"),
        ("before:2026-12-01", "a b"),
        ("source:opencode", "a b c"),
        ("source:other", ""),
    ],
)
def test_sessions_narrowed(tmp_path: Path, query: str, shown: str) -> None:
    held = opened(
        tmp_path,
        talk("a", title="First talk"),
        talk(
            "b",
            MessageSpec("user", [text("x")], id="msg_b"),
            title="Second",
            directory="/home/mia/src/beta",
            columns={"revert": '{"messageID":"msg_b"}'},
        ),
        talk("c", title="第三", time=BASE + 3 * 86_400_000, columns={"time_archived": BASE}),
    )
    found = [one.id for one in held.sessions(query).sessions]
    assert sorted(found) == [f"ses_{name}" for name in shown.split()]


@pytest.mark.parametrize("query", ["kind:title", "tool:bash", "has:error", "status:error"])
def test_filters_that_say_nothing_of_a_session(tmp_path: Path, query: str) -> None:
    with pytest.raises(StoreError, match="INVALID_FILTER"):
        opened(tmp_path, talk("a")).sessions(query)


def test_sessions_are_listed_before_anything_is_indexed(tmp_path: Path) -> None:
    store = opencode_db(
        tmp_path / "opencode.db", sessions=[talk("a", MessageSpec("user", [text("x")]))]
    )
    held = library(tmp_path / "index.db", store)
    (one,) = held.sessions().sessions
    assert (one.id, one.messages, one.parts) == ("ses_a", 1, 1)
    assert held.coverage().behind == 1


def test_a_message_that_loses_its_json_is_still_read(tmp_path: Path) -> None:
    held = ten(tmp_path, 2)
    edit(
        tmp_path / "opencode.db",
        (
            "update message set data = '{', time_updated = time_updated + 1 where id = 'msg_0001'",
            (),
        ),
    )
    synced(tmp_path / "index.db", tmp_path / "opencode.db")
    (hit,) = held.search('"said 1"').hits
    assert (hit.part, hit.snippet) == ("prt_0001", "said 1")
