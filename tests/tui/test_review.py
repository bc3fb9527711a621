"""The review of leftovers: what happened is listed, shown beside what came after, and forgotten."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from store.library import Library
from store.model import Change
from tests.makers import BASE, MessageSpec, PartSpec, SessionSpec, opencode_db, text, tool
from tests.store.shelf import say
from tests.tui.helpers import Shell, shell
from tui.messages import Followed
from tui.pages import PageScreen
from tui.review import ReviewScreen
from tui.widgets.page import Page
from tui.widgets.statusline import StatusLine


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Library]:
    """A talk of which a question and an answer were deleted and the first question edited."""
    spec = SessionSpec(
        "Rename the option",
        [
            MessageSpec("user", [PartSpec(text("hello there"), id="prt_a")], id="msg_a"),
            MessageSpec(
                "user", [PartSpec(text("undo this prompt"), id="prt_b")], id="msg_b", gone=True
            ),
            MessageSpec("assistant", [PartSpec(text("came later"), id="prt_c")], id="msg_c"),
        ],
        id="ses_r",
    )
    store = opencode_db(tmp_path / "opencode.db", sessions=[spec])
    library = Library.open(sources=[store], index=tmp_path / "ours" / "index.db")
    library.sync(threading.Event())
    yield library
    library.close()


def with_a_newer_session(folder: Path) -> Library:
    """The talk of `door`, and another store with a session that comes first in the list."""
    talk = MessageSpec("user", [text("hi")], time=BASE + 10**8)
    spec = SessionSpec("Newer", [talk], id="ses_n", time=BASE + 10**8)
    newer = opencode_db(folder / "newer.db", sessions=[spec])
    library = Library.open(
        sources=[folder / "opencode.db", newer], index=folder / "ours" / "index.db"
    )
    library.sync(threading.Event())
    return library


def review(opened: Shell) -> ReviewScreen:
    return cast(ReviewScreen, opened.app.screen)


def page(opened: Shell) -> str:
    return "\n".join(line.plain for line in review(opened).query_one(Page).lines)


async def test_what_was_undone_stands_beside_what_came_after(door: Library) -> None:
    async with shell(door, (160, 40)) as opened:
        await opened.press("L")
        assert [one.cause for one in review(opened).list.rows] == ["message_deleted"]
        shown = page(opened)
        assert "1 message, 1 part" in shown
        assert "in the store's event log" in shown
        assert "undo this prompt" in shown
        line = next(line for line in shown.split("\n") if "came later" in line)
        assert line.index("│") < line.index("came later")


async def test_enter_reads_it_in_its_place(door: Library) -> None:
    async with shell(door, (160, 40)) as opened:
        await opened.press("L", "enter")
        window = opened.screen.reader.window
        assert window is not None
        assert window.anchor == "msg_b"
        fates = [one.message.fate for one in window.messages]
        assert fates == ["live", "removed", "live"]
        assert "undo this prompt" in opened.text
        await opened.press("d")
        assert "undo this prompt" not in opened.text


async def test_a_query_narrows_the_list(door: Library) -> None:
    async with shell(door, (160, 40)) as opened:
        await opened.press("L", "slash", *"cause:edited", "enter")
        assert list(review(opened).list.rows) == []
        await opened.press("escape")
        assert not isinstance(opened.app.screen, ReviewScreen)


async def test_forgetting_asks_first(door: Library) -> None:
    async with shell(door, (160, 40)) as opened:
        await opened.press("L", "X", "enter")
        assert len(review(opened).list.rows) == 1
        await opened.press("X", "j", "enter")
        assert list(review(opened).list.rows) == []
        assert door.leftovers().leftovers == ()


async def test_forgetting_says_what_goes_with_it(door: Library, tmp_path: Path) -> None:
    say(tmp_path / "opencode.db", "prt_c", "came later, edited", 1_796_000_900_000)
    door.sync(threading.Event())
    async with shell(door, (160, 40)) as opened:
        await opened.press("L", "slash", *"cause:edited", "enter")
        await opened.press("X")
        assert "Forget 1 part, with the present text and 1 earlier text" in opened.text


async def test_the_prompt_that_was_undone_is_copied(door: Library) -> None:
    async with shell(door, (160, 40)) as opened:
        await opened.press("L", "Y")
        assert opened.app.clipboard == "undo this prompt"


async def test_a_part_that_never_changed_has_no_earlier_texts(door: Library) -> None:
    async with shell(door, (160, 40)) as opened:
        await opened.press("L", "enter", "D")
        assert not isinstance(opened.app.screen, PageScreen)


async def test_where_it_is_narrow_list_and_text_take_turns(door: Library) -> None:
    async with shell(door, (50, 15)) as opened:
        await opened.press("L")
        screen = review(opened)
        assert (screen.list.outer_size.width, screen.query_one(Page).display) == (50, False)
        assert "enter read   tab text   esc back   ? keys" in opened.text

        await opened.press("tab")
        assert (screen.query_one(Page).has_focus, screen.list.display) == (True, True)
        assert screen.query_one(Page).outer_size.width == 50
        assert "undo this prompt" in opened.text

        await opened.press("escape")
        assert screen.list.has_focus
        assert not screen.query_one(Page).display


async def test_enter_lands_on_what_went_and_not_on_what_stayed(tmp_path: Path) -> None:
    """A part of an answer was deleted, the one before it is there; leftovers were hidden before."""
    spec = SessionSpec(
        "Two parts",
        [
            MessageSpec("user", [PartSpec(text("hello there"), id="prt_a")], id="msg_a"),
            MessageSpec(
                "assistant",
                [
                    PartSpec(text("this one stays"), id="prt_b"),
                    PartSpec(text("this one went"), id="prt_c", gone=True),
                ],
                id="msg_b",
            ),
        ],
        id="ses_r",
    )
    store = opencode_db(tmp_path / "opencode.db", sessions=[spec])
    library = Library.open(sources=[store], index=tmp_path / "ours" / "index.db")
    library.sync(threading.Event())
    async with shell(library, (160, 40)) as opened:
        await opened.press("enter", "d", "L", "enter")
        part = opened.screen.reader.transcript.current_part
        assert part is not None
        assert (part.id, part.fate) == ("prt_c", "removed")
    library.close()


async def test_w_saves_what_the_happening_took(
    door: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with shell(door, (160, 40)) as opened:
        await opened.press("L")
        keys = str(review(opened).query_one(StatusLine).render())
        assert "w save" in keys
        assert "e export" in keys
        await opened.press("w")
    assert (tmp_path / "leftovers-ses_r.txt").read_text() == "undo this prompt"


async def test_e_exports_the_session_that_is_reviewed(
    door: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another session stands under the cursor of the main screen."""
    monkeypatch.chdir(tmp_path)
    library = with_a_newer_session(tmp_path)
    async with shell(library, (160, 40)) as opened:
        assert opened.sessions.session is not None
        assert opened.sessions.session.id == "ses_n"
        await opened.press("L", "e", "enter")
        assert [path.name for path in tmp_path.glob("*.md")] == ["Rename-the-option-ses_r.md"]
    library.close()


