"""What of a part is searched: exactly these texts for these kinds."""

from __future__ import annotations

from typing import Any

import pytest

from store.extract import body, documents
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
from store.text import tokens

PNG = "data:image/png;base64," + "iVBORw0KGgo" * 20

CASES: list[tuple[Content, list[tuple[str, str]]]] = [
    (Text("said"), [("assistant_text", "said")]),
    (Text(), []),
    (Reasoning("thought"), [("reasoning", "thought")]),
    (Tool(name="bash"), [("tool_input", "bash")]),
    (
        Tool(name="bash", title="Lists", input={"command": "ls -l\nwc"}, output="a\nb\n"),
        [("tool_input", "bash\nLists\ncommand: ls -l\nwc"), ("tool_output", "a\nb\n")],
    ),
    (
        Tool(name="bash", title="ls", input={"command": "ls"}, error="exit 2"),
        [("tool_input", "bash\ncommand: ls"), ("tool_error", "exit 2")],
    ),
    (
        Tool(name="shot", attachments=(Attachment("image/png", "a.png", 9), Attachment())),
        [("tool_input", "shot"), ("file", "a.png\nimage/png")],
    ),
    (
        File("text/plain", "a.py", "file:///w/a.py", "/w/a.py", "print()", 3),
        [("file", "a.py\ntext/plain\n/w/a.py\nprint()")],
    ),
    (File(url="https://x.test/y"), [("file", "https://x.test/y")]),
    (File(), []),
    (Patch("ab12", ("/w/a.py", "/w/b.py")), [("patch", "/w/a.py\n/w/b.py")]),
    (Patch("ab12"), []),
    (
        Subtask("Find it", "Search", "explore", "find"),
        [("subtask", "Search\nFind it\nexplore\nfind")],
    ),
    (Agent("plan", "@plan do"), [("subtask", "plan\n@plan do")]),
    (Compaction(True, False, "summary"), [("compaction", "summary")]),
    (Compaction(True), []),
    (Retry(2, "Overloaded: try later"), [("error", "Overloaded: try later")]),
    (Checkpoint("/w/c", 3, "msg_1"), []),
    (StepStart("ab"), []),
    (StepFinish("stop"), []),
    (Snapshot("ab"), []),
    (Unknown("hologram", {"text": "hidden"}), []),
]


@pytest.mark.parametrize(("content", "expected"), CASES, ids=lambda one: type(one).__name__)
def test_the_documents_of_a_part(content: Content, expected: list[tuple[str, str]]) -> None:
    assert documents(content, "assistant") == expected


def test_a_text_is_its_speakers() -> None:
    assert documents(Text("hi"), "user") == [("user_text", "hi")]


def test_texts_are_raw_so_that_every_line_begins_with_a_word() -> None:
    tool = Tool(name="bash", input={"script": "first\nsecond\tthird"}, output="one\ntwo\n")
    words = {token.text for _, text in documents(tool, "") for token in tokens(text)}
    assert words == {"bash", "script", "first", "second", "third", "one", "two"}


def test_leaves_of_an_input_stand_with_their_keys() -> None:
    given = {"a": {"b": [1, True, None, "", {"c": 2.5}]}, "d": "x"}
    assert body(Tool(name="t", input=given), "", "tool_input") == "t\nb: 1\nb: true\nc: 2.5\nd: x"


@pytest.mark.parametrize("given", ["just text", ["one", "two"], 7, False, None, [], {}])
def test_an_input_may_be_any_json(given: object) -> None:
    text = body(Tool(name="t", input=given), "", "tool_input")
    shown = {"just text": "t\njust text", "7": "t\n7", "False": "t\nfalse"}
    assert text == ("t\none\ntwo" if given == ["one", "two"] else shown.get(str(given), "t"))


def test_deep_and_wide_inputs() -> None:
    deep: object = "bottom"
    for _ in range(50_000):
        deep = [deep]
    assert body(Tool(name="t", input={"k": deep}), "", "tool_input") == "t\nk: bottom"
    wide = {str(number): number for number in range(100_000)}
    assert body(Tool(name="t", input=wide), "", "tool_input").endswith("\n99999: 99999")


@pytest.mark.parametrize("content", [one for one, _ in CASES], ids=lambda one: type(one).__name__)
def test_base64_is_in_no_document(content: Content) -> None:
    held: dict[str, Any] = {
        name: f"{value} {PNG} end"
        for name in ("text", "output", "error", "prompt", "url", "filename")
        if isinstance(value := getattr(content, name, None), str)
    }
    made = type(content)(**held) if held else Tool(name="t", input={"deep": [{"url": PNG}]})
    found = documents(made, "user")
    assert not any("iVBOR" in text for _, text in found)
    assert any("[data image/png]" in text for _, text in found)


def test_the_text_of_one_kind() -> None:
    tool = Tool(name="bash", output="out")
    assert body(tool, "", "tool_output") == "out"
    assert body(tool, "", "tool_error") == ""
