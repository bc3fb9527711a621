"""Opening sessions, widening the window, copying, saving, the pages over the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import StoreError
from store.model import Fault
from tests.tui.fake import OUTPUT, SOURCE, FakeLibrary, hit
from tests.tui.helpers import Shell, shell
from tui import copying
from tui.settings import Settings
from tui.widgets.page import Page
from tui.widgets.transcript import Transcript


async def test_the_cursor_over_sessions_previews_them() -> None:
    library = FakeLibrary()
    async with shell(library) as sh:
        await sh.press("j", "j")

        assert sh.sessions.has_focus
        assert "page opencode:ses_rename 0 11" in library.asked
        assert "Rename tables in billing" in sh.text.split("│")[1]


async def test_a_session_opens_at_its_beginning_once() -> None:
    library = FakeLibrary()
    async with shell(library) as sh:
        await sh.press("enter")

        assert sh.transcript.has_focus
        assert library.asked.count("page opencode:ses_pool 0 11") == 1


async def test_widening_adds_ten_messages_on_each_side() -> None:
    library = FakeLibrary(hits=[hit(10)])
    async with shell(library) as sh:
        await sh.type("connection")
        await sh.press("enter", "enter")
        window = sh.transcript.window
        assert window is not None
        assert (window.first, len(window.messages)) == (16, 11)

        await sh.press("left_square_bracket", "right_square_bracket")

        window = sh.transcript.window
        assert window is not None
        assert (window.first, len(window.messages)) == (6, 31)


async def test_the_title_of_what_is_read_gives_way_last() -> None:
    async with shell(FakeLibrary()) as sh:
        head = sh.text.split("\n")[2].split("│")[1]
        assert head.split("  ")[0] == " Fix pool timeout under load"
        assert head.endswith("/home/ada/src/api  28 Nov 14:02  gpt-5.2")

        await sh.pilot.resize_terminal(60, 20)
        await sh.press("enter")
        head = sh.text.split("\n")[2]
        assert head.startswith(" Fix pool timeout under load ")
        assert head.endswith("  28 Nov 14:02  gpt-5.2")
        assert "/home" not in head

        await sh.pilot.resize_terminal(40, 20)
        await sh.rest()
        head = sh.text.split("\n")[2]
        assert head.startswith(" Fix pool timeout")
        assert head.endswith(" 28 Nov 14:02")


async def test_a_window_that_fails_says_why_and_is_asked_again() -> None:
    library = FakeLibrary()
    library.errors["page"] = StoreError("SOURCE_BUSY", "the store is being written; try again")
    async with shell(library) as sh:
        assert "the store is being written; try again" in sh.text

        del library.errors["page"]
        await sh.press("f5")

        assert "The pool times out when forty workers" in sh.text


async def copy_in(sh: Shell, text: str, what: str = "bash output") -> None:
    sh.transcript.post_message(Transcript.Copy(text, what))
    await sh.rest()


async def test_copying_says_what_and_how_much() -> None:
    copied: list[str] = []
    async with shell(FakeLibrary(), clipboard=copied.append) as sh:
        await copy_in(sh, "x" * 39 + "\n" + "y" * 8360)

        assert sh.status.said == "copied bash output, 2 lines, 8.4 kB"
        assert sh.app.clipboard == "x" * 39 + "\n" + "y" * 8360
        assert copied == [sh.app.clipboard]


async def test_the_output_of_a_hit_is_copied_whole() -> None:
    async with shell(FakeLibrary(hits=[hit(0)])) as sh:
        await sh.type("connection")
        await sh.press("enter", "enter", "y")

        assert sh.app.clipboard == OUTPUT
        assert sh.status.said == "copied bash output, 25 lines, 948 B"

        await sh.press("i")
        assert sh.status.said == "copied bash input, 1 line, 20 B"


async def test_a_desktop_without_clipboard_is_no_matter() -> None:
    async with shell(FakeLibrary(), clipboard=no_clipboard) as sh:
        await copy_in(sh, "short")

        assert sh.status.said == "sent to the terminal's clipboard: bash output, 1 line, 5 B"


async def test_what_is_too_large_for_the_terminal_goes_to_the_desktop_alone() -> None:
    copied: list[str] = []
    async with shell(FakeLibrary(), clipboard=copied.append) as sh:
        await copy_in(sh, "z" * 100_001)

        assert sh.app.clipboard == ""
        assert copied == ["z" * 100_001]
        assert sh.status.said == "copied bash output, 1 line, 100 kB"


async def test_what_can_be_copied_nowhere_can_be_saved() -> None:
    async with shell(FakeLibrary(), clipboard=no_clipboard) as sh:
        await copy_in(sh, "z" * 100_001)

        assert sh.status.said == "too large for the terminal's clipboard; w saves it to a file"


def no_clipboard(text: str) -> None:
    raise RuntimeError("no display")


async def test_a_part_is_saved_beside_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bash-pool_1_a.txt").write_text("mine")
    async with shell(FakeLibrary(hits=[hit(0)])) as sh:
        await sh.type("connection")
        await sh.press("enter", "enter", "w")

        assert sh.status.said == f"saved {tmp_path}/bash-pool_1_a-2.txt"
    assert (tmp_path / "bash-pool_1_a.txt").read_text() == "mine"
    assert (tmp_path / "bash-pool_1_a-2.txt").read_text() == OUTPUT


def test_a_file_name_is_harmless_whatever_the_tool_is_called() -> None:
    from dataclasses import replace

    from store.model import Tool
    from tests.tui.fake import part

    odd = replace(part("../../x", "m", Tool("../rm -rf /\n")), id="a/../b")

    assert copying.file_name(odd) == "rm-rf-a-..-b.txt"


def test_saving_into_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="OUTPUT_FAILED"):
        copying.save("text", tmp_path / "none", "a.txt")


async def test_the_help_shows_the_keys_of_the_place_first() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("enter", "question_mark")

        lines = [line.strip() for line in sh.text.split("\n")]
        assert len(sh.app.query(Page)) == 1
        assert lines[2] == "Reading"
        assert any("space" in line and "context.fold" in line for line in lines)

        await sh.press("escape")
        assert sh.app.screen is sh.screen


async def test_the_sources_page_lists_what_could_not_be_read() -> None:
    from dataclasses import replace

    fault = Fault("CORRUPT_PART", "prt_7", "row is no JSON; skipped")
    async with shell(FakeLibrary(sources=[replace(SOURCE, faults=(fault,))])) as sh:
        assert "⚠ 1 fault" in sh.text.split("\n")[0]

        await sh.press("F")

        assert "⚠ CORRUPT_PART  prt_7  row is no JSON; skipped" in sh.text


async def test_the_stored_json_opens_as_a_page() -> None:
    library = FakeLibrary(hits=[hit(0)])
    async with shell(library) as sh:
        await sh.type("connection")
        await sh.press("enter", "enter", "R")

        assert "raw opencode:prt_ses_pool_1_a" in library.asked
        assert '"tool": "bash"' in sh.text


async def test_what_is_folded_follows_the_settings() -> None:
    async with shell(FakeLibrary(), settings=Settings(fold="none")) as sh:
        assert "connection refused at 10.0.0.7:5432" in sh.text

    async with shell(FakeLibrary(), settings=Settings(fold="all")) as sh:
        assert "connection refused at 10.0.0.7:5432" not in sh.text


def test_the_editor_gets_the_text_as_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", f"cp -t {tmp_path}")

    copying.edit("the output\n", "bash-1.txt", "")

    assert (tmp_path / "bash-1.txt").read_text() == "the output\n"


def test_an_editor_that_is_not_there_is_an_error() -> None:
    with pytest.raises(StoreError, match="no-such-editor --wait cannot be run"):
        copying.edit("text", "a.txt", "no-such-editor --wait")
