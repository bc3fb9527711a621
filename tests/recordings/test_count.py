"""The independent counter agrees with what is written about the recordings."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.recordings.conftest import Recording
from tests.recordings.count import count_store, texts


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("opencode/basic.db", (12, 66, 180)),
        ("opencode/reverted.db", (5, 23, 54)),
        ("opencode/before-delete.db", (5, 30, 83)),
        ("opencode/deleted.db", (2, 12, 33)),
        ("opencode/subagents.db", (8, 45, 108)),
        ("opencode/compacted.db", (2, 30, 85)),
        ("opencode/crashed/opencode.db", (6, 12, 25)),
        ("opencode/old-1.2.db", (4, 58, 185)),
        ("mimo/mimo-allkinds.db", (20, 82, 249)),
    ],
)
def test_sizes_of_the_recordings(
    recording: Recording, name: str, sizes: tuple[int, int, int]
) -> None:
    found = count_store(recording(name))
    assert (len(found.sessions), found.messages, found.parts) == sizes


def test_texts_of_a_tool_by_kind() -> None:
    state = {
        "status": "completed",
        "input": {"command": "ls", "limit": 3, "deep": [{"path": "/tmp"}], "all": True},
        "output": "a\nb",
    }
    part = {"type": "tool", "tool": "bash", "state": state}
    assert list(texts(part)) == [
        ("tool_input", "ls"),
        ("tool_input", "3"),
        ("tool_input", "/tmp"),
        ("tool_output", "a\nb"),
    ]


def test_every_kind_occurs(recording: Recording) -> None:
    kinds = Counter(said.kind for said in count_store(recording("opencode/basic.db")).said)
    assert {"text", "reasoning", "tool_input", "tool_output", "tool_error"} == set(kinds)
