"""Every session is listed under its project or folder, whatever became of the project."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from store.model import Session
from store.sources.opencode import OpencodeSource
from tests.makers import BASE, SessionSpec, opencode_db
from tests.makers.opencode_v2 import V2Spec, opencode_v2_db

COLUMNS = {"time_archived": BASE}


def store(folder: Path, kind: str) -> Path:
    specs = [
        ("Work", "ses_1", "/home/mia/src/alpha", {}),
        ("Loose", "ses_2", "/tmp/甲", {}),
        ("Away", "ses_3", "/home/mia/src/alpha", COLUMNS),
    ]
    path = folder / "opencode.db"
    if kind == "2.x":
        newer = [V2Spec(t, id=i, directory=d, columns=c) for t, i, d, c in specs]
        return opencode_v2_db(path, sessions=newer)
    older = [SessionSpec(t, id=i, directory=d, columns=c) for t, i, d, c in specs]
    return opencode_db(path, sessions=older)


def listed(path: Path) -> dict[str, Session]:
    return {one.id: one for one in OpencodeSource(path).listing("x").sessions}


def change(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(sql)
        db.commit()


@pytest.fixture(params=["1.18", "2.x"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return store(tmp_path, request.param)


def test_a_session_without_parts_is_listed(path: Path) -> None:
    found = listed(path)
    assert [(one.title, one.messages, one.parts) for one in found.values()] == [
        ("Away", 0, 0),
        ("Loose", 0, 0),
        ("Work", 0, 0),
    ]
    assert found["ses_3"].flags == ("archived",)


def test_outside_git_the_folder_is_the_project(path: Path) -> None:
    assert (listed(path)["ses_2"].project, listed(path)["ses_2"].directory) == ("甲", "/tmp/甲")


def test_the_name_that_a_person_gave_the_project(path: Path) -> None:
    change(path, "update project set name = 'Alpha server' where worktree != '/'")
    assert listed(path)["ses_1"].project == "Alpha server"


def test_a_project_that_moved_keeps_the_folder_of_the_session(path: Path) -> None:
    change(path, "update project set worktree = '/srv/moved/beta' where worktree != '/'")
    one = listed(path)["ses_1"]
    assert (one.project, one.directory) == ("beta", "/home/mia/src/alpha")


def test_a_project_that_is_gone(path: Path) -> None:
    change(path, "delete from project")
    one = listed(path)["ses_1"]
    assert (one.project, one.directory) == ("alpha", "/home/mia/src/alpha")
