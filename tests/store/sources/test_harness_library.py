"""Logs in the index: titles, what was told once, forks, what grows, what breaks, windows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from store.errors import StoreError
from store.library import Library
from store.model import Session
from store.sources.harness import HarnessSource
from tests.makers import BASE
from tests.makers.harness import (
    LogSpec,
    assistant,
    call,
    event,
    frame,
    frames,
    harness_home,
    replacing,
    small_talk,
    text,
    title,
    to_line,
    todos,
    turn_end,
    turn_start,
    user,
)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """A library over the home `home`, which the test makes."""
    opened = Library.open(sources=[tmp_path / "home"], index=tmp_path / "index.db")
    yield opened
    opened.close()


def home(tmp_path: Path, *logs: LogSpec) -> Path:
    return harness_home(tmp_path / "home", logs)


def log_of(folder: Path, ident: str) -> Path:
    (path,) = folder.glob(f"sessions/*/{ident}/session*.jsonl.zstd")
    return path


def append(path: Path, *events: dict[str, object]) -> None:
    """Adds events to a log as dsh does: one more frame."""
    path.write_bytes(path.read_bytes() + frame(*map(to_line, events)))


def found(library: Library, query: str) -> list[tuple[str, str | None]]:
    answer = library.search(query, limit=1000)
    return [(hit.session, hit.part) for hit in answer.hits]


def sessions(library: Library) -> dict[str, Session]:
    return {one.id: one for one in library.sessions().sessions}


def test_every_kind_is_found(tmp_path: Path, library: Library) -> None:
    events = [
        *small_talk(),
        turn_start(2),
        user("再查一次连接池", "u2"),
        assistant(text("on it"), ident="a3", turn=2),
        todos(("pending", "write changelog")),
        turn_end("error", 2, error={"message": "overloaded"}),
    ]
    home(tmp_path, LogSpec(events=events))
    library.sync(Event())
    for query, part in (
        ("端口 kind:user_text", "u1#0"),
        ("连接池", "u2#0"),
        ("socket kind:reasoning", "a1#0"),
        ("ltn kind:tool_input", "a1#1"),
        ("LISTEN kind:tool_output", "a1#1"),
        ("4096 kind:assistant_text", "a2#0"),
        ("changelog kind:todo", "a3#todo"),
        ("overloaded kind:error", None),
        ("Find kind:title", None),
    ):
        assert found(library, query) == [("session-one", part)], query


def test_titles_and_counts_are_known_after_reading_and_stay(
    tmp_path: Path, library: Library
) -> None:
    folder = home(tmp_path, LogSpec(events=small_talk()))
    library.sync(Event())
    expected = ("Find the port", 3, 4, BASE + 70)
    one = sessions(library)["session-one"]
    assert (one.title, one.messages, one.parts, one.updated) == expected
    append(log_of(folder, "session-one"), {**title("Renamed"), "seq": 8, "time": BASE + 900})
    library.refresh()
    one = sessions(library)["session-one"]
    assert (one.title, one.messages, one.parts) == expected[:3]
    library.sync(Event())
    one = sessions(library)["session-one"]
    assert (one.title, one.updated) == ("Renamed", BASE + 900)
    assert (found(library, "Renamed"), found(library, "Find kind:title")) == (
        [("session-one", None)],
        [],
    )


def test_what_was_never_read_is_behind(tmp_path: Path, library: Library) -> None:
    home(tmp_path, LogSpec(events=small_talk()))
    library.refresh()
    assert not library.coverage().complete
    library.sync(Event())
    coverage = library.coverage()
    assert (coverage.known, coverage.indexed, coverage.behind) == (4, 4, 0)


def test_what_was_never_read_says_so_until_it_is(tmp_path: Path, library: Library) -> None:
    home(tmp_path, LogSpec(events=small_talk()), LogSpec("empty"))
    page = library.sessions()
    assert (page.unread, [one.unread for one in page.sessions]) == (2, [True, True])
    library.sync(Event())
    page = library.sessions()
    assert (page.unread, [one.unread for one in page.sessions]) == (0, [False, False])
    assert {one.id: one.messages for one in page.sessions} == {"session-one": 3, "empty": 0}


def test_a_window_of_a_log_that_was_never_read_has_its_title(
    tmp_path: Path, library: Library
) -> None:
    home(tmp_path, LogSpec(events=small_talk()))
    one = library.page("session-one", 0, 9).session
    assert (one.title, one.messages, one.parts, one.unread) == ("Find the port", 3, 4, False)
    assert one.updated == BASE + 70


def test_an_unchanged_log_is_not_read_again(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home(tmp_path, *(LogSpec(f"s{number}", small_talk()) for number in range(4)))
    library.sync(Event())
    read: list[str] = []
    real = HarnessSource._talk

    def noted(self: HarnessSource, session: str) -> object:
        read.append(session)
        return real(self, session)

    monkeypatch.setattr(HarnessSource, "_talk", noted)
    append(log_of(folder, "s2"), {**user("added later", "u9"), "seq": 8, "time": BASE + 500})
    library.sync(Event())
    assert set(read) == {"s2"}
    assert found(library, '"added later"') == [("s2", "u9#0")]


def test_a_call_that_runs_is_brought_up_to_its_result(tmp_path: Path, library: Library) -> None:
    begun, rest = small_talk()[:5], small_talk()[5:]
    folder = home(tmp_path, LogSpec(events=begun))
    library.sync(Event())
    assert found(library, "LISTEN") == []
    log = log_of(folder, "session-one")
    append(log, *({**one, "seq": 5 + n, "time": BASE + 50} for n, one in enumerate(rest)))
    library.sync(Event())
    assert found(library, "LISTEN kind:tool_output") == [("session-one", "a1#1")]
    assert library.sources()[0].leftovers == 0


def test_an_inherited_beginning_is_found_once(tmp_path: Path, library: Library) -> None:
    shared = [user("who is the zebra?"), assistant(text("a zebra"))]
    cut = event("session/end-seed", {"inherited": True})
    child = [*shared, cut, user("and this zebra is new", "u2")]
    home(tmp_path, LogSpec(events=shared), LogSpec("child", child, parent="session-one"))
    library.sync(Event())
    assert sorted(found(library, "zebra")) == [
        ("child", "u2#0"),
        ("session-one", "a1#0"),
        ("session-one", "u1#0"),
    ]
    window = library.page("child", 0, 9)
    assert [one.message.flags for one in window.messages] == [("fork",), ("fork",), ()]


def test_an_inherited_beginning_without_its_parent_is_found(
    tmp_path: Path, library: Library
) -> None:
    cut = event("session/end-seed", {"inherited": True})
    home(tmp_path, LogSpec("child", [user("the zebra"), cut], parent="gone"))
    library.sync(Event())
    assert found(library, "zebra") == [("child", "u1#0")]


def test_a_new_generation_changes_no_id_and_leaves_nothing_over(
    tmp_path: Path, library: Library
) -> None:
    home(tmp_path, LogSpec(events=small_talk(), version=3))
    library.sync(Event())
    home(tmp_path, LogSpec(events=small_talk(), version=4))
    library.sync(Event())
    assert found(library, "4096 kind:assistant_text") == [("session-one", "a2#0")]
    assert library.sources()[0].leftovers == 0


def test_a_damaged_log_deletes_nothing_and_is_not_read_again(
    tmp_path: Path, library: Library
) -> None:
    spec = LogSpec(events=[user(f"word{n}", f"u{n}") for n in range(9)])
    folder = home(tmp_path, spec)
    library.sync(Event())
    pieces = frames(spec)
    log_of(folder, "session-one").write_bytes(b"".join([*pieces[:2], b"noise", *pieces[3:]]))
    (info,) = library.sync(Event()).sources
    assert [(one.code, one.about) for one in info.faults] == [("CORRUPT_SESSION", "session-one")]
    assert (info.leftovers, found(library, "word4")) == (0, [("session-one", "u4#0")])
    assert library.sync(Event()).sources[0].opened == "unchanged"


def test_a_deleted_log_leaves_its_texts(tmp_path: Path, library: Library) -> None:
    folder = home(tmp_path, LogSpec(events=small_talk()), LogSpec("other", small_talk()))
    library.sync(Event())
    log_of(folder, "session-one").unlink()
    library.sync(Event())
    gone = library.search("LISTEN session:session-one").hits
    assert {hit.fate for hit in gone} == {"deleted"}
    hits = library.search("LISTEN").hits
    assert {(hit.session, hit.fate) for hit in hits} == {("other", "live")}
    assert [[one.session for one in hit.copies] for hit in hits] == [["session-one"]] * len(gone)


def test_what_a_compaction_took_is_found_and_says_so(tmp_path: Path, library: Library) -> None:
    summary = user("summary", "u2", surfaceOp=replacing(0, 0), sourceEventSeqs=[0])
    home(tmp_path, LogSpec(events=[user("needle"), summary]))
    library.sync(Event())
    (hit,) = library.search("needle").hits
    assert (hit.fate, hit.flags) == ("live", ("shadowed",))


def test_a_summary_is_not_synthetic_and_what_stands_beside_it_is(
    tmp_path: Path, library: Library
) -> None:
    told = {"summary": [text("the zebra was fed")]}
    source = {"kind": "compact-checkpoint"}
    blocks = [text("Here is what zebra lovers did:"), text("the zebra was fed")]
    held = {"role": "user", "id": "m9", "content": blocks, "source": source}
    op = {"surfaceOp": replacing(0, 0), "sourceEventSeqs": [0]}
    events = [user("long"), event("compaction/summary", told), event("user/message", held, **op)]
    home(tmp_path, LogSpec(events=events))
    library.sync(Event())
    summary, beside = ("session-one", "m9#1"), ("session-one", "m9#0")
    for query, parts in (
        ("zebra", [summary]),
        ("zebra -is:synthetic", [summary]),
        ("zebra is:synthetic", [beside]),
        ("zebra | nothing is:live", [summary]),
    ):
        assert found(library, query) == parts, query
    (hit,) = library.search("zebra").hits
    assert (hit.kind, hit.flags) == ("compaction", ())


def test_a_call_of_a_killed_program_is_interrupted(tmp_path: Path, library: Library) -> None:
    events = [turn_start(), user("go"), assistant(call("bash", '{"command":"sleep 9"}'))]
    folder = home(tmp_path, LogSpec(events=events))
    os.utime(log_of(folder, "session-one"), (1_000_000, 1_000_000))
    library.sync(Event())
    assert [hit.part for hit in library.search("sleep is:interrupted").hits] == ["a1#0"]


def streaming(*rest: dict[str, Any], **spec: Any) -> LogSpec:
    """A log of version 0 in which an answer streams, and what comes behind it."""
    chunk = {"type": "text-delta", "index": 0, "text": "a zebra is strip"}
    events = (turn_start(), user("go"), event("assistant/chunk", {"turn": 1, "chunk": chunk}))
    return LogSpec(events=(*events, *rest), version=0, **spec)


def test_an_answer_that_streams_is_found_and_leaves_nothing_over(
    tmp_path: Path, library: Library
) -> None:
    home(tmp_path, streaming())
    library.sync(Event())
    assert found(library, "zebra") == [("session-one", "session-one#running#0")]
    assert sessions(library)["session-one"].unfinished
    home(tmp_path, streaming(assistant(text("a zebra is striped"))))
    library.sync(Event())
    assert found(library, "zebra") == [("session-one", "a1#0")]
    assert (library.sources()[0].leftovers, library.leftovers().total) == (0, 0)
    one = sessions(library)["session-one"]
    assert (one.messages, one.parts, one.unfinished) == (2, 2, False)


def test_an_answer_that_streamed_when_its_program_died_is_interrupted(
    tmp_path: Path, library: Library
) -> None:
    folder = home(tmp_path, streaming())
    library.sync(Event())
    os.utime(log_of(folder, "session-one"), (1_000_000, 1_000_000))
    library.sync(Event())
    assert [hit.part for hit in library.search("zebra").hits] == ["session-one#turn-1#0"]
    assert found(library, "zebra is:interrupted") == found(library, "zebra")
    assert library.leftovers().total == 0


def test_windows_around_a_message(tmp_path: Path, library: Library) -> None:
    home(tmp_path, LogSpec(events=[user(f"word{n}", f"u{n}") for n in range(6)]))
    library.sync(Event())
    window = library.around("dsh:u2", before=1, after=1)
    assert [one.message.id for one in window.messages] == ["u1", "u2", "u3"]
    assert (window.first, window.total) == (1, 6)
    assert len(library.around("u0#0", before=50, after=50).messages) == 6
    for before, after in ((-1, 0), (0, 51)):
        with pytest.raises(StoreError) as caught:
            library.around("u2", before=before, after=after)
        assert caught.value.code == "INVALID_WINDOW"
    with pytest.raises(StoreError) as caught:
        library.around("u9")
    assert caught.value.code == "MESSAGE_NOT_FOUND"


def test_several_homes_have_names_of_their_own(tmp_path: Path) -> None:
    homes = [harness_home(tmp_path / name, [LogSpec(events=small_talk())]) for name in "ab"]
    library = Library.open(sources=homes, index=tmp_path / "index.db")
    infos = library.sync(Event()).sources
    library.close()
    assert [(one.name, one.path) for one in infos] == [
        ("dsh", str(homes[0] / "sessions")),
        ("dsh-2", str(homes[1] / "sessions")),
    ]


def test_rebuilding_gives_the_same_documents(tmp_path: Path, library: Library) -> None:
    shared = [user("who is the zebra?"), turn_end("aborted")]
    child = [*shared, event("session/end-seed", {"inherited": True}), *small_talk()]
    home(tmp_path, LogSpec(events=shared), LogSpec("child", child, parent="session-one"))
    before = library.sync(Event()).sources[0].documents
    assert library.sync(Event(), rebuild=True).sources[0].documents == before
    assert found(library, "zebra") == [("session-one", "u1#0")]
