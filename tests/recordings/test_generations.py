"""Recorded stores of the other shapes of opencode hold what an independent count says."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from store.model import Compaction, Message, Part, Reasoning, Text, Tool
from store.source import Bodies, Source
from store.sources import open_given
from store.sources.opencode_files import OpencodeFiles
from tests.makers import fingerprint
from tests.recordings.conftest import copy_store
from tests.recordings.count import leaves
from tests.recordings.count_generations import (
    Counted,
    Line,
    count_export,
    count_files,
    count_v2,
    flat,
)

Count = Callable[[Path], Counted]

SHAPES: dict[str, tuple[Count, tuple[int, int, int]]] = {
    "opencode/v2-session.db": (count_v2, (1, 8, 17)),
    "opencode/v2-revert-staged.db": (count_v2, (1, 8, 17)),
    "opencode/imitation-2.0.db": (count_v2, (8, 45, 56)),
    "opencode/json-1.1/opencode": (count_files, (6, 39, 108)),
    "opencode/json-1.1/export-main.json": (count_export, (1, 16, 56)),
    "opencode/basic-export-chinese.json": (count_export, (1, 7, 25)),
    "opencode/basic-export-overview.json": (count_export, (1, 6, 17)),
}
"""How each is counted by itself, and its sessions, messages and parts."""


@dataclass(frozen=True)
class Recorded:
    """A copy that the program reads, and what another copy holds."""

    source: Source
    counted: Counted
    sizes: tuple[int, int, int]
    folder: Path


def put(original: Path, folder: Path) -> Path:
    """A copy of a database, a file or a folder in a folder of its own."""
    if original.is_dir():
        return Path(shutil.copytree(original, folder / original.name))
    return copy_store(original, folder)


@pytest.fixture(params=SHAPES)
def recorded(request: pytest.FixtureRequest, recordings: Path, tmp_path: Path) -> Recorded:
    count, sizes = SHAPES[request.param]
    original = recordings / request.param
    counted = count(put(original, tmp_path / "counted"))
    copy = put(original, tmp_path / "store")
    sources, errors = open_given([copy])
    assert errors == []
    assert len(sources) == 1
    return Recorded(sources[0], counted, sizes, tmp_path / "store")


def read(source: Source) -> dict[str, Bodies]:
    """Everything in a store by session; fails where anything could not be read."""
    found = {}
    for outline in source.outlines([one.id for one in source.listing("x").sessions]):
        assert outline.complete
        bodies = source.bodies(outline.session, outline.messages, outline.parts)
        assert outline.faults + bodies.faults == ()
        found[outline.session] = bodies
    return found


def lines(part: Part) -> list[Line]:
    """The texts of a part of ours, in the counter's words."""
    match part.content:
        case Text(text):
            told = [("text", text)]
        case Reasoning(text):
            told = [("reasoning", text)]
        case Compaction(text=text):
            told = [("compaction", text)]
        case Tool() as tool:
            told = [("tool_input", leaf) for leaf in leaves(tool.input)]
            told += [("tool_output", tool.output)] if tool.output is not None else []
            told += [("tool_error", tool.error)] if tool.error is not None else []
        case _:
            told = []
    return [Line(part.session, part.id, kind, flat(text)) for kind, text in told]


def test_sessions_messages_and_parts(recorded: Recorded) -> None:
    listed = recorded.source.listing("x").sessions
    assert {one.id: one.title for one in listed} == recorded.counted.titles
    sizes = len(listed), sum(one.messages for one in listed), sum(one.parts for one in listed)
    assert sizes == recorded.sizes
    assert {one.id: one.messages for one in listed} == {
        session: len(messages) for session, messages in recorded.counted.messages.items()
    }


def test_messages_in_order(recorded: Recorded) -> None:
    order = {
        session: [place.id for place in recorded.source.order(session)]
        for session in recorded.counted.titles
    }
    assert order == recorded.counted.messages


def test_parts_in_order(recorded: Recorded) -> None:
    found: dict[str, list[str]] = {}
    for session, messages in recorded.counted.messages.items():
        window = recorded.source.window(session, messages)
        assert {one.id for one in window.messages} == set(messages)
        found |= {message: [] for message in messages}
        for part in window.parts:
            found[part.message].append(part.id)
    assert found == recorded.counted.parts


def test_every_text_of_every_part(recorded: Recorded) -> None:
    parts = [part for bodies in read(recorded.source).values() for part in bodies.parts]
    assert len(parts) == recorded.sizes[2]
    found = Counter(line for part in parts for line in lines(part))
    assert found == Counter(recorded.counted.lines)


def test_a_window_shows_what_the_index_gets(recorded: Recorded) -> None:
    for session, bodies in read(recorded.source).items():
        window = recorded.source.window(session, recorded.counted.messages[session])
        assert {one.id: one for one in window.messages} == {one.id: one for one in bodies.messages}
        assert {one.id: one for one in window.parts} == {one.id: one for one in bodies.parts}


def test_nothing_is_left_beside_the_store(recorded: Recorded) -> None:
    before, changed = fingerprint(recorded.folder), recorded.folder.stat().st_mtime_ns
    read(recorded.source)
    assert fingerprint(recorded.folder) == before
    assert recorded.folder.stat().st_mtime_ns == changed


@pytest.mark.parametrize(
    ("name", "session", "revert"),
    [
        (
            "opencode/v2-revert-staged.db",
            "ses_dd2e771cbffexyj988bfxT74xg",
            ("msg_22d18a8e6001WIMX4i1ySAyB6v", True),
        ),
        (
            "opencode/imitation-2.0.db",
            "ses_f433e647ffe7bMmQlTz9OkB9tL",
            ("msg_0bcc19ea001clrNj3lcvuS4F0T", False),
        ),
        (
            "opencode/json-1.1/opencode",
            "ses_dd29dfeacffepBSZi56H7flwTM",
            ("msg_22d6202b4001ogCLjVSSXIkAs0", False),
        ),
    ],
)
def test_pending_reverts(
    recordings: Path, tmp_path: Path, name: str, session: str, revert: tuple[str, bool]
) -> None:
    ((source,), _) = open_given([put(recordings / name, tmp_path / "store")])
    found = {
        one.id: (one.revert.message, one.revert.after)
        for one in source.listing("x").sessions
        if one.revert
    }
    assert found == {session: revert}


def test_part_files_that_a_revert_left(recordings: Path, tmp_path: Path) -> None:
    data = put(recordings / "opencode/json-1.1/opencode", tmp_path / "store")
    session = "ses_dd29df81bffebq9lPGSblMwppk"
    source = OpencodeFiles(data / "storage")
    told = source.traces({session: ""})[session]
    held = [row for _, row in source.traced(session, told.traces)]
    assert {(one.cause, one.evidence) for one in told.traces} == {
        ("revert_committed", "storage_files")
    }
    assert [one.role for one in held if isinstance(one, Message)] == ["user", "assistant"]
    parts = [one for one in held if isinstance(one, Part)]
    assert len(parts) == 4
    assert [one.content.text for one in parts if isinstance(one.content, Text)] == [
        "remember the secret word committed",
        "I will remember the word quetzalcoatl-deleted.",
    ]


def test_storage_beside_a_database_of_other_sessions(recordings: Path, tmp_path: Path) -> None:
    data = put(recordings / "opencode/json-1.1/opencode", tmp_path / "data")
    shutil.copy(recordings / "opencode/basic.db", data / "opencode.db")
    sources, errors = open_given([data])
    assert errors == []
    assert [len(source.listing("x").sessions) for source in sources] == [12, 6]
