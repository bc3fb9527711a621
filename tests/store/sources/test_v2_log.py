"""What committed reverts took out of sessions of session_message, told by their event log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from store.library import Library
from store.model import Text, Tool
from store.source import Traces
from store.sources.opencode import OpencodeSource
from tests.makers import BASE, SessionSpec, opencode_db
from tests.makers.opencode_v2 import Generation, RowSpec, V2Spec, opencode_v2_db
from tests.makers.rows import to_json
from tests.store.shelf import edit, library, synced

SES = "ses_one"
PROMPT, ANSWER = "msg_ask", "msg_say"
EVENTS = (
    "create table event (id text primary key, aggregate_id text not null, seq integer not null,"
    " type text not null, data text not null, created integer not null default 0)"
)


def kept(ident: str, seq: int) -> RowSpec:
    return RowSpec("user", {"text": "kept"}, id=ident, seq=seq, time=BASE)


def store_of(path: Path, generation: Generation, rows: list[RowSpec]) -> Path:
    opencode_v2_db(path, generation=generation, sessions=[V2Spec("One", rows, id=SES)])
    if generation == "2.x":
        edit(path, (EVENTS, ()))
    return path


def log(path: Path, *events: tuple[int, str, dict[str, Any]]) -> None:
    """Adds events of 1.18 (with a timestamp) or 2.x (with a time beside the data)."""
    for seq, kind, data in events:
        names = "id, aggregate_id, seq, type, data"
        values: tuple[object, ...] = (f"evt_e{seq}", SES, seq, kind)
        time = BASE + seq * 1000
        if kind.startswith("session.next."):
            values += (to_json({"timestamp": time, "sessionID": SES, **data}),)
        else:
            names += ", created"
            values += (to_json({"sessionID": SES, **data}), time)
        marks = ", ".join("?" * len(values))
        edit(path, (f"insert into event({names}) values ({marks})", values))


def said_in_118(seq: int, prompt: str, answer: str, words: str) -> list[tuple[int, str, Any]]:
    mine = {"assistantMessageID": answer}
    call = {**mine, "callID": "call_1"}
    return [
        (seq, "session.next.prompted.1", {"messageID": prompt, "prompt": {"text": words}}),
        (seq + 1, "session.next.step.started.1", {**mine, "agent": "build"}),
        (seq + 2, "session.next.text.started.1", {**mine, "textID": "text-0"}),
        (seq + 3, "session.next.tool.input.started.1", {**call, "name": "bash"}),
        (seq + 4, "session.next.tool.called.1", {**call, "input": {"command": "ls"}}),
        (
            seq + 5,
            "session.next.tool.success.1",
            {**call, "content": [{"type": "text", "text": f"{words} printed"}]},
        ),
        (seq + 6, "session.next.text.ended.1", {**mine, "textID": "text-0", "text": "Done."}),
    ]


def said_in_2(seq: int, prompt: str, answer: str, words: str) -> list[tuple[int, str, Any]]:
    mine = {"assistantMessageID": answer}
    item = {"type": "user", "payload": {"text": words}}
    return [
        (seq, "session.inbox.enqueued.1", {"inboxID": prompt, "item": item}),
        (seq + 1, "session.inbox.delivered.1", {"inboxID": prompt}),
        (seq + 2, "session.step.started.1", {**mine, "agent": "build"}),
        (seq + 3, "session.text.started.1", {**mine, "ordinal": 0}),
        (seq + 4, "session.text.ended.1", {**mine, "ordinal": 0, "text": "Done."}),
        (seq + 5, "session.tool.input.started.1", {**mine, "id": "call_1", "name": "shell"}),
        (
            seq + 6,
            "session.tool.failed.2",
            {**mine, "id": "call_1", "error": {"type": "unknown", "message": f"{words} failed"}},
        ),
    ]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """1.18: a revert to the prompt, which stays, was committed."""
    path = store_of(tmp_path / "opencode.db", "1.18", [kept(PROMPT, 5)])
    log(path, *said_in_118(5, PROMPT, ANSWER, "alpha"))
    log(path, (20, "session.next.revert.committed.1", {"messageID": PROMPT}))
    return path


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """2.x: the prompt went with what follows it."""
    path = store_of(tmp_path / "opencode.db", "2.x", [kept("msg_first", 2)])
    log(path, *said_in_2(4, PROMPT, ANSWER, "alpha"))
    log(path, (20, "session.revert.committed.1", {"to": PROMPT}))
    return path


def told(held: Library) -> dict[str | None, tuple[str, str, str, int | None, str]]:
    return {
        one.part: (one.fate, one.cause, one.evidence, one.removed_at, one.text)
        for one in held.leftovers(limit=1000).leftovers
    }


def test_118_takes_what_follows_the_message(old: Path, index: Path) -> None:
    synced(index, old)
    held = library(index, old)
    how = ("removed", "revert_committed", "event_log", BASE + 20_000)
    assert told(held) == {
        "msg_say#0": (*how, "Done."),
        "msg_say#1": (*how, "bash\ncommand: ls\n\nalpha printed"),
    }
    window = held.page(SES, 0, 9).messages
    assert [(one.message.id, one.message.fate) for one in window] == [
        (PROMPT, "live"),
        (ANSWER, "removed"),
    ]
    tool = window[1].parts[1].content
    assert isinstance(tool, Tool)
    assert (tool.name, tool.status, tool.output) == ("bash", "completed", "alpha printed")


def test_2_takes_the_message_too(new: Path, index: Path) -> None:
    synced(index, new)
    held = library(index, new)
    how = ("removed", "revert_committed", "event_log", BASE + 20_000)
    assert told(held) == {
        "msg_ask#0": (*how, "alpha"),
        "msg_say#0": (*how, "Done."),
        "msg_say#1": (*how, "shell\n\nalpha failed"),
    }
    assert [one.message.id for one in held.page(SES, 0, 9).messages] == [
        "msg_first",
        PROMPT,
        ANSWER,
    ]
    (happening,) = held.happenings().happenings
    assert (happening.messages, happening.parts, happening.prompt) == (2, 3, "alpha")


def test_a_second_revert_takes_its_own_alone(old: Path, index: Path) -> None:
    synced(index, old)
    log(old, *said_in_118(30, "msg_b", "msg_c", "bravo"))
    log(old, (40, "session.next.revert.committed.1", {"messageID": "msg_b"}))
    edit(
        old,
        (
            "insert into session_message(id, session_id, type, seq, time_created, time_updated,"
            " data) values ('msg_b', ?, 'user', 30, ?, ?, ?)",
            (SES, BASE + 30_000, BASE + 30_000, to_json({"text": "bravo"})),
        ),
        ("update event_sequence set seq = 40", ()),
    )
    synced(index, old)
    times = {part: row[3] for part, row in told(library(index, old)).items()}
    assert times == {
        "msg_say#0": BASE + 20_000,
        "msg_say#1": BASE + 20_000,
        "msg_c#0": BASE + 40_000,
        "msg_c#1": BASE + 40_000,
    }


def test_a_log_without_a_committed_revert_calls_nothing_gone(tmp_path: Path, index: Path) -> None:
    path = store_of(tmp_path / "opencode.db", "1.18", [kept(PROMPT, 5)])
    log(path, *said_in_118(5, PROMPT, ANSWER, "alpha"))  # its answer has no row
    log(path, (20, "session.next.revert.staged.1", {"revert": {"messageID": PROMPT}}))
    log(path, (21, "session.next.revert.cleared.1", {}))
    synced(index, path)
    assert told(library(index, path)) == {}


def test_what_stands_before_the_target_or_came_later_is_not_of_the_revert(
    tmp_path: Path, index: Path
) -> None:
    path = store_of(tmp_path / "opencode.db", "1.18", [kept("msg_mid", 15)])
    log(path, *said_in_118(5, PROMPT, ANSWER, "before"))
    log(path, (20, "session.next.revert.committed.1", {"messageID": "msg_mid"}))
    log(path, *said_in_118(30, "msg_b", "msg_c", "later"))
    synced(index, path)
    assert told(library(index, path)) == {}


def test_the_mark_says_what_was_told(old: Path) -> None:
    source = OpencodeSource(old)
    first = source.traces({SES: ""})[SES]
    assert [trace.ref.id for trace in first.traces] == [ANSWER, "msg_say#0", "msg_say#1"]
    assert source.traces({SES: first.mark}) == {}
    edit(old, ("delete from event", ()))
    assert source.traces({SES: first.mark}) == {SES: Traces((), "", ("event_log",))}


def test_rows_that_are_whole_events(new: Path, index: Path) -> None:
    shell = {"id": "sh_1", "command": "make", "status": "running"}
    log(
        new,
        (11, "session.synthetic.1", {"text": "note of the program"}),
        (12, "session.shell.started.1", {"shell": shell}),
        (
            13,
            "session.shell.ended.1",
            {"shell": {**shell, "status": "exited", "exit": 0}, "output": {"output": "built"}},
        ),
        (14, "session.compaction.started.1", {"reason": "manual"}),
        (15, "session.compaction.ended.1", {"reason": "manual", "text": "the summary"}),
    )
    synced(index, new)
    texts = {part: row[4] for part, row in told(library(index, new)).items()}
    assert texts["msg_e11#0"] == "note of the program"
    assert texts["msg_e12#0"].endswith("built")
    assert texts["msg_e14#0"] == "the summary"


def test_broken_events_are_passed_over(old: Path, index: Path) -> None:
    edit(
        old,
        ("update event set data = '{broken' where seq = 11", ()),
        ("update event set data = '[1]' where seq = 7", ()),
    )
    synced(index, old)
    held = library(index, old)
    (part,) = held.show("msg_say#0").parts
    assert isinstance(part.content, Tool)
    assert Text("Done.") not in [one.content for one in held.show(ANSWER).parts]


@pytest.mark.parametrize(
    ("log_of", "mark"),
    [
        *(("new", mark) for mark in ("13:1796052784896", "13:1796052784896|17", "|17", "²")),
        *(("old", mark) for mark in ("17", "x", "17|13:1796052784896", "²|²")),
        *(("ordinary", mark) for mark in ("17", "x", "|17", "13:²")),
    ],
)
def test_the_mark_of_another_kind_of_log_is_none(
    log_of: str, mark: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if log_of == "ordinary":
        path = opencode_db(tmp_path / "ordinary.db", sessions=[SessionSpec("One", (), SES)])
        names = "insert into event(id, aggregate_id, seq, type, data) values (?, ?, ?, ?, ?)"
        edit(path, (names, ("evt_1", SES, 3, "message.removed.1", '{"messageID": "msg_gone"}')))
    else:
        path = request.getfixturevalue(log_of)
    source = OpencodeSource(path)
    first = source.traces({SES: ""})[SES]
    assert first.traces
    again = source.traces({SES: to_json({"event_log": mark})})[SES]
    assert (again.traces, again.mark, again.stale) == (first.traces, first.mark, ("event_log",))
