"""What is gone from made stores: causes, evidence, earlier texts, and what is never called gone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.errors import StoreError
from store.library import Library
from store.model import Leftover, Text
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    mimocode_db,
    opencode_db,
    text,
    tool,
)
from tests.makers.rows import to_json
from tests.store.shelf import edit, library, say, sync, synced, talk

LATER = BASE + 90_000_000


def talked(path: Path, *, version: str = "1.18.33") -> Path:
    """A question, and two answers of which the second and a part of the first are gone."""
    return opencode_db(
        path,
        version=version,  # type: ignore[arg-type]
        sessions=[
            talk(
                "one",
                MessageSpec("user", [PartSpec(text("alpha question"), id="prt_ask")], id="msg_ask"),
                MessageSpec(
                    "assistant",
                    [
                        PartSpec(tool("bash", {"command": "ls"}, "bravo"), id="prt_x", gone=True),
                        PartSpec(text("charlie answer"), id="prt_say"),
                    ],
                    id="msg_say",
                ),
                MessageSpec(
                    "assistant",
                    [PartSpec(text("delta answer"), id="prt_gone")],
                    id="msg_gone",
                    gone=True,
                ),
            )
        ],
    )


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return talked(tmp_path / "opencode.db")


def left(held: Library, query: str = "") -> list[Leftover]:
    return list(held.leftovers(query, limit=1000).leftovers)


def told(held: Library, query: str = "") -> dict[str | None, tuple[str, str, str]]:
    return {one.part: (one.fate, one.cause, one.evidence) for one in left(held, query)}


def test_the_log_tells_what_was_removed(store: Path, index: Path) -> None:
    synced(index, store)
    held = library(index, store)
    assert told(held) == {
        "prt_x": ("removed", "part_deleted", "event_log"),
        "prt_gone": ("removed", "message_deleted", "event_log"),
    }
    assert [(hit.part, hit.fate) for hit in held.search("delta").hits] == [("prt_gone", "removed")]
    window = held.page("ses_one", 0, 9)
    assert [(one.message.id, one.message.fate) for one in window.messages] == [
        ("msg_ask", "live"),
        ("msg_say", "live"),
        ("msg_gone", "removed"),
    ]
    assert [part.id for part in window.messages[1].parts] == ["prt_x", "prt_say"]


def test_without_a_log_nothing_is_invented(tmp_path: Path, index: Path) -> None:
    synced(index, talked(tmp_path / "opencode.db", version="1.2.1"))
    assert left(library(index, tmp_path / "opencode.db")) == []


def log(path: Path, *events: tuple[str, dict[str, object]]) -> None:
    """Adds events to the session's log."""
    rows = []
    for place, (kind, data) in enumerate(events):
        whole = to_json({"sessionID": "ses_one", **data})
        values = (f"evt_new{place}_{kind}", 500 + place, kind, whole)
        sql = "insert into event(id, aggregate_id, seq, type, data) values(?, 'ses_one', ?, ?, ?)"
        rows.append((sql, values))
    edit(path, *rows)


def reverted(message: str | None) -> tuple[str, dict[str, object]]:
    info: dict[str, object] = {"id": "ses_one", "time": {"updated": LATER}}
    if message:
        info["revert"] = {"messageID": message}
    return "session.updated.1", {"info": info}


def test_removals_of_a_revert_are_told_from_deletions(store: Path, index: Path) -> None:
    synced(index, store)
    edit(store, ("delete from message where id = 'msg_say'", ()))
    log(
        store,
        reverted("msg_say"),
        ("message.removed.1", {"messageID": "msg_say"}),
        reverted(None),
    )
    synced(index, store)
    held = library(index, store)
    found = told(held)
    assert found["prt_say"] == ("removed", "revert_committed", "event_log")
    assert found["prt_gone"] == ("removed", "message_deleted", "event_log")
    (one,) = left(held, "charlie")
    assert one.removed_at == LATER
    kinds = {one.cause: (one.messages, one.parts) for one in held.happenings().happenings}
    assert kinds == {
        "revert_committed": (1, 1),
        "message_deleted": (1, 1),
        "part_deleted": (0, 1),
    }


def test_of_reverts_within_reverts_each_removal_has_its_own(store: Path, index: Path) -> None:
    """A revert is moved further back and committed, and a later one is of its own."""
    edit(
        store,
        ("delete from part where id = 'prt_say'", ()),
        ("delete from message where id = 'msg_say'", ()),
    )
    log(
        store,
        reverted("msg_gone"),
        reverted("msg_say"),
        ("message.removed.1", {"messageID": "msg_say"}),
        reverted(None),
        reverted("msg_ask"),
        reverted(None),  # taken back: nothing goes
    )
    synced(index, store)
    assert told(library(index, store), "session:ses_one -is:replaced")["prt_say"] == (
        "removed",
        "revert_committed",
        "event_log",
    )
    assert [one.message.fate for one in library(index, store).page("ses_one", 0, 1).messages] == [
        "live"
    ]


