"""Statistics: what is counted, how filters narrow it, local days, copies and wrong questions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from store.errors import StoreError
from store.library import Library
from store.model import Count
from tests.makers import MessageSpec, SessionSpec, opencode_db, text, tool, tool_error
from tests.store.shelf import library, sync, talk

NOON = 1_788_264_000_000
"""2026-09-01 12:00 UTC in ms."""
DAY = 86_400_000
SPENT = {"input": 100, "output": 20, "reasoning": 0, "cache": {"read": 7, "write": 0}}


def answer(at: int, *parts: dict[str, Any], model: str = "sonnet") -> MessageSpec:
    extra = {"modelID": model, "providerID": "acme", "cost": 0.25, "tokens": SPENT}
    return MessageSpec("assistant", parts, time=at, extra=extra)


def bash(at: int) -> dict[str, Any]:
    data = tool("bash", {"command": "ls"}, "a.txt")
    data["state"]["time"] = {"start": at, "end": at + 1}
    return data


def failing(at: int) -> dict[str, Any]:
    data = tool_error("read", {"filePath": "/x"}, "File not found")
    data["state"]["time"] = {"start": at, "end": at + 1}
    return data


API = talk(
    "api",
    MessageSpec("user", [text("List it")], time=NOON),
    answer(NOON + 1, bash(NOON + 1), failing(NOON + 2), text("Done")),
    directory="/src/api",
)
WEB = talk(
    "web",
    MessageSpec("user", [text("Again")], time=NOON + DAY),
    answer(NOON + DAY + 1, bash(NOON + DAY + 1), model="opus"),
    directory="/src/web",
)


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Library]:
    found = filled(tmp_path, API, WEB)
    yield found
    found.close()


def filled(folder: Path, *sessions: SessionSpec) -> Library:
    found = library(folder / "index.db", opencode_db(folder / "opencode.db", sessions=sessions))
    sync(found)
    return found


def test_everything_is_counted_once(held: Library) -> None:
    told = held.stats()
    tokens = {"input": 200, "output": 40, "read": 14}
    assert told.total == Count("", 2, 4, 2, 6, 3, 1, 0.5, tokens)
    assert (told.copies, told.coverage.complete) == (0, True)


@pytest.mark.parametrize(
    ("name", "metadata", "failed"),
    [
        ("bash", {"exit": 2}, 1),
        ("bash", {"exit": 0}, 0),
        ("invalid", {}, 1),
        ("read", {}, 0),
    ],
)
def test_a_call_that_completed_in_vain_failed(
    tmp_path: Path, name: str, metadata: dict[str, Any], failed: int
) -> None:
    data = tool(name, {"command": "ls"}, "No such file")
    data["state"]["metadata"] = metadata
    told = filled(tmp_path, talk("vain", answer(NOON, data))).stats()
    assert [(one.name, one.calls, one.failed) for one in told.tools] == [(name, 1, failed)]
    assert told.total.failed == failed


def test_days_are_newest_first(held: Library) -> None:
    half = {"input": 100, "output": 20, "read": 7}
    assert held.stats().days == (
        Count("2026-09-02", 1, 2, 1, 2, 1, 0, 0.25, half),
        Count("2026-09-01", 1, 2, 1, 4, 2, 1, 0.25, half),
    )


def test_tools_projects_and_models(held: Library) -> None:
    told = held.stats()
    half = {"input": 100, "output": 20, "read": 7}
    assert told.tools == (
        Count("bash", 2, parts=2, calls=2),
        Count("read", 1, parts=1, calls=1, failed=1),
    )
    assert [(one.name, one.parts, one.cost) for one in told.projects] == [
        ("api", 4, 0.25),
        ("web", 2, 0.25),
    ]
    assert told.models == (
        Count("acme/opus", 1, 1, cost=0.25, tokens=half),
        Count("acme/sonnet", 1, 1, cost=0.25, tokens=half),
    )


def test_days_are_local(held: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")  # 14 hours ahead
    time.tzset()
    assert [one.name for one in held.stats().days] == ["2026-09-03", "2026-09-02"]


@pytest.mark.parametrize(
    ("query", "messages", "parts", "calls", "cost"),
    [
        ("project:api", 2, 4, 2, 0.25),
        ("tool:bash", 2, 2, 2, 0.5),
        ("-tool:bash", 4, 4, 1, 0.5),
        ("tool:read,grep", 1, 1, 1, 0.25),
        ("status:error", 1, 1, 1, 0.25),
        ("has:error", 1, 1, 1, 0.25),
        ("role:user", 2, 2, 0, 0.0),
        ("model:opus", 1, 1, 1, 0.25),
        ("since:2026-09-02", 2, 2, 1, 0.25),
        ("session:ses_web tool:bash", 1, 1, 1, 0.25),
        ("project:none", 0, 0, 0, 0.0),
        ("is:archived", 0, 0, 0, 0.0),
    ],
)
def test_filters_narrow(
    held: Library, query: str, messages: int, parts: int, calls: int, cost: float
) -> None:
    total = held.stats(query).total
    assert (total.messages, total.parts, total.calls, total.cost) == (messages, parts, calls, cost)


def test_only_the_named_sources_answer(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    filled(tmp_path, API).close()
    other = library(tmp_path / "index.db", opencode_db(tmp_path / "other" / "o.db", sessions=[WEB]))
    sync(other)
    assert [one.name for one in other.stats().projects] == ["web"]
    assert other.stats("tool:bash").total.calls == 1
    other.close()


def test_copies_are_left_out_and_counted(held: Library, tmp_path: Path) -> None:
    with apsw.Connection(str(tmp_path / "index.db")) as db:
        sql = "UPDATE doc SET copy_of = 1 WHERE session = (SELECT id FROM session WHERE native = ?)"
        db.execute(sql, ("ses_web",))
    told = held.stats()
    assert (told.copies, told.total.messages, told.total.parts) == (2, 2, 4)
    assert held.stats("tool:bash").total.calls == 1


def test_what_the_stores_hold_now_is_told_as_for_the_sources(held: Library, tmp_path: Path) -> None:
    with apsw.Connection(str(tmp_path / "index.db")) as db:
        web = "session = (SELECT id FROM session WHERE native = 'ses_web')"
        db.execute(f"UPDATE message SET fate = 'removed' WHERE role = 'user' AND {web}")
        db.execute("UPDATE session SET messages = 1, parts = 1 WHERE native = 'ses_web'")
    told, (source,) = held.stats(), held.sources()
    assert told.held == Count(
        sessions=source.sessions, messages=source.messages, parts=source.parts
    )
    assert told.held.messages == 3
    assert (told.total.messages, told.gone) == (4, 1)
    assert held.stats("project:web").held == Count(sessions=1, messages=1, parts=1)
    assert held.stats("project:api").gone == 0
    assert (held.stats("tool:bash").held, held.stats("tool:bash").gone) == (None, None)


def test_numbers_beyond_an_integer_do_not_stop_it(tmp_path: Path) -> None:
    huge = {"input": 2**63, "output": 1}
    message = MessageSpec("assistant", [text("x")], time=NOON, extra={"tokens": huge})
    held = filled(tmp_path, talk("one", message, message))
    assert held.stats().total.tokens["output"] == 2
    held.close()


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("port", "INVALID_QUERY"),
        ("-port", "INVALID_QUERY"),
        ("kind:tool_output", "INVALID_FILTER"),
        ("status:odd", "INVALID_FILTER"),
    ],
)
def test_what_cannot_be_counted_by(held: Library, query: str, code: str) -> None:
    with pytest.raises(StoreError) as caught:
        held.stats(query)
    assert caught.value.code == code


def test_a_store_that_nobody_indexed_counts_nothing(tmp_path: Path) -> None:
    held = library(tmp_path / "index.db", opencode_db(tmp_path / "opencode.db", sessions=[API]))
    told = held.stats()
    assert (told.total, told.coverage.behind) == (Count(), 4)
    held.close()
