"""A store that was upgraded to 2.x: each session is told once, by whoever speaks for it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from store.model import Text, Tool
from store.source import Bodies, Found
from store.sources.opencode import OpencodeSource
from tests.makers import BASE, MessageSpec, PartSpec, SessionSpec, set_column, text, tool
from tests.makers.opencode_v2 import (
    RowSpec,
    V2Spec,
    answered,
    called,
    opencode_v2_db,
    printed,
    said,
)
from tests.makers.rows import insert
from tests.makers.specs import Data

DAY = 86_400_000


def upgraded(tmp_path: Path, new: list[V2Spec], old: list[SessionSpec]) -> OpencodeSource:
    return OpencodeSource(opencode_v2_db(tmp_path / "opencode.db", sessions=new, old=old))


def everything(source: OpencodeSource, session: str) -> Bodies:
    (outline,) = source.outlines([session])
    assert outline.complete
    return source.bodies(session, outline.messages, outline.parts)


def words(source: OpencodeSource, session: str) -> list[str]:
    order = [place.id for place in source.order(session)]
    held = {part.message: part.content for part in everything(source, session).parts}
    return [one.text for ident in order if isinstance(one := held[ident], Text)]


def taken_over() -> tuple[V2Spec, SessionSpec]:
    """One session in both: two messages were taken over, a later one was not."""
    new = V2Spec(
        "Both",
        [
            RowSpec("user", {"text": "one"}, id="msg_1", seq=0, time=BASE),
            RowSpec("assistant", answered("two").data, id="msg_2", seq=1, time=BASE + 9),
            RowSpec("user", {"text": "four"}, id="msg_4", seq=6, time=BASE + 2 * DAY),
        ],
        id="ses_both",
    )
    old = SessionSpec(
        "Both, before",
        [
            MessageSpec("user", [text("one")], id="msg_1", time=BASE),
            MessageSpec("assistant", [text("two")], id="msg_2", time=BASE + 9),
            MessageSpec("user", [PartSpec(text("three"), id="prt_3")], id="msg_3", time=BASE + DAY),
        ],
        id="ses_both",
    )
    return new, old


def test_both_lists_together(tmp_path: Path) -> None:
    new, old = taken_over()
    late = SessionSpec("Old alone", [MessageSpec("user", [text("x")])], id="ses_old")
    source = upgraded(tmp_path, [new, V2Spec("New alone", [said("y")], id="ses_new")], [old, late])
    listed = {one.id: (one.title, one.messages, one.parts) for one in source.listing("x").sessions}
    assert listed == {
        "ses_both": ("Both", 4, 4),
        "ses_old": ("Old alone", 1, 1),
        "ses_new": ("New alone", 1, 1),
    }


def test_what_only_the_old_tables_have_stands_where_it_was_said(tmp_path: Path) -> None:
    new, old = taken_over()
    source = upgraded(tmp_path, [new], [old])
    assert words(source, "ses_both") == ["one", "two", "three", "four"]
    ids = [part.id for part in everything(source, "ses_both").parts]
    assert sorted(ids) == ["msg_1#0", "msg_2#0", "msg_4#0", "prt_3"]
    window = source.window("ses_both", ["msg_2", "msg_3"])
    assert {part.id for part in window.parts} == {"msg_2#0", "prt_3"}


def test_the_answer_of_an_imported_compaction_is_not_told_again(tmp_path: Path) -> None:
    new = V2Spec("C", [RowSpec("compaction", {"summary": "So far"}, id="msg_c")], id="ses_c")
    old = SessionSpec(
        "C",
        [
            MessageSpec("user", [{"type": "compaction", "auto": True}], id="msg_c"),
            MessageSpec("assistant", [text("So far")], id="msg_s", extra={"parentID": "msg_c"}),
        ],
        id="ses_c",
    )
    source = upgraded(tmp_path, [new], [old])
    assert [place.id for place in source.order("ses_c")] == ["msg_c"]
    assert source.listing("x").sessions[0].messages == 1


def test_an_output_that_the_import_dropped_is_there_again(tmp_path: Path) -> None:
    item = called("bash", "completed", {}, content=printed("[cleared]"), call="call_7")
    other = called("bash", "completed", {}, content=printed("whole"), call="call_8")
    pruned = tool("bash", {}, "all of it", call="call_7")
    pruned["state"]["time"]["compacted"] = BASE
    kept = tool("bash", {}, "whole, once", call="call_8")
    new = V2Spec("P", [RowSpec("assistant", answered(item, other).data, id="msg_p")], id="ses_p")
    old = SessionSpec("P", [MessageSpec("assistant", [pruned, kept], id="msg_p")], id="ses_p")
    found = everything(upgraded(tmp_path, [new], [old]), "ses_p").parts
    outputs = [(one.content.output, one.flags) for one in found if isinstance(one.content, Tool)]
    assert outputs == [("all of it", ("compacted",)), ("whole", ())]


def test_changes_of_agent_that_116_noted_beside_ordinary_messages(tmp_path: Path) -> None:
    switched = RowSpec("agent-switched", {"agent": "plan"}, id="evt_1")
    path = opencode_v2_db(
        tmp_path / "opencode.db",
        generation="1.18",
        sessions=[V2Spec("Alone", [switched], id="ses_a")],
        old=[SessionSpec("Ordinary", [MessageSpec("user", [text("x")])], id="ses_o")],
    )
    row = {"id": "evt_2", "session_id": "ses_o", "type": "agent-switched", "seq": 0}
    insert_row(path, row | {"time_created": BASE, "time_updated": BASE, "data": "{}"})
    found = {one.id: one.messages for one in OpencodeSource(path).listing("x").sessions}
    assert found == {"ses_a": 1, "ses_o": 1}


def test_an_id_names_the_row_that_speaks(tmp_path: Path) -> None:
    new, old = taken_over()
    source = upgraded(tmp_path, [new], [old])
    assert source.find("msg_2", 5) == [Found("message", "msg_2", "msg_2", "ses_both")]
    assert source.find("prt_", 5) == [Found("part", "prt_3", "msg_3", "ses_both")]
    assert source.raw(Found("part", "prt_3", "msg_3", "ses_both")) == (
        '{"type":"text","text":"three"}'
    )
    assert source.raw(Found("part", "msg_2#0", "msg_2", "ses_both")) == (
        '{"type": "text", "text": "two"}'
    )


def test_a_change_in_either_generation_moves_the_stamp(tmp_path: Path) -> None:
    new, old = taken_over()
    source = upgraded(tmp_path, [new], [old])
    stamps = [source.stamps(["ses_both"])]
    for table, ident in (("part", "prt_3"), ("session_message", "msg_4")):
        touch(source.path, table, ident)
        stamps.append(source.stamps(["ses_both"]))
    assert stamps[0] != stamps[1] != stamps[2] != stamps[0]


def insert_row(path: Path, row: Data) -> None:
    with closing(sqlite3.connect(path)) as db:
        insert(db, "session_message", row)
        db.commit()


def touch(path: Path, table: str, ident: str) -> None:
    set_column(path, table, ident, "time_updated", BASE + 9 * DAY)
