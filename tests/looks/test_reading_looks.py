"""What reading looks like: all sorts of parts, a part alone, the outline; look before accepting."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
import pytest_textual_snapshot as plugin  # type: ignore[import-untyped]

from store.demo.blocks import image
from store.model import (
    Agent,
    Compaction,
    Content,
    File,
    Message,
    Part,
    Patch,
    Reasoning,
    Retry,
    StepFinish,
    Subtask,
    Text,
    Tool,
    Window,
)
from tests.tui.fake import MINUTE, FakeLibrary, ago, part
from tests.tui.helpers import Shell, shell
from tests.tui.test_relatives import kin, open_pool

Look = Callable[[Shell, str], None]


@pytest.fixture
def look(snapshot: Any, monkeypatch: pytest.MonkeyPatch) -> Look:
    """Compares the screen with the accepted picture of a name."""
    monkeypatch.setenv("HOME", "/home/ada")
    accepted = snapshot.use_extension(plugin.SVGImageExtension)

    def compare(sh: Shell, name: str) -> None:
        assert sh.app.export_screenshot(simplify=True) == accepted(name=name)

    return compare


def tool(name: str, given: object, output: str = "", **more: object) -> Tool:
    made = Tool(name, status="completed", input=given, output=output, started=0, ended=840)
    return replace(made, **more)  # type: ignore[arg-type]


TODOS = [
    tool("todowrite", {"todos": [
        {"content": what, "status": status} for what, status in zip(
            ("Read the pool", "Fix the size", "Tell the team"), states, strict=True)]})
    for states in (("in_progress", "pending", "pending"), ("completed", "in_progress", "pending"))
]  # fmt: skip
CALLS: list[Content] = [
    tool("bash", {"command": "pytest -q"}, "\x1b[32m12 passed\x1b[0m, \x1b[1;31m1 failed\x1b[0m",
         exit=1),
    tool("bash", {"command": "cat sizes.csv"}, "name,size,owner\npool.py,1204,ada\nREADME,3,李\n",
         exit=0),
    tool("read", {"filePath": "src/db/pool.py"}, "<content>\n40: class Pool:\n"
         "41:     def __init__(self, size: int = 8) -> None:\n42:         self.size = size\n"
         "</content>"),
    tool("edit", {"filePath": "src/db/pool.py", "oldString": "        self.size = size\n",
                  "newString": "        self.size = max(size, workers)\n"}),
    tool("grep", {"pattern": "Pool("}, "Found 2 matches\n/src/api/app.py:\n  Line 7: db = Pool(4)\n"
         "\n/tests/test_pool.py:\n  Line 3: pool = Pool(1)", meta={"matches": 2}),
    tool("github_issues", {"state": "open"}, '{"total": 2, "issues": ["pool", "retry"]}'),
    tool("question", {"questions": [{"question": "Change the default too?", "header": "Pool",
         "options": [{"label": "Yes", "description": "for everyone"}, {"label": "No"}]}]},
         meta={"answers": [["No"]]}),
    *TODOS,
    Tool("bash", status="running", input={"command": "make deploy"}),
    Tool("webfetch", status="error", input={"url": "https://example.org"}, error="HTTP 503"),
]  # fmt: skip


ENDED: list[Content] = [
    File("image/png", "screen.png", bytes=48_213),
    Compaction(auto=True),
    Text("Done. The pool is **as large** as the workers need:\n\n```python\nPool(40)\n```"),
    StepFinish("stop", 0.0142, {"input": 1200, "output": 310}),
]
OTHERS: list[Content] = [
    Reasoning("Who makes the pool?\n\nIt is made before the workers are counted."),
    tool("task", {"subagent_type": "explore", "description": "who opens connections",
                  "prompt": "Find every place that opens a **connection**."},
         "Two places: `app.py` and the nightly job.", meta={"sessionId": "ses_explore"}),
    tool("glob", {"pattern": "**/*.py"}, "/src/app.py\n/src/db/pool.py", meta={"count": 2}),
    tool("write", {"filePath": "notes.md", "content": "# Pool\n\nForty workers, eight places.\n"}),
    tool("apply_patch", {"patchText": "*** Begin Patch\n*** Update File: src/app.py\n"
                         "@@ def main():\n-    db = Pool(4)\n+    db = Pool(workers)\n"
                         "*** End Patch"}),
    tool("webfetch", {"url": "https://example.org/pool"}, "# Pools\n\n- one for *each* process"),
    tool("skill", {"name": "release"}, "Cut the *release* on Thursdays.\n\n1. tag\n2. wait"),
    tool("bash", {"command": "git diff"}, "diff --git a/x b/x\n--- a/x\n+++ b/x\n"
         "@@ -1 +1 @@\n-one\n+two", exit=0),
    tool("bash", {"command": "journalctl -n 2"}, "14:02:11 INFO pool: 8 places\n"
         "14:02:12 ERROR pool: no place left for worker 9\n", exit=0),
    Retry(2, "529 overloaded"),
    Agent("explore"),
    Subtask("Sum up the day.", "sums up", "general"),
    Patch("6f4feccd", ("/src/app.py", "/src/db/pool.py")),
]  # fmt: skip


class Parts(FakeLibrary):
    """A library with one message that holds a part of every sort."""

    def __init__(self, contents: Sequence[Content]) -> None:
        super().__init__()
        self._contents = contents

    def _window(self, session_id: str, first: int, count: int) -> Window:
        window = super()._window(session_id, 0, 2)
        time = ago(11 * MINUTE)
        message = Message("msg_all", session_id, "assistant", time, agent="build",
                          model="openai/gpt-5.2", completed=time + 9000)  # fmt: skip
        parts: tuple[Part, ...] = tuple(
            part(f"prt_{n}", "msg_all", content) for n, content in enumerate(self._contents)
        )
        head = replace(window.messages[0])
        turn = replace(window.messages[1], message=message, parts=parts)
        return replace(window, messages=(head, turn), total=2)


async def test_parts(look: Look) -> None:
    async with shell(Parts([*CALLS, *ENDED]), (110, 90)) as sh:
        await sh.press("enter", "plus", "z", "g")
        look(sh, "parts")


async def test_more_parts(look: Look) -> None:
    async with shell(Parts(OTHERS), (110, 90)) as sh:
        await sh.press("enter", "plus", "z", "g")
        look(sh, "more-parts")


async def test_a_part_alone(look: Look) -> None:
    async with shell(FakeLibrary(), (100, 24)) as sh:
        await sh.press("enter", "j", "enter", "f", *"refused", "enter", "y")
        look(sh, "alone")


async def test_the_outline(look: Look) -> None:
    async with shell(FakeLibrary(), (100, 30)) as sh:
        await sh.press("enter", "J", "J", "O")
        look(sh, "outline")


async def test_marks_and_finding_at_fifty_columns(look: Look) -> None:
    async with shell(FakeLibrary(), (50, 15)) as sh:
        await sh.press("enter", "m", "f", *"retry", "enter")
        look(sh, "low")


class Screenshot(FakeLibrary):
    """A library whose first prompt carries an image."""

    def raw(self, ident: str) -> str:
        return json.dumps(image("screen.png", 96, 60, (30, 44, 18, 52, 38, 25)).data)

    def _window(self, session_id: str, first: int, count: int) -> Window:
        window = super()._window(session_id, first, count)
        shot = part("prt_shot", "m", File("image/png", "screen.png", bytes=300))
        return replace(window, messages=(replace(window.messages[0], parts=(shot,)),))


async def test_an_image_alone(look: Look) -> None:
    pytest.importorskip("PIL")
    async with shell(Screenshot(), (100, 24)) as sh:
        await sh.press("enter", "enter")
        look(sh, "image")


async def test_relatives(look: Look) -> None:
    """A session of several stores, and all that belongs with it."""
    async with shell(kin()) as sh:
        await open_pool(sh)
        look(sh, "several-stores")
        await sh.press("r")
        look(sh, "relatives")
