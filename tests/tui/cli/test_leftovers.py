"""`leftovers`, `show --versions` and `forget` on the command line, over a real library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.makers import MessageSpec, PartSpec, opencode_db, text
from tests.store.shelf import LATER, say, synced, talk
from tui.cli.run import run


@pytest.fixture
def given(tmp_path: Path) -> list[str]:
    """A store of which an answer was deleted and the question edited after it was indexed."""
    store = opencode_db(
        tmp_path / "opencode.db",
        sessions=[
            talk(
                "one",
                MessageSpec("user", [PartSpec(text("alpha question"), id="prt_ask")], id="msg_ask"),
                MessageSpec(
                    "assistant",
                    [PartSpec(text("delta answer"), id="prt_gone")],
                    id="msg_gone",
                    gone=True,
                ),
            )
        ],
    )
    index = tmp_path / "ours" / "index.db"
    synced(index, store)
    say(store, "prt_ask", "gamma question", LATER)
    return ["--source", str(store), "--index", str(index)]


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, object]]:
    code = run([*arguments, "--json"])
    told: dict[str, object] = json.loads(capsys.readouterr().out)
    return code, told


def test_leftovers_as_json(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, told = answer(capsys, "leftovers", *given)
    assert (code, told["total"], told["more"], told["cursor"]) == (0, 2, False, None)
    found = told["leftovers"]
    assert isinstance(found, list)
    keys = ("part", "kind", "fate", "cause", "evidence", "version", "text")
    assert [tuple(one[key] for key in keys) for one in found] == [
        ("prt_gone", "assistant_text", "removed", "message_deleted", "event_log", None,
         "delta answer"),
        ("prt_ask", "user_text", "replaced", "edited", "event_log", 1, "alpha question"),
    ]  # fmt: skip


def test_nothing_that_passes_is_1(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["leftovers", "evidence:history_fts", *given]) == 1
    assert "nothing is left over" in capsys.readouterr().err


def test_versions(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run(["index", *given])
    capsys.readouterr()
    assert run(["show", "--versions", "prt_ask", *given]) == 0
    out = capsys.readouterr().out
    assert out.index("alpha question") < out.index("gamma question")
    assert "version 1" in out


@pytest.mark.parametrize(("said", "code", "left"), [("y\n", 0, 1), ("n\n", 2, 2), ("", 2, 2)])
def test_forget_asks(
    given: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    said: str,
    code: int,
    left: int,
) -> None:
    import io

    run(["index", *given])
    monkeypatch.setattr("sys.stdin", io.StringIO(said))
    assert run(["forget", "msg_gone", *given]) == code
    assert "Forget 1 message, 1 part?" in capsys.readouterr().err
    assert answer(capsys, "leftovers", *given)[1]["total"] == left


def test_forget_by_query_and_all(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run(["index", *given])
    capsys.readouterr()
    code, told = answer(capsys, "forget", "--query", "delta", "--yes", *given)
    assert (code, told["parts"]) == (0, 1)
    assert run(["forget", "--query", "one", "--yes", *given]) == 1
    assert "titles that say it go with their sessions alone: ses_one" in capsys.readouterr().err
    code, told = answer(capsys, "forget", "--all", "--yes", *given)
    assert code == 0
    assert not Path(given[3]).exists()


@pytest.mark.parametrize("wrong", [[], ["a", "--all"], ["--query", " "], ["a", "b"]])
def test_forget_takes_one_thing(
    given: list[str], capsys: pytest.CaptureFixture[str], wrong: list[str]
) -> None:
    assert run(["forget", *wrong, *given]) == 2
    assert "INVALID_ARGUMENT" in capsys.readouterr().err
