"""One believable part of every type, and small sessions made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from store.model import (
    Agent,
    Attachment,
    Checkpoint,
    Compaction,
    Content,
    File,
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
    Todos,
    Tool,
    Unknown,
    Window,
    WindowMessage,
)
from tui.render.row import MATCH, Row

NOON = 1_764_331_200_000
"""28 November 2025, 12:00:00 UTC."""

DIFF = """\
Index: /home/ada/src/api/src/db/pool.py
===================================================================
--- /home/ada/src/api/src/db/pool.py
+++ /home/ada/src/api/src/db/pool.py
@@ -38,7 +38,8 @@ class Pool:
     def __init__(self, size, workers):
         self.lock = Lock()
         self.free = []
-        self.size = size
+        self.size = max(size, workers)
+        self.ready = Event()
         self.fill()
 
     def fill(self):
@@ -71,3 +72,3 @@ class Pool:
     def take(self, timeout=1.0):
-        if not self.free:
+        if not self.free and not self.ready.wait(timeout):
             raise PoolTimeout(timeout)
"""

FAILURE = "\n".join(
    [
        *(f"tests/pool/test_case_{number:03}.py::test_{number} PASSED" for number in range(104)),
        "tests/pool/test_start.py:31: OperationalError",
        "could not connect: connection refused at 10.0.0.7:5432",
        *(f"tests/pool/test_late_{number:03}.py::test_{number} PASSED" for number in range(107)),
    ]
)

ANSWER = """\
The pool is created **before** the number of workers is known, so `size` stays at its default. \
Forty workers then wait for eight connections, and those that wait longer than a second fail.

## What I would change

