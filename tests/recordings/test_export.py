"""Exports of recorded stores: opencode's own export byte for byte, and all that is in them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from store.library import Library
from store.model import WindowMessage
from tests.recordings.conftest import Recording
from tests.recordings.stores import STORES
from tests.recordings.test_library import open_library
from tui.export.conversation import Conversation, Stored
from tui.export.session import pieces
from tui.export.trajectory import trajectory_message

Export = Callable[[str, str, str], str]
CHILDREN = 4


@pytest.fixture
def held(recording: Recording, tmp_path: Path) -> Iterator[Callable[[str], Library]]:
    """Opens a library over a recorded store, brought up to date."""
    opened: list[Library] = []

    def make(name: str) -> Library:
        opened.append(open_library(recording(name), tmp_path))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def exported(library: Library, ident: str, form: Any, leftovers: bool = False) -> str:
    return "".join(pieces(Conversation(library, ident, leftovers=leftovers), form))


@pytest.mark.parametrize("name", ["overview", "chinese"])
def test_json_is_what_opencode_prints(
    held: Callable[[str], Library], recordings: Path, name: str
) -> None:
    ident = json.loads((recordings / "opencode/basic-ids.json").read_text())[name]
    printed = (recordings / f"opencode/basic-export-{name}.json").read_text(encoding="utf-8")
    told = exported(held("opencode/basic.db"), ident, "json")
    assert json.loads(told) == json.loads(printed)
    assert told == printed


@pytest.mark.parametrize("name", STORES)
def test_json_with_leftovers_has_every_stored_row(
    held: Callable[[str], Library], tmp_path: Path, name: str
) -> None:
    library = held(name)
    found: dict[str, Any] = {}
    for session in library.sessions(limit=None).sessions:
        for message in json.loads(exported(library, session.id, "json", leftovers=True))[
            "messages"
        ]:
            for one in (message["info"], *message["parts"]):
                found[one["id"]] = one
    with closing(sqlite3.connect(tmp_path / "store" / Path(name).name)) as db:
        rows = db.execute("select id, data from message union all select id, data from part")
        stored = {ident: json.loads(data) for ident, data in rows}
    assert stored.keys() <= found.keys()
    for ident, fields in stored.items():
        assert fields.items() <= found[ident].items()


@pytest.mark.parametrize("name", STORES)
def test_every_form_of_every_session_is_written(held: Callable[[str], Library], name: str) -> None:
    library = held(name)
    for session in library.sessions(limit=None).sessions:
        if session.fate == "live":
            markdown = exported(library, session.id, "markdown")
            plain = exported(library, session.id, "text")
            assert markdown.startswith("# ")
            assert plain.split("\n", 1)[0] == (session.title or "(no title)")
            for line in exported(library, session.id, "trajectory").splitlines():
                assert json.loads(line)["input"]["sessionID"] == session.id


def test_what_a_pending_revert_hides_is_left_out(held: Callable[[str], Library]) -> None:
    library = held("opencode/reverted.db")
    pending = next(one for one in library.sessions(limit=None).sessions if one.revert)
    live = json.loads(exported(library, pending.id, "json"))
    whole = json.loads(exported(library, pending.id, "json", leftovers=True))
    fates = [one["info"].get("fate") for one in whole["messages"]]
    assert fates.count("reverted") == len(whole["messages"]) - len(live["messages"]) > 0
    assert live["info"]["revert"]["messageID"] == pending.revert.message  # type: ignore[union-attr]


def test_a_trajectory_message_is_what_a_plugin_of_mimocode_gets(recordings: Path) -> None:
    path = recordings / "mimo/trajectory-sample.jsonl"
    seen = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        given = json.loads(line)["input"]
        for message in given["trajectory"]:
            ours = dict(message)
            parts = tuple(ours.pop("parts"))
            slice_id, created = ours.pop("agentID"), ours.pop("created")
            read = _read(message["id"], slice_id, created)
            assert trajectory_message(Stored(read, ours, parts)) == message
            seen += 1
    assert seen == 16


def _read(ident: str, slice_id: str, created: int) -> WindowMessage:
    from store.model import Message

    return WindowMessage(Message(ident, "", "", created, slice=slice_id), ())


def test_trajectories_have_a_line_for_each_slice(
    held: Callable[[str], Library], recordings: Path
) -> None:
    sample = (recordings / "mimo/trajectory-sample.jsonl").read_text(encoding="utf-8")
    posted = [json.loads(line) for line in sample.splitlines()]
    keys = {key for one in posted if one["hook"] == "session.post" for key in one["input"]}
    library = held("mimo/mimo-allkinds.db")
    slices = set()
    for session in library.sessions(limit=None).sessions:
        for line in exported(library, session.id, "trajectory").splitlines():
            told = json.loads(line)
            slices.add(told["input"]["agentID"])
            assert told["hook"] == "session.post"
            assert told["input"].keys() <= keys | {"error"}
    assert slices == {"main", "explore-1"}


def test_forks_and_children_of_a_recorded_session(
    held: Callable[[str], Library], recordings: Path
) -> None:
    library = held("opencode/subagents.db")
    root = next(one for one in library.sessions(limit=None).sessions if "fork" not in one.flags
                and not one.parent)  # fmt: skip
    found = library.trace(root.id)
    assert [child.depth for child in found.children] == [1] * CHILDREN
    assert [(one.relation, one.shared) for one in found.forks] == [
        ("fork", 12),
        ("fork", 3),
        ("fork", 3),
    ]
    assert library.trace(found.forks[0].session.id).forks[0].relation == "origin"
