"""Upgrades of opencode in place: nothing that is still told is gone, nothing is told twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from store.library import Library
from store.model import Leftover, Tool
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    SessionSpec,
    opencode_db,
    reasoning,
    text,
    tool,
)
from tests.makers.opencode_v2 import RowSpec, V2Spec, answered, opencode_v2_db
from tests.makers.rows import to_json
from tests.makers.specs import Data
from tests.makers.upgrades import CLEARED, IMPORTED, upgrade
from tests.store.shelf import edit, every_hit, found, library, say, synced

PRUNED = tool("bash", {"command": "ls"}, "golf output", call="call_pruned")
PRUNED["state"]["time"]["compacted"] = BASE + 60
RUNNING: Data = {
    "type": "tool",
    "tool": "bash",
    "callID": "call_open",
    "state": {"status": "running", "input": {"command": "sleep hotel"}, "time": {"start": BASE}},
}
PICTURE = {
    "type": "file",
    "mime": "image/png",
    "filename": "india.png",
    "url": "data:image/png;base64,iVBORw0KGgo=",
}
LINK = {"type": "file", "mime": "text/x-log", "filename": "juliett.log", "url": "file:///j.log"}
RETRY = {"type": "retry", "attempt": 1, "error": {"name": "APIError", "data": {"message": "kilo"}}}


def part(name: str, data: Data) -> PartSpec:
    return PartSpec(data, id=f"prt_{name}")


def talk(*more: MessageSpec, **columns: str) -> SessionSpec:
    """Every sort of part that an import takes over."""
    prompt = [
        part("alpha", text("alpha question")),
        part("bravo", text("bravo addition")),
        part("charlie", text("charlie reminder", synthetic=True)),
        part("india", PICTURE),
    ]
    answer = [
        part("start", {"type": "step-start", "snapshot": "cafe"}),
        part("delta", reasoning("delta thought")),
        part("echo", tool("bash", {"command": "make"}, "echo output", call="call_1")),
        part("golf", PRUNED),
        part("hotel", RUNNING),
        part("foxtrot", text("foxtrot answer")),
        part("patch", {"type": "patch", "hash": "cafe", "files": ["/home/mia/lima.py"]}),
        part("finish", {"type": "step-finish", "reason": "stop", "cost": 0, "tokens": {}}),
    ]
    summary = [part("oscar", text("oscar summary"))]
    return SessionSpec(
        "Mike",
        [
            MessageSpec("user", prompt, id="msg_ask"),
            MessageSpec("assistant", answer, id="msg_say"),
            MessageSpec(
                "user", [part("fold", {"type": "compaction", "auto": True})], id="msg_fold"
            ),
            MessageSpec("assistant", summary, id="msg_sum"),
            MessageSpec("user", [part("papa", text("papa question"))], id="msg_next"),
            *more,
        ],
        id="ses_one",
        columns=columns,
    )


WORDS = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot"]
WORDS += ["golf", "hotel", "india", "lima", "oscar", "papa"]


def before(tmp_path: Path, index: Path, *sessions: SessionSpec) -> Path:
    """An indexed store of 1.x."""
    path = opencode_db(tmp_path / "opencode.db", version="1.2.1", sessions=sessions)
    synced(index, path)
    return path


def upgraded(
    tmp_path: Path, index: Path, *sessions: SessionSpec, old_tables: bool = True
) -> Library:
    """A library over a store that was indexed, taken over by 2.x, and indexed again."""
    path = before(tmp_path, index, *sessions)
    upgrade(path, sessions, old_tables=old_tables)
    synced(index, path)
    return library(index, path)


def left(held: Library) -> list[Leftover]:
    return list(held.leftovers(limit=1000).leftovers)


def places(held: Library, word: str) -> set[tuple[str, str | None]]:
    """Where a word stands, by fate and part; copies too."""
    hits = every_hit(held, f"{word} is:synthetic") + every_hit(held, word)
    more = {(hit.fate, one.part) for hit in hits for one in hit.copies}
    return {(hit.fate, hit.part) for hit in hits} | more


def test_nothing_that_was_taken_over_is_gone(tmp_path: Path, index: Path) -> None:
    held = upgraded(tmp_path, index, talk())
    assert left(held) == []
    for word in WORDS:
        ((fate, name),) = places(held, word)
        assert (fate, "#" in str(name)) == ("live", True)


def test_it_reads_as_in_an_index_made_afterwards(tmp_path: Path, index: Path) -> None:
    held = upgraded(tmp_path, index, talk())
    fresh = library(tmp_path / "fresh" / "index.db", tmp_path / "opencode.db")
    synced(tmp_path / "fresh" / "index.db", tmp_path / "opencode.db")
    assert held.page("ses_one", 0, 50).messages == fresh.page("ses_one", 0, 50).messages
    assert held.sessions().sessions == fresh.sessions().sessions


def test_a_pruned_output_stays_where_nothing_else_has_it(tmp_path: Path, index: Path) -> None:
    held = upgraded(tmp_path, index, talk(), old_tables=False)
    ((fate, name),) = places(held, "golf")
    assert (fate, name) == ("removed", "prt_golf")
    (only,) = left(held)
    assert (only.part, only.cause, only.evidence) == ("prt_golf", "unknown", "kept")
    content = held.show("msg_say#2").parts[0].content
    assert isinstance(content, Tool)
    assert content.output == CLEARED
    for word in set(WORDS) - {"golf"}:
        assert [one[0] for one in places(held, word)] == ["live"]


def test_what_the_import_dropped_stays_reachable(tmp_path: Path, index: Path) -> None:
    lost = MessageSpec("user", [part("link", LINK), part("quebec", text("quebec"))], id="msg_l")
    tried = MessageSpec("assistant", [part("retry", RETRY), part("done", text("done"))], id="msg_r")
    held = upgraded(tmp_path, index, talk(lost, tried))
    assert {(one.part, one.fate) for one in left(held)} == {
        ("prt_link", "removed"),
        ("prt_retry", "removed"),
    }
    assert places(held, "juliett") == {("removed", "prt_link")}
    assert places(held, "quebec") == {("live", "msg_l#0")}


def test_what_a_pending_revert_hid_is_there_again(tmp_path: Path, index: Path) -> None:
    spec = talk(revert=to_json({"messageID": "msg_say"}))
    path = before(tmp_path, index, spec)
    held = library(index, path)
    assert places(held, "foxtrot") == {("reverted", "prt_foxtrot")}
    held.close()
    upgrade(path, [spec])
    synced(index, path)
    held = library(index, path)
    assert left(held) == []
    assert places(held, "foxtrot") == {("live", "msg_say#4")}


@pytest.mark.parametrize("old_tables", [True, False])
def test_and_back_again(tmp_path: Path, index: Path, old_tables: bool) -> None:
    path = before(tmp_path, index, talk())
    first = path.read_bytes()
    upgrade(path, [talk()], old_tables=old_tables)
    synced(index, path)
    path.unlink()
    path.write_bytes(first)
    synced(index, path)
    held = library(index, path)
    for word in set(WORDS) - {"hotel"}:  # its call ended in 2.x alone
        assert [(fate, str(name)[:4]) for fate, name in places(held, word)] == [("live", "prt_")]


def test_an_earlier_text_goes_with_its_part(tmp_path: Path, index: Path) -> None:
    path = before(tmp_path, index, talk())
    say(path, "prt_foxtrot", "romeo answer", BASE + 80_000_000)
    synced(index, path)
    later = talk()
    answer = list(later.messages[1].parts)
    answer[5] = part("foxtrot", text("romeo answer"))
    messages = [later.messages[0], replace(later.messages[1], parts=answer), *later.messages[2:]]
    upgrade(path, [replace(later, messages=messages)])
    synced(index, path)
    held = library(index, path)
    said = [getattr(one.content, "text", "") for one in held.versions("msg_say#4")]
    assert said == ["foxtrot answer", "romeo answer"]
    assert [one.fate for one in left(held)] == ["replaced"]


@pytest.mark.parametrize("upgrade_is_indexed", [True, False])
def test_a_session_deleted_afterwards_is_told_once(
    tmp_path: Path, index: Path, upgrade_is_indexed: bool
) -> None:
    path = before(tmp_path, index, talk())
    upgrade(path, [talk()])
    if upgrade_is_indexed:
        synced(index, path)
    edit(path, ("delete from session_v2", ()), ("delete from session_message", ()))
    for rebuild in (False, True):
        synced(index, path, rebuild=rebuild)
        held = library(index, path)
        for word in WORDS:
            ((fate, _),) = places(held, word)
            assert fate == "deleted"
        kept = {one.message for one in left(held) if one.evidence != "source"}
        assert len(kept & {"msg_asks", "msg_fold"}) == (2 if upgrade_is_indexed else 0)
        assert {one.evidence for one in left(held) if one.message == "msg_say"} == {"source"}
        held.close()


def test_sessions_that_were_not_taken_over_yet_stay_as_they_are(
    tmp_path: Path, index: Path
) -> None:
    late = SessionSpec("Late", [MessageSpec("user", [part("late", text("sierra"))])], id="ses_late")
    path = before(tmp_path, index, talk(), late)
    upgrade(path, [talk(), late])
    edit(
        path,
        ("delete from session_message where session_id = 'ses_late'", ()),
        ("delete from session_v2 where id = 'ses_late'", ()),
        ('update kv set value = \'{"phase": "sessions", "cursor": "ses_m"}\'', ()),
    )
    synced(index, path)
    held = library(index, path)
    assert left(held) == []
    assert places(held, "sierra") == {("live", "prt_late")}


def committed(path: Path, message: str) -> None:
    """What committing a revert in 2.x does: the rows from this message on go, numbers stay used."""
    edit(
        path,
        ("delete from session_message where seq >= (select seq from session_message where id = ?)",
         (message,)),
        ("update event_sequence set seq = seq + 2", ()),
    )  # fmt: skip


@pytest.mark.parametrize("upgrade_is_indexed", [True, False])
@pytest.mark.parametrize(
    ("message", "live"), [("msg_ask", ()), ("msg_next", [word for word in WORDS if word != "papa"])]
)
def test_what_a_revert_took_afterwards_is_gone(
    tmp_path: Path, index: Path, message: str, live: Sequence[str], upgrade_is_indexed: bool
) -> None:
    path = before(tmp_path, index, talk())
    upgrade(path, [talk()])
    if upgrade_is_indexed:
        synced(index, path)
    else:
        index = tmp_path / "fresh" / "index.db"
    committed(path, message)
    for rebuild in (False, True):
        synced(index, path, rebuild=rebuild)
        held = library(index, path)
        shown = {word: {fate for fate, _ in places(held, word)} for word in WORDS}
        assert {word for word in WORDS if shown[word] == {"live"}} == set(live)
        assert all(shown[word] == {"removed"} for word in set(WORDS) - set(live))
        gone = [one for one in left(held) if one.message == "msg_next"]
        assert [(one.cause, one.evidence) for one in gone] == [("revert_committed", "source")]
        order = [one.message.id for one in held.page("ses_one", 0, 50).messages]
        mine = ["msg_ask", "msg_say", "msg_next"]
        assert [name for name in order if name in mine] == mine
        held.close()


def test_what_a_revert_gave_back_is_live_again(tmp_path: Path, index: Path) -> None:
    path = before(tmp_path, index, talk())
    upgrade(path, [talk()])
    whole = path.read_bytes()
    committed(path, "msg_ask")
    synced(index, path)
    path.write_bytes(whole)
    synced(index, path)
    held = library(index, path)
    assert left(held) == []
    assert {fate for word in WORDS for fate, _ in places(held, word)} == {"live"}


def test_what_the_import_left_out_at_the_end_is_not_gone(tmp_path: Path, index: Path) -> None:
    """A prompt that only starts a sub-agent, its answer, and what 1.x said afterwards."""
    call = {"type": "subtask", "prompt": "romeo", "description": "sierra", "agent": "explore"}
    asked = MessageSpec("user", [part("call", call)], id="msg_call")
    done = MessageSpec(
        "assistant", [part("done", tool("task", {"prompt": "romeo"}, "tango"))], id="msg_done"
    )
    later = MessageSpec("user", [part("later", text("uniform"))], id="msg_later", time=IMPORTED + 1)
    path = before(tmp_path, index, talk(asked, done, later))
    upgrade(path, [talk(asked, done, later)])
    edit(
        path,
        ("delete from session_message where id = 'msg_later'", ()),
        ("update event_sequence set seq = seq + 2", ()),
    )
    synced(index, path)
    held = library(index, path)
    assert left(held) == []
    assert {fate for word in ("tango", "uniform") for fate, _ in places(held, word)} == {"live"}


# What was forgotten -----------------------------------------------------------------------------

MOVED = {
    "a text that became part of another": ("prt_bravo", "bravo"),
    "what is a message of its own now": ("prt_charlie", "charlie"),
    "a thought": ("prt_delta", "delta"),
    "a call": ("prt_echo", "echo"),
    "a pruned output": ("prt_golf", "golf"),
    "an answer": ("prt_foxtrot", "foxtrot"),
    "a summary": ("prt_oscar", "oscar"),
    "the message of a summary": ("msg_sum", "oscar"),
    "a message": ("msg_say", "foxtrot"),
    "a session": ("ses_one", "papa"),
}


@pytest.mark.parametrize("what", MOVED)
@pytest.mark.parametrize("old_tables", [True, False])
def test_what_was_forgotten_stays_so(
    tmp_path: Path, index: Path, what: str, old_tables: bool
) -> None:
    ident, word = MOVED[what]
    path = before(tmp_path, index, talk())
    held = library(index, path)
    held.forget([ident])
    assert places(held, word) == set()
    held.close()
    upgrade(path, [talk()], old_tables=old_tables)
    for rebuild in (False, True):
        synced(index, path, rebuild=rebuild)
        held = library(index, path)
        assert places(held, word) == set()
        if ident != "ses_one":
            assert [one[0] for one in places(held, "papa")] == ["live"]
        if ident in ("prt_delta", "prt_foxtrot"):
            assert [one[0] for one in places(held, "echo")] == ["live"]
        held.close()


@pytest.mark.parametrize(
    ("ident", "word"),
    [("msg_say#4", "foxtrot"), ("msg_ask#0", "bravo"), ("msg_fold#0", "oscar"), ("", "charlie")],
)
@pytest.mark.parametrize("is_deleted", [False, True])
def test_what_was_forgotten_does_not_come_back_from_the_old_tables(
    tmp_path: Path, index: Path, ident: str, word: str, is_deleted: bool
) -> None:
    held = upgraded(tmp_path, index, talk())
    ((_, name),) = places(held, word)
    assert name is not None
    held.forget([ident or name])
    held.close()
    committed(tmp_path / "opencode.db", "msg_ask")
    if is_deleted:
        edit(tmp_path / "opencode.db", ("delete from session_v2", ()))
    for rebuild in (False, True):
        synced(index, tmp_path / "opencode.db", rebuild=rebuild)
        held = library(index, tmp_path / "opencode.db")
        assert places(held, word) == set()
        held.close()


# Within session_message -------------------------------------------------------------------------


def rewritten(path: Path, content: Sequence[Data]) -> None:
    row = to_json({"agent": "build", "content": list(content)})
    edit(
        path,
        ("update session_message set data = ?, time_updated = time_updated + 5", (row,)),
        ("update event_sequence set seq = seq + 1", ()),
    )


def test_a_text_that_has_another_place_is_not_gone(tmp_path: Path, index: Path) -> None:
    row = RowSpec("assistant", answered("tango", "uniform").data, id="msg_a")
    path = opencode_v2_db(tmp_path / "opencode.db", sessions=[V2Spec("T", [row], id="ses_t")])
    synced(index, path)
    rewritten(path, [{"type": "text", "text": "uniform"}])
    synced(index, path)
    held = library(index, path)
    assert places(held, "uniform") == {("live", "msg_a#0")}
    assert [(one.part, one.fate, one.text) for one in left(held)] == [
        ("msg_a#0", "replaced", "tango")
    ]


@pytest.mark.parametrize("generation", ["1.18", "2.x"])
def test_rows_that_an_upgrade_empties_are_kept(
    tmp_path: Path, index: Path, generation: str
) -> None:
    """1.18 and 2.x begin session_message anew; what 1.17 and 1.18 had there is nowhere else."""
    switched = RowSpec("agent-switched", {"agent": "plan"}, id="evt_1")
    rows = [RowSpec("user", {"text": "victor"}, id="msg_v"), switched]
    path = opencode_v2_db(
        tmp_path / "opencode.db",
        generation="1.18",
        sessions=[V2Spec("V", rows, id="ses_v")],
        old=[SessionSpec("O", [MessageSpec("user", [part("w", text("whiskey"))])], id="ses_o")],
    )
    synced(index, path)
    edit(path, ("delete from session_message", ()), ("delete from event_sequence", ()))
    synced(index, path)
    held = library(index, path)
    assert places(held, "victor") == {("removed", "msg_v#0")}
    assert places(held, "whiskey") == {("live", "prt_w")}
    assert found(held, "is:leftover victor") == ["msg_v#0"]
