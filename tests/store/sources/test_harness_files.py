"""Logs are found and read in every shape they lie in; what is damaged costs itself alone."""

from __future__ import annotations

import os
import sqlite3
import zipfile
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from store import sources
from store.errors import StoreError
from store.model import Part, Text
from store.source import Listing, Outline, Source
from store.sources import harness
from store.sources.harness import HarnessSource
from store.sources.harness_folder import unescaped
from store.sources.harness_log import Mark, Row
from store.sources.harness_logs import Log
from store.sources.harness_sqlite import varints as read_varints
from store.sources.unpacking import Unpacker, unpacked
from tests.makers import BASE
from tests.makers.harness import (
    FOLDER,
    LogSpec,
    event,
    frame,
    frames,
    harness_home,
    harness_sqlite,
    harness_zip,
    log_file,
    log_lines,
    small_talk,
    title,
    to_line,
    user,
    varints,
)


def opened(path: Path) -> Source:
    """The one store at a path, at rest for long."""
    for one in (path, *path.rglob("*")):
        if one.is_file():
            os.utime(one, (1_000_000, 1_000_000))
    (found,), errors = sources.open_given([path])
    assert errors == []
    return found


def outlines(source: Source) -> list[Outline]:
    return list(source.outlines([one.id for one in source.listing("dsh").sessions]))


def parts(source: Source) -> list[Part]:
    found: list[Part] = []
    for outline in outlines(source):
        found += source.bodies(outline.session, outline.messages, outline.parts).parts
    return found


def words(source: Source) -> list[str]:
    return [one.content.text for one in parts(source) if isinstance(one.content, Text)]


def headed(listing: Listing) -> list[tuple[str, str, str]]:
    return [(one.id, one.version, one.directory) for one in listing.sessions]


TALK = LogSpec(events=small_talk())
ANSWERS = ["Which port does the server use? 端口", "It listens on 4096."]


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
def test_a_home_of_every_version_plain_and_packed(
    tmp_path: Path, version: int, packed: bool
) -> None:
    spec = LogSpec("odd id/1", small_talk(), version=version)
    source = opened(harness_home(tmp_path / "home", [spec], packed=packed))
    assert source.path == tmp_path / "home" / "sessions"
    assert headed(source.listing("dsh")) == [("odd id/1", str(version), FOLDER)]
    assert words(source) == ANSWERS


def test_what_stands_for_a_home(tmp_path: Path) -> None:
    home = harness_home(tmp_path, [TALK])
    (log,) = home.glob("sessions/*/*/session.v4.jsonl.zstd")
    for given in (home, home / "sessions", log):
        assert words(opened(given)) == ANSWERS


def test_the_home_is_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness_home(tmp_path / "other", [TALK])
    harness_home(Path.home() / ".dsh", [LogSpec("at-home", small_talk())])
    for value, ident in (("  ", "at-home"), (str(tmp_path / "other"), "session-one")):
        monkeypatch.setenv("DSH_HOME", value)
        (source,) = (one for one in sources.discover()[0] if one.producer == "dsh")
        assert [one.id for one in source.listing("dsh").sessions] == [ident]


def test_a_place_without_logs_is_looked_at_and_not_found(tmp_path: Path) -> None:
    looked = [one for one in sources.discover()[1] if one.producer == "dsh"]
    assert [(one.path, one.found) for one in looked] == [
        (str(Path.home() / ".dsh/sessions" / harness.PATTERN), False)
    ]


def test_only_the_highest_generation_counts(tmp_path: Path) -> None:
    specs = [LogSpec(events=[user(f"written by {number}")], version=number) for number in (0, 3, 4)]
    source = opened(harness_home(tmp_path, specs))
    assert headed(source.listing("dsh")) == [("session-one", "4", FOLDER)]
    assert words(source) == ["written by 4"]


def test_of_two_encodings_of_one_generation_the_one_that_is_not_shown_is_named(
    tmp_path: Path,
) -> None:
    harness_home(tmp_path, [LogSpec(events=[user("plain")])], packed=False)
    source = opened(harness_home(tmp_path, [LogSpec(events=[user("packed")])]))
    listing = source.listing("dsh")
    assert (headed(listing), listing.complete) == ([("session-one", "4", FOLDER)], True)
    (fault,) = listing.faults
    assert (fault.code, Path(fault.about).name) == ("SOURCE_CONFLICT", "session.v4.jsonl")
    assert (words(source), words(opened(Path(fault.about)))) == (["packed"], ["plain"])


