"""The settings file: what is wrong costs only itself and is named by its line."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from store.errors import StoreError
from tui import config, settings

SETTINGS = [one.name for one in fields(settings.Settings)]


def load(tmp_path: Path, text: str) -> settings.Loaded:
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return settings.load(path)


def test_without_a_file_the_defaults_apply(tmp_path: Path) -> None:
    loaded = settings.load(tmp_path / "none.toml")

    assert loaded.settings == settings.Settings()
    assert loaded.problems == ()


def test_the_file_is_found_in_the_configuration_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    assert config.config_path().parts[-2:] == ("backscroll", "settings.toml")

    monkeypatch.setenv("BACKSCROLL_CONFIG", "/else/where.toml")

    assert config.config_path() == Path("/else/where.toml")


def test_a_bad_value_is_reported_with_its_line_and_the_rest_applies(tmp_path: Path) -> None:
    loaded = load(tmp_path, 'theme = "paper"\nfold = "sometimes"\nexclude = ["tmp"]\n')

    assert (loaded.settings.theme, loaded.settings.fold) == ("paper", "auto")
    assert loaded.settings.exclude == ["tmp"]
    [problem] = loaded.problems
    assert problem.code == "INVALID_CONFIG"
    assert problem.message.startswith("settings.toml line 2: fold: ")


def test_an_unknown_key_of_a_table_is_reported_with_its_line(tmp_path: Path) -> None:
    loaded = load(tmp_path, 'theme = "paper"\n\n[archive]\ndays = 30\nweeks = 4\n')

    assert loaded.settings.archive.days == 30
    [problem] = loaded.problems
    assert problem.message == (
        "settings.toml line 5: archive.weeks: there is no such setting; the rest applies"
    )


def test_a_line_that_is_no_toml_costs_only_itself(tmp_path: Path) -> None:
    loaded = load(tmp_path, 'theme = "paper"\nfold = all of it\nexclude = ["tmp"]\n')

    assert (loaded.settings.theme, loaded.settings.exclude) == ("paper", ["tmp"])
    [problem] = loaded.problems
    assert problem.message.startswith("settings.toml line 2: ")


def test_a_file_that_is_no_text_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"\xff\xfe\x00")

    loaded = settings.load(path)

    assert loaded.settings == settings.Settings()
    assert [problem.code for problem in loaded.problems] == ["INVALID_CONFIG"]


def test_every_line_of_the_template_is_valid_with_its_sign_removed(tmp_path: Path) -> None:
    lines = settings.template().split("\n")
    names = [*SETTINGS, "on", "days", "megabytes"]
    given = [
        line.removeprefix("# ")
        if line.removeprefix("# ").split(" = ")[0] in names and " = " in line
        else line
        for line in lines
    ]

    loaded = load(tmp_path, "\n".join(given))

    assert set(tomllib.loads("\n".join(given))) == set(SETTINGS)
    assert loaded.settings == settings.Settings()
    assert loaded.problems == ()


def test_keeping_a_theme_leaves_every_other_line_alone(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('# mine\n# theme = "dusk"\nfold = "all"\n[archive]\ndays = 3\n')

    settings.keep_theme(path, "paper")
    settings.keep_theme(path, "contrast")

    assert path.read_text() == '# mine\ntheme = "contrast"\nfold = "all"\n[archive]\ndays = 3\n'


def test_keeping_a_theme_makes_the_file_where_there_is_none(tmp_path: Path) -> None:
    path = tmp_path / "new" / "settings.toml"

    settings.keep_theme(path, "paper")

    assert settings.load(path).settings.theme == "paper"
    assert path.read_text().count("# fold = ") == 1


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreError, match="OUTPUT_FAILED"):
        settings.keep_theme(tmp_path / "file" / "settings.toml", "paper")
