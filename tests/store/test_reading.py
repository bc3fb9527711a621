"""Windows, single parts and stored JSON: in reading order, from the store or from the archive."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.errors import StoreError
from store.model import Text
from tests.makers import (
    MessageSpec,
    PartSpec,
    mimocode_db,
    set_column,
    set_data,
    text,
)
from tests.store.shelf import edit, ids, library, numbers, opened, sync, talk, ten

WRAP = 1_786_706_395_136


@pytest.mark.parametrize(
    ("anchor", "before", "after", "shown", "more"),
    [
        (5, 2, 2, [3, 4, 5, 6, 7], (True, True)),
        (5, 0, 0, [5], (True, True)),
        (0, 3, 1, [0, 1], (False, True)),
        (9, 1, 3, [8, 9], (True, False)),
        (5, 50, 50, list(range(10)), (False, False)),
        (0, 0, 9, list(range(10)), (False, False)),
    ],
)
@pytest.mark.parametrize("kind", ["msg", "prt"])
def test_a_window_has_its_anchor_and_its_neighbours(
    tmp_path: Path,
    anchor: int,
    before: int,
    after: int,
    shown: list[int],
    more: tuple[bool, bool],
    kind: str,
) -> None:
    held = ten(tmp_path)
    window = held.around(f"{kind}_{anchor:04}", before=before, after=after)
    assert numbers(window) == shown
    assert (window.more_before, window.more_after) == more
    assert (window.first, window.total) == (shown[0], 10)
    assert [n for n, one in zip(shown, window.messages, strict=True) if one.matched] == [anchor]
    assert window.anchor == f"msg_{anchor:04}"
    assert window.part == (f"prt_{anchor:04}" if kind == "prt" else "")


@pytest.mark.parametrize(("before", "after"), [(-1, 0), (0, -1), (51, 0), (0, 51)])
def test_a_window_has_a_size_that_can_be(tmp_path: Path, before: int, after: int) -> None:
    held = ten(tmp_path)
    with pytest.raises(StoreError, match="INVALID_WINDOW"):
        held.around("msg_0001", before=before, after=after)


def test_a_session_begins_at_its_beginning(tmp_path: Path) -> None:
    window = ten(tmp_path).around("ses_one", before=3, after=3)
    assert numbers(window) == [0, 1, 2, 3]
    assert (window.anchor, any(one.matched for one in window.messages)) == ("", False)


@pytest.mark.parametrize(
    ("first", "count", "shown"),
    [(0, 3, [0, 1, 2]), (8, 5, [8, 9]), (-4, 2, [0, 1]), (10, 5, []), (99, 5, []), (3, 0, [])],
)
def test_pages_by_place(tmp_path: Path, first: int, count: int, shown: list[int]) -> None:
    window = ten(tmp_path).page("ses_one", first, count)
    assert numbers(window) == shown
    assert window.total == 10


def test_a_long_session_from_any_place(tmp_path: Path) -> None:
    held = ten(tmp_path, 3000)
    assert numbers(held.around("msg_1500", before=1, after=1)) == [1499, 1500, 1501]
    assert numbers(held.page("ses_one", 2990, 50)) == list(range(2990, 3000))
    assert len(held.page("ses_one", 0, 3000).messages) == 3000


def test_order_is_by_time_and_then_by_id(tmp_path: Path) -> None:
    late, early = "msg_000000000001", "msg_ffffffffffff"
    parts = [
        PartSpec(text("third"), id="prt_a", time=WRAP + 9),
        PartSpec(text("first"), id="prt_z", time=WRAP + 1),
        PartSpec(text("second"), id="prt_zz", time=WRAP + 1),
    ]
    messages = (
        MessageSpec("user", [text("after")], id=late, time=WRAP),
        MessageSpec("user", [text("before")], id=early, time=WRAP - 1),
        MessageSpec("user", parts, id="msg_b", time=WRAP + 5),
        MessageSpec("user", id="msg_a", time=WRAP + 5),
    )
    held = opened(tmp_path, talk("one", *messages, time=WRAP - 99))
    for _ in range(2):
        window = held.page("ses_one", 0, 9)
        assert ids(window) == [early, late, "msg_a", "msg_b"]
        shown = [part.id for part in window.messages[-1].parts]
        assert shown == ["prt_z", "prt_zz", "prt_a"]
        assert ids(held.around(late, before=1, after=0)) == [early, late]
        edit(tmp_path / "opencode.db", ("delete from session", ()))
        sync(held)


def test_a_window_of_one_slice(tmp_path: Path) -> None:
    slices = ["main", "explore-1", "main", "explore-1", "main"]
    messages = [
        MessageSpec("user", [text(str(n))], id=f"msg_{n:04}", slice=name)
        for n, name in enumerate(slices)
    ]
    store = mimocode_db(tmp_path / "mimocode.db", sessions=[talk("one", *messages)])
    held = library(tmp_path / "index.db", store)
    sync(held)
    assert numbers(held.around("msg_0001")) == [0, 1, 2, 3, 4]
    window = held.around("msg_0001", slice_id="explore-1")
    assert (numbers(window), window.total) == ([1, 3], 2)
    assert numbers(held.around("msg_0001", slice_id="main")) == [0, 1, 2, 4]
    assert numbers(held.around("ses_one", slice_id="main")) == [0, 2, 4]
    assert numbers(held.around("ses_one", slice_id="nobody")) == []
    edit(store, ("delete from session", ()))
    sync(held)
    assert numbers(held.around("msg_0001", slice_id="explore-1")) == [1, 3]


def test_messages_whose_question_is_nowhere(tmp_path: Path) -> None:
    spec = talk("one", MessageSpec("assistant", id="msg_1", extra={"parentID": "msg_nowhere"}))
    held = opened(tmp_path, spec)
    assert held.around("msg_1").messages[0].message.parent == "msg_nowhere"


# One part, stored JSON -----------------------------------------------------------------------


def test_a_part_alone_and_a_message_whole(tmp_path: Path) -> None:
    parts = [PartSpec(text(f"part {n}"), id=f"prt_{n}") for n in range(3)]
    held = opened(tmp_path, talk("one", MessageSpec("user", parts, id="msg_1")))
    shown = held.show("prt_1")
    assert (shown.session.id, shown.message.id) == ("ses_one", "msg_1")
    assert [part.content for part in shown.parts] == [Text("part 1")]
    assert [part.id for part in held.show("msg_1").parts] == ["prt_0", "prt_1", "prt_2"]
    with pytest.raises(StoreError, match="MESSAGE_NOT_FOUND"):
        held.show("ses_one")


def test_stored_json_is_given_to_the_byte(tmp_path: Path) -> None:
    odd = '{ "type":"text",\t"text":"a\\u00e9\\/\\ud83d\\ude42 数据", "b": 1.0e3, "a":1,"a":2 }\n'
    held = opened(
        tmp_path,
        talk("one", MessageSpec("user", [PartSpec(odd, id="prt_1")], id="msg_1", raw=odd)),
    )
    assert held.raw("prt_1") == odd
    assert held.raw("msg_1") == odd


def test_what_only_the_archive_has_is_given_as_its_record(tmp_path: Path) -> None:
    held = ten(tmp_path)
    edit(tmp_path / "opencode.db", ("delete from message where id = 'msg_0004'", ()))
    sync(held)
    assert json.loads(held.raw("prt_0004")) == [{"text": "said 4"}]
    assert json.loads(held.raw("msg_0004")) == [{"text": "said 4"}]


@pytest.mark.parametrize("what", ["message", "part"])
def test_what_went_since_the_last_look_is_still_shown(tmp_path: Path, what: str) -> None:
    held = ten(tmp_path)
    edit(tmp_path / "opencode.db", (f"delete from {what} where id like '%_0004'", ()))
    shown = held.show("prt_0004")
    assert shown.parts[0].content == Text("said 4")
    window = held.around("prt_0004", before=1, after=1)
    assert numbers(window) == [3, 4, 5]
    assert [part.fate for one in window.messages for part in one.parts] == [
        "live",
        "removed",
        "live",
    ]


def test_a_store_that_went_since_the_last_look_is_read_from_the_archive(tmp_path: Path) -> None:
    held = ten(tmp_path)
    (tmp_path / "opencode.db").unlink()
    window = held.around("prt_0004", before=1, after=1)
    assert numbers(window) == [3, 4, 5]
    assert [fault.code for fault in window.faults] == ["SOURCE_NOT_FOUND"]
    assert held.show("prt_0004").parts[0].content == Text("said 4")


def test_broken_rows_are_faults_of_the_window(tmp_path: Path) -> None:
    held = ten(tmp_path)
    set_data(tmp_path / "opencode.db", "prt_0004", "{broken")
    set_data(tmp_path / "opencode.db", "msg_0005", "", table="message")
    window = held.around("msg_0004", before=1, after=1)
    assert numbers(window) == [3, 4, 5]
    assert sorted(fault.about for fault in window.faults) == ["msg_0005", "prt_0004"]
    assert [len(one.parts) for one in window.messages] == [1, 0, 1]
    with pytest.raises(StoreError, match="CORRUPT_PART"):
        held.show("prt_0004")


def test_two_parts_of_the_same_moment_and_a_message_of_no_time(tmp_path: Path) -> None:
    held = ten(tmp_path, 3)
    set_column(tmp_path / "opencode.db", "message", "msg_0002", "time_created", "never")
    assert numbers(held.page("ses_one", 0, 9)) == [2, 0, 1]
