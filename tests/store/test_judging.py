"""A call of a tool that never ended is interrupted, in a window as in the index."""

from __future__ import annotations

import time

import pytest

from store.judging import IDLE_MS, judged
from store.model import Part, Text, Tool

NOW = int(time.time() * 1000)


def call(status: str, message: str = "new") -> Part:
    return Part("p", message, "s", 0, 0, Tool("bash", status=status))


@pytest.mark.parametrize(
    ("part", "active", "flags"),
    [
        (call("running"), NOW, ()),
        (call("running"), NOW - IDLE_MS - 60_000, ("interrupted",)),
        (call("pending", "old"), NOW, ("interrupted",)),
        (call("completed", "old"), 0, ()),
        (Part("p", "old", "s", 0, 0, Text("x")), 0, ()),
    ],
    ids=["running", "idle", "not the last", "ended", "no call"],
)
def test_what_may_still_run(part: Part, active: int, flags: tuple[str, ...]) -> None:
    assert judged(part, "new", active).flags == flags
