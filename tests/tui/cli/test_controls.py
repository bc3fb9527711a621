"""No command lets a control character of stored text through to the terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.makers import MessageSpec, PartSpec, SessionSpec, opencode_db, reasoning, text, tool
from tests.makers.odd import set_data
from tui.__main__ import main

EVIL = (
    "red\x1b[31mword\x1b]0;title\x07 \x1b]52;c;cm0gLXJm\x07 \x9b2J \x90q \u202edrow \x08\x08 \x7f"
    " \x1bP1$r\x1b\\ \x00 \r\noverwritten\rnow \x1b[2J\x1b[H"
)
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
COMMANDS = [
    ["index"],
    ["search", "word"],
    ["search", "--literal", "word"],
    ["search", "nothing\x1b[31mlike\x07this"],
    ["search", "kind:\x1b[31m"],
    ["search", "--sort", "relevance", "word"],
    ["sessions"],
    ["sessions", "red"],
    ["around", "msg_evil"],
    ["around", "\x1b[31mnone"],
    ["show", "prt_evil"],
    ["show", "prt_tool"],
    ["show", "msg_evil"],
    ["show", "--raw", "prt_evil"],
    ["show", "prt_broken"],
    ["trace", "ses_evil"],
    ["stats"],
    ["leftovers"],
    ["show", "--versions", "prt_evil"],
    ["export", "ses_evil"],
    ["export", "--format", "text", "ses_evil"],
    ["export", "--format", "json", "ses_evil"],
    ["export", "--format", "trajectory", "ses_evil"],
    ["doctor"],
    ["index", "--source", "/none\x1b[31m\x07"],
]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    parts = [
        PartSpec(text(EVIL), id="prt_evil"),
        PartSpec(reasoning(EVIL), id="prt_thought"),
        PartSpec(tool(f"ba\x1b[1msh{EVIL}", {"command": EVIL, EVIL: EVIL}, EVIL), id="prt_tool"),
        PartSpec(text("x"), id="prt_broken"),
    ]
    messages = [
        MessageSpec("user", [PartSpec(text(EVIL))], id="msg_ask"),
        MessageSpec("assistant", parts, id="msg_evil", extra={"agent": EVIL, "modelID": EVIL}),
        MessageSpec("user", [PartSpec(text(EVIL), id="prt_gone")], id="msg_gone", gone=True),
    ]
    path = opencode_db(
        tmp_path / "opencode.db",
        sessions=[SessionSpec(EVIL, messages, id="ses_evil", directory=f"/home/{EVIL[:14]}")],
    )
    set_data(path, "prt_broken", f'{{"type": "{EVIL[:30]}')
    return path


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: ascii(" ".join(words))[1:40])
@pytest.mark.parametrize("json", [False, True])
def test_nothing_steers_the_terminal(
    store: Path, tmp_path: Path, command: list[str], json: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    if command[0] == "leftovers":
        pytest.importorskip("tui.cli.leftovers")
    more = ["--json"] if json and command[0] != "export" else []
    if "--source" not in command:
        more += ["--source", str(store)]
    code = main([*more, "--index", str(tmp_path / "index.db"), *command])
    out, err = capfd.readouterr()
    assert code in (0, 1, 2)
    assert out or err
    assert CONTROL.findall(out) == [] or command[:2] == ["show", "--raw"]
    assert CONTROL.findall(err) == []
