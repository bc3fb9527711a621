"""What DeepSeek Harness can find in its own logs is found here, and what it leaves out is, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from store.errors import StoreError
from store.library import Library
from store.model import Lineage
from store.rules import Rules
from store.sources.harness import HarnessSource
from tests.makers import BASE
from tests.makers.harness import (
    LogSpec,
    assistant,
    call,
    event,
    harness_home,
    replacing,
    small_talk,
    text,
    thought,
    title,
    tool_call,
    tool_result,
    turn_end,
    turn_start,
    user,
)

Open = Callable[..., Library]


@pytest.fixture
def logs(tmp_path: Path) -> Iterator[Open]:
    """A library over a home with these logs, brought up to date unless told not to."""
    held: list[Library] = []

    def make(*specs: LogSpec, indexed: bool = True, rules: Rules | None = None) -> Library:
        home = harness_home(tmp_path / "home", specs)
        held.append(Library.open(sources=[home], index=tmp_path / "index.db", rules=rules))
        if indexed:
            held[-1].sync(Event())
        return held[-1]

    yield make
    for one in held:
        one.close()


def parts(held: Library, query: str) -> list[str | None]:
    return sorted((hit.part for hit in held.search(query, limit=1000).hits), key=str)


def kinds(held: Library) -> list[tuple[str, str]]:
    """Kind and snippet of all that can be found, the oldest first."""
    return [(hit.kind, hit.snippet) for hit in reversed(held.search("", limit=1000).hits)]


# What is found -------------------------------------------------------------------------------


def test_bookkeeping_is_no_text(logs: Open) -> None:
    header = {"header": {"config": {"model": "walrus"}, "system": "walrus"}, "reason": "initial"}
    held = logs(
        LogSpec(
            events=[
                turn_start(),
                event("step/start", {"turn": 1, "step": 1}),
                event("request/header", header),
                event("future/event", {"text": "walrus"}, ignorable=True),
                assistant(thought("only a thought")),
                tool_call("bash", '{"cmd":"pwd"}'),
                tool_result(""),
                event("step/end", {"turn": 1, "step": 1}),
                turn_end("completed"),
            ]
        )
    )
    assert kinds(held) == [("reasoning", "only a thought"), ("tool_input", "bash cmd: pwd")]
    assert parts(held, "walrus") == []


def test_what_the_model_sees_what_was_replaced_and_what_it_never_saw(logs: Open) -> None:
    answer = assistant(text("needle two"), surfaceOp=replacing(0, 0), sourceEventSeqs=[0])
    failed = turn_end("error", error={"message": "needle three"})
    held = logs(LogSpec(events=[user("needle one"), answer, failed]))
    found = {hit.snippet: hit.flags for hit in held.search("needle").hits}
    assert found == {"needle one": ("shadowed",), "needle two": (), "error needle three": ()}
    assert parts(held, "needle is:shadowed") == ["u1#0"]
    assert parts(held, "needle -is:shadowed") == [None, "a1#0"]


@pytest.mark.parametrize(
    ("asked", "said", "found"),
    [
        ("hello   (ai)+", "Hello\n(AI)+", True),
        ("CAFÉ", "café", True),
        ("alpha beta", "Alpha\n beta", True),
        ("alpha beta", "alpha middle beta", False),
    ],
)
def test_the_exact_text_whatever_its_case_and_blanks(
    logs: Open, asked: str, said: str, found: bool
) -> None:
    held = logs(LogSpec(events=[user(said)]))
    assert [hit.part for hit in held.scan(asked).hits] == (["u1#0"] if found else [])


def test_no_exact_text_is_no_query(logs: Open) -> None:
    with pytest.raises(StoreError, match="INVALID_QUERY"):
        logs(LogSpec(events=[user("x")])).scan(" \n ")


WORDS = {
    "a": "😀😀 alpha beta BRAID 😀😀",
    "b": "alpha beta",
    "c": "alpha middle beta",
    "d": "An AI helper",
    "e": "needle alone",
    "f": "needle OR absent",
    "g": 'say "needle" exactly',
    "h": "long long long—café,\nnext value",
    "i": "解析逻辑已经检查完毕：foo-bar",
}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("alpha beta", "abc"),
        ('"alpha beta"', "ab"),
        ("  alpha\n beta  ", "abc"),
        ("AI", "d"),
        ("raid", "a"),
        ("needle OR absent", "f"),
        ('say "needle"', "g"),
        ("*", ""),
        ("CAFE", "h"),
        ("解析", "i"),
        ("检查完毕", "i"),
        ("foo bar", "i"),
    ],
)
def test_words_and_signs_are_data(logs: Open, query: str, expected: str) -> None:
    held = logs(LogSpec(events=[user(said, ident) for ident, said in WORDS.items()]))
    assert parts(held, query) == [f"{ident}#0" for ident in expected]


def test_a_snippet_is_one_line_with_the_word_in_it(logs: Open) -> None:
    (hit,) = logs(LogSpec(events=[user(WORDS["h"])])).search("CAFE").hits
    assert "café" in hit.snippet
    assert "\n" not in hit.snippet


def test_a_call_is_found_once_though_the_log_tells_it_twice(logs: Open) -> None:
    held = logs(LogSpec(events=small_talk()))
    assert parts(held, "ltn kind:tool_input") == ["a1#1"]


def test_what_the_program_put_in_is_left_out_until_it_is_asked_for(logs: Open) -> None:
    skills = user("walrus catalogue", "s1", kind="skill-catalog")
    held = logs(LogSpec(events=[skills, user("a walrus", "u1")]))
    assert parts(held, "walrus") == ["u1#0"]
    assert parts(held, "walrus is:synthetic") == ["s1#0"]


def test_an_argument_that_nobody_can_mean(logs: Open) -> None:
    held = logs(LogSpec(events=small_talk()))
    for limit in (0, 1001):
        with pytest.raises(StoreError, match="INVALID_LIMIT"):
            held.search("x", limit=limit)
    with pytest.raises(StoreError, match="INVALID_QUERY"):
        held.search("bad\0query")
    with pytest.raises(StoreError, match="SESSION_NOT_FOUND"):
        held.page("nowhere", 0, 1)
    for asked in ("since:2026-02-30", "since:2100-02-29", "before:2026-02-01T24:00", "since:soon"):
        with pytest.raises(StoreError, match="INVALID_FILTER"):
            held.search(asked)


def test_without_any_kind_searching_is_off_and_reading_goes_on(logs: Open) -> None:
    held = logs(LogSpec(events=small_talk()), rules=Rules(kinds=()))
    for asked in ("port", ""):
        with pytest.raises(StoreError, match="SEARCH_DISABLED"):
            held.search(asked)
    assert [one.title for one in held.sessions().sessions] == ["Find the port"]
    assert held.page("session-one", 0, 9).total == 3
    assert held.trace("session-one").complete


# Titles and headers --------------------------------------------------------------------------


def test_a_log_that_cannot_be_read_costs_its_own_title_alone(tmp_path: Path, logs: Open) -> None:
    held = logs(
        *(LogSpec(name, [user("x"), title(f"of {name}")]) for name in ("one", "two", "three")),
        indexed=False,
    )
    (log,) = (tmp_path / "home").glob("sessions/*/two/session.v*")
    log.write_bytes(log.read_bytes()[:60])
    held.sync(Event())
    assert {one.id: (one.title, one.faults > 0) for one in held.sessions().sessions} == {
        "one": ("of one", False),
        "two": ("", True),
        "three": ("of three", False),
    }


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sessions whose logs are read from now on."""
    told: list[str] = []
    real = HarnessSource._talk

    def noted(self: HarnessSource, session: str) -> object:
        told.append(session)
        return real(self, session)

    monkeypatch.setattr(HarnessSource, "_talk", noted)
    return told


