"""Following: what changes in a store is in the index soon, at the cost of what changed."""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from store import compare, follow
from store.errors import StoreError
from store.follow import moved
from store.index import Writer as IndexWriter
from store.library import Library
from store.lock import leading, writing
from store.model import Change, Tool
from store.source import Glance
from store.sources.opencode import OpencodeSource
from store.watch import Watch
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    Writer,
    live_writer,
    opencode_db,
    text,
    tool,
)
from tests.makers.harness import (
    LogSpec,
    frame,
    harness_home,
    log_file,
    small_talk,
    to_line,
    user,
)
from tests.makers.rows import to_json
from tests.store.shelf import DELETE, LATER, add_part, edit, fates, found, library, say, sync, talk

WAIT_S = 20


class Followed:
    """A library that follows in a thread; `next` waits for the next change that it tells."""

    def __init__(self, held: Library) -> None:
        self.held = held
        self.told: queue.Queue[Change] = queue.Queue()
        self.stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        self.held.follow(self.stop, self.told.put)

    def next(self) -> Change:
        return self.told.get(timeout=WAIT_S)

    def until(self, holds: Callable[[], bool]) -> None:
        """Takes changes until something holds."""
        while not holds():
            self.next()

    def end(self) -> None:
        self.stop.set()
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()


