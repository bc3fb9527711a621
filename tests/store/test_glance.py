"""How a session begins and ends, as the index has it."""

from __future__ import annotations

from pathlib import Path

from store.model import Glance
from tests.makers import BASE, MessageSpec, PartSpec, opencode_db, text
from tests.store.shelf import library, sync, talk


def said(role: str, at: int, *texts: str, **more: object) -> MessageSpec:
    parts = [PartSpec(text(one, **more), time=BASE + at) for one in texts]
    return MessageSpec(role, parts, time=BASE + at)


def test_it_is_the_first_prompt_and_the_last_answer(tmp_path: Path) -> None:
    session = talk(
        "a",
        said("user", 1, "<context>", synthetic=True),
        said("user", 2, "Why does it fail?", "And where?"),
        said("assistant", 3, "I look."),
        said("user", 4, "Go on."),
        said("assistant", 5, "Found it.", "It is the pool."),
    )
    held = library(tmp_path / "i.db", opencode_db(tmp_path / "o.db", sessions=[session]))
    sync(held)
    assert held.glance("ses_a") == Glance("Why does it fail?", "It is the pool.")
    assert held.glance("opencode:ses_a").prompt == "Why does it fail?"


def test_what_is_not_there_is_empty_and_a_long_text_is_cut(tmp_path: Path) -> None:
    sessions = [talk("none"), talk("long", said("user", 1, "x" * 5000))]
    held = library(tmp_path / "i.db", opencode_db(tmp_path / "o.db", sessions=sessions))
    sync(held)
    assert held.glance("ses_none") == Glance()
    assert held.glance("ses_long") == Glance("x" * 600, "")
