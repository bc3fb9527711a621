"""JSON and trajectories: stored JSON where there is one, else the same shape made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from store.model import (
    Agent,
    Attachment,
    Checkpoint,
    Compaction,
    Content,
    File,
    Flag,
    Json,
    Message,
    Part,
    Patch,
    Reasoning,
    Retry,
    Session,
    Snapshot,
    StepFinish,
    StepStart,
    Subtask,
    Text,
    Tool,
    Unknown,
    Window,
    WindowMessage,
)
from store.sources.content import content as decoded
from tests.tui.cli.fake import Fake
from tests.tui.export.test_markdown import ANSWERED, ASKED, NOON, turn
from tui.export import shape
from tui.export.conversation import Conversation, Stored
from tui.export.session import pieces
from tui.export.trajectory import Slice, as_trajectory, slices, trajectory_message

IDS = {"id": "prt_0", "sessionID": "ses_pool", "messageID": "msg_2"}
COMPLETED = Message("msg_2", "ses_pool", "assistant", NOON, agent="build", completed=NOON + 1)


class Keeping(Fake):
    """A door whose source keeps JSON of a message and of a part."""

    def originals(self, window: Window) -> Mapping[str, Mapping[str, Json]]:
        return {
            "ses_pool": {"id": "ses_pool", "slug": "neon"},
            "msg_two": {"role": "assistant", "odd": [1], "id": "msg_two"},
            "prt_bash": {"type": "tool", "state": {"x": "\u202e\x1b"}, "id": "prt_bash"},
        }


def exported(door: Fake, form: Any = "json", leftovers: bool = False) -> str:
    return "".join(pieces(Conversation(door, "ses_pool", leftovers=leftovers), form))


def test_stored_json_goes_out_as_it_is() -> None:
    told = json.loads(exported(Keeping()))
    assert told["info"] == {"id": "ses_pool", "slug": "neon"}
    answer = told["messages"][1]
    assert answer["info"] == {"role": "assistant", "odd": [1], "id": "msg_two"}
    assert answer["parts"][1] == {
        "type": "tool",
        "state": {"x": "\u202e\x1b"},
        "id": "prt_bash",
    }


def test_what_would_steer_a_terminal_is_escaped() -> None:
    assert '"x": "\\u202e\\u001b"' in exported(Keeping())


def test_a_session_without_stored_json_has_the_same_shape() -> None:
    told = json.loads(exported(Fake()))
    assert told["info"] == {
        "id": "ses_pool",
        "directory": "/src/api",
        "title": "Fix pool timeout",
        "time": {"created": 1_788_264_000_123, "updated": 1_788_264_060_123},
    }
    asked = {"role": "user", "time": {"created": NOON}, "id": "msg_one", "sessionID": "ses_pool"}
    said = {"type": "text", "text": "The pool times out.", "id": "prt_said"}
    owner = {"sessionID": "ses_pool", "messageID": "msg_one"}
    assert told["messages"][0] == {"info": asked, "parts": [said | owner]}


def test_a_session_without_messages() -> None:
    door = Fake(told=())
    assert exported(door).endswith('},\n  "messages": []\n}\n')


@pytest.mark.parametrize("form", ["json", "markdown", "text", "trajectory"])
def test_leftovers_are_left_out_unless_asked_for(form: str) -> None:
    gone = Part("prt_gone", "msg_1", "ses_pool", NOON, NOON, Text("hidden words"), fate="removed")
    kept = Part("prt_kept", "msg_1", "ses_pool", NOON, NOON, Text("live words"))
    over = Message("msg_2", "ses_pool", "assistant", NOON, fate="reverted")
    door = Fake(told=(WindowMessage(ASKED, (kept, gone)), turn(over, Text("reverted words"))))
    live = exported(door, form)
    assert "live words" in live
    assert "hidden words" not in live
    assert "reverted" not in live
    everything = exported(door, form, leftovers=True)
    assert "hidden words" in everything
    assert "reverted words" in everything
    assert "removed" in everything


def test_leftovers_name_their_fate_in_json() -> None:
    gone = Message("msg_1", "ses_pool", "user", NOON, fate="removed")
    door = Fake(told=(turn(gone, Text("x")),))
    told = json.loads(exported(door, leftovers=True))
    assert told["messages"][0]["info"]["fate"] == "removed"


@pytest.mark.parametrize(
    ("content", "flags"),
    [
        (Text("hi"), ("synthetic",)),
        (Text("hi"), ("ignored",)),
        (Reasoning("hm"), ()),
        (
            Tool(
                "bash", "call_1", "completed", "ls", {"command": "ls"}, "a", started=1, ended=2,
                exit=1, diff="-a", spilled="/tmp/x",
                attachments=(Attachment("image/png", "a.png"),),
                meta={"exit": 1, "outputPath": "/tmp/x"},
            ),
            (),
        ),
        (Tool("read", "call_2", "error", input={}, error="gone", started=1, ended=2), ()),
        (File("text/plain", "a.txt", "file:///a.txt", "/a.txt", "words"), ()),
        (Patch("abc", ("/a",)), ()),
        (StepStart("abc"), ()),
        (StepFinish("stop", 0.5, {"input": 1}, "abc"), ()),
        (Snapshot("abc"), ()),
        (Compaction(auto=True, overflow=True, text="short"), ()),
        (Subtask("do", "it", "explore", "/x"), ()),
        (Agent("explore", "@explore"), ()),
        (Checkpoint("/c", 3, "msg_1"), ()),
        (Unknown("hologram", {"depth": 3}), ()),
    ],
)  # fmt: skip
def test_a_made_part_reads_as_what_it_was_made_from(
    content: Content, flags: tuple[Flag, ...]
) -> None:
    made = shape.part(Part("prt_0", "msg_2", "ses_pool", NOON, NOON, content, flags))
    assert {key: made[key] for key in IDS} == IDS
    stored = {key: value for key, value in made.items() if key not in IDS}
    assert decoded(stored) == (content, flags)


def test_a_made_retry_keeps_its_error() -> None:
    made = shape.part(Part("prt_0", "msg_2", "ses_pool", NOON, NOON, Retry(2, "429")))
    assert made["error"]["data"]["message"] == "429"


def test_a_made_answer() -> None:
    message = Message(
        "msg_2", "ses_pool", "assistant", NOON, completed=NOON + 5, agent="build",
        model="acme/opus", parent="msg_1", error="APIError: 500", cost=0.5, tokens={"input": 1},
    )  # fmt: skip
    assert shape.message(message) == {
        "parentID": "msg_1",
        "role": "assistant",
        "mode": "build",
        "agent": "build",
        "cost": 0.5,
        "tokens": {"input": 1},
        "modelID": "opus",
        "providerID": "acme",
        "time": {"created": NOON, "completed": NOON + 5},
        "error": {"name": "UnknownError", "data": {"message": "APIError: 500"}},
        "id": "msg_2",
        "sessionID": "ses_pool",
    }


def test_a_long_session_is_read_by_pages() -> None:
    told = tuple(turn(Message(f"msg_{n}", "ses_pool", "user", n), Text("x")) for n in range(45))
    door = Fake(told=told)
    assert len(json.loads(exported(door))["messages"]) == 45
    asked = [call[1] for call in door.calls if call[0] == "page"]
    assert asked == [
        ("ses_pool", 0, 0, ""),
        ("opencode:ses_pool", 0, 20, ""),
        ("opencode:ses_pool", 20, 20, ""),
        ("opencode:ses_pool", 40, 20, ""),
    ]


# Trajectories --------------------------------------------------------------------------------


def stored(info: dict[str, Json], *parts: dict[str, Json], message: Message = ASKED) -> Stored:
    return Stored(WindowMessage(message, ()), info, parts)


def test_a_message_of_a_trajectory_is_flat() -> None:
    one = stored({"role": "user", "time": {"created": 5}, "id": "msg_1"}, {"type": "text"})
    assert trajectory_message(one) == {
        "role": "user",
        "time": {"created": 5},
        "id": "msg_1",
        "agentID": "main",
        "created": NOON,
        "parts": [{"type": "text"}],
    }


@pytest.mark.parametrize(
    ("file", "url"),
    [
        ({"mime": "image/png", "url": "data:image/png;base64,AA"}, "[data-url:image/png]"),
        ({"mime": "a/b", "filename": "x.png", "url": "data:;,"}, "[data-url:a/b:x.png]"),
        ({"mime": "a/b", "url": "file:///x"}, "file:///x"),
    ],
)
def test_bytes_in_urls_are_summarised(file: dict[str, Json], url: str) -> None:
    part = {"type": "file", **file}
    tool = {"type": "tool", "state": {"output": "data:a/b;base64,AA", "attachments": [file]}}
    shown = trajectory_message(stored({}, part, tool))["parts"]
    assert shown[0]["url"] == url
    assert shown[1]["state"]["attachments"][0]["url"] == url
    assert shown[1]["state"]["output"] == "data:a/b;base64,AA"
    assert part["url"] == file["url"]


def test_each_slice_is_a_line_of_its_own() -> None:
    spawned = Message("msg_3", "ses_pool", "user", NOON, slice="explore-1")
    found = slices([turn(ASKED, Text("go")), turn(spawned), turn(COMPLETED, Text("done"))])
    lines = list(as_trajectory(found, lambda name: []))
    heads = [json.loads(line) for line in "".join(lines).splitlines()]
    assert heads == [
        {
            "hook": "session.post",
            "input": {
                "sessionID": "ses_pool",
                "agentID": "main",
                "outcome": "completed",
                "finalText": "done",
                "assistantMessageID": "msg_2",
                "trajectory": [],
            },
        },
        {
            "hook": "session.post",
            "input": {
                "sessionID": "ses_pool",
                "agentID": "explore-1",
                "outcome": "cancelled",
                "trajectory": [],
            },
        },
    ]


@pytest.mark.parametrize(
    ("error", "completed", "outcome"),
    [
        ("", NOON, {"outcome": "completed"}),
        ("", None, {"outcome": "cancelled"}),
        ("MessageAbortedError: Aborted", NOON, {"outcome": "cancelled"}),
        ("APIError: 500", NOON, {"outcome": "error", "error": "APIError: 500"}),
    ],
)
def test_how_a_slice_ended(error: str, completed: int | None, outcome: dict[str, str]) -> None:
    one = Slice("main", "ses_pool")
    answer = Message("msg_2", "ses_pool", "assistant", NOON, completed=completed, error=error)
    one.add(turn(answer))
    head = one.head()
    assert {key: head[key] for key in head if key in ("outcome", "error")} == outcome


def test_a_trajectory_begins_at_the_last_compaction_that_succeeded() -> None:
    again = Message("msg_3", "ses_pool", "user", NOON)
    summary = Message("msg_4", "ses_pool", "assistant", NOON, completed=NOON)
    failed = Message("msg_6", "ses_pool", "assistant", NOON, completed=NOON, error="x")
    third = Message("msg_5", "ses_pool", "user", NOON)
    told = [
        turn(ASKED, Text("go")),
        turn(ANSWERED, Text("one")),
        turn(again, Compaction()),
        turn(summary, Text("short")),
        turn(third, Compaction()),
        turn(failed),
    ]
    door = Fake(told=tuple(told))
    line = json.loads(exported(door, "trajectory"))
    assert [one["id"] for one in line["input"]["trajectory"]] == [
        "msg_3",
        "msg_4",
        "msg_5",
        "msg_6",
    ]


def test_the_session_shape_takes_a_parent() -> None:
    child = Session("dsh", "one", "t", "/d", "p", parent="root", version="4")
    assert shape.session(child) == {
        "id": "one",
        "directory": "/d",
        "parentID": "root",
        "title": "t",
        "version": "4",
        "time": {"created": 0, "updated": 0},
    }