1. Give the pool its size when the workers are counted.
2. Let `take()` wait for `ready` instead of failing at once:
   - no change of the retry code
   - see [the notes](https://example.org/pool)

```python
def take(self, timeout: float = 1.0) -> Connection:
    # wait until the pool was filled once
    if not self.ready.wait(timeout):
        raise PoolTimeout(timeout)
    return self.free.pop()
```

| setting | before | after |
|---|---|---|
| size | 8 | 40 |
| timeout | 1 s | 1 s |

> 连接池在知道工作进程数量之前就已经创建了。
"""

CONTENTS: dict[str, Content] = {
    "text": Text(ANSWER),
    "reasoning": Reasoning(
        "The symptom is at start, so look at how the pool is filled.\n\nThe retry code is not to "
        "be touched."
    ),
    "bash": Tool(
        name="bash",
        status="completed",
        title="pytest -x tests/pool",
        input={"command": "pytest -x tests/pool", "description": "Runs the tests of the pool"},
        output=FAILURE,
        started=NOON,
        ended=NOON + 8400,
        exit=1,
    ),
    "read": Tool(
        name="read",
        status="completed",
        title="src/db/pool.py",
        input={"filePath": "/home/ada/src/api/src/db/pool.py", "offset": 1, "limit": 80},
        output="\n".join(f"{number}: line" for number in range(1, 81)),
        started=NOON,
        ended=NOON + 12,
    ),
    "edit": Tool(
        name="edit",
        status="completed",
        title="src/db/pool.py",
        input={"filePath": "/home/ada/src/api/src/db/pool.py", "oldString": "a", "newString": "b"},
        output="Edit applied successfully.",
        diff=DIFF,
        started=NOON,
        ended=NOON + 31,
    ),
    "write": Tool(
        name="write",
        status="completed",
        title="notes.md",
        input={"filePath": "notes.md", "content": "# Pool\n\nForty workers.\n"},
        output="Wrote file successfully.",
    ),
    "error": Tool(
        name="webfetch",
        status="error",
        input={"url": "http://127.0.0.1:9/nothing", "format": "markdown"},
        error="Transport error (GET http://127.0.0.1:9/nothing)",
        started=NOON,
        ended=NOON + 5,
    ),
    "running": Tool(name="bash", status="running", input={"command": "sleep 600"}, started=NOON),
    "todo": Tool(
        name="todowrite",
        status="completed",
        input={
            "todos": [
                {"content": "Find where the pool is made", "status": "completed"},
                {"content": "修复连接池的大小", "status": "in_progress"},
                {"content": "Run the tests", "status": "pending"},
                {"content": "Rewrite the retry code", "status": "cancelled"},
            ]
        },
        output="[]",
    ),
    "task": Tool(
        name="task",
        status="completed",
        title="who opens connections",
        input={
            "description": "who opens connections",
            "subagent_type": "explore",
            "prompt": "Find every place that opens a connection.",
        },
        output="Three places:\n\n- `pool.py`\n- `health.py`\n- `migrate.py`",
        started=NOON,
        ended=NOON + 95_000,
    ),
    "grep": Tool(
        name="grep",
        status="completed",
        title="PoolTimeout",
        input={"pattern": "PoolTimeout", "path": "/home/ada/src/api", "include": "*.py"},
        output="Found 2 matches\nsrc/db/pool.py:\n  Line 74: raise PoolTimeout(timeout)",
    ),
    "image": Tool(
        name="read",
        status="completed",
        title="shot.png",
        input={"filePath": "shot.png"},
        output="Image read successfully",
        attachments=(Attachment("image/png", "shot.png", 20_480),),
    ),
    "mcp": Tool(
        name="tracker_search",
        status="completed",
        title="",
        input={"query": {"state": "open", "labels": ["pool", "bug"]}, "limit": 5, "exact": False},
        output='{"issues": []}',
    ),
    "file": File(mime="text/plain", filename="pool.log", path="/tmp/pool.log", text="a\nb\n"),
    "picture": File(mime="image/png", filename="screen.png", bytes=48_200),
    "patch": Patch("9fceb02d0ae598e95dc970b74767f19372d61af8", ("/home/ada/src/api/pool.py",)),
    "step-start": StepStart("9fceb02d0ae598e95dc970b74767f19372d61af8"),
    "step-finish": StepFinish(
        "tool-calls",
        0.0123,
        {"input": 10120, "output": 412, "reasoning": 64, "cache": {"read": 8192, "write": 0}},
    ),
    "snapshot": Snapshot("9fceb02d0ae598e95dc970b74767f19372d61af8"),
    "compaction": Compaction(auto=True, overflow=True),
    "subtask": Subtask("Sum up the day.", "sums up", "general", "sumup"),
    "agent": Agent("explore", "@explore"),
    "retry": Retry(2, "429 Too Many Requests"),
    "todos": Todos((("completed", "read the pool"), ("in_progress", "补测试"))),
    "checkpoint": Checkpoint("/home/ada/.mimo/checkpoints", 3, "msg_22d0000000"),
    "unknown": Unknown("hologram", {"depth": 3, "layers": ["a", "b"], "note": "new in 2.0"}),
}


def part(content: Content | str, ident: str = "prt_1", **more: Any) -> Part:
    """A part in message `msg_1` of session `ses_1`, from one of the samples or any content."""
    found = CONTENTS[content] if isinstance(content, str) else content
    fields: dict[str, Any] = {"message": "msg_1", "session": "ses_1", "time": NOON, "updated": NOON}
    return Part(id=ident, content=found, **(fields | more))


def message(number: int, role: str, *contents: Content | str | Part, **more: Any) -> WindowMessage:
    """Message `msg_<number>` with parts `prt_<number>_0`, `prt_<number>_1` and so on."""
    ident = f"msg_{number}"
    parts = tuple(
        content
        if isinstance(content, Part)
        else part(content, f"prt_{number}_{place}", message=ident, fate=more.get("fate", "live"))
        for place, content in enumerate(contents)
    )
    fields: dict[str, Any] = {"time": NOON + number * 3000}
    if role == "assistant":
        fields |= {
            "agent": "build",
            "model": "gpt-5.2",
            "completed": NOON + number * 3000 + 3200,
        }
    return WindowMessage(Message(id=ident, session="ses_1", role=role, **(fields | more)), parts)


SESSION = Session(
    source="opencode",
    id="ses_1",
    title="Fix pool timeout under load",
    directory="/home/ada/src/api",
    project="api",
    created=NOON,
    updated=NOON + 720_000,
    messages=44,
    parts=163,
)


def window(
    *messages: WindowMessage, first: int = 0, total: int | None = None, **more: Any
) -> Window:
    """A window over messages of the sample session."""
    count = first + len(messages) if total is None else total
    return Window(SESSION, messages, first, count, **more)


def conversation(**more: Any) -> Window:
    """A prompt, an answer with its steps, and another turn: what a reader usually sees."""
    prompt = Text(
        "The pool times out when forty workers start together. Find out why, do not change the "
        "retry code."
    )
    return window(
        message(2, "user", prompt),
        message(
            3,
            "assistant",
            "step-start",
            "reasoning",
            "bash",
            "read",
            "edit",
            "error",
            "text",
            "step-finish",
        ),
        message(4, "user", Text("Go on.")),
        message(5, "assistant", "todo", "task", "running"),
        first=2,
        total=44,
        **more,
    )


def said(rows: Sequence[Row]) -> list[str]:
    """Rows as a reader sees them, blanks at their ends left out."""
    return [(" " * row.indent + row.text).rstrip() for row in rows]


def marked(rows: Sequence[Row]) -> list[str]:
    """Every piece of text that is marked as a match, in reading order."""
    return [
        row.text[span.start : span.end]
        for row in rows
        for span in sorted(row.spans)
        if span.style == MATCH
    ]
