"""The index says what its sources say: each document once, several stores beside each other."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    SessionSpec,
    mimocode_db,
    opencode_db,
    reasoning,
    text,
    tool,
    tool_error,
    two_talks,
)
from tests.store.shelf import (
    DELETE,
    LATER,
    add_part,
    bytes_of,
    documents,
    edit,
    found,
    library,
    say,
    sync,
    synced,
    talk,
)


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


def test_the_pages_that_merging_left_free_are_given_back(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("BATCH_PARTS", 40), ("MANY_PARTS", 1), ("FREE_PAGES", 3)):
        monkeypatch.setattr(f"store.backfill.{name}", value)
    parts = [PartSpec(text(f"word{n} " * 40 + f"{n * 7919:x}")) for n in range(1_000)]
    spec = talk("one", MessageSpec("user", parts))
    synced(index, opencode_db(tmp_path / "opencode.db", sessions=[spec]))
    with closing(apsw.Connection(str(index))) as db:
        assert db.pragma("auto_vacuum") == 2
        assert db.pragma("freelist_count") <= 3


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
    assert sorted(bodies) == ["charlie answer", "echo answer"]
    held = library(index, store)
    assert (found(held, "charlie is:live"), found(held, "echo")) == ([], ["prt_say"])
    assert [(hit.part, hit.version, hit.fate) for hit in held.search("charlie").hits] == [
        ("prt_say", 1, "replaced")
    ]


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


# Several stores ------------------------------------------------------------------------------


def test_a_copy_of_a_store_is_indexed_beside_it(store: Path, index: Path) -> None:
    copy = store.with_name("copy.db")
    copy.write_bytes(store.read_bytes())
    held = library(index, store, copy)
    assert [one.name for one in sync(held).sources] == ["opencode", "opencode-2"]
    listed = [(one.source, one.id) for one in held.sessions().sessions]
    assert listed == [("opencode", "ses_one")]
    (hit,) = held.search("charlie").hits
    assert (hit.source, [one.source for one in hit.copies]) == ("opencode", ["opencode-2"])
    edit(copy, DELETE["message"])
    sync(held)
    assert held.search("charlie is:removed").hits == ()
    (gone,) = library(index, copy).search("charlie is:removed").hits
    assert (gone.source, gone.fate) == ("opencode-2", "removed")
    (hit,) = held.search("charlie").hits
    assert (hit.source, hit.fate) == ("opencode", "live")
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
    for name in ("ses_m", "ses_o"):
        assert [one.session for one in held.search(f"shared session:{name}").hits] == [name]


def test_sessions_without_messages_and_messages_without_parts(tmp_path: Path, index: Path) -> None:
    specs: list[SessionSpec] = [talk("empty"), talk("bare", MessageSpec("user", id="msg_bare"))]
    store = opencode_db(tmp_path / "opencode.db", sessions=specs)
    held = library(index, store)
    assert sync(held).sources[0].behind == 0
    assert found(held, "empty") == ["ses_empty"]
    assert held.around("ses_empty").messages == ()
    (only,) = held.around("msg_bare").messages
    assert only.parts == ()
