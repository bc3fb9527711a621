"""The surface of a log: what stands, what was replaced by what, and which rules are broken."""

from __future__ import annotations

from typing import Any

import pytest

from store.sources.harness_events import Damage, event_of
from store.sources.harness_surface import Surface, Trace
from tests.makers.harness import (
    LogSpec,
    assistant,
    event,
    replacing,
    rows,
    text,
    tool_result,
    turn_end,
    turn_start,
    user,
)


def folded(*events: dict[str, Any]) -> Surface:
    """The surface of these events."""
    surface = Surface()
    for row in rows(LogSpec(events=events)):
        made = event_of(row, b"")
        assert not isinstance(made, Damage)
        surface.add(made)
    return surface


def answer(said: str = "later", **more: Any) -> dict[str, Any]:
    return assistant(text(said), **more)


def step(kind: str) -> dict[str, Any]:
    return event(kind, {"turn": 1, "step": 1})


def chunk() -> dict[str, Any]:
    return event("assistant/chunk", {"chunk": {"type": "text-delta", "index": 0, "text": "x"}})


def test_places_of_a_replaced_question_and_its_replacement() -> None:
    surface = folded(
        user("needle"),
        chunk(),
        answer(surfaceOp=replacing(0, 0, version=0), sourceEventSeqs=[0]),
        turn_end("interrupted"),
    )
    assert [surface.place(seq) for seq in range(4)] == [
        "shadowed",
        "log-only",
        "current",
        "log-only",
    ]
    assert surface.broken == []


def test_an_empty_log_has_an_empty_surface() -> None:
    assert folded().nodes == []


def test_traces_of_a_chain_of_replacements() -> None:
    surface = folded(
        turn_start(),
        step("step/start"),
        chunk(),
        user("first", sourceEventSeqs=[2]),
        answer(surfaceOp=replacing(3, 3), sourceEventSeqs=[3, 2]),
        user("second", "u2"),
        step("step/end"),
        step("step/start"),
        answer(ident="a2", surfaceOp=replacing(4, 4), sourceEventSeqs=[2, 4]),
    )
    assert surface.broken == []
    assert surface.trace(3) == Trace("shadowed", 4, (4, 8), (), (2,), (4,))
    assert surface.trace(4) == Trace("shadowed", 8, (8,), (3,), (3, 2), (8,))
    assert surface.trace(2) == Trace("log-only", None, (), (), (), (3, 4, 8))
    assert surface.trace(8) == Trace("current", None, (), (4,), (2, 4), ())
    assert surface.nodes == [8, 5]


def test_runs_of_sources_are_written_out() -> None:
    events = [user(str(number), f"u{number}") for number in range(5)]
    last = answer(surfaceOp=replacing(0, 4), sourceEventSeqs=[[0, 3], 4])
    surface = folded(*events, last)
    assert surface.broken == []
    assert surface.trace(5).sources == (0, 1, 2, 3, 4)


@pytest.mark.parametrize(
    "broken",
    [
        event("turn/start", {"turn": 1}, sourceEventSeqs=[0]),
        user("x", sourceEventSeqs="invalid"),
        user("x", sourceEventSeqs=[]),
        user("x", sourceEventSeqs=[None, 0]),
        user("x", sourceEventSeqs=[0, 0]),
        user("x", sourceEventSeqs=[-1]),
        user("x", sourceEventSeqs=[9]),
        answer(surfaceOp=replacing(0, 0)),
        answer(surfaceOp=replacing(0, 1), sourceEventSeqs=[0]),
        event("turn/start", {"turn": 1}, surfaceOp="append"),
        event("user/message", user("x")["data"]),
        answer(surfaceOp=replacing(9, 9), sourceEventSeqs=[0]),
        answer(surfaceOp=replacing(1, 0), sourceEventSeqs=[0, 1]),
        tool_result("short", surfaceOp=replacing(0, 0), sourceEventSeqs=[0]),
        user("x", seq=7),
    ],
)
def test_a_broken_rule_is_said_and_the_event_kept(broken: dict[str, Any]) -> None:
    surface = folded(user("a", "u1"), user("b", "u2"), broken)
    assert len(surface.broken) == 1


def test_sources_may_be_empty_for_an_answer() -> None:
    assert folded(answer(sourceEventSeqs=[])).broken == []


def test_the_system_message_is_replaced_by_another_one_alone() -> None:
    prompt = event("system/message", {"message": {"role": "system"}}, surfaceOp="append")
    again = {**prompt, "surfaceOp": replacing(0, 0), "sourceEventSeqs": [0]}
    assert folded(prompt, again).broken == []
    assert folded(prompt, user("x", surfaceOp=replacing(0, 0), sourceEventSeqs=[0])).broken
