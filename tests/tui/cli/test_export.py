"""`export`: forms, where it goes, what is left out, and what is refused."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from store.errors import StoreError
from store.model import Fault
from tests.tui.cli.conftest import Run
from tests.tui.cli.fake import OUTPUT, SESSION, Fake


def test_markdown_is_the_usual_form(run: Run) -> None:
    ran = run("export", "ses_pool")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("# Fix pool timeout\n")
    assert "<summary>bash · exit 1 · 8.4 s · Run the tests</summary>" in ran.out
    assert "\x1b" not in ran.out


def test_json_has_the_output_as_it_is(run: Run) -> None:
    ran = run("export", "--format", "json", "ses_pool")
    assert ran.answer["messages"][1]["parts"][1]["state"]["output"] == OUTPUT


@pytest.mark.parametrize("form", ["markdown", "json", "trajectory", "text"])
def test_a_file_has_what_stdout_would_have(run: Run, tmp_path: Path, form: str) -> None:
    path = tmp_path / "talk"
    ran = run("export", "ses_pool", "--format", form, "--out", str(path))
    size = path.stat().st_size
    assert (ran.code, ran.out, ran.err) == (0, "", f"backscroll: {path}: {size:,} bytes\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text(encoding="utf-8") == run("export", "ses_pool", "--format", form).out


def test_a_file_that_is_there_is_refused_without_force(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "talk.md"
    path.write_text("mine")
    ran = run("export", "ses_pool", "--out", str(path))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f"backscroll: OUTPUT_FAILED: {path} is there already; "
        "--force puts the export in its place\n"
    )
    assert path.read_text() == "mine"
    assert run("export", "ses_pool", "--force", "--out", str(path)).code == 0
    assert path.read_text().startswith("# Fix")


def test_a_file_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    ran = run("export", "ses_pool", "--out", str(tmp_path / "none" / "talk.md"))
    assert ran.code == 2
    assert ran.err.startswith("backscroll: OUTPUT_FAILED: cannot write ")


def test_a_session_that_is_gone_needs_leftovers(run: Run, door: Fake) -> None:
    door.listed = (replace(SESSION, fate="deleted"),)
    ran = run("export", "ses_pool")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "backscroll: the session is deleted; --leftovers exports what was kept of it\n"
    )
    whole = run("export", "ses_pool", "--leftovers", "--format", "json")
    assert whole.code == 0
    assert json.loads(whole.out)["info"]["fate"] == "deleted"


def test_what_could_not_be_read_is_told(run: Run, door: Fake) -> None:
    door.unread = (Fault("CORRUPT_PART", "prt_x", "its JSON is broken"),)
    ran = run("export", "ses_pool")
    assert ran.code == 0
    assert ran.err == (
        "backscroll: 1 session or part could not be read; `backscroll doctor` lists them\n"
    )


def test_without_a_store_there_is_nothing(run: Run, door: Fake) -> None:
    door.found = ()
    assert run("export", "ses_pool").code == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("export",), "takes one ID"),
        (("export", "a", "b"), "takes one ID"),
        (("export", "a", "--format", "pdf"), "invalid choice"),
        (("export", "a", "--json"), "--format json"),
        (("export", "a", "--force"), "--force needs --out"),
        (("export", "a", "--out", ""), "--out needs a path"),
    ],
)
def test_wrong_usage(run: Run, arguments: tuple[str, ...], words: str) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "INVALID_ARGUMENT" in ran.err
    assert words in ran.err


def test_an_unknown_session_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise StoreError("SESSION_NOT_FOUND", "there is no session ses_x", "ses_x")

    monkeypatch.setattr(Fake, "page", refuse)
    ran = run("export", "ses_x")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "backscroll: SESSION_NOT_FOUND: there is no session ses_x\n"