async def test_enter_puts_the_cursor_of_the_sessions_on_its_session(
    door: Library, tmp_path: Path
) -> None:
    library = with_a_newer_session(tmp_path)
    async with shell(library, (160, 40)) as opened:
        await opened.press("L", "enter")
        assert opened.sessions.session is not None
        assert opened.sessions.session.id == "ses_r"
        window = opened.screen.reader.window
        assert window is not None
        assert window.anchor == "msg_b"
    library.close()


async def test_an_open_review_sees_what_others_forget(door: Library, tmp_path: Path) -> None:
    async with shell(door, (160, 40)) as opened:
        await opened.press("L")
        assert len(review(opened).list.rows) == 1
        other = Library.open(
            sources=[tmp_path / "opencode.db"], index=tmp_path / "ours" / "index.db"
        )
        other.forget(["prt_b"])
        other.close()
        number = opened.screen.jobs._latest["follow"]
        opened.screen.post_message(Followed("follow", number, Change(everything=True)))
        await opened.rest()
        assert list(review(opened).list.rows) == []


async def test_what_went_reads_in_its_order_and_a_tool_is_named_once(tmp_path: Path) -> None:
    """A patch has no time of its own: it stands where it is, not where its message began."""
    spec = SessionSpec(
        "Order",
        [
            MessageSpec("user", [PartSpec(text("stay"), id="prt_a")], id="msg_a"),
            MessageSpec(
                "assistant",
                [
                    PartSpec({**text("first words"), "time": {"start": BASE + 50_000}}, id="prt_1"),
                    PartSpec(tool("bash", {"command": "ls"}, "listed"), id="prt_2"),
                    PartSpec({"type": "patch", "hash": "abc", "files": ["/p/last.py"]}, id="prt_3"),
                ],
                id="msg_b",
                gone=True,
            ),
        ],
        id="ses_r",
    )
    store = opencode_db(tmp_path / "opencode.db", sessions=[spec])
    library = Library.open(sources=[store], index=tmp_path / "ours" / "index.db")
    library.sync(threading.Event())
    async with shell(library, (100, 40)) as opened:
        await opened.press("L")
        shown = page(opened)
        told = shown[shown.index("undone") :]
        words = ["first words", "bash", "command: ls", "listed", "/p/last.py"]
        assert [told.count(word) for word in words] == [1] * 5
        assert sorted(words, key=told.index) == words
    library.close()


async def test_each_happening_is_shown_from_its_beginning(tmp_path: Path) -> None:
    specs = []
    for name in ("r", "s"):
        gone = MessageSpec("user", [text("line\n" * 200)], gone=True)
        messages = [MessageSpec("user", [text("stay")]), gone]
        specs.append(SessionSpec("Long", messages, id=f"ses_{name}"))
    store = opencode_db(tmp_path / "opencode.db", sessions=specs)
    library = Library.open(sources=[store], index=tmp_path / "ours" / "index.db")
    library.sync(threading.Event())
    async with shell(library, (160, 40)) as opened:
        await opened.press("L", "tab", "G")
        text_pane = review(opened).query_one(Page)
        assert text_pane.scroll_offset.y > 0
        review(opened).again()
        await opened.rest()
        assert text_pane.scroll_offset.y > 0
        await opened.press("tab", "j")
        assert text_pane.scroll_offset.y == 0
    library.close()