@contextmanager
def following(index: Path, *stores: Path) -> Iterator[Followed]:
    """A library that has caught up and follows."""
    held = library(index, *stores)
    sync(held)
    one = Followed(held)
    try:
        assert one.next().everything, "it begins with a comparison of all"
        yield one
    finally:
        one.end()
        held.close()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "TICK_S", 0.005)


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The stores that were compared as a whole, from now on."""
    names: list[str] = []
    original = follow.Track._compare

    def noted(self: follow.Track, *more: object) -> None:
        names.append(self.name)
        original(self, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(follow.Track, "_compare", noted)
    return names


NEW = {"type": "text", "text": "quartz arrives"}
NEW_SESSION = (
    "insert into session(id, project_id, slug, directory, title, version, time_created,"
    " time_updated) select 'ses_new', project_id, 'new', directory, 'onyx title', version, ?1, ?1"
    " from session limit 1"
)
CHANGES: dict[str, tuple[Callable[[Path], None], str, list[str]]] = {
    "a part": (
        lambda path: add_part(path, "prt_new", "msg_say", "ses_one", NEW, LATER),
        "quartz",
        ["prt_new"],
    ),
    "another text": (
        lambda path: say(path, "prt_say", "quartz instead", LATER),
        "quartz",
        ["prt_say"],
    ),
    "a title": (
        lambda path: edit(path, ("update session set title = 'quartz title'", ())),
        "quartz",
        ["ses_one"],
    ),
    "a session": (lambda path: edit(path, (NEW_SESSION, (LATER,))), "onyx", ["ses_new"]),
    "a part goes": (lambda path: edit(path, DELETE["part"]), "charlie is:removed", ["prt_say"]),
    "a message goes": (
        lambda path: edit(path, DELETE["message"]),
        "charlie is:removed",
        ["prt_say"],
    ),
    "a session goes": (
        lambda path: edit(path, DELETE["session"]),
        "charlie is:deleted",
        ["prt_say"],
    ),
    "a revert": (
        lambda path: edit(path, ("update session set revert = ?", ('{"messageID": "msg_say"}',))),
        "charlie is:reverted",
        ["prt_say"],
    ),
    "it is archived": (
        lambda path: edit(path, ("update session set time_archived = ?", (LATER,))),
        "charlie is:archived",
        ["prt_say"],
    ),
}


def test_a_deleted_session_that_was_forgotten_piece_by_piece_goes(store: Path, index: Path) -> None:
    with following(index, store) as followed:
        followed.held.forget(["msg_ask"])
        followed.held.forget(["msg_say"])
        edit(store, DELETE["session"])
        followed.until(lambda: followed.held.sessions().sessions == ())


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_found(name: str, store: Path, index: Path, whole: list[str]) -> None:
    change, query, expected = CHANGES[name]
    with following(index, store) as one:
        whole.clear()
        assert found(one.held, query) == []
        change(store)
        told = one.next()
        assert found(one.held, query) == expected
        session = "ses_new" if name == "a session" else "ses_one"
        assert told == Change((("opencode", session),))
    assert whole == [], "the change alone was looked at"


def test_what_a_live_writer_commits(store: Path, index: Path) -> None:
    with following(index, store) as one, live_writer(store) as writer:
        writer.add_texts("msg_say", "ses_one", ["quartz in the log"])
        one.until(lambda: found(one.held, "quartz") == ["prt_live_0"])
        writer.checkpoint("truncate")
        data = to_json({"type": "text", "text": "onyx after it"})
        sql = "update part set data = ?, time_updated = ? where id = 'prt_live_0'"
        writer.commit((sql, (data, LATER)))
        one.until(lambda: found(one.held, "onyx") == ["prt_live_0"])
        writer.close()
        assert [path.name for path in store.parent.glob("opencode.db*")] == ["opencode.db"]


def test_a_tool_that_finishes(store: Path, index: Path) -> None:
    state = {"status": "running", "input": {"command": "make"}, "time": {"start": BASE}}
    running = {"type": "tool", "tool": "bash", "callID": "call_9", "state": state}
    add_part(store, "prt_run", "msg_say", "ses_one", running, LATER)
    with following(index, store) as one:
        content = one.held.show("prt_run").parts[0].content
        assert isinstance(content, Tool)
        assert content.status == "running"
        done = to_json(tool("bash", {"command": "make"}, "quartz built"))
        sql = "update part set data = ?, time_updated = ? where id = 'prt_run'"
        edit(store, (sql, (done, LATER + 1)))
        one.until(lambda: found(one.held, "quartz") == ["prt_run"])
        assert found(one.held, "kind:tool_input make") == ["prt_run"]


def long_talk(path: Path, count: int) -> Path:
    messages = [
        MessageSpec("user", [PartSpec(text(f"said {n}"), id=f"prt_{n:04}")], id=f"msg_{n:04}")
        for n in range(count)
    ]
    return opencode_db(path, sessions=[talk("one", *messages)])


def test_of_a_long_session_the_end_is_read_at_once_and_the_rest_later(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "GROUP_PARTS", 20)
    monkeypatch.setattr(compare, "ENDING", 4)
    monkeypatch.setattr(follow, "OWED_S", 0.0)
    store = long_talk(tmp_path / "opencode.db", 50)
    read: list[int] = []
    original = OpencodeSource.ending

    def noted(self: OpencodeSource, session: str, messages: int) -> object:
        outline = original(self, session, messages)
        assert outline is not None
        read.append(len(outline.messages))
        return outline

    monkeypatch.setattr(OpencodeSource, "ending", noted)
    with following(index, store) as one:
        add_part(store, "prt_new", "msg_0049", "ses_one", NEW, LATER)
        edit(store, ("delete from part where id = 'prt_0002'", ()))
        one.until(lambda: found(one.held, "quartz") == ["prt_new"])
        one.until(lambda: fates(index, "part")["prt_0002"][0] == "removed")
        assert set(read) == {4}
        coverage = one.held.coverage()
        assert (coverage.indexed, coverage.known, coverage.behind) == (50, 50, 0)


def test_the_end_of_a_long_session_keeps_the_count_right(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "GROUP_PARTS", 20)
    monkeypatch.setattr(compare, "ENDING", 4)
    store = long_talk(tmp_path / "opencode.db", 50)
    with following(index, store) as one:
        add_part(store, "prt_new", "msg_0049", "ses_one", NEW, LATER)
        say(store, "prt_0048", "onyx", LATER)
        one.until(lambda: found(one.held, "quartz | onyx") == ["prt_new", "prt_0048"])
        coverage = one.held.coverage()
        assert (coverage.indexed, coverage.known, coverage.behind) == (51, 51, 0)


def test_an_old_row_changed_in_place_is_found_when_the_store_is_quiet(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the session's row, nor a log, nor the latest rows show it."""
    monkeypatch.setattr("store.sources.glances.LATEST", 5)
    monkeypatch.setattr(follow, "QUIET_S", 0.0)
    store = long_talk(tmp_path / "opencode.db", 50)
    source = OpencodeSource(store)
    before = source.glance()
    say(store, "prt_0001", "quartz", LATER)
    assert moved(before, source.glance()) == set()
    with following(index, store) as one:
        say(store, "prt_0002", "onyx", LATER)
        one.until(lambda: found(one.held, "onyx") == ["prt_0002"])


