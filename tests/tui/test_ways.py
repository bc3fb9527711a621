"""Ways through conversations: outline, finding here, sub-agents and parents, places visited."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from store.demo import build
from store.library import Library
from store.model import Message, Part, Session, Text, Window, WindowMessage
from tests.tui.fake import MINUTE, FakeLibrary, ago, hit
from tests.tui.helpers import shell
from tui import ways
from tui.render.layout import Choice
from tui.render.part import is_error
from tui.spots import Spot, Trail
from tui.widgets.picker import ItemList, Picker
from tui.widgets.windowview import Aim
from tui.words import hit_signs


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("demo")
    library = Library.open(sources=[build(folder)], index=folder / "index.db")
    library.sync(Event())
    return library


def session_of(library: Library, title: str) -> Session:
    found = library.sessions(limit=None).sessions
    return next(one for one in found if one.title.startswith(title))


def test_chapters_are_the_prompts_with_what_failed_after_each(demo: Library) -> None:
    found = ways.chapters(demo, session_of(demo, "Gateway cannot reach Postgres"))

    assert [(one.text[:20], one.failed) for one in found] == [
        ("Since last night's m", 4),
        ("Done, it cost me a c", 0),
    ]
    assert found[0].time < found[1].time


def test_outline_screen_and_statistics_count_the_same_failures(demo: Library) -> None:
    session = session_of(demo, "Gateway cannot reach Postgres")
    window = demo.page(ways.name_of(session), 0, 500)
    shown = [part for one in window.messages for part in one.parts if is_error(part)]

    assert len(shown) == 4
    assert sum(one.failed for one in ways.chapters(demo, session)) == 4
    assert sum(one.failed for one in ways._read_chapters(demo, session)) == 4
    assert demo.stats(f"session:{session.id}").total.failed == 4
    listed = demo.search(f"session:{session.id} kind:tool_input has:error", limit=9).hits
    assert [hit_signs(one) for one in listed] == ["✗"] * 4


def test_chapters_of_what_is_not_indexed_yet_are_read() -> None:
    library = FakeLibrary()
    found = ways.chapters(library, library.all_sessions[0])

    assert len(found) == 22
    assert found[1].ident == "prt_ses_pool_2_a"


def test_a_parent_opens_at_the_call_that_began_the_child(demo: Library) -> None:
    child = session_of(demo, "Trace where the pool")

    window = ways.parent_window(demo, child)

    assert window.session.id == child.parent
    call = next(p for one in window.messages for p in one.parts if p.id == window.part)
    assert ways.sub_session(call) == (child.id, "")
    assert ways.child_window(demo, child.source, child.id).session.id == child.id


def plain_window(first: int, *numbers: int, total: int = 9) -> Window:
    session = Session("s", "ses", "", "", "")
    messages = tuple(
        WindowMessage(
            Message(f"m{n}", "ses", "user", n), (Part(f"p{n}", f"m{n}", "ses", n, 0, Text()),)
        )
        for n in numbers
    )
    return Window(session, messages, first, total)


def test_neighbouring_windows_become_one() -> None:
    window = plain_window(3, 3, 4)

    after = ways.joined(window, plain_window(5, 4, 5, 6))
    assert after is not None
    assert [one.message.id for one in after.messages] == ["m3", "m4", "m5", "m6"]
    before = ways.joined(window, plain_window(1, 1, 2))
    assert before is not None
    assert (before.first, len(before.messages)) == (1, 4)
    assert ways.joined(window, plain_window(5, 5, total=10)) is None


def spot(number: int) -> Spot:
    return Spot("s:ses", number, 5, Choice(), Aim())


def test_a_trail_goes_back_and_forward_and_forgets_what_was_ahead() -> None:
    trail = Trail()
    trail.leave(spot(1))
    trail.leave(spot(2))

    assert trail.step(spot(3), -1) == spot(2)
    assert trail.step(spot(2), -1) == spot(1)
    assert trail.step(spot(1), -1) is None
    assert trail.step(spot(1), 1) == spot(2)
    trail.leave(spot(9))
    assert trail.step(spot(2), 1) is None


async def test_the_outline_jumps_and_is_narrowed_by_typing() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("enter", "O")
        assert isinstance(sh.app.screen, Picker)
        assert "Outline   22 chapters" in sh.text

        await sh.press("slash", *"20", "enter")

        assert not isinstance(sh.app.screen, Picker)
        assert sh.transcript.position.text == "39 of 44 messages"
        assert sh.transcript.has_focus


async def test_the_outline_can_be_left() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("enter", "O", "slash", "z", "q")
        assert "nothing of that name" in sh.text
        assert len(sh.app.screen.query_one(ItemList).rows) == 0
        await sh.press("escape", "escape")
        assert sh.transcript.has_focus


async def test_finding_here_marks_and_goes_to_the_next() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("enter", "f", *"retry 3", "enter")

        assert sh.transcript.has_focus
        assert sh.transcript.choice.terms == ("retry 3",)
        part = sh.transcript.current_part
        assert part is not None
        assert part.id == "prt_ses_pool_1_a"
        assert "“retry 3” on" in sh.text


async def test_finding_goes_on_beyond_what_is_loaded() -> None:
    library = FakeLibrary()
    far = hit(15, time=ago(12 * MINUTE) + 31 * 3000)
    library.answer_to['source:opencode session:ses_pool "refused"'] = [far]
    async with shell(library) as sh:
        await sh.press("enter", "f", *"refused", "enter")
        await sh.press("G", "n")
        window = sh.transcript.window

        assert window is not None
        assert window.part == "prt_ses_pool_31_a"
        await sh.press("G", "n")
        assert sh.status.said == "no more “refused” this way"


async def test_reading_on_loads_more_by_itself() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("enter", "G", "J", "J")

        window = sh.transcript.window
        assert window is not None
        assert len(window.messages) == 21
        assert sh.transcript.position.text.startswith(("12 of", "13 of"))


async def test_the_way_back_to_what_was_read() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("enter", "J", "J")
        left = sh.transcript.position.text
        await sh.press("escape", "j", "enter", "J")
        assert sh.screen.reader.window is not None
        assert sh.screen.reader.window.session.id == "ses_explore"

        await sh.press("alt+left")
        assert sh.screen.reader.window.session.id == "ses_pool"
        assert sh.transcript.position.text == left

        await sh.press("alt+right")
        assert sh.screen.reader.window.session.id == "ses_explore"
        await sh.press("alt+right")
        assert sh.status.said == "no place visited after"


async def test_into_a_sub_agent_and_back_to_its_call(tmp_path: Path) -> None:
    library = Library.open(sources=[build(tmp_path)], index=tmp_path / "index.db")
    async with shell(library) as sh:
        await sh.press("enter")
        place = next(
            n for n, block in enumerate(sh.transcript.blocks)
            if block.part and ways.sub_session(block.part)[0]
        )  # fmt: skip
        sh.transcript.go(place)
        call = sh.transcript.current_part
        await sh.press("greater_than_sign")
        assert sh.screen.reader.window is not None
        assert sh.screen.reader.window.session.title.startswith("Trace where the pool is opened")

        await sh.press("circumflex_accent")
        assert sh.transcript.current_part == call
        await sh.press("circumflex_accent")
        assert sh.status.said == "this session has no parent"


async def test_one_slice_or_all() -> None:
    library = FakeLibrary()
    async with shell(library) as sh:
        await sh.press("enter", "A")
        assert library.slices[-1] == "main"
        assert "slice main only" in sh.text
        await sh.press("A")
        assert library.slices[-1] == ""


def test_a_call_that_names_its_own_session_names_a_slice() -> None:
    from store.model import Tool

    part = replace(
        plain_window(0, 1).messages[0].parts[0],
        content=Tool("actor", meta={"sessionId": "ses", "actorId": "explore-1"}),
    )
    assert ways.sub_session(part) == ("ses", "explore-1")


async def test_g_twice_goes_to_the_ends_of_the_session() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("enter", "G")
        assert sh.transcript.position.place == 11
        await sh.press("G")
        assert sh.transcript.position.text == "44 of 44 messages"
        await sh.press("g", "g")
        assert sh.transcript.position.text == "1 of 44 messages"
