"""Windows, single parts and stored JSON: in reading order, from the store or from the archive."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.errors import StoreError
from store.library import Library
from store.model import Text, Window
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    SessionSpec,
    mimocode_db,
    opencode_db,
    set_column,
    set_data,
    text,
)
from tests.store.shelf import add_part, edit, library, sync, synced, talk

WRAP = 1_786_706_395_136


def opened(tmp_path: Path, *specs: SessionSpec) -> Library:
    """A library over one store with these sessions, brought up to date."""
    held = library(tmp_path / "index.db", opencode_db(tmp_path / "opencode.db", sessions=specs))
    sync(held)
    return held


def ids(window: Window) -> list[str]:
    return [one.message.id for one in window.messages]


def ten(tmp_path: Path, count: int = 10) -> Library:
    messages = [
        MessageSpec("user", [PartSpec(text(f"said {n}"), id=f"prt_{n:04}")], id=f"msg_{n:04}")
        for n in range(count)
    ]
    return opened(tmp_path, talk("one", *messages))


def numbers(window: Window) -> list[int]:
    return [int(one.message.id[4:]) for one in window.messages]


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


# Ids -----------------------------------------------------------------------------------------


def test_a_beginning_that_is_unique_is_enough(tmp_path: Path) -> None:
    held = ten(tmp_path)
    assert numbers(held.around("msg_0003", before=0, after=0)) == [3]
    assert held.around("ses_o").session.id == "ses_one"
    with pytest.raises(StoreError, match="AMBIGUOUS_ID") as caught:
        held.around("msg_000")
    assert "msg_0000, msg_0001" in caught.value.message


def test_a_whole_id_that_begins_others_is_itself(tmp_path: Path) -> None:
    messages = [MessageSpec("user", [text("x")], id=name) for name in ("msg_1", "msg_12", "msg_13")]
    held = opened(tmp_path, talk("one", *messages))
    assert held.around("msg_1").anchor == "msg_1"
    with pytest.raises(StoreError, match="AMBIGUOUS_ID"):
        held.around("msg_")


@pytest.mark.parametrize(
    ("ident", "code"),
    [
        ("ses_x", "SESSION_NOT_FOUND"),
        ("msg_x", "MESSAGE_NOT_FOUND"),
        ("prt_x", "PART_NOT_FOUND"),
        ("opencode:prt_x", "PART_NOT_FOUND"),
        ("nostore:msg_0001", "MESSAGE_NOT_FOUND"),
        ("opencode:", "_NOT_FOUND"),
        ("", "_NOT_FOUND"),
        ("%", "_NOT_FOUND"),
        ("_", "_NOT_FOUND"),
        ("MSG_0001", "_NOT_FOUND"),
        ("msg_0001 ", "MESSAGE_NOT_FOUND"),
        ("msg_\udcff", "MESSAGE_NOT_FOUND"),
        ("msg_\0", "MESSAGE_NOT_FOUND"),
        ("x" * 100_000, "_NOT_FOUND"),
        ("数", "_NOT_FOUND"),
    ],
)
def test_an_id_that_names_nothing(tmp_path: Path, ident: str, code: str) -> None:
    held = ten(tmp_path)
    for call in (held.around, held.show, held.raw):
        with pytest.raises(StoreError, match=code):
            call(ident)
    with pytest.raises(StoreError, match="_NOT_FOUND"):
        held.page(ident, 0, 1)


def test_a_store_before_the_colon(tmp_path: Path) -> None:
    said = [MessageSpec("user", [text(f"said {n}")], id=f"msg_{n}") for n in range(3)]
    stores = [
        opencode_db(tmp_path / "a.db", sessions=[talk("one", *said)]),
        opencode_db(tmp_path / "b.db", sessions=[talk("one", *said[:2])]),
    ]
    held = library(tmp_path / "index.db", *stores)
    sync(held)
    assert held.around("msg_1").session.source == "opencode"
    assert held.around("opencode-2:msg_1").session.source == "opencode-2"
    assert ids(held.around("opencode-2:ses_one")) == ["msg_0", "msg_1"]
    with pytest.raises(StoreError, match="MESSAGE_NOT_FOUND"):
        held.around("opencode-2:msg_2")


def test_a_beginning_common_in_one_store_is_unique_in_another(tmp_path: Path) -> None:
    many = [MessageSpec("user", id=f"msg_a{n:03}") for n in range(120)]
    stores = [
        opencode_db(tmp_path / "a.db", sessions=[talk("one", *many)]),
        opencode_db(tmp_path / "b.db", sessions=[talk("two", MessageSpec("user", id="msg_a5x"))]),
    ]
    held = library(tmp_path / "index.db", *stores)
    sync(held)
    edit(stores[1], ("delete from session", ()))
    sync(held)
    assert held.around("opencode-2:msg_a").anchor == "msg_a5x"


def test_what_is_not_indexed_yet_is_found_in_its_store(tmp_path: Path) -> None:
    store = opencode_db(
        tmp_path / "opencode.db",
        sessions=[
            talk("one", MessageSpec("user", [PartSpec(text("new"), id="prt_1")], id="msg_1"))
        ],
    )
    held = library(tmp_path / "index.db", store)
    assert held.around("prt_1").anchor == "msg_1"
    assert held.show("prt_1").parts[0].content == Text("new")
    assert held.raw("msg_1").startswith('{"role":"user"')
    add_part(store, "prt_2", "msg_1", "ses_one", text("newer"), BASE + 99_000)
    assert held.show("prt_2").parts[0].content == Text("newer")


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


# The list of sessions ------------------------------------------------------------------------


def test_sessions_newest_first_through_pages(tmp_path: Path) -> None:
    specs = [
        talk(f"{n:02}", MessageSpec("user", [text("x")]), time=BASE + (n // 2) * 60_000)
        for n in range(11)
    ]
    held = opened(tmp_path, *specs)
    everything = [one.id for one in held.sessions(limit=None).sessions]
    assert len(everything) == 11
    moments = [one.updated for one in held.sessions(limit=None).sessions]
    assert moments == sorted(moments, reverse=True)
    paged: list[str] = []
    cursor = None
    while True:
        page = held.sessions(limit=3, cursor=cursor)
        assert page.total == 11
        paged += [one.id for one in page.sessions]
        assert page.more == (page.cursor is not None)
        if not (cursor := page.cursor):
            break
    assert paged == everything


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", "a b c"),
        ("title:first", "a"),
        ("first", "a"),
        ("FIRST | second", "a b"),
        ("-first", "b c"),
        ("project:beta", "b"),
        ("-project:beta", "a c"),
        ("session:ses_c", "c"),
        ("is:archived", "c"),
        ("is:reverted", "b"),
        ("is:leftover", "b"),
        ("is:live -is:archived", "a b"),
        ("since:2026-12-02", "c"),
        ("before:2026-12-01", "a b"),
        ("source:opencode", "a b c"),
        ("source:other", ""),
    ],
)
def test_sessions_narrowed(tmp_path: Path, query: str, shown: str) -> None:
    held = opened(
        tmp_path,
        talk("a", title="First talk"),
        talk(
            "b",
            MessageSpec("user", [text("x")], id="msg_b"),
            title="Second",
            directory="/home/mia/work/beta",
            columns={"revert": '{"messageID":"msg_b"}'},
        ),
        talk("c", title="第三", time=BASE + 3 * 86_400_000, columns={"time_archived": BASE}),
    )
    found = [one.id for one in held.sessions(query).sessions]
    assert sorted(found) == [f"ses_{name}" for name in shown.split()]


@pytest.mark.parametrize("query", ["kind:title", "tool:bash", "has:error", "status:error"])
def test_filters_that_say_nothing_of_a_session(tmp_path: Path, query: str) -> None:
    with pytest.raises(StoreError, match="INVALID_FILTER"):
        opened(tmp_path, talk("a")).sessions(query)


def test_sessions_are_listed_before_anything_is_indexed(tmp_path: Path) -> None:
    store = opencode_db(
        tmp_path / "opencode.db", sessions=[talk("a", MessageSpec("user", [text("x")]))]
    )
    held = library(tmp_path / "index.db", store)
    (one,) = held.sessions().sessions
    assert (one.id, one.messages, one.parts) == ("ses_a", 1, 1)
    assert held.coverage().behind == 1


def test_a_message_that_loses_its_json_is_still_read(tmp_path: Path) -> None:
    held = ten(tmp_path, 2)
    edit(
        tmp_path / "opencode.db",
        (
            "update message set data = '{', time_updated = time_updated + 1 where id = 'msg_0001'",
            (),
        ),
    )
    synced(tmp_path / "index.db", tmp_path / "opencode.db")
    (hit,) = held.search('"said 1"').hits
    assert (hit.part, hit.snippet) == ("prt_0001", "said 1")
