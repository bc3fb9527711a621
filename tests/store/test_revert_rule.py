"""What a pending revert hides: one rule for windows and for the index, in every generation."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.library import Library
from store.model import Revert
from store.reverts import hidden_by
from tests.makers import MessageSpec, PartSpec, SessionSpec, opencode_db, text
from tests.makers.opencode_v2 import Generation, RowSpec, V2Spec, opencode_v2_db
from tests.store.shelf import library, sync

ORDER = ["m1", "m2", "m3"]
PARTS = ["p1", "p2", "p3"]


@pytest.mark.parametrize(
    ("revert", "messages", "parts"),
    [
        (None, set(), set()),
        (Revert("m9"), set(), set()),
        (Revert("m2"), {"m2", "m3"}, set()),
        (Revert("m2", after=True), {"m3"}, set()),
        (Revert("m2", "p2"), {"m3"}, {"p2", "p3"}),
        (Revert("m2", "p9"), {"m3"}, set()),
        (Revert("m3", after=True), set(), set()),
    ],
    ids=["none", "unknown", "message", "after", "part", "unknown part", "last"],
)
def test_the_rule(revert: Revert | None, messages: set[str], parts: set[str]) -> None:
    assert tuple(map(set, hidden_by(revert, ORDER, PARTS))) == (messages, parts)


def fates(held: Library, session: str) -> tuple[list[str], list[str]]:
    """The fates of all messages and parts in reading order."""
    window = held.page(session, 0, 50)
    return (
        [one.message.fate for one in window.messages],
        [part.fate for one in window.messages for part in one.parts],
    )


def found(held: Library, query: str) -> set[str]:
    return {hit.snippet for hit in held.search(query).hits}


def rows(*words: str) -> list[RowSpec]:
    """Prompts whose ids fall and whose times fall: only the number orders them."""
    return [
        RowSpec("user", {"text": word}, id=f"msg_{9 - place}", time=1_796_000_900_000 - place)
        for place, word in enumerate(words)
    ]


@pytest.mark.parametrize(("generation", "hidden"), [("1.18", {"three"}), ("2.x", {"two", "three"})])
def test_a_staged_revert_of_session_message(
    tmp_path: Path, generation: Generation, hidden: set[str]
) -> None:
    columns = {"revert": '{"messageID":"msg_8","files":[]}'}
    spec = V2Spec("T", rows("one", "two", "three"), id="ses_t", columns=columns)
    path = opencode_v2_db(tmp_path / "opencode.db", generation=generation, sessions=[spec])
    held = library(tmp_path / "index.db", path)
    sync(held)
    assert found(held, "is:reverted kind:user_text") == hidden
    expected = ["reverted" if word in hidden else "live" for word in ("one", "two", "three")]
    assert fates(held, "ses_t") == (expected, expected)
    held.close()


def test_a_revert_of_a_part_hides_the_rest_of_its_message(tmp_path: Path) -> None:
    parts = [PartSpec(text(word), id=f"prt_{word}") for word in ("a", "b", "c")]
    spec = SessionSpec(
        "T",
        [MessageSpec("user", parts, id="msg_1"), MessageSpec("user", [text("d")], id="msg_2")],
        id="ses_t",
        columns={"revert": '{"messageID":"msg_1","partID":"prt_b"}'},
    )
    held = library(tmp_path / "index.db", opencode_db(tmp_path / "opencode.db", sessions=[spec]))
    sync(held)
    assert fates(held, "ses_t") == (
        ["live", "reverted"],
        ["live", "reverted", "reverted", "reverted"],
    )
    assert found(held, "is:reverted kind:user_text") == {"b", "c", "d"}
    held.close()
