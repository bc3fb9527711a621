"""Where copied text goes on a machine with a desktop, inside tmux, and with neither."""

from __future__ import annotations

from pathlib import Path

import pyperclip
import pytest

from tests.tui.fake import FakeLibrary
from tests.tui.helpers import shell
from tui.copying import system_clipboard
from tui.widgets.transcript import Transcript

RECORD = '#!/bin/sh\necho "$@" > "{folder}/asked"\ncat > "{folder}/taken"\n'


@pytest.fixture
def no_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: str) -> None:
        raise pyperclip.PyperclipException("no mechanism")

    monkeypatch.setattr(pyperclip, "copy", refuse)


@pytest.fixture
def tmux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for tmux that notes what it is told."""
    program = tmp_path / "tmux"
    program.write_text(RECORD.format(folder=tmp_path))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")
    return tmp_path


def test_the_desktop_comes_first(tmux: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []
    monkeypatch.setattr(pyperclip, "copy", copied.append)
    assert system_clipboard("连接\n") == ""
    assert copied == ["连接\n"]
    assert not (tmux / "taken").exists()


@pytest.mark.usefixtures("no_desktop")
def test_tmux_takes_all_of_it_and_hands_it_on(tmux: Path) -> None:
    assert system_clipboard("a\x1bb\n连接" * 50_000) == "tmux"
    assert (tmux / "taken").read_text() == "a\x1bb\n连接" * 50_000
    assert (tmux / "asked").read_text() == "load-buffer -w -\n"


@pytest.mark.usefixtures("no_desktop")
def test_without_both_it_fails() -> None:
    with pytest.raises(pyperclip.PyperclipException):
        system_clipboard("x")


async def test_the_screen_says_that_it_went_into_tmux() -> None:
    async with shell(FakeLibrary(), clipboard=lambda text: "tmux") as sh:
        sh.transcript.post_message(Transcript.Copy("short", "bash output"))
        await sh.rest()
        assert sh.status.said == "copied bash output, 1 line, 5 B · into tmux"
