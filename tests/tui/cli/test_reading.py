"""`around` and `show`: the JSON, the lines for people, raw JSON and output byte for byte."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from store.errors import StoreError
from store.extract import documents
from store.model import (
    Agent,
    Attachment,
    Compaction,
    Content,
    File,
    Patch,
    Reasoning,
    Retry,
    StepFinish,
    Subtask,
    Text,
    Tool,
    Unknown,
)
from tests.tui.cli.conftest import Run
from tests.tui.cli.fake import BASH, OUTPUT, SAID, THOUGHT, Fake, tool
from tests.tui.cli.test_sessions import POOL
from tui.__main__ import main
from tui.cli import shapes

BASH_JSON = {
    "part": "prt_bash",
    "type": "tool",
    "kinds": ["tool_input", "tool_output", "file"],
    "tool": "bash",
    "status": "completed",
    "time": "2026-09-01T12:00:00.125Z",
    "fate": "live",
    "cause": None,
    "evidence": "source",
    "removed_at": None,
    "noticed_at": None,
    "flags": [],
    "text": None,
    "input": {"command": "pytest -x"},
    "output": OUTPUT,
    "error": None,
    "attachments": [{"mime": "image/png", "filename": "plot.png", "bytes": 77}],
    "fields": {
        "name": "bash",
        "call": "call_1",
        "title": "Run the tests",
        "started": "2026-09-01T12:00:00.123Z",
        "ended": "2026-09-01T12:00:08.523Z",
        "exit": 1,
        "diff": "",
        "spilled": "",
        "meta": {},
    },
}
ANSWERED_JSON: dict[str, Any] = {
    "message": "msg_two",
    "role": "assistant",
    "agent": "build",
    "slice": "main",
    "model": "gpt-5.2",
    "time": "2026-09-01T12:00:00.124Z",
    "fate": "live",
    "flags": [],
    "error": None,
}


def test_a_window_as_json(run: Run) -> None:
    ran = run("around", "prt_bash", "--json")
    assert (ran.code, ran.err) == (0, "")
    answer = ran.answer
    first, second = answer.pop("messages")
    assert answer == {
        "source": "opencode",
        "session": POOL,
        "anchor": "msg_two",
        "part": "prt_bash",
        "first": 0,
        "total": 5,
        "more_before": False,
        "more_after": True,
        "faults": [],
    }
    assert (first["message"], first["matched"], first["agent"]) == ("msg_one", False, None)
    assert first["parts"][0]["text"] == "The pool times out."
    assert first["parts"][0]["kinds"] == ["user_text"]
    parts = second.pop("parts")
    assert second == ANSWERED_JSON | {"matched": True}
    assert parts[1] == BASH_JSON


def test_the_window_asked_for_reaches_the_door(run: Run, door: Fake) -> None:
    run("around", "prt_b", "--before", "0", "--after", "50", "--slice", "explore-1")
    assert door.calls[-1] == ("around", ("prt_b", 0, 50, "explore-1"))


def test_a_window_for_people(run: Run) -> None:
    lines = run("around", "prt_bash").out.splitlines()
    assert lines[:2] == [
        "Fix pool timeout  opencode:ses_pool  /src/api",
        "messages 1 to 2 of 5",
    ]
    assert "      The pool times out." in lines
    assert any(line.startswith("> build  ") and "msg_two" in line for line in lines)
    assert "  > bash  completed  Run the tests  prt_bash" in lines
    assert "        command: pytest -x" in lines
    assert "        connection refused      two\ufffd" in lines


def test_a_window_cuts_long_output_and_says_so(run: Run, door: Fake) -> None:
    long = "\n".join(f"line {at}" for at in range(100))
    window = door.around("prt_bash")
    message = window.messages[1]
    door.around = lambda *_, **__: replace(  # type: ignore[method-assign]
        window, messages=(replace(message, parts=(tool(output=long),)),)
    )
    out = run("around", "prt_bash").out
    assert "        line 19\n        ... 80 lines more: backscroll show prt_bash\n" in out


def test_a_window_without_a_message_is_nothing_found(run: Run, door: Fake) -> None:
    window = replace(door.around("ses_pool"), messages=(), anchor="")
    door.around = lambda *_, **__: window  # type: ignore[method-assign]
    ran = run("around", "ses_pool", "--slice", "nobody", "--json")
    assert (ran.code, ran.answer["messages"], ran.answer["anchor"]) == (1, [], None)


def test_show_as_json(run: Run, door: Fake) -> None:
    ran = run("show", "opencode:prt_bash", "--json")
    assert ran.answer == {
        "source": "opencode",
        "session": POOL,
        **ANSWERED_JSON,
        "parts": [BASH_JSON],
    }
    assert door.calls[-1] == ("show", "opencode:prt_bash")


def test_show_prints_the_whole(run: Run, door: Fake) -> None:
    door.parts = (THOUGHT, tool(output="\n".join(f"line {at}" for at in range(100))))
    out = run("show", "msg_two").out
    assert "      At the start?\n" in out
    assert "        line 99\n" in out


def test_output_comes_byte_for_byte(capfdbinary: Any, door: Fake) -> None:
    assert main(["show", "prt_bash", "--output"]) == 0
    out, err = capfdbinary.readouterr()
    assert out == OUTPUT.encode("utf-8", "surrogatepass")
    assert err == b""


@pytest.mark.parametrize("parts", [(SAID,), (BASH, BASH)])
def test_output_is_of_one_tool(run: Run, door: Fake, parts: Any) -> None:
    door.parts = parts
    ran = run("show", "msg_two", "--output")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("backscroll: INVALID_ARGUMENT: msg_two ")


def test_a_tool_that_failed_has_no_output(run: Run, door: Fake) -> None:
    door.parts = (tool(output=None, error="boom", status="error"),)
    ran = run("show", "prt_bash", "--output")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "backscroll: the tool has no output, its status is error\n"


def test_an_empty_output_is_found(run: Run, door: Fake) -> None:
    door.parts = (tool(output=""),)
    ran = run("show", "prt_bash", "--output")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_raw_is_the_stored_json(run: Run, door: Fake, more: list[str]) -> None:
    assert run("show", "prt_bash", "--raw", *more).out == door.stored + "\n"


def test_raw_of_a_broken_row_is_still_json(run: Run, door: Fake) -> None:
    door.stored = '{"type":'
    assert run("show", "prt_bash", "--raw", "--json").answer == {"raw": '{"type":'}


def test_raw_on_a_terminal_is_harmless(
    run: Run, door: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.cli.output.is_terminal", lambda _: True)
    door.stored = '{"a":"\x9b2J"}'
    assert run("show", "prt_bash", "--raw").out == '{"a":"\ufffd2J"}\n'


@pytest.mark.parametrize("command", ["around", "show"])
def test_without_a_store_nothing_is_found(run: Run, door: Fake, command: str) -> None:
    door.found = ()
    ran = run(command, "prt_bash")
    assert (ran.code, ran.out) == (1, "")
    assert "no store on this machine" in ran.err
    ran = run(command, "prt_bash", "--json")
    assert (ran.code, ran.answer["session"]) == (1, None)


def test_a_busy_index_does_not_keep_from_reading(run: Run, door: Fake) -> None:
    door.found, door.refresh_error = (), StoreError("INDEX_BUSY", "another program writes it")
    assert run("show", "prt_bash", "--json").answer["parts"] == [BASH_JSON]


CONTENTS: list[Content] = [
    Text("a"),
    Text(""),
    Reasoning("a"),
    Tool(name="bash"),
    Tool(name="bash", input={"command": "ls"}, output="a", attachments=(Attachment("m", "f", 1),)),
    Tool(name="bash", error="a"),
    File(filename="a.png"),
    File(),
    Patch(files=("/a",)),
    Patch(),
    Subtask(prompt="a"),
    Agent(name="plan"),
    Compaction(text="a"),
    Compaction(),
    Retry(1, "a"),
    StepFinish("stop"),
    Unknown("new", {"a": 1}),
]


@pytest.mark.parametrize("content", CONTENTS, ids=lambda content: repr(content)[:40])
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_kinds_are_those_that_are_indexed(content: Content, role: str) -> None:
    assert shapes.kinds(content, role) == tuple(kind for kind, _ in documents(content, role))


@pytest.mark.parametrize("content", CONTENTS, ids=lambda content: repr(content)[:40])
def test_every_part_has_the_same_keys(content: Content) -> None:
    assert shapes.part(replace(BASH, content=content), "user").keys() == BASH_JSON.keys()


def test_an_unknown_part_keeps_its_fields(run: Run, door: Fake) -> None:
    door.parts = (replace(BASH, content=Unknown("hologram", {"depth": 3})),)
    part = run("show", "prt_bash", "--json").answer["parts"][0]
    assert (part["type"], part["fields"]) == ("hologram", {"depth": 3})
    assert "      depth: 3" in run("show", "prt_bash").out


def test_every_type_can_be_printed(run: Run, door: Fake) -> None:
    door.parts = tuple(
        replace(BASH, id=f"prt_{at}", content=content) for at, content in enumerate(CONTENTS)
    )
    out = run("show", "msg_two").out
    assert all(f"prt_{at}" in out for at in range(len(CONTENTS)))


def test_a_value_nested_too_deeply_is_an_error_with_a_code(run: Run, door: Fake) -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    door.parts = (tool(input={"deep": deep}),)
    assert run("show", "prt_bash", "--json").code == 2
    ran = run("show", "prt_bash")
    assert ran.code == 0
    assert "deep: (nested too deeply to print)" in ran.out
