"""What is wrong with the settings is said by every command, and changes nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.cli.conftest import Run

COMMANDS = (["search", "port"], ["sessions"], ["stats"], ["leftovers"])


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text('theme = "dusk"\nfold = "sideways"\n')
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_value_is_said_with_its_line(run: Run, config: Path, command: list[str]) -> None:
    plain = run(*command)
    ran = run(*command, "--config", str(config))
    assert (ran.code, ran.out) == (plain.code, plain.out)
    said = "backscroll: INVALID_CONFIG: mine.toml line 2: fold: "
    assert [line[: len(said)] for line in ran.err.splitlines()].count(said) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_value_is_a_fault_of_the_answer(run: Run, config: Path, command: list[str]) -> None:
    answer = run(*command, "--json", "--config", str(config)).answer
    told = [one for one in answer["faults"] if one["code"] == "INVALID_CONFIG"]
    assert [one["about"] for one in told] == [str(config)]


def test_the_usual_file_is_looked_at_as_well(run: Run, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("colour = 7\n")
    ran = run("sessions")
    assert ran.code == 0
    assert "INVALID_CONFIG: settings.toml line 1: colour: there is no such setting" in ran.err


@pytest.mark.parametrize("command", [*COMMANDS, ["doctor"]])
def test_a_theme_that_there_is_not(run: Run, config: Path, command: list[str]) -> None:
    config.write_text('\ntheme = "nosuch"\n')
    ran = run(*command, "--json", "--config", str(config))
    assert "mine.toml line 2: theme: there is no theme 'nosuch'" in ran.err
    messages = [one["message"] for one in ran.answer["faults"]]
    assert [one.partition(": ")[0] for one in messages].count("mine.toml line 2") == 1


@pytest.mark.parametrize("name", ["paper", "nord", "my-own"])
def test_themes_that_there_are(run: Run, config: Path, name: str) -> None:
    themes = config.parent / "themes"
    themes.mkdir()
    own = (Path(__file__).parents[3] / "themes" / "paper.toml").read_text(encoding="utf-8")
    (themes / "some.toml").write_text(own.replace('name = "paper"', 'name = "my-own"'))
    config.write_text(f'theme = "{name}"\n')
    assert "INVALID_CONFIG" not in run("doctor", "--config", str(config)).err
    assert "INVALID_CONFIG" not in run("sessions", "--config", str(config)).err


def test_doctor_looks_at_the_keys_too(run: Run, config: Path) -> None:
    config.write_text('[keymap]\n"no.such" = "x"\n')
    ran = run("doctor", "--config", str(config))
    assert ran.code == 0
    assert "mine.toml line 2: keymap.no.such: no key has the id 'no.such'" in ran.err


@pytest.mark.parametrize("command", [*COMMANDS, ["doctor"], ["index"], ["around", "msg_1"], []])
def test_a_file_that_was_named_and_is_not_there(
    run: Run, tmp_path: Path, command: list[str]
) -> None:
    ran = run(*command, "--config", str(tmp_path / "nope.toml"))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"backscroll: INVALID_CONFIG: {tmp_path}/nope.toml does not exist;")


def test_an_error_in_json_has_stderr_for_itself(run: Run, tmp_path: Path, config: Path) -> None:
    ran = run("search", "kind:foo", "--json", "--config", str(tmp_path / "nope.toml"))
    assert ran.err.startswith('{"error":')
