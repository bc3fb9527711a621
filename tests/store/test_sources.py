"""Sources read every version's tables alike; a bad row is a fault beside the good ones."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import get_args

import pytest

from store.errors import StoreError
from store.model import Message, Part, Reasoning, Revert, Text, Tool, Unknown
from store.source import Bodies
from store.sources.mimocode import MimoSource
from store.sources.opencode import OpencodeSource
from store.sources.tables import TableSource
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    SessionSpec,
    half,
    huge_row,
    mimocode_db,
    opencode_db,
    set_column,
    set_data,
    text,
    tool,
    two_talks,
    unrelated_tables,
)
from tests.makers.opencode import Version

WRAP = 1_786_706_395_136
"""2026-08-14T11:19:55.136Z: the first moment whose ids begin with zeros again."""


def opened(path: Path) -> TableSource:
    return OpencodeSource(path)


def everything(source: TableSource, session: str) -> Bodies:
    (outline,) = source.outlines([session])
    return source.bodies(session, outline.messages, outline.parts)


def one_talk(*messages: MessageSpec) -> SessionSpec:
    return SessionSpec("One", messages, id="ses_one")


def words(parts: tuple[Part, ...]) -> list[str]:
    return [part.content.text for part in parts if isinstance(part.content, Text)]


@pytest.mark.parametrize("version", get_args(Version))
def test_every_version_is_read_alike(tmp_path: Path, version: Version) -> None:
    source = opened(opencode_db(tmp_path / "opencode.db", version=version, sessions=two_talks()))
    listing = source.listing("opencode")
    assert [(one.title, one.messages, one.parts) for one in listing.sessions] == [
        ("查端口", 3, 3),
        ("Find the port", 2, 5),
    ]
    assert [(one.version, one.project) for one in listing.sessions] == [(version, "alpha")] * 2
    assert listing.complete
    parts = everything(source, listing.sessions[1].id).parts
    kinds = [type(part.content) for part in sorted(parts, key=lambda part: part.id)]
    assert kinds == [Text, Reasoning, Tool, Tool, Text]


def test_a_tool_whole(tmp_path: Path) -> None:
    data = tool("bash", {"command": "false"}, "no\n", call="call_9", exit=1, description="Fails")
    spec = one_talk(MessageSpec("assistant", [data]))
    source = opened(opencode_db(tmp_path / "opencode.db", sessions=[spec]))
    (part,) = everything(source, "ses_one").parts
    assert part.content == Tool(
        name="bash",
        call="call_9",
        status="completed",
        title="bash",
        input={"command": "false"},
        output="no\n",
        started=BASE,
        ended=BASE + 5,
        exit=1,
        meta={"exit": 1, "description": "Fails"},
    )


def test_a_message_whole(tmp_path: Path) -> None:
    spec = one_talk(
        MessageSpec("user", id="msg_1", time=BASE),
        MessageSpec("assistant", id="msg_2", time=BASE + 7),
    )
    source = opened(opencode_db(tmp_path / "opencode.db", sessions=[spec]))
    message = everything(source, "ses_one").messages[1]
    tokens = {"input": 10, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    assert message == Message(
        id="msg_2",
        session="ses_one",
        role="assistant",
        time=BASE + 7,
        updated=BASE + 7,
        completed=BASE + 907,
        agent="build",
        model=message.model,
        parent="msg_1",
        cost=0.001,
        tokens=tokens,
    )
    assert "stub-1" in message.model


def test_order_is_by_time_across_the_wrap_of_ids(tmp_path: Path) -> None:
    spec = SessionSpec(
        "Wrap",
        [
            MessageSpec(
                "user", [text("before")], id="msg_ffffffffffffaaaaaaaaaaaaaa", time=WRAP - 1
            ),
            MessageSpec("user", [text("after")], id="msg_000000000001aaaaaaaaaaaaaa", time=WRAP),
        ],
        id="ses_wrap",
        time=WRAP - 60_000,
    )
    source = opened(opencode_db(tmp_path / "opencode.db", sessions=[spec]))
    order = [ident for _, ident, _ in source.order("ses_wrap")]
    assert [ident[:8] for ident in order] == ["msg_ffff", "msg_0000"]
    assert words(source.window("ses_wrap", order).parts) == ["before", "after"]


def test_a_pending_revert_an_archive_and_a_parent(tmp_path: Path) -> None:
    revert = '{"messageID":"msg_5","partID":"prt_5","snapshot":"ab","diff":"+x"}'
    sessions = [
        SessionSpec("Undone", id="ses_u", columns={"revert": revert}),
        SessionSpec("Away", id="ses_a", columns={"time_archived": BASE}),
        SessionSpec("Child", id="ses_c", parent="ses_u"),
        SessionSpec("Undone (fork #2)", id="ses_f"),
    ]
    source = opened(opencode_db(tmp_path / "opencode.db", sessions=sessions))
    found = {one.id: one for one in source.listing("x").sessions}
    assert found["ses_u"].revert == Revert("msg_5", "prt_5", "+x")
    assert found["ses_a"].flags == ("archived",)
    assert (found["ses_c"].parent, found["ses_c"].flags) == ("ses_u", ("subagent",))
    assert found["ses_f"].flags == ("fork",)


def test_slices_and_imports_of_mimocode(tmp_path: Path) -> None:
    spec = one_talk(
        MessageSpec("user", [text("all")]), MessageSpec("user", [text("some")], slice="explore-1")
    )
    path = mimocode_db(tmp_path / "mimocode.db", sessions=[spec], imported={"ses_one": "cc"})
    source = MimoSource(path)
    assert [part for _, _, part in source.order("ses_one")] == ["main", "explore-1"]
    assert [one.slice for one in everything(source, "ses_one").messages] == ["main", "explore-1"]
    assert source.listing("mimocode").sessions[0].flags == ("imported",)


def test_an_unknown_part_keeps_its_fields(tmp_path: Path) -> None:
    spec = one_talk(MessageSpec("user", [{"type": "hologram", "depth": 3}]))
    source = opened(opencode_db(tmp_path / "opencode.db", sessions=[spec]))
    (part,) = everything(source, "ses_one").parts
    assert isinstance(part.content, Unknown)
    assert part.content.type == "hologram"
    assert part.content.fields["depth"] == 3


@pytest.mark.parametrize(
    "bad",
    ['{"type":"text","te', "", "null", "[1]", "17", b"\xff\xfe\x00", 17, "[" * 100_000],
    ids=["cut", "empty", "null", "list", "number", "bytes", "integer", "deep"],
)
def test_a_bad_row_is_a_fault_beside_the_good_ones(tmp_path: Path, bad: object) -> None:
    spec = one_talk(
        MessageSpec("user", [PartSpec(text("bad"), id="prt_bad"), text("good")], id="msg_1")
    )
    path = opencode_db(tmp_path / "opencode.db", sessions=[spec])
    set_data(path, "prt_bad", bad)
    found = everything(opened(path), "ses_one")
    assert words(found.parts) == ["good"]
    assert [(fault.code, fault.about) for fault in found.faults] == [("CORRUPT_PART", "prt_bad")]


def test_a_bad_message_keeps_its_place(tmp_path: Path) -> None:
    spec = one_talk(MessageSpec("user", [text("here")], id="msg_1", raw='{"role":'))
    found = everything(opened(opencode_db(tmp_path / "opencode.db", sessions=[spec])), "ses_one")
    assert [(one.id, one.role) for one in found.messages] == [("msg_1", "assistant")]
    assert words(found.parts) == ["here"]
    assert [(fault.code, fault.about) for fault in found.faults] == [("CORRUPT_PART", "msg_1")]


def test_fields_of_a_wrong_type_count_as_absent(tmp_path: Path) -> None:
    odd = {"type": "tool", "tool": 5, "callID": None, "state": {"status": [], "output": {}}}
    spec = one_talk(MessageSpec("user", [odd, {"type": "text", "text": 8}], extra={"role": 9}))
    found = everything(opened(opencode_db(tmp_path / "opencode.db", sessions=[spec])), "ses_one")
    assert found.messages[0].role == "assistant"
    contents = [part.content for part in found.parts]
    assert contents[0] == Tool()
    assert contents[1] == Text("")


@pytest.mark.parametrize("value", ["soon", None, 1e300, -5, b"x"])
def test_times_of_a_wrong_type_do_not_hide_a_session(tmp_path: Path, value: object) -> None:
    path = opencode_db(tmp_path / "opencode.db", sessions=two_talks())
    ident = opened(path).listing("x").sessions[0].id
    set_column(path, "session", ident, "time_updated", 0 if value is None else value)
    assert len(opened(path).listing("x").sessions) == 2


def test_a_huge_row_is_a_fault(tmp_path: Path) -> None:
    spec = one_talk(MessageSpec("user", [PartSpec(text("x"), id="prt_big"), text("small")]))
    path = opencode_db(tmp_path / "opencode.db", sessions=[spec])
    huge_row(path, "prt_big", 40)
    found = everything(opened(path), "ses_one")
    assert words(found.parts) == ["small"]
    assert [(fault.code, fault.about) for fault in found.faults] == [("CORRUPT_PART", "prt_big")]
    assert "too large" in found.faults[0].message


def test_other_tables_are_named(tmp_path: Path) -> None:
    path = unrelated_tables(tmp_path / "opencode.db")
    with pytest.raises(StoreError, match=r"missing: session\.directory") as caught:
        opened(path).listing("x")
    assert caught.value.code == "SOURCE_UNSUPPORTED"
    assert "message" in caught.value.message


def test_half_a_store_lists_what_is_left(tmp_path: Path) -> None:
    messages = [MessageSpec("user", [text("x" * 3000)]) for _ in range(20)]
    talks = [SessionSpec(f"Talk {number}", messages) for number in range(3)]
    source = opened(half(opencode_db(tmp_path / "opencode.db", version="1.2.1", sessions=talks)))
    listing = source.listing("x")
    assert sorted(one.title for one in listing.sessions) == ["Talk 0", "Talk 1", "Talk 2"]
    outlines = source.outlines([one.id for one in listing.sessions])
    assert not any(outline.complete for outline in outlines)
    assert {fault.code for outline in outlines for fault in outline.faults} == {"CORRUPT_SESSION"}
    read = [source.bodies(one.session, one.messages, one.parts) for one in outlines]
    assert 0 < sum(len(one.parts) for one in read) < 60


def test_a_list_of_sessions_that_ends_early_says_so(tmp_path: Path) -> None:
    talks = [
        SessionSpec(f"Talk {number}", [MessageSpec("user", [text("x" * 3000)])])
        for number in range(60)
    ]
    path = half(opencode_db(tmp_path / "opencode.db", version="1.2.1", sessions=talks))
    listing = opened(path).listing("x")
    assert not listing.complete
    assert len(listing.sessions) == 60
    assert sum(1 for session in listing.sessions if session.title) < 60
    assert any(session.updated for session in listing.sessions if not session.title)
    assert [(fault.code, fault.about) for fault in listing.faults] == [
        ("SOURCE_UNREADABLE", str(path))
    ]


def test_a_stamp_moves_with_a_part(tmp_path: Path) -> None:
    spec = one_talk(MessageSpec("user", [PartSpec(text("a"), id="prt_a")]))
    path = opencode_db(tmp_path / "opencode.db", sessions=[spec])
    source = opened(path)
    before = source.stamps(["ses_one"])
    assert before == source.stamps(["ses_one"])
    set_column(path, "part", "prt_a", "time_updated", BASE + 99_000)
    assert source.stamps(["ses_one"]) != before


def test_finding_by_the_beginning_of_an_id(tmp_path: Path) -> None:
    spec = one_talk(MessageSpec("user", [PartSpec(text("a"), id="prt_a")], id="msg_a"))
    source = opened(opencode_db(tmp_path / "opencode.db", sessions=[spec]))
    (part,) = source.find("prt_", 5)
    assert (part.kind, part.id, part.message, part.session) == ("part", "prt_a", "msg_a", "ses_one")
    assert source.raw(part) == '{"type":"text","text":"a"}'
    assert source.find("prt_b", 5) == []
    assert source.find("%", 5) == []


def test_a_row_that_is_no_text_is_left_out_alone(tmp_path: Path) -> None:
    messages = [
        MessageSpec("user", [text(name)], id=f"msg_{name}", slice=f"s-{name}") for name in "abc"
    ]
    path = mimocode_db(tmp_path / "mimocode.db", sessions=[one_talk(*messages)])
    source = MimoSource(path)
    set_column(path, "message", "msg_b", "agent_id", "")
    with sqlite3.connect(path) as db:
        db.execute("update message set agent_id = cast(x'73ff' as text) where id = 'msg_b'")
    db.close()
    assert [part for _, _, part in source.order("ses_one")] == ["s-a", "s\ufffd", "s-c"]
    with sqlite3.connect(path) as db:
        db.execute("update message set id = cast(x'6dff' as text) where id = 'msg_b'")
    db.close()
    (outline,) = source.outlines(["ses_one"])
    assert [(ref.id, ref.size > 0) for ref in outline.messages] == [
        ("msg_a", True),
        ("msg_b", False),  # only its part still names it
        ("msg_c", True),
    ]
    assert not outline.complete
    assert [ident for _, ident, _ in source.order("ses_one")] == ["msg_a", "msg_c"]
