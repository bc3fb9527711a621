"""Sessions of session_message: every row is a message, and every piece of it a part."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.model import (
    Agent,
    Attachment,
    Compaction,
    Content,
    File,
    Part,
    Patch,
    Reasoning,
    Revert,
    StepFinish,
    Text,
    Tool,
    Unknown,
)
from store.source import WAITING, Bodies, Found
from store.sources import v2_content
from store.sources.opencode import OpencodeSource
from store.sources.v2_rows import COUNT, PARTS, PATCH
from tests.makers import BASE, fingerprint
from tests.makers.opencode_v2 import (
    Generation,
    RowSpec,
    V2Spec,
    answered,
    called,
    opencode_v2_db,
    printed,
    said,
)
from tests.makers.rows import to_json

SES = "ses_one"


def opened(tmp_path: Path, *rows: RowSpec, generation: Generation = "2.x", **more: Any) -> Any:
    spec = V2Spec("One", rows, id=SES, **more)
    path = opencode_v2_db(tmp_path / "opencode.db", generation=generation, sessions=[spec])
    return OpencodeSource(path)


def everything(source: OpencodeSource, session: str = SES) -> Bodies:
    (outline,) = source.outlines([session])
    assert outline.complete
    return source.bodies(session, outline.messages, outline.parts)


def only(tmp_path: Path, row: RowSpec) -> Part:
    (part,) = everything(opened(tmp_path, row)).parts
    return part


def content(tmp_path: Path, row: RowSpec) -> Content:
    return only(tmp_path, row).content


@pytest.mark.parametrize("generation", ["1.18", "2.x"])
def test_a_session_of_each_generation(tmp_path: Path, generation: Generation) -> None:
    source = opened(tmp_path, said("Which port?"), answered("4096."), generation=generation)
    (session,) = source.listing("x").sessions
    told = (session.title, session.project, session.messages, session.parts)
    assert told == ("One", "alpha", 2, 2)
    assert session.updated == BASE + 2000  # the rows moved later than the session's own
    parts = everything(source).parts
    assert [part.content for part in parts] == [Text("Which port?"), Text("4096.")]


def test_a_part_is_named_by_its_place(tmp_path: Path) -> None:
    answer = answered("a", {"type": "reasoning", "text": "b"}, "c")
    source = opened(tmp_path, RowSpec("assistant", answer.data, id="msg_x"))
    parts = everything(source).parts
    assert [(part.id, part.message) for part in parts] == [
        ("msg_x#0", "msg_x"),
        ("msg_x#1", "msg_x"),
        ("msg_x#2", "msg_x"),
    ]
    assert parts[1].content == Reasoning("b")


def test_order_is_by_number_never_by_time_or_id(tmp_path: Path) -> None:
    source = opened(
        tmp_path,
        RowSpec("user", {"text": "1"}, id="msg_z", seq=2, time=BASE + 9),
        RowSpec("user", {"text": "2"}, id="msg_a", seq=7, time=BASE + 5),
        RowSpec("user", {"text": "3"}, id="msg_m", seq=40, time=BASE + 5),
    )
    order = [place.id for place in source.order(SES)]
    assert order == ["msg_z", "msg_a", "msg_m"]
    (outline,) = source.outlines([SES])
    assert [ref.seq for ref in outline.messages] == [2, 7, 40]
    assert [one.id for one in source.window(SES, order).messages] == order


def test_an_answer_whole(tmp_path: Path) -> None:
    answer = answered(
        "Done.",
        finish="stop",
        cost=0.5,
        tokens={"input": 3},
        error={"type": "aborted", "message": "Stopped by the user"},
    )
    source = opened(tmp_path, RowSpec("user", {"text": "Go"}, id="msg_go"), answer)
    prompt, message = everything(source).messages
    assert (prompt.role, prompt.completed) == ("user", None)
    assert (message.role, message.agent, message.model) == ("assistant", "build", "stub/stub-1")
    assert (message.parent, message.completed) == ("msg_go", message.time + 900)
    assert (message.cost, message.tokens) == (0.5, {"input": 3})
    assert message.error == "aborted: Stopped by the user"


def test_a_completed_tool(tmp_path: Path) -> None:
    item = called(
        "shell",
        "completed",
        {"command": "ls"},
        content=[
            *printed("a\n", "b", "exit 3"),
            {"type": "file", "uri": "data:image/png;base64,AAAA", "mime": "image/png", "name": "d"},
        ],
        metadata={"exit": 3, "truncated": True, "outputPath": "/out/tool_1", "lines": 9},
    )
    part = only(tmp_path, answered(item))
    assert part.content == Tool(
        name="shell",
        call="call_1",
        status="completed",
        input={"command": "ls"},
        output="a\nb\nexit 3",
        started=BASE + 3,
        ended=BASE + 5,
        exit=3,
        spilled="/out/tool_1",
        attachments=(Attachment("image/png", "d", 3),),
        meta={"exit": 3, "truncated": True, "outputPath": "/out/tool_1", "lines": 9},
    )
    assert (part.flags, part.time) == (("truncated",), BASE + 3)


def test_a_completed_tool_of_118(tmp_path: Path) -> None:
    state: dict[str, Any] = {
        "content": printed("x"),
        "structured": {"exit": 0},
        "outputPaths": ["/out/tool_2"],
    }
    tool = content(tmp_path, answered(called("bash", "completed", {}, **state)))
    assert isinstance(tool, Tool)
    assert (tool.output, tool.exit, tool.spilled) == ("x", 0, "/out/tool_2")


@pytest.mark.parametrize("status", ["streaming", "pending"])
def test_a_tool_whose_input_still_streams(tmp_path: Path, status: str) -> None:
    tool = content(tmp_path, answered(called("write", status, '{"path": "/a')))
    assert isinstance(tool, Tool)
    assert (tool.status, tool.input, tool.output) == ("pending", '{"path": "/a', None)


def test_a_failed_tool_keeps_what_it_printed(tmp_path: Path) -> None:
    error = {"type": "tool.execution", "message": "Timed out"}
    item = called("shell", "error", {}, content=printed("started\n"), error=error)
    tool = content(tmp_path, answered(item))
    assert isinstance(tool, Tool)
    assert (tool.status, tool.output, tool.error) == ("error", "started\n", "Timed out")


def test_a_tool_that_the_import_ended_is_interrupted(tmp_path: Path) -> None:
    item = called("shell", "error", {}, error={"type": "tool.interrupted", "message": "cut"})
    assert only(tmp_path, answered(item)).flags == ("interrupted",)


def test_what_a_prompt_carries(tmp_path: Path) -> None:
    files = [
        {"data": "a2V5ID0gdmFsdWUK", "mime": "text/plain", "name": "a.conf"},
        {"uri": "file:///src/b.py", "mime": "text/plain", "mention": {"text": "@b.py"}},
    ]
    agents = [{"name": "explore", "mention": {"text": "@explore"}}]
    skills = [{"id": "sk_1", "name": "release", "text": "Tag it first."}]
    parts = everything(
        opened(tmp_path, said("Look", files=files, agents=agents, skills=skills))
    ).parts
    assert [part.id.rpartition("#")[2] for part in parts] == ["0", "1", "2", "3", "4"]
    assert [part.content for part in parts] == [
        Text("Look"),
        File("text/plain", "a.conf", text="key = value\n", bytes=12),
        File("text/plain", url="file:///src/b.py", text="@b.py"),
        Agent("explore", "@explore"),
        Tool(
            name="skill",
            status="completed",
            input={"name": "release", "id": "sk_1"},
            output="Tag it first.",
        ),
    ]
    assert parts[4].flags == ("synthetic",)


@pytest.mark.parametrize(
    ("row", "role", "expected"),
    [
        (RowSpec("synthetic", {"text": "Go on"}), "user", Text("Go on")),
        (RowSpec("system", {"text": "Rules"}), "system", Text("Rules")),
        (RowSpec("idle", {"outcome": "failed"}), "idle", StepFinish("failed")),
        (
            RowSpec("compaction", {"reason": "auto", "summary": "So far", "recent": "x"}),
            "compaction",
            Compaction(auto=True, text="So far"),
        ),
        (
            RowSpec("model-switched", {"model": {"id": "m2"}}),
            "model-switched",
            Unknown("model-switched", {"model": {"id": "m2"}}),
        ),
        (RowSpec("hologram", {"depth": 3}), "hologram", Unknown("hologram", {"depth": 3})),
    ],
    ids=lambda value: value.type if isinstance(value, RowSpec) else "",
)
def test_rows_that_are_one_part(tmp_path: Path, row: RowSpec, role: str, expected: Content) -> None:
    found = everything(opened(tmp_path, row))
    assert [message.role for message in found.messages] == [role]
    assert [part.content for part in found.parts] == [expected]
    flagged = row.type in ("synthetic", "system")
    assert found.parts[0].flags == (("synthetic",) if flagged else ())


@pytest.mark.parametrize(
    ("data", "output", "status", "error"),
    [
        ({"status": "exited", "exit": 1, "output": {"output": "no\n"}}, "no\n", "completed", None),
        ({"status": "killed", "output": {"output": "half"}}, "half", "error", "killed"),
        ({"status": "running"}, None, "running", None),
        ({"callID": "c", "output": "of 1.18"}, "of 1.18", "completed", None),
    ],
    ids=["exited", "killed", "running", "1.18"],
)
def test_a_command_of_ones_own(
    tmp_path: Path, data: Any, output: str | None, status: str, error: str | None
) -> None:
    found = everything(opened(tmp_path, RowSpec("shell", {"command": "git status", **data})))
    assert found.messages[0].role == "user"
    tool = found.parts[0].content
    assert isinstance(tool, Tool)
    told = (tool.name, tool.input, tool.output, tool.status, tool.error)
    assert told == ("shell", {"command": "git status"}, output, status, error)


def test_the_files_that_a_step_changed(tmp_path: Path) -> None:
    answer = answered("Done.", snapshot={"start": "a1", "end": "b2", "files": ["docs/x.md"]})
    parts = everything(opened(tmp_path, RowSpec("assistant", answer.data, id="msg_x"))).parts
    assert [part.id for part in parts] == ["msg_x#0", "msg_x#patch"]
    assert parts[1].content == Patch("b2", ("docs/x.md",))


@pytest.mark.parametrize("generation", ["1.18", "2.x"])
def test_input_that_waits_stands_at_the_end(tmp_path: Path, generation: Generation) -> None:
    source = opened(
        tmp_path, said("First"), generation=generation, waiting=[RowSpec(data={"text": "Next"})]
    )
    (outline,) = source.outlines([SES])
    assert [ref.seq >= WAITING for ref in outline.messages] == [False, True]
    assert source.listing("x").sessions[0].messages == 2
    parts = everything(source).parts
    assert [part.content for part in parts] == [Text("First"), Text("Next")]


@pytest.mark.parametrize(("generation", "stays"), [("1.18", True), ("2.x", False)])
def test_what_a_staged_revert_hides(tmp_path: Path, generation: Generation, stays: bool) -> None:
    columns = {"revert": '{"messageID":"msg_b","snapshot":"ab","files":[]}'}
    source = opened(tmp_path, said("a"), generation=generation, columns=columns)
    assert source.listing("x").sessions[0].revert == Revert("msg_b", after=stays)


def test_a_fork_with_a_link_back(tmp_path: Path) -> None:
    source = opened(tmp_path, columns={"fork_session_id": "ses_zero"})
    assert source.listing("x").sessions[0].flags == ("fork",)


def test_a_sub_agent_that_is_a_fork_is_both(tmp_path: Path) -> None:
    columns = {"fork_session_id": "ses_zero", "parent_id": "ses_up"}
    source = opened(tmp_path, columns=columns)
    assert source.listing("x").sessions[0].flags == ("subagent", "fork")


def test_a_session_without_a_title(tmp_path: Path) -> None:
    path = opencode_v2_db(tmp_path / "opencode.db", sessions=[V2Spec(None, [said("x")])])
    assert OpencodeSource(path).listing("x").sessions[0].title == ""


@pytest.mark.parametrize(
    "bad",
    ['{"text":"te', "null", "[1]", "17", b"\xff\xfe", '{"content":' + "[" * 5000],
    ids=["cut", "null", "list", "number", "bytes", "deep"],
)
def test_a_bad_row_is_a_fault_beside_the_good_ones(tmp_path: Path, bad: str | bytes) -> None:
    source = opened(tmp_path, RowSpec("assistant", bad, id="msg_bad"), said("good"))
    found = everything(source)
    assert (found.messages[0].id, found.messages[0].role) == ("msg_bad", "assistant")
    assert [part.content for part in found.parts] == [Text("good")]
    assert {(fault.code, fault.about) for fault in found.faults} == {("CORRUPT_PART", "msg_bad")}
    assert source.listing("x").sessions[0].parts == 1


@pytest.mark.parametrize(
    "data",
    [
        {"content": "text"},
        {"content": [7, None, "x", {"type": 3}, {"type": "tool", "state": "no"}]},
        {"content": [{"type": "new", "deep": {"er": 1}}], "snapshot": {"files": [1]}},
        {"content": None, "snapshot": [], "error": 4, "model": "m", "tokens": 5, "time": 1},
    ],
)
def test_odd_shapes_are_counted_as_they_are_read(tmp_path: Path, data: Any) -> None:
    source = opened(tmp_path, RowSpec("assistant", data))
    (outline,) = source.outlines([SES])
    parts = everything(source).parts
    assert [ref.id for ref in outline.parts] == [part.id for part in parts]
    assert source.listing("x").sessions[0].parts == len(parts)


def test_a_stamp_moves_with_a_row(tmp_path: Path) -> None:
    source = opened(tmp_path, RowSpec("user", {"text": "a"}, id="msg_a"))
    before = source.stamps([SES])
    assert before == source.stamps([SES])
    row = RowSpec("user", {"text": "a"}, id="msg_a", updated=BASE + 99_000)
    (tmp_path / "later").mkdir()
    assert opened(tmp_path / "later", row).stamps([SES]) != before


def test_finding_by_the_beginning_of_an_id(tmp_path: Path) -> None:
    answer = answered("a", called("read", "completed", {"path": "/x"}, content=printed("y")))
    source = opened(tmp_path, RowSpec("assistant", answer.data, id="msg_x"))
    assert source.find("msg_", 5) == [Found("message", "msg_x", "msg_x", SES)]
    assert source.find("msg_x#1", 5) == [Found("part", "msg_x#1", "msg_x", SES)]
    assert [one.id for one in source.find("msg_x#", 5)] == ["msg_x#0", "msg_x#1"]
    assert source.find("ses_o", 5) == [Found("session", SES, "", SES)]
    assert source.find("msg_x#7", 5) == []
    piece = source.raw(Found("part", "msg_x#0", "msg_x", SES))
    assert piece == '{"type": "text", "text": "a"}'
    whole = source.raw(Found("message", "msg_x", "msg_x", SES))
    assert whole is not None
    assert whole.startswith('{"time":{"created":')


def test_reading_leaves_no_trace(tmp_path: Path) -> None:
    source = opened(tmp_path, said("a"), answered("b"))
    before = fingerprint(tmp_path)
    source.listing("x")
    everything(source)
    source.window(SES, [place.id for place in source.order(SES)])
    assert fingerprint(tmp_path) == before


def test_parts_of_a_row_that_only_we_refuse_are_told_apart(tmp_path: Path) -> None:
    long_number = "9" * 5000
    row = RowSpec("assistant", f'{{"content":[{{"type":"text"}},{long_number}]}}', id="msg_bad")
    source = opened(tmp_path, row)
    (outline,) = source.outlines([SES])
    found = source.bodies(SES, outline.messages, outline.parts)
    assert found.parts == ()
    assert [fault.about for fault in found.faults] == ["msg_bad", "msg_bad#0", "msg_bad#1"]


def test_rows_of_115_have_no_number(tmp_path: Path) -> None:
    source = opened(tmp_path, said("b"), said("c"), generation="1.18")
    with closing(sqlite3.connect(source.path)) as db:
        db.execute("drop index session_message_session_seq_idx")
        db.execute("alter table session_message drop column seq")
    assert [place.seq for place in source.order(SES)] == [0, 0]
    assert [part.content for part in everything(source).parts] == [Text("b"), Text("c")]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "files", "text", "state"]), inner, max_size=3)
    ),
    max_leaves=8,
)
json_rows = st.dictionaries(
    st.sampled_from(["content", "files", "agents", "skills", "snapshot", "text", "output"]),
    json_values,
)


@given(st.sampled_from(["user", "assistant", "shell", "other"]), json_rows)
def test_sql_counts_the_parts_that_are_read(kind: str, data: dict[str, Any]) -> None:
    sql = f"SELECT {COUNT}, {PATCH}, {PARTS} FROM (SELECT ? AS type, ? AS data)"
    with closing(apsw.Connection(":memory:")) as db:
        counted: list[Any] = list(db.execute(sql, (kind, to_json(data))))
    ((count, patch, together),) = counted
    row = v2_content.Row("msg", SES, kind, BASE, BASE, 1, data)
    assert v2_content.places(count, bool(patch)) == list(v2_content.pieces(row))
    assert together == len(v2_content.parts(row))
