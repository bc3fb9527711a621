"""A pending revert hides what comes later, by time, until it is taken back or committed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from store.library import Library
from store.roster import now_ms
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    opencode_db,
    set_column,
    text,
)
from tests.makers.rows import to_json
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


def hidden(held: Library) -> dict[str | None, tuple[int | None, int | None]]:
    return {
        one.part: (one.removed_at, one.noticed_at)
        for one in held.leftovers("is:reverted").leftovers
    }


def logged(path: Path, *updates: tuple[int, str | None]) -> None:
    """Notes in the log that the session changed at these moments, with the revert it then had."""
    for place, (moment, revert) in enumerate(updates):
        info = {"id": "ses_w", "time": {"updated": moment}}
        if revert:
            info["revert"] = {"messageID": revert, "diff": ""}
        values = (f"evt_{moment}", 900 + place, to_json({"sessionID": "ses_w", "info": info}))
        sql = "insert into event(id, aggregate_id, seq, type, data)"
        edit(path, (f"{sql} values(?, 'ses_w', ?, 'session.updated.1', ?)", values))


def test_the_log_tells_when_a_pending_revert_was_made(tmp_path: Path, index: Path) -> None:
    store = wrapped(tmp_path / "opencode.db")
    target = "msg_000000000001"
    revert_to(store, f'{{"messageID":"{target}"}}')
    earlier, renamed = (BASE + 1, "msg_ffffffffffff"), (BASE + 3, target)
    logged(store, (BASE, None), earlier, (BASE + 2, target), renamed)
    before = now_ms()
    synced(index, store)
    held = library(index, store)
    assert {part: told[0] for part, told in hidden(held).items()} == {
        "prt_2a": BASE + 2,
        "prt_2b": BASE + 2,
    }
    (shown,) = held.show("prt_2a").parts
    assert (shown.removed_at, shown.noticed_at) == hidden(held)["prt_2a"]
    (one,) = held.happenings().happenings
    assert (one.cause, one.moment, one.removed_at) == ("revert_pending", BASE + 2, BASE + 2)
    assert before <= (one.noticed_at or 0) <= now_ms()


def test_without_a_log_a_pending_revert_was_seen_when_we_first_looked(
    tmp_path: Path, index: Path
) -> None:
    store = wrapped(tmp_path / "opencode.db")
    logged(store, (BASE, "msg_ffffffffffff"))  # of an earlier revert: it is not this one's
    before = now_ms()
    revert_to(store, '{"messageID":"msg_000000000001"}')
    synced(index, store)
    first = hidden(library(index, store))
    for told in first.values():
        assert told[0] is None
        assert before <= (told[1] or 0) <= now_ms()
    edit(store, ("update part set time_updated = time_updated + 1", ()))  # all is read anew
    synced(index, store, rebuild=True)
    assert hidden(library(index, store)) == first
    (one,) = library(index, store).happenings().happenings
    assert one.moment == one.noticed_at == max(told[1] or 0 for told in first.values())


def test_a_pending_revert_that_moved_back_is_still_one(tmp_path: Path, index: Path) -> None:
    store = wrapped(tmp_path / "opencode.db")
    for target in ("msg_000000000001", "msg_ffffffffffff"):
        revert_to(store, f'{{"messageID":"{target}"}}')
        synced(index, store)
    (one,) = library(index, store).happenings().happenings
    assert (one.messages, one.parts) == (2, 4)


@pytest.mark.parametrize("what", ["message", "session"])
def test_when_it_was_hidden_is_not_when_it_went(tmp_path: Path, index: Path, what: str) -> None:
    store = wrapped(tmp_path / "opencode.db")
    target = "msg_000000000001"
    revert_to(store, f'{{"messageID":"{target}"}}')
    logged(store, (BASE, target))
    synced(index, store)
    edit(store, ("update session set revert = null", ()), ("delete from event", ()))
    ident = target if what == "message" else "ses_w"
    edit(store, (f"delete from {what} where id = ?", (ident,)))
    before = now_ms()
    synced(index, store)
    for one in library(index, store).leftovers().leftovers:
        assert one.fate == ("removed" if what == "message" else "deleted")
        assert one.removed_at is None
        assert (one.noticed_at or 0) >= before


def test_what_a_revert_hides_no_more_has_no_time(tmp_path: Path, index: Path) -> None:
    store = wrapped(tmp_path / "opencode.db")
    for revert in ('{"messageID":"msg_000000000001"}', None):
        revert_to(store, revert)
        synced(index, store)
    with closing(sqlite3.connect(index)) as db:
        for table in ("message", "part"):
            told = db.execute(f"select distinct removed_at, noticed_at from {table}").fetchall()
            assert told == [(None, None)]
