"""A copy of opencode's old storage of which something is missing: nothing in it is called gone."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.makers import MessageSpec, PartSpec, opencode_db, text
from tests.makers.opencode_files import opencode_files
from tests.store.shelf import fates, library, synced, talk

LOST = MessageSpec("user", [PartSpec(text("undone words"), id="prt_u")], id="msg_u", gone=True)
SESSIONS = [
    talk(
        name,
        MessageSpec("user", [PartSpec(text("a question"), id=f"prt_{name}1")], id=f"msg_{name}1"),
        MessageSpec("assistant", [PartSpec(text("more"), id=f"prt_{name}2")], id=f"msg_{name}2"),
        *more,
    )
    for name, more in (("one", [LOST]), ("two", []))
]


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    """With a revert pending in the second session."""
    one, two = SESSIONS
    two = replace(two, columns={"revert": {"messageID": "msg_two2"}})
    return opencode_files(tmp_path / "storage", sessions=[one, two])


def without_evidence(told: dict[Any, tuple[Any, ...]]) -> dict[Any, tuple[Any, ...]]:
    return {ident: one[:2] for ident, one in told.items()}


@pytest.mark.parametrize(
    "missing",
    [
        "message",
        "part",
        "message/ses_one",
        "part/msg_one1",
        "session/*/ses_one.json",
    ],
)
def test_what_is_missing_from_a_copy_changes_no_fate(
    storage: Path, index: Path, missing: str
) -> None:
    synced(index, storage)
    before = [fates(index, table) for table in ("message", "part")]
    assert before[1]["prt_u"] == ("removed", "revert_committed", "storage_files")
    assert before[1]["prt_two2"] == ("reverted", "revert_pending", "source")
    whole = storage.parent / "whole"
    shutil.copytree(storage, whole)
    (found,) = storage.glob(missing)
    shutil.rmtree(found) if found.is_dir() else found.unlink()
    synced(index, storage)
    assert [without_evidence(fates(index, table)) for table in ("message", "part")] == [
        without_evidence(told) for told in before
    ]
    assert library(index, storage).search("undone").hits[0].fate == "removed"
    shutil.rmtree(storage)
    whole.rename(storage)
    synced(index, storage)
    assert [fates(index, table) for table in ("message", "part")] == before


@pytest.mark.parametrize("missing", ["message", "part"])
def test_a_copy_that_is_not_whole_is_a_fault(storage: Path, index: Path, missing: str) -> None:
    shutil.rmtree(storage / missing)
    synced(index, storage)
    (info,) = library(index, storage).sources()
    assert [(one.code, one.about) for one in info.faults] == [
        ("SOURCE_UNREADABLE", str(storage / missing))
    ]


@pytest.mark.parametrize("missing", ["message", "part"])
def test_what_a_copy_lacks_at_first_sight_is_not_called_gone(
    storage: Path, index: Path, missing: str
) -> None:
    shutil.rmtree(storage / missing)
    synced(index, storage)
    left = library(index, storage).leftovers("-is:reverted").leftovers
    assert left == ()


def test_a_part_that_went_and_a_session_that_went_are_gone(storage: Path, index: Path) -> None:
    synced(index, storage)
    (storage / "part" / "msg_one1" / "prt_one1.json").unlink()
    for kind in ("session/*/ses_two", "message/*/msg_two?", "part/*/prt_two?"):
        for file in storage.glob(f"{kind}.json"):
            file.unlink()
    synced(index, storage)
    assert {part: told[0] for part, told in fates(index, "part").items()} == {
        "prt_one1": "removed",
        "prt_one2": "live",
        "prt_u": "removed",
        "prt_two1": "deleted",
        "prt_two2": "deleted",
    }


@pytest.mark.parametrize("missing", ["message", "message/*/*.json"])
def test_what_the_database_has_is_never_told_by_files_beside_it(
    storage: Path, index: Path, missing: str
) -> None:
    """The old files were tidied up in part after the database had taken all over."""
    database = opencode_db(storage.parent / "opencode.db", version="1.2.1", sessions=SESSIONS)
    for found in list(storage.glob(missing)):
        shutil.rmtree(found) if found.is_dir() else found.unlink()
    synced(index, storage.parent)
    told = {one.part for one in library(index, database).leftovers().leftovers}
    assert told == ({"prt_u"} if "json" in missing else set())
