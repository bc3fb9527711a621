"""The JSON of parts and messages: whatever is in it, it reads as something or is a plain fault."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.archive import pack, unpack
from store.extract import documents
from store.model import (
    Agent,
    Attachment,
    Checkpoint,
    Compaction,
    Content,
    File,
    Patch,
    Reasoning,
    Retry,
    Snapshot,
    StepFinish,
    StepStart,
    Subtask,
    Text,
    Tool,
    Unknown,
)
from store.sources import content

PNG = "data:image/png;base64,iVBORw0KGgoAAAA="
TOOL: dict[str, Any] = {
    "type": "tool",
    "tool": "bash",
    "callID": "call_1",
    "state": {
        "status": "completed",
        "input": {"command": "ls"},
        "output": "a\n",
        "title": "ls",
        "metadata": {"exit": 0, "diff": "+x", "output": "a\n", "outputPath": "/t", "more": 1},
        "time": {"start": 5, "end": 7, "compacted": 9},
        "attachments": [{"mime": "image/png", "filename": "a.png", "url": PNG}],
    },
}
REAL: list[tuple[dict[str, Any], Content]] = [
    ({"type": "text", "text": "hi", "time": {"start": 3}}, Text("hi")),
    ({"type": "reasoning", "text": "so"}, Reasoning("so")),
    (
        TOOL,
        Tool(
            name="bash",
            call="call_1",
            status="completed",
            title="ls",
            input={"command": "ls"},
            output="a\n",
            started=5,
            ended=7,
            exit=0,
            diff="+x",
            spilled="/t",
            attachments=(Attachment("image/png", "a.png", 11),),
            meta={"exit": 0, "outputPath": "/t", "more": 1},
        ),
    ),
    (
        {
            "type": "file",
            "mime": "text/plain",
            "filename": "a.py",
            "url": "file:///w/a.py",
            "source": {"path": "/w/a.py", "text": {"value": "print()"}},
        },
        File("text/plain", "a.py", "file:///w/a.py", "/w/a.py", "print()"),
    ),
    ({"type": "file", "mime": "image/png", "url": PNG}, File("image/png", bytes=11)),
    ({"type": "patch", "hash": "ab", "files": ["/w/a"]}, Patch("ab", ("/w/a",))),
    ({"type": "step-start", "snapshot": "ab"}, StepStart("ab")),
    (
        {"type": "step-finish", "reason": "stop", "cost": 0.5, "tokens": {"input": 3}},
        StepFinish("stop", 0.5, {"input": 3}),
    ),
    ({"type": "snapshot", "snapshot": "ab"}, Snapshot("ab")),
    ({"type": "compaction", "auto": True, "overflow": True}, Compaction(True, True)),
    (
        {"type": "compaction", "auto": False, "projection": {"summary": "s", "manifest": "m"}},
        Compaction(text="s\nm"),
    ),
    (
        {"type": "subtask", "prompt": "p", "description": "d", "agent": "a", "command": "c"},
        Subtask("p", "d", "a", "c"),
    ),
    ({"type": "agent", "name": "plan", "source": {"value": "@plan"}}, Agent("plan", "@plan")),
    (
        {"type": "retry", "attempt": 2, "error": {"name": "API", "data": {"message": "busy"}}},
        Retry(2, "API: busy"),
    ),
    (
        {"type": "checkpoint", "checkpointDir": "/c", "checkpointNumber": 4, "coveredUpTo": "m"},
        Checkpoint("/c", 4, "m"),
    ),
    (
        {"type": "hologram", "depth": 3, "text": ["x"]},
        Unknown("hologram", {"depth": 3, "text": ["x"]}),
    ),
]
MESSAGE: dict[str, Any] = {
    "role": "assistant",
    "time": {"created": 1, "completed": 2},
    "agent": "build",
    "mode": "build",
    "providerID": "p",
    "modelID": "m",
    "parentID": "msg_0",
    "error": {"name": "APIError", "data": {"message": "no", "responseBody": "busy"}},
    "cost": 0.5,
    "tokens": {"input": 3, "cache": {"read": 1}},
}
ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.sampled_from(["", "x", "\ud800", "\0", PNG, "1e999"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


@pytest.mark.parametrize(("data", "expected"), REAL, ids=lambda one: str(type(one).__name__))
def test_every_type_of_part(data: dict[str, Any], expected: Content) -> None:
    assert content.content(data)[0] == expected


@pytest.mark.parametrize(
    ("data", "flags"),
    [
        ({"type": "text", "synthetic": True, "ignored": True}, ("synthetic", "ignored")),
        ({"type": "text", "synthetic": "yes", "ignored": 1}, ()),
        (TOOL, ("compacted",)),
        ({"type": "tool", "state": {"metadata": {"interrupted": True}}}, ("interrupted",)),
        ({"type": "tool", "state": {"metadata": {"truncated": True}}}, ("truncated",)),
    ],
)
def test_flags(data: dict[str, Any], flags: tuple[str, ...]) -> None:
    assert content.content(data)[1] == flags


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found = [path]
    for key, one in inner:
        found += places(one, (*path, key)) if isinstance(one, dict | list) else [(*path, key)]
    return found


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(value[path[0]], path[1:], new)
    return copy


@given(st.data())
def test_any_value_anywhere_in_a_part_reads_as_something(data: st.DataObject) -> None:
    real, _ = data.draw(st.sampled_from(REAL))
    path = data.draw(st.sampled_from(places(real)[1:]))
    odd = changed(real, path, data.draw(ODD))
    read = content.decode(json.dumps(odd).encode())
    held, _ = content.content(read)
    time = content.part_time(read)
    assert time is None or 0 <= time < content.YEAR_10000
    for _, text in documents(held, "user"):
        assert isinstance(text, str)
    assert type(unpack(pack(held))) is type(held)


@given(st.sampled_from(places(MESSAGE)), ODD)
def test_any_value_anywhere_in_a_message_reads_as_something(
    path: tuple[Any, ...], odd: object
) -> None:
    read = json.loads(json.dumps(changed(MESSAGE, path, odd)))
    told = content.message(
        read if isinstance(read, dict) else {},
        ident="msg_1",
        session="ses_1",
        time=1,
        updated=2,
        slice_id="main",
    )
    texts = (told.role, told.agent, told.model, told.parent, told.error)
    assert all(isinstance(text, str) for text in texts)
    assert isinstance(told.cost, float)
    assert json.loads(json.dumps(told.tokens)) == told.tokens or "NaN" in repr(told).upper()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"a":' * 300 + b"1" + b"}" * 300, "nested too deeply"),
        (b'{"a":"\\ud800","b":' + b"[" * 300 + b"]" * 300 + b"}", "nested too deeply"),
        (b"[" * 1_000_000, "nested too deeply"),
        (b'{"a":[' + b"9" * 20_000 + b"]}", "digits"),
        (b'{"a":[' + b"9" * 4_100 + b"]}", "digits"),
        (b'{"a":"\xff"}', "decode"),
        (b"", "Expecting value"),
        (b"[]", "not a JSON object"),
    ],
    ids=["deep", "deep with half", "deeper", "long", "just too long", "bytes", "empty", "list"],
)
def test_what_cannot_be_read_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        content.decode(data)


def test_what_can_be_read_can_be_written() -> None:
    deep = b'{"a":' * 190 + b"1" + b"}" * 190
    data = b'{"type":"x","half":"\\ud800","n":' + b"9" * 3_900 + b',"v":' + deep + b"}"
    held, _ = content.content(content.decode(data))
    assert unpack(pack(held)) == held
    assert json.loads(json.dumps(asdict(held)["fields"])) == held.fields  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("start", "time"),
    [
        (5, 5),
        (5.9, 5),
        (-1, None),
        (253_402_300_799_999, 253_402_300_799_999),
        (253_402_300_800_000, None),
        (1e300, None),
        (True, None),
        ("5", None),
    ],
)
def test_a_time_is_one_that_a_date_can_have(start: object, time: int | None) -> None:
    assert content.part_time({"state": {"time": {"start": start}}}) == time


def test_a_text_of_digits_is_no_number() -> None:
    said = content.decode(b'{"type":"text","text":"' + b"7" * 10_000 + b'"}')
    assert len(said["text"]) == 10_000
