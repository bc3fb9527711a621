"""One run from outside: errors, closed pipes, ctrl-c, what is closed, and what is not imported."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from store.errors import StoreError
from tests.tui.cli.conftest import Run
from tests.tui.cli.fake import Fake
from tui.settings import Loaded

ROOT = Path(__file__).parents[3]
HARNESS = """
import sys
from types import ModuleType, SimpleNamespace
from tests.tui.cli.fake import Fake, HIT
module = ModuleType("store.library")
module.Library = SimpleNamespace(open=Fake(hits=(HIT,) * {hits}, syncing={syncing}).opened)
sys.modules["store.library"] = module
from tui.__main__ import main
code = main(sys.argv[1:])
{after}
sys.exit(code)
"""


def command(
    *arguments: str, hits: int = 1, syncing: str = "lambda stop: None", after: str = ""
) -> list[str]:
    text = HARNESS.format(hits=hits, syncing=syncing, after=after)
    return [sys.executable, "-c", text, *arguments]


def environment(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "BACKSCROLL_INDEX": str(tmp_path / "index.db")}


def test_an_error_is_one_line(run: Run, door: Fake) -> None:
    door.search_error = StoreError("INVALID_FILTER", "kind:\x1b[1mfoo is\nno kind", "kind:foo")
    ran = run("search", "kind:foo")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "backscroll: INVALID_FILTER: kind:␛[1mfoo is no kind\n"


def test_an_error_as_json_is_one_object_on_stderr(run: Run, door: Fake) -> None:
    door.search_error = StoreError("INVALID_FILTER", "no such kind", "kind:foo")
    ran = run("search", "kind:foo", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert json.loads(ran.err) == {
        "error": {"code": "INVALID_FILTER", "message": "no such kind", "about": "kind:foo"}
    }


def test_wrong_usage_as_json(run: Run) -> None:
    ran = run("search", "--bogus", "--json")
    assert ran.code == 2
    assert json.loads(ran.err)["error"]["code"] == "INVALID_ARGUMENT"


def test_json_behind_dashes_is_a_word_not_an_option(run: Run) -> None:
    ran = run("search", "--bogus", "--", "--json")
    assert ran.err.startswith("backscroll: INVALID_ARGUMENT: no such option: --bogus")


def test_the_door_is_closed_after_an_error(run: Run, door: Fake) -> None:
    door.search_error = StoreError("INVALID_QUERY", "no")
    run("search", "x")
    assert door.closed


def test_ctrl_c_ends_quietly(run: Run, door: Fake) -> None:
    door.search_error = KeyboardInterrupt()
    ran = run("search", "x")
    assert (ran.code, ran.out, ran.err) == (130, "", "")
    assert door.closed


def test_the_screen_needs_a_terminal(run: Run) -> None:
    ran = run()
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("backscroll: INVALID_ARGUMENT: the screen needs a terminal")


@pytest.mark.parametrize(("arguments", "offered"), [([], True), (["--demo"], False)])
def test_without_a_command_the_screen_opens(
    run: Run,
    door: Fake,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    arguments: list[str],
    offered: bool,
) -> None:
    asked: list[object] = []

    def run_app(
        given: Fake,
        loaded: Loaded,
        *,
        open_demo: Callable[[], Fake] | None,
        queries: Path | None,
    ) -> int:
        assert (queries is None) == ("--demo" in arguments)
        asked.extend([given is door, loaded.path == tmp_path / "s.toml", open_demo is not None])
        return 0

    screen = ModuleType("tui.app")
    screen.__dict__["run_app"] = run_app
    monkeypatch.setitem(sys.modules, "tui.app", screen)
    monkeypatch.setattr("tui.cli.run.is_terminal", lambda _: True)
    (tmp_path / "s.toml").touch()
    assert run("--config", str(tmp_path / "s.toml"), *arguments).code == 0
    assert asked == [True, True, offered]
    assert door.closed


def test_the_demo_is_a_folder_of_its_own_that_goes_at_the_end(run: Run, door: Fake) -> None:
    assert run("--demo", "search", "x").code == 0
    (name, ([store], index)) = door.calls[0]
    assert name == "open"
    assert store.parent.parent == index.parent
    assert not index.parent.exists()


def test_sources_and_index_reach_the_library(run: Run, door: Fake) -> None:
    run("search", "--source", "/a", "--index", "/i/index.db")
    assert door.calls[0] == ("open", ([Path("/a")], Path("/i/index.db")))


def test_the_environment_names_the_index(run: Run, door: Fake, tmp_path: Path) -> None:
    run("search")
    assert door.calls[0] == ("open", ([], tmp_path / "index.db"))


def test_the_index_is_in_the_users_data_folder(
    run: Run, door: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BACKSCROLL_INDEX")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    run("search")
    assert door.calls[0] == ("open", ([], tmp_path / "backscroll" / "index.db"))


@pytest.mark.parametrize("arguments", [["search", "--json"], ["search"], ["show", "prt_bash"]])
def test_no_screen_library_is_imported(tmp_path: Path, arguments: list[str]) -> None:
    after = (
        "heavy = {'textual', 'rich', 'pydantic', 'platformdirs', 'pygments', 'markdown_it'}\n"
        "sys.stderr.write(','.join(sorted(heavy & set(sys.modules))))"
    )
    ran = subprocess.run(
        command(*arguments, after=after),
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout
    assert not ran.stderr.removeprefix("backscroll: 1 of 1 hit; the next with --cursor next\n")


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    with subprocess.Popen(
        command("search", "--json", hits=2000),
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize("arguments", [["search", "--json"], ["--help"], ["doctor", "--help"]])
def test_a_closed_stdout_is_no_traceback(tmp_path: Path, arguments: list[str]) -> None:
    ran = subprocess.run(
        ["sh", "-c", f"{shlex.join(command(*arguments))} >&-"],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in ran.stderr


def test_a_signal_ends_a_backfill_quietly(tmp_path: Path) -> None:
    with subprocess.Popen(
        command("index", syncing="lambda stop: (print('at it', flush=True), stop.wait(30))"),
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"at it\n"
        process.send_signal(signal.SIGINT)
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    assert process.returncode == 130


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_an_error_with_a_code(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            command("search", "--json"),
            env=environment(tmp_path),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ran.returncode == 2
    assert json.loads(ran.stderr)["error"]["code"] == "OUTPUT_FAILED"


def test_arguments_that_are_no_text_have_a_code(tmp_path: Path) -> None:
    ran = subprocess.run(
        [*map(os.fsencode, command("search")), b"\xff\xfe"],
        env=environment(tmp_path),
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith(b"backscroll: INVALID_QUERY: ")


def test_chinese_survives_a_stream_of_another_encoding(tmp_path: Path) -> None:
    ran = subprocess.run(
        command("search", "--json", "数据库"),
        env=environment(tmp_path) | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert json.loads(ran.stdout)["hits"]
