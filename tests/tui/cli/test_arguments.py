"""The words of the command line: where options may stand, what is refused and with which code."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import StoreError
from tests.tui.cli.conftest import Run
from tui.cli.arguments import Options, parse

COMMANDS = ("index", "search", "around", "show", "sessions", "doctor")


def test_common_options_stand_before_and_behind_the_command() -> None:
    options = parse(
        ["--source", "/a", "--index", "/i", "search", "pool", "--source", "/b", "--json"]
    )
    assert options == Options(
        command="search",
        sources=(Path("/a"), Path("/b")),
        index=Path("/i"),
        json=True,
        query="pool",
    )


def test_the_index_named_last_is_meant() -> None:
    assert parse(["--index", "/a", "doctor", "--index", "/b"]).index == Path("/b")


def test_no_command_is_the_screen() -> None:
    assert parse(["--demo"]) == Options(demo=True)


def test_a_path_may_begin_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert parse(["doctor", "--config", "~/s.toml"]).config == Path("/home/me/s.toml")


@pytest.mark.parametrize(
    ("arguments", "query"),
    [
        (["pool", "timeout"], "pool timeout"),
        (["pool", "--limit", "3", "timeout"], "pool timeout"),
        (["--limit", "3", "--", "-pool", "--json"], "-pool --json"),
        (["pool", "--", "-timeout", "--"], "pool -timeout --"),
        (['"two words"', "-5"], '"two words" -5'),
        ([], ""),
    ],
)
def test_words_make_the_query(arguments: list[str], query: str) -> None:
    options = parse(["search", *arguments])
    assert options.query == query
    assert options.json is False


def test_an_id_may_stand_behind_dashes() -> None:
    assert parse(["show", "--raw", "--", "-odd"]).ident == "-odd"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["frobnicate"], "INVALID_ARGUMENT"),
        (["search", "--nope"], "INVALID_ARGUMENT"),
        (["search", "-x"], "INVALID_ARGUMENT"),
        (["search", "--lim", "3"], "INVALID_ARGUMENT"),
        (["search", "--limit"], "INVALID_ARGUMENT"),
        (["search", "--sort", "oldest"], "INVALID_ARGUMENT"),
        (["index", "pool"], "INVALID_ARGUMENT"),
        (["doctor", "--", "pool"], "INVALID_ARGUMENT"),
        (["--", "search"], "INVALID_ARGUMENT"),
        (["around"], "INVALID_ARGUMENT"),
        (["around", ""], "INVALID_ARGUMENT"),
        (["show", "a", "b"], "INVALID_ARGUMENT"),
        (["show", "a", "--raw", "--output"], "INVALID_ARGUMENT"),
        (["show", "a", "--output", "--json"], "INVALID_ARGUMENT"),
        (["--json"], "INVALID_ARGUMENT"),
        (["--demo", "index", "--source", "/a"], "INVALID_ARGUMENT"),
        (["--demo", "index", "--index", "/a"], "INVALID_ARGUMENT"),
        (["index", "--source", ""], "INVALID_ARGUMENT"),
        (["index", "--source", "a\0b"], "INVALID_ARGUMENT"),
        (["index", "--source", "~nobody-of-that-name/x"], "INVALID_ARGUMENT"),
        (["show", "\udcff"], "INVALID_ARGUMENT"),
        (["search", "\udcff"], "INVALID_QUERY"),
        (["search", "a\0b"], "INVALID_QUERY"),
        (["sessions", "\udcff"], "INVALID_QUERY"),
        (["search", "--cursor", "\udcff"], "INVALID_CURSOR"),
        (["search", "--limit", "0"], "INVALID_LIMIT"),
        (["search", "--limit", "1001"], "INVALID_LIMIT"),
        (["search", "--limit", "-1"], "INVALID_LIMIT"),
        (["search", "--limit", "ten"], "INVALID_LIMIT"),
        (["sessions", "--limit", "9" * 5000], "INVALID_LIMIT"),
        (["around", "a", "--before", "51"], "INVALID_WINDOW"),
        (["around", "a", "--after", "-1"], "INVALID_WINDOW"),
        (["around", "a", "--after", "1.5"], "INVALID_WINDOW"),
    ],
)
def test_wrong_usage_has_a_code(arguments: list[str], code: str) -> None:
    with pytest.raises(StoreError) as caught:
        parse(arguments)
    assert caught.value.code == code


@pytest.mark.parametrize("limit", [1, 1000])
def test_the_ends_of_a_limit_are_inside(limit: int) -> None:
    assert parse(["search", "--limit", str(limit)]).limit == limit


@pytest.mark.parametrize("count", [0, 50])
def test_the_ends_of_a_window_are_inside(count: int) -> None:
    options = parse(["around", "a", "--before", str(count), "--after", str(count)])
    assert (options.before, options.after) == (count, count)


def test_help_lists_every_command(run: Run) -> None:
    ran = run("--help")
    assert (ran.code, ran.err) == (0, "")
    for name in COMMANDS:
        assert f"\n    {name} " in ran.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(run: Run, name: str) -> None:
    ran = run(name, "--help")
    assert ran.code == 0
    assert f"usage: backscroll {name}" in ran.out
    assert "--json" in ran.out


def test_version_is_told(run: Run) -> None:
    ran = run("--version")
    assert ran.code == 0
    assert ran.out.startswith("backscroll ")
