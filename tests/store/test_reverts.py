"""A pending revert hides what comes later, by time, until it is taken back or committed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.makers import (
    MessageSpec,
    PartSpec,
    opencode_db,
    set_column,
    text,
)
from tests.store.shelf import (
    edit,
    fates,
    found,
    library,
    synced,
    talk,
)


def revert_to(path: Path, value: str | None) -> None:
    set_column(path, "session", "ses_w", "revert", value)


def wrapped(path: Path) -> Path:
    """Three messages over the moment when ids began anew: by id alone the last comes first."""
    wrap = 1_786_706_395_136
    ids = ("msg_fffffffffffe", "msg_ffffffffffff", "msg_000000000001")
    messages = [
        MessageSpec(
            "user",
            [
                PartSpec(text(f"said{place} first"), id=f"prt_{place}b", time=wrap - 2 + place),
                PartSpec(text(f"said{place} second"), id=f"prt_{place}a", time=wrap + 5 + place),
            ],
            id=ident,
            time=wrap - 2 + place,
        )
        for place, ident in enumerate(ids)
    ]
    return opencode_db(path, sessions=[talk("w", *messages, time=wrap - 60_000)])


@pytest.mark.parametrize(
    ("revert", "hidden"),
    [
        ('{"messageID":"msg_ffffffffffff"}', ["1b", "1a", "2b", "2a"]),
        ('{"messageID":"msg_ffffffffffff","partID":"prt_1a"}', ["1a", "2b", "2a"]),
        ('{"messageID":"msg_ffffffffffff","partID":"prt_1b"}', ["1b", "1a", "2b", "2a"]),
        ('{"messageID":"msg_000000000001"}', ["2b", "2a"]),
        ('{"messageID":"msg_nowhere"}', []),
        ('{"messageID":"msg_ffffffffffff","partID":"prt_nowhere"}', ["2b", "2a"]),
        ("no json", []),
        ("[]", []),
        ('{"messageID":7}', []),
    ],
)
def test_a_pending_revert_hides_what_comes_later(
    tmp_path: Path, index: Path, revert: str, hidden: list[str]
) -> None:
    store = wrapped(tmp_path / "opencode.db")
    synced(index, store)
    revert_to(store, revert)
    synced(index, store)
    wanted = {f"prt_{name}" for name in hidden}
    held = library(index, store)
    assert {name for name, told in fates(index, "part").items() if told[0] == "reverted"} == wanted
    assert set(found(held, "said is:reverted")) == wanted
    assert {name: told[1] for name, told in fates(index, "part").items()} == {
        f"prt_{place}{part}": "revert_pending" if f"prt_{place}{part}" in wanted else None
        for place in range(3)
        for part in "ab"
    }
    window = held.page("ses_w", 0, 9)
    shown = {part.id for one in window.messages for part in one.parts if part.fate == "reverted"}
    assert shown == wanted
    revert_to(store, None)
    synced(index, store)
    assert set(fates(index, "part").values()) == {("live", None, "source")}
    assert set(fates(index, "message").values()) == {("live", None)}


def test_a_revert_that_is_there_at_first_sight(tmp_path: Path, index: Path) -> None:
    store = wrapped(tmp_path / "opencode.db")
    revert_to(store, '{"messageID":"msg_000000000001"}')
    synced(index, store)
    assert set(found(library(index, store), "said is:reverted")) == {"prt_2a", "prt_2b"}
    assert fates(index, "message")["msg_000000000001"] == ("reverted", "revert_pending")


def test_a_committed_revert_leaves_removed_rows(tmp_path: Path, index: Path) -> None:
    store = wrapped(tmp_path / "opencode.db")
    revert_to(store, '{"messageID":"msg_000000000001"}')
    synced(index, store)
    edit(
        store,
        ("delete from message where id = 'msg_000000000001'", ()),
        ("update session set revert = null", ()),
    )
    synced(index, store)
    parts = fates(index, "part")
    assert (parts["prt_2a"][0], parts["prt_2b"][0], parts["prt_1a"][0]) == (
        "removed",
        "removed",
        "live",
    )


def test_a_revert_that_moves_back_and_forth_hides_what_it_hides_last(
    tmp_path: Path, index: Path
) -> None:
    store = wrapped(tmp_path / "opencode.db")
    hidden = []
    for target in ("msg_000000000001", "msg_ffffffffffff", "msg_000000000001", None):
        revert_to(store, f'{{"messageID":"{target}"}}' if target else None)
        synced(index, store)
        told = fates(index, "message")
        hidden.append([name for name in sorted(told) if told[name][0] == "reverted"])
    both = ["msg_000000000001", "msg_ffffffffffff"]
    assert hidden == [both[:1], both, both[:1], []]
