"""The index says what its sources say: new, changed, gone and hidden rows, each once."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from store.errors import StoreError
from store.library import Library
from store.model import Progress, Text
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    SessionSpec,
    half,
    huge_row,
    mimocode_db,
    opencode_db,
    reasoning,
    set_column,
    set_data,
    text,
    tool,
    tool_error,
    two_talks,
)
from tests.store.shelf import (
    add_part,
    bytes_of,
    documents,
    edit,
    fates,
    found,
    library,
    say,
    sync,
    synced,
    talk,
)

LATER = BASE + 90_000_000


def one_talk(path: Path) -> Path:
    """A store with one session: a question and an answer of two parts."""
    spec = talk(
        "one",
        MessageSpec("user", [PartSpec(text("alpha question"), id="prt_ask")], id="msg_ask"),
        MessageSpec(
            "assistant",
            [
                PartSpec(tool("bash", {"command": "ls"}, "bravo output"), id="prt_tool"),
                PartSpec(text("charlie answer"), id="prt_say"),
            ],
            id="msg_say",
        ),
        title="delta title",
    )
    return opencode_db(path, sessions=[spec])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return one_talk(tmp_path / "opencode.db")


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "ours" / "index.db"


def kinds(index: Path) -> list[tuple[str | None, str, str]]:
    return [(one.part or one.message, one.kind, one.body) for one in documents(index)]


def test_one_document_for_each_part_and_kind(tmp_path: Path, index: Path) -> None:
    parts = [
        PartSpec(data, id=f"prt_{place}")
        for place, data in enumerate(
            [
                text("said"),
                reasoning("thought"),
                tool("bash", {"command": "ls"}, "a\nb"),
                tool_error("read", {"path": "/x"}, "no such file"),
                {"type": "step-start"},
                {"type": "patch", "hash": "h", "files": ["/w/a"]},
                {"type": "hologram", "text": "hidden"},
            ]
        )
    ]
    failed = {"error": {"name": "APIError", "data": {"message": "busy"}}}
    spec = talk("one", MessageSpec("assistant", parts, id="msg_1", extra=failed), title="Titled")
    synced(index, opencode_db(tmp_path / "opencode.db", sessions=[spec]))
    assert sorted(kinds(index), key=repr) == [
        ("msg_1", "error", "APIError: busy"),
        ("prt_0", "assistant_text", "said"),
        ("prt_1", "reasoning", "thought"),
        ("prt_2", "tool_input", "bash\ncommand: ls"),
        ("prt_2", "tool_output", "a\nb"),
        ("prt_3", "tool_error", "no such file"),
        ("prt_3", "tool_input", "read\npath: /x"),
        ("prt_5", "patch", "/w/a"),
        (None, "title", "Titled"),
    ]


def test_the_full_text_has_what_the_archive_has(tmp_path: Path, index: Path) -> None:
    synced(index, opencode_db(tmp_path / "opencode.db", sessions=two_talks()))
    words = {one.body: one.words for one in documents(index)}
    assert words["It listens on 4096."] == ("it", "listens", "on", "4096")
    assert words["查端口"] == ("查", "端", "口")
    assert words["LISTEN 127.0.0.1:4096\n"] == ("listen", "127", "0", "0", "1", "4096")


def test_nothing_new_means_nothing_opened_and_nothing_written(
    store: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced(index, store)
    before = bytes_of(index.parent.iterdir())
    folder = sorted(store.parent.iterdir())
    monkeypatch.setattr("store.sources.tables.read_source", None)
    report = synced(index, store)
    assert [(one.opened, one.behind) for one in report.sources] == [("unchanged", 0)]
    assert bytes_of(index.parent.iterdir()) == before
    assert sorted(store.parent.iterdir()) == folder


def test_another_text_takes_the_place_of_a_document(store: Path, index: Path) -> None:
    synced(index, store)
    say(store, "prt_say", "echo answer", LATER)
    synced(index, store)
    bodies = [body for part, _, body in kinds(index) if part == "prt_say"]
    assert bodies == ["echo answer"]
    held = library(index, store)
    assert (found(held, "charlie"), found(held, "echo")) == ([], ["prt_say"])


def test_a_tool_that_finished_gets_its_output(tmp_path: Path, index: Path) -> None:
    running = {
        "type": "tool",
        "tool": "bash",
        "callID": "c",
        "state": {"status": "running", "input": {"command": "make"}, "time": {"start": BASE}},
    }
    spec = talk("one", MessageSpec("assistant", [PartSpec(running, id="prt_t")], id="msg_1"))
    store = opencode_db(tmp_path / "opencode.db", sessions=[spec])
    synced(index, store)
    assert [kind for part, kind, _ in kinds(index) if part == "prt_t"] == ["tool_input"]
    edit(store, ("delete from part where id = 'prt_t'", ()))
    add_part(store, "prt_t", "msg_1", "ses_one", tool("bash", {"command": "make"}, "built"), LATER)
    synced(index, store)
    assert sorted(kind for part, kind, _ in kinds(index) if part == "prt_t") == [
        "tool_input",
        "tool_output",
    ]


def test_new_parts_of_a_long_session(tmp_path: Path, index: Path) -> None:
    messages = [MessageSpec("user", [text(f"word{n}")], id=f"msg_{n:04}") for n in range(300)]
    store = opencode_db(tmp_path / "opencode.db", sessions=[talk("long", *messages)])
    synced(index, store)
    add_part(store, "prt_new", "msg_0150", "ses_long", text("fresh in the middle"), LATER)
    report = synced(index, store)
    assert (report.sources[0].parts, report.sources[0].documents) == (301, 302)
    assert found(library(index, store), "fresh") == ["prt_new"]


def test_a_changed_title_is_the_only_one(store: Path, index: Path) -> None:
    synced(index, store)
    edit(store, ("update session set title = 'foxtrot title'", ()))
    synced(index, store)
    assert [body for _, kind, body in kinds(index) if kind == "title"] == ["foxtrot title"]
    held = library(index, store)
    assert (found(held, "delta"), found(held, "foxtrot")) == ([], ["ses_one"])


# Gone ----------------------------------------------------------------------------------------

DELETE = {
    "part": ("delete from part where id = 'prt_say'", ()),
    "message": ("delete from message where id = 'msg_say'", ()),
    "session": ("delete from session where id = 'ses_one'", ()),
}
GONE = {"part": {"prt_say"}, "message": {"prt_say", "prt_tool"}, "session": set("")}


@pytest.mark.parametrize("what", DELETE)
def test_what_is_gone_stays_to_be_found_and_read(store: Path, index: Path, what: str) -> None:
    synced(index, store)
    before = documents(index)
    edit(store, DELETE[what])
    report = synced(index, store)
    assert documents(index) == before
    fate, cause = {
        "part": ("removed", "unknown"),
        "message": ("removed", "unknown"),
        "session": ("deleted", "session_deleted"),
    }[what]
    parts = fates(index, "part")
    assert parts["prt_say"] == (fate, cause, "kept")
    assert report.sources[0].leftovers == {"part": 1, "message": 2, "session": 3}[what]
    held = library(index, store)
    (hit,) = held.search("charlie").hits
    assert (hit.part, hit.fate, hit.evidence) == ("prt_say", fate, "kept")
    assert found(held, "charlie is:leftover") == ["prt_say"]
    assert found(held, "charlie is:live") == []
    shown = held.show("prt_say").parts[0]
    assert (shown.content, shown.fate, shown.evidence) == (Text("charlie answer"), fate, "kept")
    window = held.around("prt_say")
    assert [one.message.id for one in window.messages] == ["msg_ask", "msg_say"]
    assert [one.matched for one in window.messages] == [False, True]
    assert [part.id for part in window.messages[1].parts] == ["prt_tool", "prt_say"]


@pytest.mark.parametrize("what", DELETE)
def test_what_comes_back_is_live_again(tmp_path: Path, index: Path, what: str) -> None:
    store = one_talk(tmp_path / "opencode.db")
    whole = store.read_bytes()
    synced(index, store)
    before = documents(index)
    edit(store, DELETE[what])
    synced(index, store)
    store.write_bytes(whole)
    report = synced(index, store)
    assert set(fates(index, "part").values()) == {("live", None, "source")}
    assert set(fates(index, "message").values()) == {("live", None)}
    assert fates_of_sessions(index) == {"ses_one": "live"}
    assert documents(index) == before
    assert report.sources[0].leftovers == 0


def fates_of_sessions(index: Path) -> dict[str, str]:
    held = Library.open(sources=(), index=index)
    return {one.id: one.fate for one in held.sessions(limit=None).sessions}


def test_a_part_that_moved_to_another_message_is_found_where_it_is(
    store: Path, index: Path
) -> None:
    synced(index, store)
    edit(
        store,
        (
            "update part set message_id = 'msg_ask', time_updated = ? where id = 'prt_say'",
            (LATER,),
        ),
    )
    synced(index, store)
    held = library(index, store)
    assert sorted((one.message, one.fate) for one in held.search("charlie").hits) == [
        ("msg_ask", "live"),
        ("msg_say", "removed"),
    ]
    assert held.show("prt_say").message.id == "msg_ask"


def test_a_replaced_store_leaves_its_sessions_deleted(store: Path, index: Path) -> None:
    synced(index, store)
    store.unlink()
    opencode_db(store, sessions=two_talks())
    report = synced(index, store)
    assert (report.sources[0].sessions, report.sources[0].leftovers) == (2, 3)
    assert found(library(index, store), "charlie") == ["prt_say"]


def test_a_vanished_store_is_missing_and_keeps_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, index: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "opencode").mkdir()
    store = one_talk(tmp_path / "opencode" / "opencode.db")
    held = Library.open(index=index)
    sync(held)
    assert [one.opened for one in held.sources()] == ["immutable"]
    store.unlink()
    assert [(one.opened, one.sessions) for one in sync(held).sources] == [("missing", 1)]
    assert fates(index, "part")["prt_say"] == ("live", None, "source")
    for again in (held, Library.open(index=index)):
        assert found(again, "charlie") == ["prt_say"]
        assert again.show("prt_say").parts[0].content == Text("charlie answer")
        assert [one.id for one in again.sessions().sessions] == ["ses_one"]
    one_talk(store)
    assert [one.opened for one in sync(held).sources] == ["immutable"]


def test_a_damaged_store_changes_no_fate(tmp_path: Path, index: Path) -> None:
    messages = [
        MessageSpec("user", [PartSpec(text(f"w{n} " + "x" * 3000), id=f"prt_{n}")])
        for n in range(20)
    ]
    talks = [talk(name, *messages) for name in ("a",)]
    store = opencode_db(tmp_path / "opencode.db", version="1.2.1", sessions=talks)
    synced(index, store)
    before = documents(index)
    half(store)
    report = synced(index, store)
    assert set(fates(index, "part").values()) == {("live", None, "source")}
    assert fates_of_sessions(index) == {"ses_a": "live"}
    assert documents(index) == before
    assert report.sources[0].faults != ()


def test_a_store_that_is_no_database_any_more_is_a_fault(store: Path, index: Path) -> None:
    synced(index, store)
    store.write_bytes(b"not a database at all" * 400)
    held = Library.open(sources=[store, one_talk(store.parent / "two.db")], index=index)
    report = sync(held)
    assert sorted((one.opened, [f.code for f in one.faults]) for one in report.sources) == [
        ("failed", ["SOURCE_UNREADABLE"]),
        ("immutable", []),
    ]
    assert fates(index, "part")["prt_say"] == ("live", None, "source")


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
    coverage = held.coverage()
    assert (coverage.known, coverage.indexed, coverage.skipped) == (4, 4, 0)


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


# Pending reverts -----------------------------------------------------------------------------


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


# Several stores ------------------------------------------------------------------------------


def test_a_copy_of_a_store_is_listed_beside_it(store: Path, index: Path) -> None:
    copy = store.with_name("copy.db")
    copy.write_bytes(store.read_bytes())
    held = library(index, store, copy)
    assert [one.name for one in sync(held).sources] == ["opencode", "opencode-2"]
    listed = [(one.source, one.id) for one in held.sessions().sessions]
    assert sorted(listed) == [("opencode", "ses_one"), ("opencode-2", "ses_one")]
    assert sorted(one.source for one in held.search("charlie").hits) == ["opencode", "opencode-2"]
    edit(copy, DELETE["message"])
    sync(held)
    assert {one.source: one.fate for one in held.search("charlie").hits} == {
        "opencode": "live",
        "opencode-2": "removed",
    }
    assert held.show("opencode-2:prt_say").parts[0].fate == "removed"
    assert held.show("prt_say").parts[0].fate == "live"


def test_the_store_that_still_has_it_answers_for_an_id(store: Path, index: Path) -> None:
    copy = store.with_name("copy.db")
    copy.write_bytes(store.read_bytes())
    held = library(index, store, copy)
    sync(held)
    edit(store, DELETE["session"])
    sync(held)
    shown = held.show("prt_say")
    assert (shown.session.source, shown.parts[0].fate) == ("opencode-2", "live")


def test_a_store_of_each_producer(tmp_path: Path, index: Path) -> None:
    first = opencode_db(
        tmp_path / "opencode.db", sessions=[talk("o", MessageSpec("user", [text("shared")]))]
    )
    second = mimocode_db(
        tmp_path / "mimocode.db", sessions=[talk("m", MessageSpec("user", [text("shared")]))]
    )
    held = library(index, first, second)
    report = sync(held)
    assert [(one.name, one.producer) for one in report.sources] == [
        ("opencode", "opencode"),
        ("mimocode", "mimocode"),
    ]
    assert sorted(one.session for one in held.search("shared").hits) == ["ses_m", "ses_o"]


def test_sessions_without_messages_and_messages_without_parts(tmp_path: Path, index: Path) -> None:
    specs: list[SessionSpec] = [talk("empty"), talk("bare", MessageSpec("user", id="msg_bare"))]
    store = opencode_db(tmp_path / "opencode.db", sessions=specs)
    held = library(index, store)
    assert sync(held).sources[0].behind == 0
    assert found(held, "empty") == ["ses_empty"]
    assert held.around("ses_empty").messages == ()
    (only,) = held.around("msg_bare").messages
    assert only.parts == ()