FAMILY = (
    LogSpec("root", [user("r")], created=BASE),
    LogSpec("parent", [user("p")], created=BASE + 1, parent="root"),
    LogSpec("target", [user("t")], created=BASE + 2, parent="parent", origin="subagent"),
    LogSpec("b", [user("b")], created=BASE + 9, parent="target", origin="subagent"),
    LogSpec("a", [user("a")], created=BASE + 9, parent="target"),
    LogSpec("older", [user("o")], created=BASE + 8, parent="target"),
    LogSpec("grandchild", [user("g")], created=BASE + 10, parent="a"),
)


def told(found: Lineage) -> list[tuple[str, int]]:
    return [(one.session.id, one.depth) for one in found.children]


def test_a_lineage_is_read_from_headers_alone(logs: Open, read: list[str]) -> None:
    held = logs(*FAMILY, indexed=False)
    found = held.trace("target")
    assert [one.id for one in found.parents] == ["parent", "root"]
    assert told(found) == [("older", 1), ("a", 1), ("grandchild", 2), ("b", 1)]
    flags = {one.session.id: one.session.flags for one in found.children}
    assert flags == {
        "older": ("fork",),
        "a": ("fork",),
        "grandchild": ("fork",),
        "b": ("subagent",),
    }
    assert (found.complete, read) == (True, [])