def test_a_store_that_appears(tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "COLD_S", 0.01)
    folder = tmp_path / "data"
    folder.mkdir()
    long_talk(folder / "opencode.db", 3)
    with following(index, folder) as one:
        opencode_db(
            folder / "opencode-dev.db",
            sessions=[talk("two", MessageSpec("user", [PartSpec(text("quartz"), id="prt_two")]))],
        )
        one.until(lambda: found(one.held, "quartz") == ["prt_two"])


def test_stores_that_appear_on_a_machine_that_had_none(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "COLD_S", 0.01)
    held = Library.open(index=index)
    assert sync(held).sources == ()
    one = Followed(held)
    data = Path.home() / ".local" / "share" / "opencode"
    data.mkdir(parents=True)
    opencode_db(data / "opencode.db", sessions=[talk("one", MessageSpec("user", [text("quartz")]))])
    one.until(lambda: found(held, "quartz") != [])
    harness_home(Path.home() / ".dsh", [LogSpec("s1", small_talk("onyx"))])
    one.until(lambda: found(held, "onyx") != [])
    assert [info.name for info in held.sources()] == ["opencode", "dsh"]
    one.end()
    held.close()


def test_a_store_that_goes_and_comes_back(store: Path, index: Path) -> None:
    with following(index, store) as one:
        aside = store.rename(store.with_name("aside"))
        one.until(lambda: one.held.sources()[0].opened == "missing")
        assert one.held.sources()[0].faults[0].code == "SOURCE_NOT_FOUND"
        assert found(one.held, "charlie") == ["prt_say"], "nothing is taken for deleted"
        say(aside, "prt_say", "quartz", LATER)
        aside.rename(store)
        one.until(lambda: found(one.held, "quartz") == ["prt_say"])
        assert one.held.sources()[0].faults == ()


def test_a_store_put_in_its_place(store: Path, index: Path, whole: list[str]) -> None:
    other = long_talk(store.with_name("other.db"), 3)
    with following(index, store) as one:
        whole.clear()
        other.rename(store)
        one.until(lambda: found(one.held, "said") != [])
        assert found(one.held, "charlie is:live") == []
        assert found(one.held, "charlie is:leftover") == ["prt_say"]
    assert "opencode" in whole


def test_a_vacuum_changes_nothing(store: Path, index: Path) -> None:
    with following(index, store) as one:
        edit(store, ("delete from part where id = 'prt_ask'", ()))
        one.until(lambda: found(one.held, "alpha is:removed") == ["prt_ask"])
        with closing(sqlite3.connect(store, isolation_level=None)) as db:
            db.execute("vacuum")
        say(store, "prt_say", "quartz", LATER)
        one.until(lambda: found(one.held, "quartz") == ["prt_say"])