def test_what_another_store_still_has_is_not_called_gone(tmp_path: Path, index: Path) -> None:
    paths = [talked(tmp_path / name, version="1.2.1") for name in ("a.db", "b.db")]
    synced(index, *paths)
    gone = ("delete from session where id = 'ses_one'", ())
    edit(paths[0], ("delete from part", ()), ("delete from message", ()), gone)
    synced(index, *paths)
    held = library(index, *paths)
    assert (told(held), held.leftovers().total, held.happenings().happenings) == ({}, 0, ())
    assert (held.search("is:leftover").hits, held.search("alpha -is:live").hits) == ((), ())
    assert [one.leftovers for one in held.sources()] == [0, 0]
    assert {hit.fate for hit in held.search("alpha").hits} == {"live"}
    alone = library(index, paths[0])
    assert set(told(alone)) == {"prt_ask", "prt_say"}
    edit(paths[1], ("delete from part", ()), ("delete from message", ()), gone)
    synced(index, *paths)
    assert {(one.source, one.part) for one in left(library(index, *paths))} == {
        (name, part) for name in ("opencode", "opencode-2") for part in ("prt_ask", "prt_say")
    }


def test_a_revert_in_one_store_is_pending_only_where_no_other_has_it_live(
    tmp_path: Path, index: Path
) -> None:
    paths = [talked(tmp_path / name, version="1.2.1") for name in ("a.db", "b.db")]
    revert = ('update session set revert = \'{"messageID":"msg_say"}\'', ())
    edit(paths[0], revert)
    synced(index, *paths)
    assert told(library(index, *paths)) == {}
    edit(paths[1], ("delete from message where id = 'msg_say'", ()))
    edit(paths[1], ("delete from part where id = 'prt_say'", ()))
    synced(index, *paths)
    assert [(one.source, one.fate) for one in left(library(index, *paths))] == [
        ("opencode", "reverted")
    ]


def test_what_took_no_prompt_is_known_by_how_it_begins(store: Path, index: Path) -> None:
    synced(index, store)
    begins = {
        one.cause: (one.prompt, one.said) for one in library(index, store).happenings().happenings
    }
    assert begins == {
        "message_deleted": ("", "delta answer"),
        "part_deleted": ("", "bash command: ls bravo"),
    }


def test_a_session_counts_what_is_gone_from_it(store: Path, index: Path) -> None:
    synced(index, store)
    held = library(index, store)
    (session,) = held.sessions("is:leftover").sessions
    assert (session.fate, session.revert, session.gone) == ("live", None, 2)
    assert held.page("ses_one", 0, 1).session.gone == 2


def test_a_message_before_the_target_was_no_part_of_the_revert(store: Path, index: Path) -> None:
    edit(store, ("delete from message where id = 'msg_ask'", ()))
    log(
        store,
        reverted("msg_say"),
        ("message.removed.1", {"messageID": "msg_ask"}),
        reverted(None),
    )
    synced(index, store)
    assert told(library(index, store))["prt_ask"][1] == "message_deleted"


def test_what_is_there_is_never_called_gone(store: Path, index: Path) -> None:
    log(
        store,
        ("message.removed.1", {"messageID": "msg_say"}),
        ("message.part.removed.1", {"messageID": "msg_ask", "partID": "prt_ask"}),
    )
    synced(index, store)
    assert set(told(library(index, store))) == {"prt_x", "prt_gone"}


def written(part: str, words: str, moment: int) -> tuple[str, dict[str, object]]:
    place = {"id": part, "sessionID": "ses_one", "messageID": "msg_ask"}
    return "message.part.updated.1", {"part": {**place, **text(words)}, "time": moment}


def test_earlier_texts_are_versions_the_oldest_first(store: Path, index: Path) -> None:
    say(store, "prt_ask", "gamma question", LATER)
    log(
        store,
        written("prt_ask", "beta question", LATER - 500),
        written("prt_ask", "alpha question", LATER - 400),
        written("prt_ask", "gamma question", LATER),
    )
    synced(index, store)
    held = library(index, store)
    found = [(part.version, part.content, part.fate) for part in held.versions("prt_ask")]
    assert found == [
        (1, Text("alpha question"), "replaced"),
        (2, Text("beta question"), "replaced"),
        (0, Text("gamma question"), "live"),
    ]
    assert [(hit.part, hit.version) for hit in held.search("beta").hits] == [("prt_ask", 2)]
    assert set(told(held, "is:replaced").values()) == {("replaced", "edited", "event_log")}


