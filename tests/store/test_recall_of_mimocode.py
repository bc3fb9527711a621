"""What MiMo Code's own history tool answers, and where it fails, answered here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from store.errors import StoreError
from store.library import Library
from tests.makers import BASE, MessageSpec, PartSpec, mimocode_db, reasoning, text, tool, tool_error
from tests.store.shelf import LATER, add_part, edit, ids, library, say, sync, talk

RUNNING = {
    "type": "tool",
    "tool": "Bash",
    "callID": "call_3",
    "state": {"status": "running", "input": {"command": "make"}, "time": {"start": BASE}},
}


@pytest.fixture
def held(tmp_path: Path) -> Library:
    """A talk of five messages with a part of every kind, and one of another project."""
    parts: list[Any] = [
        PartSpec(text("sure"), id="prt_sure"),
        PartSpec(reasoning("thinking"), id="prt_think"),
        PartSpec(tool("Bash", {"command": "ls"}, "file.txt\nJWT here\n"), id="prt_bash"),
        PartSpec(tool_error("Read", {"file_path": "/tmp/x"}, "ENOENT"), id="prt_read"),
        PartSpec(RUNNING, id="prt_run"),
        PartSpec({"type": "step-start"}, id="prt_step"),
        PartSpec({"type": "patch", "hash": "ab", "files": ["/w/a.py"]}, id="prt_patch"),
        PartSpec(
            {"type": "file", "mime": "image/png", "filename": "designneedle.png",
             "url": "data:image/png;base64,YWJj"},
            id="prt_file",
        ),
    ]  # fmt: skip
    messages = [
        MessageSpec("user", [PartSpec(text("hello world JWT"), id="prt_0")], id="m0", time=BASE),
        MessageSpec("assistant", parts, id="m1", time=BASE + 1_000),
        *(
            MessageSpec("user", [PartSpec(text(f"said {n}"), id=f"prt_{n}")], id=f"m{n}",
                        time=BASE + n * 1_000)
            for n in (2, 3, 4)
        ),
    ]  # fmt: skip
    other = talk("other", MessageSpec("user", [text("the JWT there")]), directory="/srv/beta")
    store = mimocode_db(tmp_path / "mimocode.db", sessions=[talk("one", *messages), other])
    made = library(tmp_path / "index.db", store)
    sync(made)
    return made


def found(held: Library, query: str) -> list[tuple[str | None, str]]:
    return sorted((hit.part, hit.kind) for hit in held.search(query, limit=1000).hits)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("hello world", [("prt_0", "user_text")]),
        ("sure", [("prt_sure", "assistant_text")]),
        ("thinking", [("prt_think", "reasoning")]),
        ("command ls", [("prt_bash", "tool_input")]),
        ("file.txt", [("prt_bash", "tool_output")]),
        ("ENOENT", [("prt_read", "tool_error")]),
        ("/tmp/x", [("prt_read", "tool_input")]),
        ("make", [("prt_run", "tool_input")]),
        ("designneedle.png", [("prt_file", "file")]),
        ("a.py", [("prt_patch", "patch")]),
        ("YWJj", []),
        ("tool:bash kind:tool_output", [("prt_bash", "tool_output")]),
        ("tool:Bash has:error", []),
        ('he"llo', [("prt_0", "user_text")]),
    ],
)
def test_every_part_by_its_kind(
    held: Library, query: str, expected: list[tuple[str | None, str]]
) -> None:
    assert found(held, query) == expected


def test_the_first_word_of_a_line_of_output_is_a_word(held: Library) -> None:
    """MiMo Code indexes the output with its line ends escaped: `\\nJWT` is `nJWT` there."""
    assert ("prt_bash", "tool_output") in found(held, "JWT")


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("JWT", 3),
        ("JWT session:ses_one", 2),
        ("JWT kind:user_text", 2),
        ("JWT project:beta", 1),
        ("JWT dir:/srv", 1),
        ("said since:2026-11-30T00:53:23Z", 2),
        ("said before:2026-11-30T00:53:23Z", 1),
    ],
)
def test_filters_narrow(held: Library, query: str, count: int) -> None:
    assert len(found(held, query)) == count


def test_there_is_no_cap(tmp_path: Path) -> None:
    said = [PartSpec(text(f"walrus {n}"), id=f"prt_{n:02}") for n in range(60)]
    store = mimocode_db(tmp_path / "mimocode.db", sessions=[talk("one", MessageSpec("user", said))])
    made = library(tmp_path / "index.db", store)
    sync(made)
    assert len(made.search("walrus", limit=1000).hits) == 60


def test_the_messages_around_one(held: Library) -> None:
    window = held.around("m2", before=1, after=1)
    assert [(one.message.id, one.matched) for one in window.messages] == [
        ("m1", False),
        ("m2", True),
        ("m3", False),
    ]
    with pytest.raises(StoreError, match="MESSAGE_NOT_FOUND"):
        held.around("m9")


def test_a_part_without_its_message_counts_as_the_agent_s(tmp_path: Path) -> None:
    store = mimocode_db(
        tmp_path / "mimocode.db", sessions=[talk("one", MessageSpec("user", [text("hi")]))]
    )
    add_part(store, "prt_lost", "msg_nowhere", "ses_one", text("walrus"), LATER)
    made = library(tmp_path / "index.db", store)
    sync(made)
    assert [(part, kind) for part, kind in found(made, "walrus")] == [
        ("prt_lost", "assistant_text")
    ]


# Changes -------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path, held: Library) -> Path:
    return tmp_path / "mimocode.db"


def test_a_changed_text_is_found_by_its_new_words_and_the_old_is_left_over(
    held: Library, store: Path
) -> None:
    say(store, "prt_sure", "certainly", LATER)
    sync(held)
    assert found(held, "certainly") == [("prt_sure", "assistant_text")]
    assert found(held, "sure is:live") == []
    assert found(held, "sure is:replaced") == [("prt_sure", "assistant_text")]


def test_a_text_that_became_empty_is_found_no_more(held: Library, store: Path) -> None:
    say(store, "prt_sure", "", LATER)
    sync(held)
    assert found(held, "sure is:live") == []


def test_a_call_that_ends_is_found_by_its_output(held: Library, store: Path) -> None:
    done = json.dumps(tool("Bash", {"command": "make"}, "quartz built", call="call_3"))
    edit(store, ("update part set data = ?, time_updated = ? where id = 'prt_run'", (done, LATER)))
    sync(held)
    assert found(held, "quartz") == [("prt_run", "tool_output")]
    assert found(held, "make is:live") == [("prt_run", "tool_input")]


def test_ids_with_signs_of_patterns_leave_their_neighbours(tmp_path: Path) -> None:
    names = ("prt_%", "prt_a", "prt__", "prt_b")
    spec = talk("one", MessageSpec("user", [PartSpec(text(f"walrus {n}"), id=n) for n in names]))
    store = mimocode_db(tmp_path / "mimocode.db", sessions=[spec])
    made = library(tmp_path / "index.db", store)
    sync(made)
    edit(store, ("delete from part where id in ('prt_%', 'prt__')", ()))
    sync(made)
    assert [part for part, _ in found(made, "walrus is:live")] == ["prt_a", "prt_b"]
    made.forget(["prt__"])
    assert [part for part, _ in found(made, "walrus")] == ["prt_%", "prt_a", "prt_b"]


def test_a_second_look_adds_only_what_is_new(held: Library, store: Path) -> None:
    before = sync(held).sources[0].documents
    add_part(store, "prt_new", "m4", "ses_one", text("quartz"), LATER)
    assert sync(held).sources[0].documents == before + 1
    assert found(held, "quartz") == [("prt_new", "user_text")]


def test_an_import_is_found_at_once_and_so_is_what_it_says_after_the_next(
    tmp_path: Path,
) -> None:
    said = talk("one", MessageSpec("user", [PartSpec(text("walrus"), id="prt_a")], id="msg_a"))
    store = mimocode_db(tmp_path / "mimocode.db", sessions=[said], imported={"ses_one": "cc"})
    made = library(tmp_path / "index.db", store)
    sync(made)
    (hit,) = made.search("walrus kind:user_text").hits
    assert hit.flags == ("imported",)
    again = talk(
        "one",
        MessageSpec("user", [PartSpec(text("seal"), id="prt_b")], id="msg_b"),
        time=BASE + 60_000,
    )
    store.unlink()
    mimocode_db(store, sessions=[again], imported={"ses_one": "cc"})
    sync(made)
    assert found(made, "walrus is:live") == []
    assert found(made, "seal") == [("prt_b", "user_text")]


# Reverts -------------------------------------------------------------------------------------


def reverted(store: Path, **revert: str) -> None:
    edit(store, ("update session set revert = ? where id = 'ses_one'", (json.dumps(revert),)))


def fates(held: Library) -> dict[str, str]:
    return {one.message.id: one.message.fate for one in held.page("ses_one", 0, 9).messages}


def test_a_revert_before_and_after_its_commit(held: Library, store: Path) -> None:
    reverted(store, messageID="m3")
    sync(held)
    assert fates(held) == {
        "m0": "live", "m1": "live", "m2": "live", "m3": "reverted", "m4": "reverted",
    }  # fmt: skip
    assert found(held, "said is:reverted") == [("prt_3", "user_text"), ("prt_4", "user_text")]
    edit(
        store,
        ("delete from message where id in ('m3', 'm4')", ()),
        ("update session set revert = null", ()),
    )
    sync(held)
    assert fates(held)["m4"] == "removed"
    assert {one.cause for one in held.leftovers("said").leftovers} == {"revert_committed"}
    assert ids(held.around("m3", before=0, after=1)) == ["m3", "m4"]


def test_a_revert_of_a_part_keeps_the_earlier_ones(held: Library, store: Path) -> None:
    reverted(store, messageID="m1", partID="prt_bash")
    sync(held)
    (window,) = [one for one in held.page("ses_one", 0, 9).messages if one.message.id == "m1"]
    live = {part.id for part in window.parts if part.fate == "live"}
    assert live == {"prt_sure", "prt_think"}


def test_without_a_revert_nothing_is_hidden(held: Library) -> None:
    assert set(fates(held).values()) == {"live"}
    assert held.search("is:leftover").hits == ()