def test_nothing_is_opened_while_nothing_moves(
    store: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with following(index, store):
        opened: list[Path] = []
        looks = threading.Event()
        original = Watch.moved

        def counted(self: Watch) -> set[str]:
            seen = original(self)
            if not seen:
                looks.set()
            return seen

        one_look(looks, monkeypatch, counted)
        monkeypatch.setattr(
            "store.sources.tables.read_source", lambda path, work: opened.append(path)
        )
        for _ in range(20):
            looks.clear()
            assert looks.wait(WAIT_S)
        assert opened == []


def one_look(
    looks: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
    counted: Callable[[Watch], set[str]],
) -> None:
    """Waits until what was written by the test itself is no longer fresh."""
    monkeypatch.setattr(Watch, "moved", counted)
    for _ in range(40):
        looks.clear()
        assert looks.wait(WAIT_S)


# Several programs ------------------------------------------------------------------------------


def test_of_two_that_follow_one_writes_and_the_other_takes_over(
    store: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "COLD_S", 0.05)
    wrote: list[int] = []
    original = IndexWriter.put_some

    def noted(self: IndexWriter, *more: object) -> None:
        wrote.append(threading.get_ident())
        original(self, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(IndexWriter, "put_some", noted)
    with following(index, store) as first:
        second = Followed(library(index, store))
        say(store, "prt_say", "quartz", LATER)
        first.until(lambda: found(first.held, "quartz") == ["prt_say"])
        second.until(lambda: found(second.held, "quartz") == ["prt_say"])
        assert set(wrote) == {first._thread.ident}
        first.end()
        say(store, "prt_say", "onyx", LATER + 1)
        second.until(lambda: found(second.held, "onyx") == ["prt_say"])
        assert set(wrote) <= {first._thread.ident, second._thread.ident}
        second.end()
        second.held.close()


def test_a_log_that_grows_and_one_that_appears(tmp_path: Path, index: Path) -> None:
    home = harness_home(tmp_path / "home", [LogSpec("s1", small_talk())])
    with following(index, home) as one:
        (log,) = home.glob("sessions/*/s1/session*.jsonl.zstd")
        said = {**user("quartz arrives", "u9"), "seq": 8, "time": BASE + 500}
        log.write_bytes(log.read_bytes() + frame(to_line(said)))
        one.until(lambda: found(one.held, "quartz") != [])
        new = log_file(log.parents[1] / "s2" / log.name, LogSpec("s2", small_talk("onyx")))
        assert new.exists()
        one.until(lambda: found(one.held, "onyx") != [])


def test_it_waits_while_another_program_writes(store: Path, index: Path) -> None:
    with following(index, store) as one:
        with writing(index):
            say(store, "prt_say", "quartz", LATER)
            assert found(one.held, "quartz") == []
        one.until(lambda: found(one.held, "quartz") == ["prt_say"])


def test_a_second_library_may_catch_up_beside_it(store: Path, index: Path) -> None:
    with following(index, store):
        other = library(index, store)
        assert sync(other).sources[0].behind == 0
        other.close()


def test_what_another_program_forgets_is_told(store: Path, index: Path) -> None:
    with following(index, store) as one:
        other = library(index, store)
        other.forget(["prt_say"])
        other.close()
        assert one.next().everything
        assert "prt_say" not in found(one.held, "")


def test_the_lead_is_one_program_s(index: Path) -> None:
    with leading(index) as first:
        assert first
        with leading(index) as second:
            assert not second
    with leading(index) as third:
        assert third


def test_it_goes_on_when_the_index_can_be_written_again(
    store: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "COLD_S", 0.01)
    with following(index, store) as one:
        original = IndexWriter.put_some

        def full(self: IndexWriter, *more: object) -> None:
            raise StoreError("INDEX_FAILED", "the disk is full", str(index))

        monkeypatch.setattr(IndexWriter, "put_some", full)
        say(store, "prt_say", "quartz", LATER)
        problem = one.next().problem
        assert problem is not None
        assert (problem.code, problem.message) == ("INDEX_FAILED", "the disk is full")
        monkeypatch.setattr(IndexWriter, "put_some", original)
        one.until(lambda: found(one.held, "quartz") == ["prt_say"])


# Glances ---------------------------------------------------------------------------------------


def glance(sessions: dict[str, int], rows: dict[int, str], cut: bool = False) -> Glance:
    latest = {("part", place): (said.split()[0], said) for place, said in rows.items()}
    return Glance(sessions, latest, frozenset({"part"} if cut else ()))


TWO = {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (glance(TWO, {}), glance(TWO, {}), set()),
        (glance(TWO, {}), glance({"a": 1, "b": 2}, {}), {"b"}),
        (glance(TWO, {}), glance({"a": 1}, {}), {"b"}),
        (glance({"a": 1}, {}), glance(TWO, {}), {"b"}),
        (glance(TWO, {1: "a"}), glance(TWO, {1: "a", 2: "b"}), {"b"}),
        (glance(TWO, {1: "a", 2: "b"}), glance(TWO, {1: "a", 2: "b new"}), {"b"}),
        (glance(TWO, {1: "a", 2: "b"}), glance(TWO, {1: "a"}), {"b"}),
        (glance(TWO, {1: "a", 2: "b"}), glance(TWO, {2: "b"}), {"a"}),
        (glance(TWO, {1: "a", 2: "b"}), glance(TWO, {}), {"a", "b"}),
        (glance(TWO, {1: "a", 2: "b"}), glance(TWO, {1: "a", 2: "a other"}), {"a", "b"}),
        # a row slid out of sight because of a new one, or came into sight because one went
        (glance(TWO, {1: "a", 2: "a"}, True), glance(TWO, {2: "a", 3: "b"}, True), {"b"}),
        (glance(TWO, {2: "a", 3: "b"}, True), glance(TWO, {1: "a", 2: "a"}, True), {"b"}),
    ],
)
def test_moved(before: Glance, after: Glance, expected: set[str]) -> None:
    assert moved(before, after) == expected


def test_the_log_of_events_shows_what_nothing_else_does(store: Path) -> None:
    source = OpencodeSource(store)
    before = source.glance()
    edit(store, ("update event_sequence set seq = seq + 1", ()))
    assert moved(before, source.glance()) == {"ses_one"}
    edit(store, ("delete from event_sequence", ()))  # as an upgrade does
    assert moved(before, source.glance()) == {"ses_one"}


@pytest.mark.parametrize("version", ["1.2.1", "1.14-upgraded", "1.18.33"])
def test_the_end_of_a_session_is_that_of_its_outline(tmp_path: Path, version: str) -> None:
    messages = [
        MessageSpec("user", [PartSpec(text(f"{n} {m}")) for m in range(2)], id=f"msg_{n}")
        for n in range(7)
    ]
    path = opencode_db(
        tmp_path / "opencode.db",
        version=version,  # type: ignore[arg-type]
        sessions=[talk("one", *messages)],
    )
    source = OpencodeSource(path)
    whole, end = source.outlines(["ses_one"])[0], source.ending("ses_one", 3)
    assert end is not None
    assert not end.complete
    assert end.messages == tuple(whole.messages)[-3:]
    names = {ref.id for ref in end.messages}
    assert set(end.parts) == {ref for ref in whole.parts if ref.parent in names}
    assert len(end.parts) == 6


def test_some_sessions_are_listed_as_all_are(tmp_path: Path) -> None:
    said = MessageSpec("user", [PartSpec(text("words"))])
    path = opencode_db(
        tmp_path / "opencode.db", sessions=[talk(name, said) for name in ("a", "b", "c")]
    )
    source = OpencodeSource(path)
    every = {session.id: session for session in source.listing("opencode").sessions}
    some = source.some("opencode", ["ses_a", "ses_c", "ses_none"])
    assert {one.id: one for one in some.sessions} == {
        ident: every[ident] for ident in ("ses_a", "ses_c")
    }
    assert not some.complete


def test_a_killed_writer_s_log_is_read(store: Path, index: Path) -> None:
    with following(index, store) as one:
        writer = Writer(store)
        writer.add_texts("msg_say", "ses_one", ["quartz at last"])
        writer.kill()
        one.until(lambda: found(one.held, "quartz") == ["prt_live_0"])
    assert BASE < LATER
