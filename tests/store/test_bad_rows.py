"""A bad row is a fault beside the good ones, counted and never in their way."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from store.errors import StoreError
from store.model import Progress, Text
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    huge_row,
    opencode_db,
    set_data,
    text,
)
from tests.store.shelf import (
    DELETE,
    LATER,
    add_part,
    edit,
    found,
    library,
    say,
    sync,
    synced,
    talk,
)


def test_bad_rows_are_counted_beside_the_good_ones(store: Path, index: Path) -> None:
    set_data(store, "prt_tool", "{broken")
    report = synced(index, store)
    (info,) = report.sources
    assert [(fault.code, fault.about) for fault in info.faults] == [("CORRUPT_PART", "prt_tool")]
    held = library(index, store)
    coverage = held.coverage()
    counts = (coverage.known, coverage.indexed, coverage.skipped, coverage.behind)
    assert counts == (3, 2, 1, 0)
    with pytest.raises(StoreError) as caught:
        held.show("prt_tool")
    assert caught.value.code == "CORRUPT_PART"
    assert held.raw("prt_tool") == "{broken"


def test_a_broken_part_that_was_read_before_keeps_its_document(store: Path, index: Path) -> None:
    synced(index, store)
    edit(
        store,
        ("update part set data = '{', time_updated = ? where id = 'prt_say'", (LATER,)),
    )
    report = synced(index, store)
    assert [fault.about for fault in report.sources[0].faults] == ["prt_say"]
    assert found(library(index, store), "charlie") == ["prt_say"]
    say(store, "prt_say", "mended", LATER + 1)
    assert synced(index, store).sources[0].faults == ()
    assert found(library(index, store), "mended") == ["prt_say"]


def test_faults_of_messages_do_not_hide_parts_that_are_behind(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = talk("a", *[MessageSpec("user", [text("x")], raw="{") for _ in range(3)])
    second = talk("b", MessageSpec("user", [text("y")]), time=BASE - 10**9)
    store = opencode_db(tmp_path / "opencode.db", sessions=[first, second])
    stop = threading.Event()
    held = library(index, store)
    monkeypatch.setattr("store.backfill.BATCH_PARTS", 1)
    monkeypatch.setattr("store.backfill.FIRST_BYTES", 1)
    monkeypatch.setattr("store.backfill.PROGRESS_S", 0)

    def told(progress: Progress) -> None:
        if progress.done == 3:
            stop.set()

    held.sync(stop, told)
    coverage = held.coverage()
    assert (coverage.known, coverage.indexed, coverage.behind) == (4, 3, 1)
    assert not coverage.complete


def test_faults_of_a_deleted_session_go_with_it(store: Path, index: Path) -> None:
    set_data(store, "prt_tool", "{broken")
    synced(index, store)
    edit(store, DELETE["session"])
    report = synced(index, store)
    assert report.sources[0].faults == ()
    assert library(index, store).coverage().skipped == 0


def test_parts_without_their_message_are_found_and_read(store: Path, index: Path) -> None:
    add_part(store, "prt_orphan", "msg_nowhere", "ses_one", text("orphaned words"), LATER)
    report = synced(index, store)
    assert report.sources[0].faults == ()
    held = library(index, store)
    (hit,) = held.search("orphaned").hits
    assert (hit.part, hit.message) == ("prt_orphan", "msg_nowhere")
    window = held.around(hit.id)
    (alone,) = [one for one in window.messages if one.matched]
    assert [(part.id, part.content) for part in alone.parts] == [
        ("prt_orphan", Text("orphaned words"))
    ]
    assert (alone.message.fate, alone.parts[0].fate) == ("live", "live")
    coverage = held.coverage()
    assert (coverage.known, coverage.indexed, coverage.skipped) == (4, 4, 0)


def test_a_session_without_its_row_is_shown_and_a_fault(store: Path, index: Path) -> None:
    edit(store, ("pragma foreign_keys = off", ()), DELETE["session"])
    add_part(store, "prt_alone", "msg_nowhere", "ses_nowhere", text("lonely words"), LATER)
    (info,) = synced(index, store).sources
    assert [(one.code, one.about) for one in info.faults] == [
        ("CORRUPT_SESSION", "ses_nowhere#row"),
        ("CORRUPT_SESSION", "ses_one#row"),
    ]
    held = library(index, store)
    listed = {one.id: (one.title, one.messages, one.parts) for one in held.sessions().sessions}
    assert listed == {"ses_one": ("", 2, 3), "ses_nowhere": ("", 0, 1)}
    assert (found(held, "charlie"), found(held, "lonely")) == (["prt_say"], ["prt_alone"])
    assert held.page("ses_one", 0, 9).total == 2
    assert {hit.fate for hit in held.search("").hits} == {"live"}


def test_a_row_that_came_is_no_fault_any_more(store: Path, index: Path) -> None:
    kept = "create table kept as select * from session"
    edit(store, ("pragma foreign_keys = off", ()), (kept, ()), DELETE["session"])
    assert len(synced(index, store).sources[0].faults) == 1
    edit(store, ("insert into session select * from kept", ()))
    assert synced(index, store).sources[0].faults == ()
    assert [one.title for one in library(index, store).sessions().sessions] == ["delta title"]


@pytest.mark.parametrize("place", ["tool", "status", "type", "role", "agent", "error", "title"])
def test_half_characters_anywhere_are_no_end(tmp_path: Path, index: Path, place: str) -> None:
    bad = "x\ud800y"
    state = {"status": "completed", "input": {"a": bad}, "output": bad, "title": bad}
    part: dict[str, object] = {"type": "tool", "tool": "bash", "callID": bad, "state": state}
    extra: dict[str, object] = {"parentID": bad, "modelID": bad, "providerID": bad}
    if place == "status":
        state["status"] = bad
    elif place in ("tool", "type"):
        part[place] = bad
    else:
        extra[place] = bad
    spec = talk("one", MessageSpec("user", [PartSpec({}, id="prt_1"), text("goodword")]))
    store = opencode_db(tmp_path / "opencode.db", sessions=[spec])
    raw = {"role": "user", **extra}
    edit(
        store,
        ("update message set data = ?", (json.dumps(raw),)),
        ("update part set data = ? where id = 'prt_1'", (json.dumps(part),)),
    )
    held = library(index, store)
    report = sync(held)
    assert report.sources[0].faults == ()
    assert len(found(held, "goodword")) == 1
    assert len(held.around("ses_one").messages[0].parts) == 2


def test_bytes_that_are_no_text_hide_nothing_else(tmp_path: Path, index: Path) -> None:
    talks = [talk(n, MessageSpec("user", [text(f"word {n}")], id=f"msg_{n}")) for n in "abcde"]
    store = opencode_db(tmp_path / "opencode.db", sessions=talks)
    edit(
        store,
        ("update session set title = cast(x'ff41fe' as text) where id = 'ses_b'", ()),
        ("update session set directory = cast(x'2fff' as text) where id = 'ses_c'", ()),
    )
    held = library(index, store)
    sync(held)
    assert sorted(found(held, "word")) == sorted(
        hit.part or "" for hit in held.search("word", limit=100).hits
    )
    assert {one.id for one in held.sessions().sessions} == {f"ses_{n}" for n in "abcde"}
    assert len(found(held, "word kind:user_text")) == 5


def test_a_row_too_large_is_skipped_and_counted(store: Path, index: Path) -> None:
    huge_row(store, "prt_say", 40)
    report = synced(index, store)
    assert [one.about for one in report.sources[0].faults] == ["prt_say"]
    coverage = library(index, store).coverage()
    assert (coverage.indexed, coverage.skipped, coverage.behind) == (2, 1, 0)


@pytest.mark.parametrize("moment", [0, -5, 10**15, 2**61, 1e300])
def test_a_document_of_any_time_is_found(tmp_path: Path, index: Path, moment: float) -> None:
    said = {"type": "text", "text": "timeless", "time": {"start": moment}}
    spec = talk("one", MessageSpec("user", [PartSpec(said, id="prt_1")]))
    store = opencode_db(tmp_path / "opencode.db", sessions=[spec])
    synced(index, store)
    assert found(library(index, store), "timeless") == ["prt_1"]