def test_the_folder_of_a_project_or_of_one_session_is_a_store(tmp_path: Path) -> None:
    home = harness_home(tmp_path, [TALK, LogSpec("other", version=3), LogSpec("far", cwd=None)])
    project = home / "sessions/--home-mia-work-alpha--"
    assert sorted(one.id for one in opened(project).listing("dsh").sessions) == [
        "other",
        "session-one",
    ]
    one = opened(project / "session-one")
    assert (headed(one.listing("dsh")), words(one)) == ([("session-one", "4", FOLDER)], ANSWERS)
    log_file(project / "session-one/session.jsonl.zstd", LogSpec("old", version=0))
    assert headed(opened(project / "session-one").listing("dsh")) == [("session-one", "4", FOLDER)]


def test_an_export_that_was_unpacked_is_a_store(tmp_path: Path) -> None:
    with zipfile.ZipFile(harness_zip(tmp_path / "x.zip", [TALK, LogSpec("child")])) as archive:
        archive.extractall(tmp_path / "out")
    listed = opened(tmp_path / "out").listing("dsh").sessions
    assert sorted(one.id for one in listed) == ["child", "session-one"]


def test_the_folder_of_a_database_is_a_store(tmp_path: Path) -> None:
    path = harness_sqlite(tmp_path / "sessions.sqlite", [TALK])
    (tmp_path / "notes.sqlite").write_bytes(b"SQLite format 3\0" + bytes(100))
    (source,), errors = sources.open_given([tmp_path])
    assert (source.path, words(source), errors) == (path.resolve(), ANSWERS, [])


def test_events_of_a_database_without_their_session_are_shown_and_a_fault(tmp_path: Path) -> None:
    path = harness_sqlite(tmp_path / "sessions.sqlite", [replace(TALK, version=0)])
    with closing(sqlite3.connect(path)) as db:
        db.execute("delete from sessions")
        db.commit()
    source = opened(path)
    assert [one.created for one in source.listing("dsh").sessions] == [BASE]
    (outline,) = outlines(source)
    assert [(one.code, one.about) for one in outline.faults] == [
        ("CORRUPT_SESSION", "session-one#header")
    ]
    assert words(source) == ANSWERS


def test_a_session_in_two_projects_is_told_once_and_the_other_place_named(tmp_path: Path) -> None:
    harness_home(tmp_path, [LogSpec(events=[user("here")])])
    harness_home(tmp_path, [LogSpec(events=[user("there")], cwd=None, version=3)])
    source = opened(tmp_path)
    listing = source.listing("dsh")
    assert headed(listing) == [("session-one", "4", FOLDER)]
    (fault,) = listing.faults
    assert (fault.code, "_no-cwd" in fault.about) == ("SOURCE_CONFLICT", True)
    assert words(opened(Path(fault.about))) == ["there"]


def test_other_files_are_no_logs(tmp_path: Path) -> None:
    home = harness_home(tmp_path, [TALK])
    (log,) = home.glob("sessions/*/*/session.v4.jsonl.zstd")
    for name in ("session.v04.jsonl", "session.v5.jsonl.0123456789ab.tmp", "notes.jsonl"):
        (log.parent / name).write_bytes(log.read_bytes())
    assert len(source_files(opened(home))) == 1


def source_files(source: Source) -> tuple[str, ...]:
    assert isinstance(source, HarnessSource)
    return tuple(source.listing("dsh").stamps)


def test_a_log_of_the_layout_before_folders(tmp_path: Path) -> None:
    home = harness_home(tmp_path, [TALK])
    log_file(
        home / "sessions/--old--/session-old.jsonl", LogSpec("old", [user("old")]), packed=False
    )
    assert sorted(one.id for one in opened(home).listing("dsh").sessions) == ["old", "session-one"]