def test_a_part_with_earlier_texts_is_flagged_until_it_has_none(store: Path, index: Path) -> None:
    synced(index, store)
    assert library(index, store).search("is:edited").hits == ()
    say(store, "prt_ask", "echo question", LATER)
    synced(index, store)
    held = library(index, store)
    assert [hit.snippet for hit in held.search("is:edited").hits] == ["echo question"]
    assert [part.flags for part in held.show("msg_ask").parts] == [("edited",)]
    edit(store, ("update part set time_updated = time_updated + 1 where id = 'prt_ask'", ()))
    synced(index, store)  # written again, with the same text
    assert [hit.snippet for hit in held.search("is:edited").hits] == ["echo question"]
    held.forget(query="is:replaced")
    assert held.search("is:edited").hits == ()


def test_a_tool_that_streamed_has_no_versions(store: Path, index: Path) -> None:
    data = tool("bash", {"command": "ls"}, "bravo")
    running = json.loads(json.dumps(data))
    running["state"]["status"] = "running"
    running["state"]["output"] = "br"
    place = {"id": "prt_x", "sessionID": "ses_one", "messageID": "msg_say"}
    log(store, ("message.part.updated.1", {"part": {**place, **running}, "time": LATER}))
    synced(index, store)
    assert left(library(index, store), "is:replaced") == []


def test_without_a_log_our_own_copy_is_the_version(tmp_path: Path, index: Path) -> None:
    store = talked(tmp_path / "opencode.db", version="1.2.1")
    synced(index, store)
    say(store, "prt_say", "echo answer", LATER)
    synced(index, store)
    held = library(index, store)
    (one,) = left(held)
    assert (one.fate, one.cause, one.evidence) == ("replaced", "edited", "kept")
    assert (one.text, one.version) == ("charlie answer", 1)
    say(store, "prt_say", "charlie answer", LATER + 1)
    synced(index, store)
    assert [one.text for one in left(library(index, store))] == ["echo answer"]


def test_a_log_that_was_emptied_leaves_what_we_kept(store: Path, index: Path) -> None:
    synced(index, store)
    edit(store, ("delete from event", ()))  # the session itself did not change
    synced(index, store)
    held = library(index, store)
    assert told(held) == {
        "prt_x": ("removed", "part_deleted", "kept"),
        "prt_gone": ("removed", "message_deleted", "kept"),
    }
    assert left(held, "delta")[0].text == "delta answer"


def test_a_log_that_came_back_is_evidence_again(store: Path, index: Path) -> None:
    synced(index, store)
    edit(store, ("create table aside as select * from event", ()), ("delete from event", ()))
    synced(index, store)
    edit(store, ("insert into event select * from aside", ()))
    synced(index, store)
    assert told(library(index, store)) == {
        "prt_x": ("removed", "part_deleted", "event_log"),
        "prt_gone": ("removed", "message_deleted", "event_log"),
    }


def test_rows_of_the_history_index_without_a_part(tmp_path: Path, index: Path) -> None:
    store = mimocode_db(
        tmp_path / "mimocode.db",
        sessions=[
            talk(
                "m",
                MessageSpec("user", [PartSpec(text("kilo question"), id="prt_k")], id="msg_k"),
                MessageSpec(
                    "user", [PartSpec(text("lima question"), id="prt_l")], id="msg_l", gone=True
                ),
            )
        ],
    )
    synced(index, store)
    held = library(index, store)
    assert told(held) == {"prt_l": ("removed", "unknown", "history_fts")}
    edit(
        store,
        ("insert into history_fts values('prt_c#1', 'ses_z', 'msg_z', 'p', 'assistant_text', null,"
         " 'and end', 2)", ()),
        ("insert into history_fts values('prt_c#0', 'ses_z', 'msg_z', 'p', 'assistant_text', null,"
         " 'begin ', 1)", ()),
    )  # fmt: skip
    sync(held)
    (one,) = left(held, "is:deleted")
    assert (one.session, one.part, one.text) == ("ses_z", "prt_c", "begin and end")
    assert (one.cause, one.evidence) == ("session_deleted", "history_fts")


@pytest.mark.parametrize("number", ["²", "9" * 5000, "x", ""], ids=["high", "long", "x", "none"])
def test_a_row_of_the_history_index_with_no_number_is_read(
    number: str, tmp_path: Path, index: Path
) -> None:
    ask = MessageSpec("user", [PartSpec(text("kilo question"), id="prt_k")], id="msg_k")
    store = mimocode_db(tmp_path / "mimocode.db", sessions=[talk("m", ask)])
    row = "insert into history_fts values(?, 'ses_z', 'msg_z', 'p', 'user_text', null, 'zulu', 1)"
    edit(store, (row, (f"prt_z#{number}",)))
    synced(index, store)
    (one,) = left(library(index, store), "is:deleted")
    assert (one.part, one.text) == ("prt_z", "zulu")


