"""opencode before 1.2 and exported sessions: JSON files are read like a database's rows."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from store.errors import StoreError
from store.model import Message, Part, Revert, Text, Tool
from store.source import Bodies, Found, Source
from store.sources import open_given
from store.sources.opencode_export import OpencodeExport
from store.sources.opencode_files import OpencodeFiles
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    SessionSpec,
    fingerprint,
    opencode_db,
    text,
    tool,
    two_talks,
)
from tests.makers.opencode_files import exported, opencode_files

TALK = SessionSpec(
    "Talk",
    [
        MessageSpec("user", [PartSpec(text("Go"), id="prt_1")], id="msg_1", time=BASE),
        MessageSpec(
            "assistant",
            [PartSpec(tool("bash", {"command": "ls"}, "a.py\n", exit=0), id="prt_2")],
            id="msg_2",
            time=BASE + 9,
        ),
    ],
    id="ses_1",
)


def storage(folder: Path, *sessions: SessionSpec) -> OpencodeFiles:
    return OpencodeFiles(opencode_files(folder / "storage", sessions=sessions))


def everything(source: Source, session: str = "ses_1") -> Bodies:
    (outline,) = source.outlines([session])
    return source.bodies(session, outline.messages, outline.parts)


def plain(value: Message | Part) -> object:
    """A message or part without what only a database or a file knows."""
    if isinstance(value, Message):
        return (value.id, value.role, value.time, value.parent, value.completed, value.cost)
    return (value.id, value.message, value.time, value.content, value.flags)


@pytest.mark.parametrize("kind", ["files", "export"])
def test_the_same_as_a_database_says(tmp_path: Path, kind: str) -> None:
    (table,), _ = open_given([opencode_db(tmp_path / "opencode.db", sessions=[TALK])])
    source: Source = (
        storage(tmp_path / "old", TALK)
        if kind == "files"
        else OpencodeExport(exported(tmp_path / "talk.json", TALK))
    )
    theirs, ours = everything(table), everything(source)
    assert list(map(plain, ours.messages)) == list(map(plain, theirs.messages))
    assert list(map(plain, ours.parts)) == list(map(plain, theirs.parts))
    (listed,), (other,) = source.listing("x").sessions, table.listing("x").sessions
    assert (listed.title, listed.directory) == (other.title, other.directory)
    assert (listed.messages, listed.parts, listed.created) == (2, 2, other.created)
    assert (listed.project, listed.version) == ("alpha", "1.1.65")


def test_all_sessions_with_their_folders_and_flags(tmp_path: Path) -> None:
    revert = {"messageID": "msg_9", "partID": "prt_9", "diff": "+x"}
    source = storage(
        tmp_path,
        TALK,
        SessionSpec("Child", id="ses_2", parent="ses_1"),
        SessionSpec("Talk (fork #1)", id="ses_3"),
        SessionSpec("Outside", id="ses_4", directory="/tmp/甲"),
        SessionSpec("Undone", id="ses_5", columns={"revert": revert}),
    )
    found = {one.id: one for one in source.listing("x").sessions}
    assert (found["ses_2"].parent, found["ses_2"].flags) == ("ses_1", ("subagent",))
    assert found["ses_3"].flags == ("fork",)
    assert (found["ses_4"].project, found["ses_4"].directory) == ("甲", "/tmp/甲")
    assert found["ses_5"].revert == Revert("msg_9", "prt_9", "+x")


def test_a_session_of_the_database_beside_it_is_left_to_it(tmp_path: Path) -> None:
    english, chinese = two_talks()
    both = [TALK, SessionSpec("Only here", chinese.messages, id="ses_2")]
    source = storage(tmp_path, *both)
    alone = source.listing("x")
    assert {one.id for one in alone.sessions} == {"ses_1", "ses_2"}
    path = opencode_db(tmp_path / "opencode.db", sessions=[TALK, english])
    (_, files), _ = open_given([tmp_path])
    listing = files.listing("x")
    assert [one.id for one in listing.sessions] == ["ses_2"]
    assert listing.elsewhere == {"ses_1": str(path)}
    assert listing.state != alone.state
    assert [one.id for one in files.find("ses_", 5)] == ["ses_2"]


def test_a_database_that_nobody_reads_speaks_for_nothing(tmp_path: Path) -> None:
    source = storage(tmp_path, TALK)
    opencode_db(tmp_path / "opencode.db", sessions=[TALK])
    (files,), _ = open_given([source.path])
    assert [one.id for one in files.listing("x").sessions] == ["ses_1"]


def test_a_changed_file_moves_state_and_stamp(tmp_path: Path) -> None:
    source = storage(tmp_path, TALK)
    state, stamps = source.state(), source.stamps(["ses_1"])
    assert (source.state(), source.stamps(["ses_1"])) == (state, stamps)
    file = source.path / "part" / "msg_1" / "prt_1.json"
    told = file.stat().st_mtime_ns
    os.utime(file, ns=(told, told + 5_000_000))
    assert source.state() != state
    assert source.stamps(["ses_1"]) != stamps


def test_a_broken_part_is_a_fault_beside_the_good_ones(tmp_path: Path) -> None:
    source = storage(tmp_path, TALK)
    (source.path / "part" / "msg_1" / "prt_1.json").write_text('{"type": "te')
    found = everything(source)
    assert [part.id for part in found.parts] == ["prt_2"]
    assert [(fault.code, fault.about) for fault in found.faults] == [("CORRUPT_PART", "prt_1")]


def test_a_broken_message_keeps_its_parts(tmp_path: Path) -> None:
    source = storage(tmp_path, TALK)
    (source.path / "message" / "ses_1" / "msg_1.json").write_text("")
    found = everything(source)
    assert {one.id for one in found.messages} == {"msg_1", "msg_2"}
    assert {part.id for part in found.parts} == {"prt_1", "prt_2"}
    assert [(fault.code, fault.about) for fault in found.faults] == [("CORRUPT_PART", "msg_1")]


def test_a_broken_session_is_not_gone(tmp_path: Path) -> None:
    source = storage(tmp_path, TALK, SessionSpec("Good", id="ses_2"))
    (file,) = source.path.glob("session/*/ses_1.json")
    file.write_text('{"id": "ses')
    listing = source.listing("x")
    assert [one.id for one in listing.sessions] == ["ses_2"]
    assert not listing.complete
    assert [(fault.code, fault.about) for fault in listing.faults] == [("CORRUPT_SESSION", "ses_1")]


def test_parts_whose_message_a_revert_took(tmp_path: Path) -> None:
    lost = MessageSpec("user", [PartSpec(text("undone"), id="prt_u")], id="msg_u", gone=True)
    source = storage(tmp_path, SessionSpec("T", [*TALK.messages, lost], id="ses_1"))
    assert source.listing("x").sessions[0].parts == 2
    told = source.traces({"ses_1": ""})["ses_1"]
    assert [(one.ref.id, one.cause, one.evidence) for one in told.traces] == [
        ("msg_u", "revert_committed", "storage_files"),
        ("prt_u", "revert_committed", "storage_files"),
    ]
    (_, message), (_, part) = source.traced("ses_1", told.traces)
    assert isinstance(message, Message)
    assert isinstance(part, Part)
    assert (message.role, part.content) == ("user", Text("undone"))
    assert source.traces({"ses_1": told.mark}) == {}


def test_by_id(tmp_path: Path) -> None:
    source = storage(tmp_path, TALK)
    assert source.find("prt_", 5) == [
        Found("part", "prt_1", "msg_1", "ses_1"),
        Found("part", "prt_2", "msg_2", "ses_1"),
    ]
    assert source.find("msg_2", 5) == [Found("message", "msg_2", "msg_2", "ses_1")]
    raw = source.raw(Found("part", "prt_1", "msg_1", "ses_1"))
    assert raw is not None
    assert json.loads(raw)["text"] == "Go"
    assert source.raw(Found("part", "prt_9", "msg_1", "ses_1")) is None


def test_by_id_in_an_export(tmp_path: Path) -> None:
    source = OpencodeExport(exported(tmp_path / "talk.json", TALK))
    assert source.find("prt_2", 5) == [Found("part", "prt_2", "msg_2", "ses_1")]
    raw = source.raw(Found("message", "msg_2", "msg_2", "ses_1"))
    assert raw is not None
    assert json.loads(raw)["parentID"] == "msg_1"


def test_reading_leaves_no_trace(tmp_path: Path) -> None:
    source = storage(tmp_path, TALK)
    opencode_db(tmp_path / "opencode.db", sessions=two_talks())
    before = fingerprint(tmp_path)
    source.listing("x")
    everything(source)
    source.window("ses_1", ["msg_1", "msg_2"])
    source.traces({"ses_1": ""})
    assert fingerprint(tmp_path) == before


@pytest.mark.parametrize(
    ("held", "code"),
    [
        ('{"info": {"id": "ses_1"}, "messages": [', "SOURCE_UNREADABLE"),
        ('{"info": {"title": "x"}, "messages": []}', "SOURCE_UNSUPPORTED"),
        ('{"some": "JSON"}', "SOURCE_UNREADABLE"),
    ],
    ids=["cut", "no id", "other"],
)
def test_json_that_is_no_export(tmp_path: Path, held: str, code: str) -> None:
    path = tmp_path / "talk.json"
    path.write_text(held)
    sources, errors = open_given([path])
    if sources:
        with pytest.raises(StoreError) as caught:
            sources[0].listing("x")
        errors = [caught.value]
    assert [error.code for error in errors] == [code]


def test_a_tool_keeps_its_shape(tmp_path: Path) -> None:
    part = everything(storage(tmp_path, TALK)).parts[1]
    assert isinstance(part.content, Tool)
    assert (part.content.name, part.content.output, part.content.exit) == ("bash", "a.py\n", 0)