def test_lineage_from_the_header(tmp_path: Path) -> None:
    logs = [
        TALK,
        LogSpec("child", parent="session-one", origin="subagent"),
        LogSpec("fork", parent="session-one"),
        LogSpec("both", parent="session-one", origin="subagent", extra={"isSeeded": True}),
        LogSpec("old", parent="session-one", origin="subagent", version=0, extra={"seedLength": 4}),
    ]
    listed = opened(harness_home(tmp_path, logs)).listing("dsh").sessions
    assert {one.id: (one.parent, one.flags) for one in listed} == {
        "session-one": ("", ()),
        "both": ("session-one", ("subagent", "fork")),
        "old": ("session-one", ("subagent", "fork")),
        "child": ("session-one", ("subagent",)),
        "fork": ("session-one", ("fork",)),
    }


def test_titles_and_counts_come_with_the_outline(tmp_path: Path) -> None:
    source = opened(harness_home(tmp_path, [TALK]))
    (session,) = source.listing("dsh").sessions
    (outline,) = outlines(source)
    assert (session.title, session.messages) == ("", 0)
    assert (outline.title, outline.updated) == ("Find the port", BASE + 70)
    assert (len(outline.messages), len(outline.parts)) == (3, 4)


@pytest.mark.parametrize(
    ("extra", "why"),
    [
        ({"version": 7}, "version"),
        ({"createdAt": "yesterday"}, "createdAt"),
        ({"sandboxMode": "off"}, "sandboxMode"),
        ({"isSeeded": None}, "isSeeded"),
    ],
)
def test_a_log_that_dsh_refuses_is_shown_with_a_fault(
    tmp_path: Path, extra: dict[str, object], why: str
) -> None:
    source = opened(harness_home(tmp_path, [LogSpec(events=[user("still")], extra=extra)]))
    assert words(source) == ["still"]
    (fault,) = outlines(source)[0].faults
    assert (fault.code, why in fault.message) == ("CORRUPT_SESSION", True)


def test_rows_of_many_frames_and_rows_longer_than_a_read(tmp_path: Path) -> None:
    many = [user(f"{number} " + "x" * 40_000, f"u{number}") for number in range(30)]
    source = opened(harness_home(tmp_path, [LogSpec(events=many)]))
    assert [len(one) for one in words(source)] == [len(f"{n} ") + 40_000 for n in range(30)]


def test_a_torn_frame_keeps_what_it_holds_of_whole_rows(tmp_path: Path) -> None:
    pieces = frames(LogSpec(events=[user("kept", "k")]))
    late = [to_line({**user("w" * 300_000, f"w{n}"), "seq": n, "time": BASE}) for n in (1, 2, 3)]
    torn = frame(*late)
    path = tmp_path / "session.v4.jsonl.zstd"
    path.write_bytes(b"".join(pieces) + torn[: len(torn) - 5])
    source = opened(path)
    (outline,) = outlines(source)
    assert (outline.complete, outline.final) == (False, True)
    assert [fault.code for fault in outline.faults] == ["CORRUPT_SESSION"]
    assert words(source)[0] == "kept"