def test_what_the_history_index_lost_is_ours_alone(tmp_path: Path, index: Path) -> None:
    """September's MiMo Code takes rows without a part out; one that stays is evidence still."""
    gone = [
        MessageSpec("user", [PartSpec(text(f"{word} left"), id=f"prt_{word}")], id=f"msg_{word}",
                    gone=True)
        for word in ("lima", "mike")
    ]  # fmt: skip
    ask = MessageSpec("user", [PartSpec(text("kilo question"), id="prt_k")], id="msg_k")
    store = mimocode_db(tmp_path / "mimocode.db", sessions=[talk("m", ask, *gone)])
    row = (
        "insert into history_fts values('prt_z', 'ses_z', 'msg_z', 'p', 'user_text', null, 'z', 1)"
    )
    edit(store, (row, ()))
    synced(index, store)
    held = library(index, store)
    assert {one[2] for one in told(held).values()} == {"history_fts"}
    for ident in ("prt_lima", "prt_z"):
        edit(store, ("delete from history_fts where part_id = ?", (ident,)))
    sync(held)
    assert {part: one[2] for part, one in told(held).items()} == {
        "prt_lima": "kept",
        "prt_mike": "history_fts",
        "prt_z": "kept",
    }
    edit(store, ("drop table history_fts", ()))
    sync(held)
    assert {one[2] for one in told(held).values()} == {"kept"}


def test_pages_go_on_and_cursors_belong_to_their_query(store: Path, index: Path) -> None:
    synced(index, store)
    held = library(index, store)
    first = held.leftovers(limit=1)
    assert (first.total, first.more) == (2, True)
    second = held.leftovers(limit=1, cursor=first.cursor)
    assert (second.more, second.cursor) == (False, None)
    assert [one.part for one in (*first.leftovers, *second.leftovers)] == ["prt_gone", "prt_x"]
    with pytest.raises(StoreError) as caught:
        held.leftovers("delta", cursor=first.cursor)
    assert caught.value.code == "INVALID_CURSOR"


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("delta", ["prt_gone"]),
        ("kind:tool_output", ["prt_x"]),
        ("-kind:tool_output", ["prt_gone"]),
        ("cause:part_deleted", ["prt_x"]),
        ("evidence:kept", []),
        ("session:ses_one is:removed", ["prt_gone", "prt_x"]),
        ("session:ses_two", []),
        ("-delta", ["prt_x"]),
    ],
)
def test_queries_narrow_leftovers(store: Path, index: Path, query: str, parts: list[str]) -> None:
    synced(index, store)
    assert [one.part for one in left(library(index, store), query)] == parts


@pytest.mark.parametrize("what", ["hidden", "removed"])
def test_the_error_of_a_message_is_left_over_beside_its_parts(
    tmp_path: Path, index: Path, what: str
) -> None:
    failed = {"name": "APIError", "data": {"message": "overloaded xylophone"}}
    answer = [PartSpec(text("charlie answer"), id="prt_say")]
    store = opencode_db(
        tmp_path / "opencode.db",
        version="1.2.1",
        sessions=[
            talk(
                "one",
                MessageSpec("user", [PartSpec(text("alpha"), id="prt_ask")], id="msg_ask"),
                MessageSpec("assistant", answer, id="msg_say", extra={"error": failed}),
                MessageSpec("assistant", [], id="msg_bare", extra={"error": failed}),
            )
        ],
    )
    synced(index, store)
    if what == "hidden":
        edit(store, ('update session set revert = \'{"messageID":"msg_say"}\'', ()))
    else:
        edit(store, ("delete from message where id in ('msg_say', 'msg_bare')", ()))
    synced(index, store)
    held = library(index, store)
    errors = [("msg_bare", None), ("msg_say", None)]
    for query in ("kind:error", "xylophone", "-answer kind:error"):
        assert sorted((one.message, one.part) for one in left(held, query)) == errors
    assert {one.part for one in left(held, "-kind:error")} == {"prt_say"}
    assert {one.part for one in left(held, "-xylophone")} == {"prt_say"}
    found = {(hit.message, hit.part) for hit in held.search("is:leftover", limit=100).hits}
    assert {(one.message, one.part) for one in left(held)} == found
    assert [info.leftovers for info in held.sources()] == [len(found)] == [held.leftovers().total]
    (one,) = held.happenings().happenings
    assert (one.messages, one.parts) == (2, 1)
