"""Plain text: turns under a line of their own, tools indented, harmless."""

from __future__ import annotations

from store.model import (
    Compaction,
    File,
    Message,
    Patch,
    Reasoning,
    Retry,
    StepStart,
    Text,
    Todos,
    Tool,
    Unknown,
)
from tests.tui.export.test_markdown import ANSWERED, ASKED, NOON, SESSION, turn
from tui.export.plaintext import as_text


def test_a_session_as_text() -> None:
    call = Tool(
        "bash", status="completed", input={"command": "ls"}, output="a\tb\x07\n\nc\n", exit=0
    )
    told = turn(ANSWERED, StepStart("abc"), Reasoning("Look."), call, Text("Done."))
    assert "".join(as_text(SESSION, [turn(ASKED, Text("List it")), told])) == (
        "Fix *pool* <timeout>\n"
        "session: opencode:ses_pool\n"
        "folder: /src/api\n"
        "project: api\n"
        "began: 2026-09-01 12:00 UTC\n"
        "last active: 2026-09-01 12:00 UTC\n"
        "\n"
        "== You, 2026-09-01 12:00 UTC ==\n"
        "\n"
        "List it\n"
        "\n"
        "== build, 2026-09-01 12:00 UTC, acme/opus ==\n"
        "\n"
        "[thinking]\n"
        "    Look.\n"
        "\n"
        "[bash, exit 0]\n"
        "    [input]\n"
        "        command: ls\n"
        "    [output]\n"
        "        a\tb␇\n"
        "\n"
        "        c\n"
        "\n"
        "Done.\n"
    )


def test_every_other_part_says_what_it_holds() -> None:
    held = turn(
        ANSWERED,
        File("image/png", "a.png", bytes=5),
        Patch("abc", ("/src/a.py", "/src/b.py")),
        Compaction(text="In short"),
        Todos((("completed", "a"),)),
        Retry(2, "429"),
        Unknown("hologram", {"depth": 3}),
    )
    told = "".join(as_text(SESSION, [held])).split("==\n", 1)[1]
    assert told == (
        "\n[attached: a.png, image/png, 5 bytes]\n"
        "\n[patch]\n    /src/a.py\n    /src/b.py\n"
        "\n[compaction]\n    In short\n"
        "\n[todo]\n    completed: a\n"
        "\n[retry]\n    attempt 2\n    429\n"
        "\n[hologram]\n    depth: 3\n"
    )


def test_slices_and_errors_are_told() -> None:
    spawned = Message("msg_1", "ses_pool", "user", NOON, slice="explore-1")
    failed = Message("msg_2", "ses_pool", "assistant", NOON, agent="explore", slice="explore-1",
                     error="APIError: 500")  # fmt: skip
    told = "".join(as_text(SESSION, [turn(spawned, Text("Find it")), turn(failed)]))
    assert "\n== Task (explore-1), 2026-09-01 12:00 UTC ==\n" in told
    assert told.endswith(
        "\n== explore (explore-1), 2026-09-01 12:00 UTC ==\n\n[error]\n    APIError: 500\n"
    )