def test_a_parent_outside_and_a_cycle(logs: Open) -> None:
    held = logs(
        LogSpec("lost", [user("x")], parent="outside"),
        LogSpec("x", [user("x")], parent="y"),
        LogSpec("y", [user("y")], parent="x"),
        indexed=False,
    )
    found = held.trace("lost")
    assert (found.complete, found.missing) == (False, "outside")
    with pytest.raises(StoreError, match="x is its own ancestor") as caught:
        held.trace("x")
    assert caught.value.code == "INVALID_LINEAGE"
    assert {one.id for one in held.sessions().sessions} == {"lost", "x", "y"}


def test_the_same_logs_opened_again_are_not_read_again(
    tmp_path: Path, logs: Open, read: list[str]
) -> None:
    logs(*FAMILY)
    assert set(read) == {one.id for one in FAMILY}
    read.clear()
    again = Library.open(sources=[tmp_path / "home"], index=tmp_path / "index.db")
    assert again.sync(Event()).sources[0].opened == "unchanged"
    assert again.search("g").hits[0].session == "grandchild"
    assert read == []
    again.close()


def test_pages_of_a_log_give_each_hit_once_while_others_come(tmp_path: Path, logs: Open) -> None:
    held = logs(LogSpec(events=[user(f"walrus {n}", f"u{n}") for n in range(5)]))
    first = held.search("walrus", limit=2)
    harness_home(tmp_path / "home", [LogSpec("new", [user("walrus new")], created=BASE + 999_999)])
    held.sync(Event())
    seen = [hit.part for hit in first.hits]
    cursor = first.cursor
    while cursor:
        page = held.search("walrus", limit=2, cursor=cursor)
        seen += [hit.part for hit in page.hits]
        cursor = page.cursor
    assert seen == [f"u{n}#0" for n in (4, 3, 2, 1, 0)]
    by_rank = held.search("walrus", limit=2, sort="relevance").cursor
    harness_home(tmp_path / "home", [LogSpec("more", [user("walrus")], created=BASE + 9_999_999)])
    held.sync(Event())
    with pytest.raises(StoreError, match="STALE_CURSOR"):
        held.search("walrus", limit=2, sort="relevance", cursor=by_rank)
    with pytest.raises(StoreError, match="INVALID_CURSOR"):
        held.search("seal", limit=2, cursor=first.cursor)


def test_arguments_that_are_broken_are_found_as_they_are(logs: Open) -> None:
    held = logs(LogSpec(events=[assistant(call("bash", '{"command": "ls walrus'))]))
    assert parts(held, "walrus kind:tool_input") == ["a1#0"]