def test_a_damaged_frame_costs_its_own_rows(tmp_path: Path) -> None:
    pieces = frames(LogSpec(events=[user(f"said {n}", f"u{n}") for n in range(9)]), batch=3)
    hurt = bytearray(pieces[2])
    hurt[len(hurt) // 2] ^= 0x10
    path = tmp_path / "session.v4.jsonl.zstd"
    path.write_bytes(b"".join([*pieces[:2], bytes(hurt), *pieces[3:]]))
    source = opened(path)
    assert words(source) == [f"said {n}" for n in (0, 1, 2, 6, 7, 8)]
    (fault,) = outlines(source)[0].faults
    assert (fault.code, "frame 3" in fault.message) == ("CORRUPT_SESSION", True)


def bomb(size: int) -> bytes:
    """A frame that unpacks to one row of about this many megabytes."""
    packer = zstandard.ZstdCompressor(level=19).compressobj()
    return b"".join(
        [
            packer.compress(b'{"type":"x","seq":0,"time":1,"data":"'),
            *(packer.compress(b"a" * 1_000_000) for _ in range(size)),
            packer.compress(b'"}\n'),
            packer.flush(),
        ]
    )


def test_a_frame_is_never_unpacked_whole() -> None:
    unpacker, packed = Unpacker(), bomb(100)
    pieces = [len(piece) for piece in unpacker.unpack(packed)]
    assert (sum(pieces) > 100_000_000, unpacker.ended) == (True, True)
    assert max(pieces) <= 2**25 + 2**17
    with pytest.raises(zstandard.ZstdError, match="it holds more than 5000 bytes"):
        unpacked(packed, 5000)


def test_a_frame_without_end_costs_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.sources.harness_log.LARGEST_FRAME", 20_000_000)
    pieces = frames(LogSpec(events=[user("before"), user("behind", "u2")]), batch=1)
    path = tmp_path / "session.v4.jsonl.zstd"
    path.write_bytes(b"".join([*pieces[:2], bomb(100), pieces[2]]))
    source = opened(path)
    assert words(source) == ["before", "behind"]
    (outline,) = outlines(source)
    assert "frame 3 is damaged: it unpacks to more than 20000000 bytes" in outline.faults[0].message


def test_a_header_without_end_is_none(tmp_path: Path) -> None:
    path = tmp_path / "session.v4.jsonl.zstd"
    path.write_bytes(bomb(100))
    (session,) = opened(path).listing("dsh").sessions
    assert session.id == tmp_path.name


def test_data_of_a_database_that_unpacks_to_too_much_is_a_fault(tmp_path: Path) -> None:
    path = harness_sqlite(tmp_path / "sessions.sqlite", [replace(TALK, version=0)])
    packed = zstandard.ZstdCompressor().compress(bytes(40_000_000))
    with closing(sqlite3.connect(path)) as db:
        db.execute("update events set data = ? where seq = 0", (packed,))
        db.commit()
    (outline,) = outlines(opened(path))
    assert "it holds more than 33554432 bytes" in outline.faults[0].message
    assert words(opened(path)) == ANSWERS


def test_a_damaged_header_costs_the_header(tmp_path: Path) -> None:
    pieces = frames(LogSpec("it~s me", [user("still here")]))
    path = tmp_path / "sessions/p/it~007Es~0020me/session.v4.jsonl.zstd"
    path.parent.mkdir(parents=True)
    path.write_bytes(pieces[0][:-6] + b"".join(pieces[1:]))
    source = opened(tmp_path)
    assert [one.id for one in source.listing("dsh").sessions] == ["it~s me"]
    assert words(source) == ["still here"]


def test_a_broken_line_costs_itself(tmp_path: Path) -> None:
    head, *lines = log_lines(LogSpec(events=[user(f"said {n}", f"u{n}") for n in range(3)]))
    path = tmp_path / "session.v4.jsonl"
    path.write_bytes(
        b"".join([head, lines[0], b'{"type":"user/mess\n', b"7\n", lines[2], lines[1][:40]])
    )
    source = opened(path)
    assert words(source) == ["said 0", "said 2"]
    assert "(and 2 more)" in outlines(source)[0].faults[0].message


def test_a_row_too_long_is_a_fault_instead_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.sources.harness_log.LARGEST_ROW", 50_000)
    events = [user("a", "a"), user("x" * 90_000, "b"), user("c", "c")]
    source = opened(harness_home(tmp_path, [LogSpec(events=events)]))
    assert words(source) == ["a", "c"]
    assert "longer than" in outlines(source)[0].faults[0].message


def test_nothing_that_is_no_log_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = harness_home(tmp_path, [TALK])
    touched: list[str] = []
    real = Path.open

    def open_noted(self: Path, *given: object) -> object:
        touched.append(self.name)
        return real(self, *given)  # type: ignore[call-overload]

    source = opened(home)
    monkeypatch.setattr(Path, "open", open_noted)
    assert words(source) == ANSWERS
    assert set(touched) == {"session.v4.jsonl.zstd"}


def test_a_log_is_parsed_once_for_its_outline_and_all_its_bodies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = opened(harness_home(tmp_path, [TALK]))
    assert isinstance(source, HarnessSource)
    source.listing("dsh")
    calls: list[str] = []
    keeper = source._keeper
    events = keeper.events

    def noted(log: Log, since: Mark | None = None) -> Iterable[Row]:
        calls.append(log.place)
        return events(log, since)

    monkeypatch.setattr(keeper, "events", noted)
    (outline,) = source.outlines(["session-one"])
    for ref in outline.parts:
        assert len(source.bodies("session-one", (), [ref]).parts) == 1
    assert [place.id for place in source.order("session-one")] == ["u1", "a1", "a2"]
    assert len(calls) == 1


def test_a_stamp_changes_with_the_log_alone(tmp_path: Path) -> None:
    home = harness_home(tmp_path, [TALK, LogSpec("other", small_talk())])
    source = opened(home)
    source.listing("dsh")
    before, state = source.stamps(["session-one", "other"]), source.state()
    (log,) = home.glob("sessions/*/other/session.v4.jsonl.zstd")
    log.write_bytes(log.read_bytes() + frame(to_line({**user("new", "n"), "seq": 8, "time": 1})))
    after = source.stamps(["session-one", "other"])
    assert after["session-one"] == before["session-one"]
    assert after["other"] != before["other"]
    assert source.state() != state


def test_the_stored_rows_behind_a_part(tmp_path: Path) -> None:
    source = opened(harness_home(tmp_path, [TALK]))
    source.listing("dsh")
    list(source.outlines(["session-one"]))
    (found,) = (one for one in source.find("a1#1", 5) if one.kind == "part")
    told = source.raw(found)
    assert told is not None
    assert [line[:19] for line in told.splitlines()] == [
        '{"type":"assistant/',
        '{"type":"tool/call"',
        '{"type":"tool/resul',
    ]


# ZIP and SQLite ------------------------------------------------------------------------------


def test_an_exported_zip(tmp_path: Path) -> None:
    child = LogSpec("child", [user("of the child")], parent="session-one", origin="subagent")
    source = opened(harness_zip(tmp_path / "export.zip", [TALK, child]))
    assert sorted(one.id for one in source.listing("dsh").sessions) == ["child", "session-one"]
    assert words(source) == ["of the child", *ANSWERS]


def test_names_in_a_zip_lead_nowhere(tmp_path: Path) -> None:
    path = harness_zip(tmp_path / "export.zip", [TALK])
    with zipfile.ZipFile(path, "a") as archive:
        for name in ("../session.jsonl", "/session.jsonl", "subagents/../../session.jsonl"):
            archive.writestr(name, b"".join(log_lines(LogSpec("evil", [user("out")]))))
    before = sorted(tmp_path.rglob("*"))
    assert [one.id for one in opened(path).listing("dsh").sessions] == ["session-one"]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_damaged_entry_of_a_zip_gives_what_decodes(tmp_path: Path) -> None:
    events = [user(os.urandom(300).hex(), f"u{n}") for n in range(200)]
    path = harness_zip(tmp_path / "export.zip", [LogSpec(events=events)])
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    source = opened(path)
    (outline,) = outlines(source)
    assert not outline.complete
    assert 20 < len(outline.messages) < 200


def test_a_zip_of_something_else_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "nothing")
    (error,) = sources.open_given([path])[1]
    assert error.code == "SOURCE_UNREADABLE"


