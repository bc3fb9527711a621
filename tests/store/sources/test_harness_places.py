"""Logs are found wherever dsh may have been told to keep them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from store import sources
from store.sources.harness_places import LARGEST_PATCH, PATCH, configured, places
from tests.makers.harness import LogSpec, harness_home, small_talk

ROOT = """\
# another row first
- id: hmr
  config:
    root: /not/this

- id: session-persistence-jsonl{quote}
  name: '@deepseek-ai/dsh-session-persistence-jsonl'
  config:
    root: {root}
    compression: none

- id: after
  config:
    root: /nor/this
"""


def patch(folder: Path, root: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PATCH).write_text(ROOT.format(root=root, quote=""))


def sessions_at(root: Path, ident: str) -> Path:
    """A folder of sessions with one log."""
    made = harness_home(root.parent / f"made-{ident}", [LogSpec(ident, small_talk())])
    root.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(made / "sessions", root)
    return root


def found() -> set[str]:
    """The sessions of all stores of dsh on this machine."""
    stores = [one for one in sources.discover()[0] if one.producer == "dsh"]
    return {session.id for one in stores for session in one.listing("dsh").sessions}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("/srv/logs", "/srv/logs"),
        ("/srv/logs # mine", "/srv/logs"),
        ("'/srv/my logs'", "/srv/my logs"),
        ('"/srv/logs"', "/srv/logs"),
        ('"C:\\\\\\\\logs"', "C:\\\\logs"),
        ("~/logs", "{user}/logs"),
        ("!!js dshHomePath('elsewhere')", "{home}/elsewhere"),
        ("!!js process.env.MY_LOGS", "/srv/of-the-environment"),
        ("!!js process.env.NOT_SET", None),
        ("!!js join('a', 'b')", None),
        ("~nobody-of-that-name/logs", None),
        ("./.sessions", "{here}/.sessions"),
    ],
)
def test_what_a_patch_file_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, expected: str | None
) -> None:
    monkeypatch.setenv("MY_LOGS", "/srv/of-the-environment")
    monkeypatch.chdir(tmp_path)
    patch(tmp_path / "home", value)
    names = {"user": Path.home(), "home": tmp_path / "home", "here": tmp_path}
    told = [Path(expected.format(**names)).absolute()] if expected else []
    assert configured(tmp_path / "home") == told


def test_patches_of_a_home_and_its_profiles_each_once(tmp_path: Path) -> None:
    patch(tmp_path, "/srv/one")
    patch(tmp_path / "profiles" / "a", "/srv/two")
    patch(tmp_path / "profiles" / "b", "/srv/one")
    (tmp_path / "profiles" / "c").mkdir()
    (tmp_path / "profiles" / "c" / PATCH).write_bytes(b"\xff\x00 - id: [broken")
    assert configured(tmp_path) == [Path("/srv/one"), Path("/srv/two")]


def test_a_file_too_long_is_no_patch(tmp_path: Path) -> None:
    patch(tmp_path, "/srv/one")
    with (tmp_path / PATCH).open("a") as file:
        file.write("#" * LARGEST_PATCH)
    assert configured(tmp_path) == []


def test_all_roots_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    sessions_at(Path.home() / ".dsh" / "sessions", "usual")
    patch(Path.home() / ".dsh", str(sessions_at(tmp_path / "configured", "configured")))
    monkeypatch.setenv("DSH_SESSION_ROOT", str(sessions_at(tmp_path / "named", "named")))
    sessions_at(here / ".sessions", "beside")
    monkeypatch.chdir(here)
    assert found() == {"usual", "configured", "named", "beside"}


def test_a_home_of_nobody_is_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSH_HOME", "~nobody-of-that-name/x")
    assert places() == [Path.home() / ".dsh" / "sessions"]


def test_a_home_that_a_person_names_stands_for_all_its_roots(tmp_path: Path) -> None:
    home = harness_home(tmp_path / "home", [LogSpec("inside", small_talk())])
    patch(home, str(sessions_at(tmp_path / "outside", "outside")))
    stores, errors = sources.open_given([home])
    assert errors == []
    assert [[one.id for one in store.listing("dsh").sessions] for store in stores] == [
        ["inside"],
        ["outside"],
    ]
