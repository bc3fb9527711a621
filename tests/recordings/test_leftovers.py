"""What is gone from the recorded stores: exactly that, with its cause, evidence and text."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from threading import Event

import pytest

from store.library import Library
from store.model import Leftover, Text, Tool
from store.records import Records
from store.sources import v2_content
from store.sources.v2_events import Fold, event
from store.sqlite import open_index
from tests.store.test_interruptions import killed

EDITED = "prt_22d16a015001uKQvyVVlioSAwA"
LATER = "say hello (edited later through PATCH)"


def indexed(store: Path, index: Path) -> Library:
    library = Library.open(sources=[store], index=index)
    library.sync(Event())
    return library


@pytest.fixture
def opened(request: pytest.FixtureRequest, recordings: Path, tmp_path: Path) -> Iterator[Library]:
    library = indexed(recordings / request.param, tmp_path / "index.db")
    yield library
    library.close()


def everything(library: Library, text: str = "") -> list[Leftover]:
    return list(library.leftovers(text, limit=1000).leftovers)


def counted(library: Library) -> Counter[tuple[str, str, str]]:
    return Counter((one.fate, one.cause, one.evidence) for one in everything(library))


def logged_parts(path: Path) -> dict[str, str]:
    """The last text that the event log has of every part of a removed message, and of every
    removed part, read with nothing but SQL and JSON.
    """
    gone: dict[str, str] = {}
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as db:
        rows = [
            (kind, json.loads(data))
            for kind, data in db.execute("select type, data from event order by aggregate_id, seq")
        ]
    messages = {data["messageID"] for kind, data in rows if kind == "message.removed.1"}
    parts = {data["partID"] for kind, data in rows if kind == "message.part.removed.1"}
    for kind, data in rows:
        if kind == "message.part.updated.1":
            part = data["part"]
            if part["messageID"] in messages or part["id"] in parts:
                state = part.get("state", {})
                gone[part["id"]] = part.get("text") or state.get("output") or ""
    return gone


@pytest.mark.parametrize("opened", ["opencode/basic.db"], indirect=True)
def test_a_log_without_removals_calls_nothing_gone(opened: Library) -> None:
    assert everything(opened) == []
    assert opened.happenings().happenings == ()


@pytest.mark.parametrize(
    ("opened", "counts"),
    [
        (
            "opencode/reverted.db",
            {
                ("removed", "revert_committed", "event_log"): 22,
                ("reverted", "revert_pending", "source"): 26,
            },
        ),
        (
            "opencode/reverted-2-part-pending.db",
            {
                ("removed", "revert_committed", "event_log"): 13,
                ("reverted", "revert_pending", "source"): 35,
            },
        ),
        ("opencode/v2-revert-staged.db", {("reverted", "revert_pending", "source"): 10}),
        (
            "opencode/deleted.db",
            {
                ("removed", "message_deleted", "event_log"): 4,
                ("removed", "part_deleted", "event_log"): 1,
                ("replaced", "edited", "event_log"): 1,
            },
        ),
        (
            "opencode/json-1.1/opencode",
            {
                ("removed", "revert_committed", "storage_files"): 4,
                ("reverted", "revert_pending", "source"): 13,
            },
        ),
        (
            "mimo/mimo-allkinds.db",
            {
                ("removed", "unknown", "history_fts"): 11,
                ("deleted", "session_deleted", "history_fts"): 6,
                ("reverted", "revert_pending", "source"): 9,
            },
        ),
    ],
    indirect=["opened"],
)
def test_what_is_gone_has_its_cause_and_evidence(
    opened: Library, counts: dict[tuple[str, str, str], int]
) -> None:
    assert counted(opened) == counts


@pytest.mark.parametrize(
    ("name", "count"), [("reverted.db", 22), ("reverted-2-part-pending.db", 13), ("deleted.db", 5)]
)
def test_removed_parts_have_their_whole_last_text(
    recordings: Path, tmp_path: Path, name: str, count: int
) -> None:
    path = recordings / "opencode" / name
    wanted = logged_parts(path)
    assert len(wanted) == count
    library = indexed(path, tmp_path / "index.db")
    found = {one.part: one.text for one in everything(library, "is:removed")}
    assert set(found) == set(wanted)
    assert [part for part, text in wanted.items() if text not in found[part]] == []
    library.close()


@pytest.mark.parametrize("opened", ["opencode/reverted.db"], indirect=True)
def test_a_committed_revert_is_one_happening(opened: Library) -> None:
    found = [
        (one.session.title, one.moment, one.messages, one.parts, one.prompt)
        for one in opened.happenings("cause:revert_committed").happenings
    ]
    assert found == [
        ("Revert to a part, committed", 1796052750555, 2, 9, ""),
        ("Revert committed by a new prompt", 1796052741114, 5, 13, "rename the function"),
    ]
    (_, second) = opened.happenings("cause:revert_committed").happenings
    assert [name.rpartition("/")[2] for name in second.files] == ["util.py"]


@pytest.mark.parametrize(
    ("opened", "moments"),
    [
        (
            "opencode/reverted-2-part-pending.db",
            {1796052736896, 1796052746827, 1796052750497},
        ),
        ("opencode/v2-revert-staged.db", {1796052928855}),
        ("opencode/json-1.1/opencode", {None}),
        ("mimo/mimo-allkinds.db", {None}),
    ],
    indirect=["opened"],
)
def test_the_log_tells_when_a_revert_that_is_pending_was_made(
    opened: Library, moments: set[int | None]
) -> None:
    left = everything(opened, "is:reverted")
    assert {one.removed_at for one in left} == moments
    assert all(one.noticed_at for one in left)


@pytest.mark.parametrize("opened", ["mimo/mimo-allkinds.db"], indirect=True)
def test_a_tool_is_read_back_from_the_history_index(opened: Library) -> None:
    (one,) = everything(opened, "kind:tool_output tool_deletedsessionneedle")
    part = opened.show(one.id).parts[0]
    assert isinstance(part.content, Tool)
    assert part.content.output == "tool_deletedsessionneedle\n"
    assert part.content.input["command"] == "echo tool_deletedsessionneedle"
    (session,) = opened.sessions("is:deleted").sessions
    assert (session.messages, session.parts) == (3, 6)
    assert len(opened.page(session.id, 0, 10).messages) == 3


def test_the_orphans_of_the_old_storage_stand_in_their_session(
    recordings: Path, tmp_path: Path
) -> None:
    library = indexed(recordings / "opencode/json-1.1/opencode", tmp_path / "index.db")
    left = everything(library, "cause:revert_committed")
    assert {one.session for one in left} == {"ses_dd29df81bffebq9lPGSblMwppk"}
    assert [one.text for one in left if one.kind == "user_text"] == [
        "remember the secret word committed"
    ]
    window = library.around("prt_22d620860002W0peldMccmI0sa")
    assert [one.message.fate for one in window.messages if one.matched] == ["removed"]
    library.close()


@pytest.mark.parametrize("name", ["v2-session", "v2-revert-staged"])
def test_the_log_of_a_newer_session_makes_its_rows_again(recordings: Path, name: str) -> None:
    path = recordings / "opencode" / f"{name}.db"
    fold = Fold()
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as db:
        fold.take(
            (event(seq, ident, kind, None, json.loads(data), 0), 0)
            for seq, ident, kind, data in db.execute(
                "select seq, id, type, data from event order by seq"
            )
        )
        rows = db.execute(
            "select id, session_id, type, time_created, data from session_message order by seq"
        ).fetchall()
    assert list(fold.drafts) == [row[0] for row in rows]
    for ident, session, kind, time, data in rows:
        stored = v2_content.Row(ident, session, kind, time, 0, 0, json.loads(data))
        folded = replace(fold.drafts[ident].row(session, ""), updated=0)
        assert v2_content.message(folded) == v2_content.message(stored)
        assert v2_content.parts(folded) == v2_content.parts(stored)


def test_a_committed_revert_of_a_newer_session_keeps_its_target(
    recordings: Path, tmp_path: Path
) -> None:
    store = tmp_path / "opencode.db"
    store.write_bytes((recordings / "opencode/v2-revert-staged.db").read_bytes())
    before = indexed(store, tmp_path / "before" / "index.db")
    staged = {one.part: one.text for one in everything(before)}
    before.close()
    with closing(sqlite3.connect(store)) as db, db:
        (session,) = db.execute("select id from session").fetchone()
        target = "msg_22d18a8e6001WIMX4i1ySAyB6v"
        told = {"timestamp": 1796052930000, "sessionID": session, "messageID": target}
        values = ("evt_new", session, 66, "session.next.revert.committed.1", json.dumps(told))
        db.execute(
            "insert into event(id, aggregate_id, seq, type, data) values (?,?,?,?,?)", values
        )
        db.execute("delete from session_message where seq > 28")
        db.execute("update session set revert = null")
    library = indexed(store, tmp_path / "index.db")
    assert {one.part: one.text for one in everything(library)} == staged
    assert counted(library) == {("removed", "revert_committed", "event_log"): 10}
    assert [one.message.fate for one in library.around(target, before=0, after=1).messages] == [
        "live",
        "removed",
    ]
    library.close()


def test_of_a_deleted_session_whose_old_rows_went_too_we_have_the_only_copy(
    recordings: Path, tmp_path: Path
) -> None:
    store, index = tmp_path / "opencode.db", tmp_path / "index.db"
    store.write_bytes((recordings / "opencode/imitation-2.0.db").read_bytes())
    with closing(sqlite3.connect(store)) as db, db:
        sql = "select id from session_v2 where id in (select session_id from part)"
        (session,) = db.execute(sql).fetchone()
        db.execute("delete from session_v2 where id = ?", (session,))
    library = indexed(store, index)
    left = everything(library, "is:deleted")
    library.close()
    assert {(one.session, one.evidence) for one in left} == {(session, "source")}
    with closing(sqlite3.connect(store)) as db, db:
        for table in ("part", "message"):
            db.execute(f"delete from {table} where session_id = ?", (session,))
    library = indexed(store, index)
    assert [replace(one, evidence="source") for one in everything(library, "is:deleted")] == left
    assert {one.evidence for one in everything(library, "is:deleted")} == {"kept"}
    library.close()


def said_by_sql(path: Path, sql: str) -> int:
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as db:
        return int(db.execute(sql).fetchone()[0])


@pytest.mark.parametrize(
    ("name", "evidence", "sql"),
    [
        (
            "opencode/reverted.db",
            "event_log",
            "select min(data ->> '$.info.time.created') from event where type like 'session.c%'",
        ),
        ("opencode/imitation-2.0.db", "source", "select time_updated from kv"),
        ("mimo/mimo-allkinds.db", "history_fts", "select min(time_created) from history_fts"),
    ],
)
def test_how_far_back_a_store_remembers(
    recordings: Path, tmp_path: Path, name: str, evidence: str, sql: str
) -> None:
    library = indexed(recordings / name, tmp_path / "index.db")
    (memory,) = library.memory()
    assert {key: at for key, at in memory.evidence.items() if at is not None} == {
        evidence: pytest.approx(said_by_sql(recordings / name, sql), abs=1000)
    }
    assert memory.kept is not None
    library.close()


@pytest.mark.parametrize(
    ("name", "evidence"),
    [
        ("opencode/json-1.1/opencode", {"storage_files": None}),
        ("opencode/old-1.2.db", {}),
        ("dsh/v4-runtime-0.2.1rc2/dsh-home-zstd", {}),
    ],
)
def test_what_a_store_without_a_log_remembers(
    recordings: Path, tmp_path: Path, name: str, evidence: dict[str, None]
) -> None:
    library = indexed(recordings / name, tmp_path / "index.db")
    assert [one.evidence for one in library.memory()] == [evidence]
    library.close()


# Two recordings of one store -----------------------------------------------------------------


@pytest.fixture
def swapped(recordings: Path, tmp_path: Path) -> tuple[Path, Path]:
    """The store before its deletions, indexed; and its index."""
    store, index = tmp_path / "opencode.db", tmp_path / "ours" / "index.db"
    shutil.copy(recordings / "opencode/before-delete.db", store)
    indexed(store, index).close()
    return store, index


def put(recordings: Path, name: str, store: Path) -> None:
    store.unlink()
    shutil.copy(recordings / "opencode" / name, store)


def ids(path: Path) -> set[str]:
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as db:
        return {row[0] for row in db.execute("select id from part")}


def test_everything_that_vanished_is_a_leftover(
    recordings: Path, swapped: tuple[Path, Path]
) -> None:
    store, index = swapped
    before = ids(recordings / "opencode/before-delete.db")
    after = ids(recordings / "opencode/deleted.db")
    put(recordings, "deleted.db", store)
    library = indexed(store, index)
    left = everything(library, "-is:replaced")
    assert {one.part for one in left} == before - after
    assert len(left) == 50
    assert Counter((one.fate, one.evidence) for one in left) == {
        ("deleted", "kept"): 45,
        ("removed", "event_log"): 5,
    }
    assert [one.text for one in left if one.text == "remember the secret word A"]
    texts = [(one.version, one.content, one.fate) for one in library.versions(EDITED)]
    assert texts == [(1, Text("say hello"), "replaced"), (0, Text(LATER), "live")]
    library.close()


def test_swapped_back_all_is_live_and_the_edited_text_is_the_replaced_one(
    recordings: Path, swapped: tuple[Path, Path]
) -> None:
    store, index = swapped
    for name in ("deleted.db", "before-delete.db"):
        put(recordings, name, store)
        library = indexed(store, index)
        left = everything(library)
        texts = [(one.version, one.content, one.fate) for one in library.versions(EDITED)]
        sessions = {one.fate for one in library.sessions(limit=None).sessions}
        library.close()
    assert [(one.part, one.fate, one.evidence, one.text) for one in left] == [
        (EDITED, "replaced", "kept", LATER)
    ]
    assert texts == [(1, Text(LATER), "replaced"), (0, Text("say hello"), "live")]
    assert sessions == {"live"}


def archived(index: Path) -> Counter[tuple[str, str]]:
    """All that the archive says, by the ids of parts."""
    with closing(open_index(index, write=False)) as connection:
        records = Records(connection)
        return Counter(
            (native, json.dumps(asdict(records.content(*place)), sort_keys=True))
            for native, *place in connection.execute("select native, block, at, length from part")
        )


@pytest.mark.parametrize("seed", range(6))
def test_a_kill_while_things_are_found_gone_loses_no_archived_text(
    recordings: Path, swapped: tuple[Path, Path], tmp_path: Path, seed: int
) -> None:
    store, index = swapped
    before = archived(index)
    put(recordings, "deleted.db", store)
    fresh = tmp_path / "fresh" / "index.db"
    fresh.parent.mkdir()
    fresh.write_bytes(index.read_bytes())
    indexed(store, fresh).close()
    whole = archived(fresh)
    assert not before - whole
    chance, kills = Random(seed), 0
    while killed(store, index, chance.randint(1, 50 * (kills + 1))):
        kills += 1
        assert not before - archived(index)  # right after a kill, and nothing twice
        assert not archived(index) - whole
    assert kills
    assert archived(index) == whole
    library, other = indexed(store, index), indexed(store, fresh)
    assert counted(library) == counted(other)
    library.close()
    other.close()


def test_a_second_look_finds_nothing_new(recordings: Path, tmp_path: Path) -> None:
    store, index = tmp_path / "opencode.db", tmp_path / "ours" / "index.db"
    shutil.copy(recordings / "opencode/deleted.db", store)
    library = indexed(store, index)
    first = everything(library)
    library.sync(Event(), rebuild=True)
    assert everything(library) == first
    library.close()


# Forgetting ----------------------------------------------------------------------------------


def test_what_was_forgotten_leaves_no_piece_and_stays_away(
    recordings: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "ours"
    library = indexed(recordings / "opencode/reverted.db", folder / "index.db")
    texts = [one.text.encode() for one in everything(library, "cause:revert_committed")]
    assert sum(len(text) >= 16 for text in texts) == 11
    done = library.forget(query="cause:revert_committed")
    assert (done.sessions, done.parts) == (0, 22)
    rest = pieces(shown(library))
    held = pieces(b"".join(path.read_bytes() for path in folder.iterdir()))
    assert {piece for text in texts for piece in pieces(text) if piece in held} <= rest
    for rebuild in (False, True):
        library.sync(Event(), rebuild=rebuild)
        assert everything(library, "cause:revert_committed") == []
        assert len(everything(library)) == 26
    library.close()


def pieces(text: bytes) -> set[bytes]:
    return {text[at : at + 16] for at in range(len(text) - 15)}


def shown(library: Library) -> bytes:
    """All that is still to be read."""
    told = []
    for session in library.sessions(limit=None).sessions:
        told.append(f"{session}")
        for one in library.page(session.id, 0, 100).messages:
            told.append(f"{one.message}")
            told += [library.raw(part.id) for part in one.parts]
    return "\n".join(told).encode() + json.dumps(told, ensure_ascii=False).encode()