def test_the_sqlite_store(tmp_path: Path) -> None:
    packed = {"turn": 1, "step": 1, "index": 0, "dt": [1, 1], "texts": ["a", "b", "c"]}
    events = [
        user("y" * 9000, "long"),
        title("From a table"),
        event("text-chunks", packed),
        user("after", "u2", sourceEventSeqs=[4, 2, 3]),
    ]
    spec = LogSpec(events=events, version=0)
    source = opened(harness_sqlite(tmp_path / "sessions.sqlite", [spec]))
    assert headed(source.listing("dsh")) == [("session-one", "0", FOLDER)]
    assert [len(one) for one in words(source)] == [9000, 5, 3]
    (outline,) = outlines(source)
    assert (outline.title, outline.faults) == ("From a table", ())


def test_sources_as_varints() -> None:
    assert read_varints(bytes.fromhex("6b02cf012e")) == [107, 108, 4, 27]
    assert read_varints(varints([107, 108, 4, 27, 100_000])) == [107, 108, 4, 27, 100_000]


def test_folder_names_stand_for_ids() -> None:
    assert unescaped("a~0020b~D83D~DE00") == "a b😀"


def test_a_log_that_vanished_is_an_error_of_its_own(tmp_path: Path) -> None:
    source = opened(harness_home(tmp_path, [TALK]))
    source.listing("dsh")
    for path in tmp_path.glob("sessions/*/*/session.*"):
        path.unlink()
    (outline,) = source.outlines(["session-one"])
    assert (outline.complete, outline.final) == (False, False)
    with pytest.raises(StoreError) as caught:
        source.order("session-one")
    assert caught.value.code == "SESSION_NOT_FOUND"
