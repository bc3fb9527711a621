"""What changes in the stores is shown without moving what the reader looks at."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import pytest

from store.errors import StoreError
from store.library import Library
from store.model import Change, Copy, Fault, Tool, Window, WindowMessage
from tests.makers import MessageSpec, opencode_db, text
from tests.store.shelf import LATER, add_part, one_talk, talk
from tests.tui.fake import SESSIONS, SOURCE, FakeLibrary, hit, session, turn
from tests.tui.helpers import Shell, shell
from tui.messages import Followed

POOL = Change((("opencode", "ses_pool"),))


class Growing(FakeLibrary):
    """A library whose windows can be changed message by message."""

    def __init__(self) -> None:
        super().__init__()
        self.length = 8
        self.instead: dict[int, WindowMessage] = {}

    def _window(self, session_id: str, first: int, count: int) -> Window:
        window = super()._window(session_id, first, count)
        turns = [self.instead.get(n, one) for n, one in enumerate(window.messages, first)]
        return replace(window, messages=tuple(turns))


async def change(opened: Shell, told: Change) -> None:
    """Lets following tell of a change, and shows it."""
    number = opened.screen.jobs._latest["follow"]
    opened.screen.post_message(Followed("follow", number, told))
    await opened.pilot.pause()
    opened.screen.refresh_shown()
    await opened.rest()


def with_output(number: int, output: str | None, status: str) -> WindowMessage:
    one = turn(number)
    tool = one.parts[0].content
    assert isinstance(tool, Tool)
    content = replace(tool, output=output, status=status, exit=0)
    later = replace(one.parts[0], content=content, updated=len(output or ""))
    return replace(one, parts=(later, *one.parts[1:]))


async def test_following_begins_when_the_index_is_up_to_date() -> None:
    library = FakeLibrary()
    gate = library.hold("sync")
    async with shell(library, rest=False) as opened:
        await opened.rest(but="sync")
        assert "follow" not in library.asked
        gate.opened.set()
        await opened.rest()
        assert library.asked.count("follow") == 1


async def test_what_ails_a_store_is_told_above_and_below_alike() -> None:
    library = FakeLibrary()
    async with shell(library) as opened:
        assert opened.status.state == "indexed 100 % · 0 faults"
        lost = Fault("SOURCE_NOT_FOUND", "/data/opencode.db", "it does not exist")
        library.all_sources = (replace(SOURCE, opened="missing", faults=(lost,)),)
        await change(opened, Change(everything=True))
        assert "⚠ 1 fault · " in opened.text
        assert opened.status.state == "indexed 100 % · 1 fault · F lists"


async def test_a_state_that_is_not_of_the_index_stays() -> None:
    library = FakeLibrary()
    async with shell(library) as opened:
        opened.status.show_state("another program indexes")
        await change(opened, Change(everything=True))
        assert opened.status.state == "another program indexes"


async def test_what_several_stores_have_counts_once() -> None:
    library = FakeLibrary()
    copy = Copy("opencode-2", 300, 2_000)
    gone = replace(copy, source="opencode-3", fate="deleted")
    library.all_sessions = (replace(SESSIONS[0], copies=(copy, gone)), *SESSIONS[1:])
    library.all_sources = (replace(SOURCE, messages=1_000, parts=9_000),)
    async with shell(library) as opened:
        assert "700 messages · 7,000 parts" in opened.text


async def test_a_new_session_leaves_the_cursor_on_its_line() -> None:
    library = FakeLibrary()
    async with shell(library) as opened:
        await opened.press("j", "j")
        chosen, line = opened.sessions.session, opened.sessions._starts[opened.sessions.cursor]
        top = opened.sessions.scroll_offset.y
        assert chosen is not None
        library.all_sessions = (session("ses_new", "Something new", 0), *SESSIONS)
        await change(opened, Change((("opencode", "ses_new"),)))
        assert "Something new" in opened.text
        assert opened.sessions.session == chosen
        now = opened.sessions._starts[opened.sessions.cursor]
        assert now - opened.sessions.scroll_offset.y in (line - top, line - top + 1)
        assert "ses_new" not in str(opened.screen.reader.ident)


async def test_a_change_reads_anew_only_what_changed() -> None:
    library = FakeLibrary()
    async with shell(library) as opened:
        library.asked.clear()
        library.all_sessions = tuple(one for one in SESSIONS if one.id != "ses_han")
        await change(opened, Change((("opencode", "ses_pool"), ("opencode", "ses_han"))))
        assert "some_sessions ses_han ses_pool" in library.asked
        assert not [call for call in library.asked if call.startswith("sessions")]
        assert "数据库" not in opened.text
        assert "Sessions                                7" in opened.text
        await change(opened, Change((("opencode", "ses_pool"),), everything=True))
        assert "sessions all" in library.asked


async def test_what_could_not_be_read_anew_is_read_with_the_next_change() -> None:
    library = FakeLibrary()
    async with shell(library) as opened:
        library.all_sessions = (replace(SESSIONS[0], title="Pool: solved"), *SESSIONS[1:])
        library.errors["some_sessions"] = StoreError("INDEX_FAILED", "the disk is away")
        await change(opened, POOL)
        assert opened.sessions.session == SESSIONS[0]
        assert opened.status.state == "sessions not up to date"
        library.errors.clear()
        await change(opened, Change((("opencode", "ses_ci"),)))
        assert opened.sessions.session == library.all_sessions[0]
        assert opened.status.state == "indexed 100 % · 0 faults"


@pytest.mark.parametrize(("keys", "stands"), [((), "ses_new"), (("j",), "ses_explore")])
async def test_who_has_not_moved_at_the_start_stands_on_the_first_line(
    keys: tuple[str, ...], stands: str
) -> None:
    library = FakeLibrary()
    gate = library.hold("sync")
    async with shell(library, rest=False) as opened:
        await opened.rest(but="sync")
        await opened.pilot.press(*keys)
        library.all_sessions = (session("ses_new", "Something new", 0), *SESSIONS)
        gate.opened.set()
        await opened.rest()
        assert opened.sessions.session is not None
        assert opened.sessions.session.id == stands
        reader = opened.screen.reader
        assert reader.window is not None
        assert reader.window.session.id == stands


async def test_an_equal_list_is_not_held_twice() -> None:
    library = FakeLibrary()
    async with shell(library) as opened:
        library.all_sessions = tuple(replace(one) for one in SESSIONS)
        await opened.press("f5")
        held = opened.sessions._all
        assert held == library.all_sessions
        assert opened.screen._page.sessions is held


async def test_later_the_cursor_keeps_its_session_though_nobody_moved_it() -> None:
    library = FakeLibrary()
    async with shell(library) as opened:
        library.all_sessions = (session("ses_new", "Something new", 0), *SESSIONS)
        await change(opened, Change(everything=True))
        assert opened.sessions.session == SESSIONS[0]


async def test_a_title_changes_in_place() -> None:
    library = FakeLibrary()
    async with shell(library) as opened:
        first = replace(SESSIONS[0], title="Pool: solved")
        library.all_sessions = (first, *SESSIONS[1:])
        await change(opened, POOL)
        assert "Pool: solved" in opened.text


async def test_messages_come_below_and_nothing_moves() -> None:
    library = Growing()
    async with shell(library, (120, 24)) as opened:
        await opened.press("enter", "g")
        before = opened.transcript.here()
        top = opened.transcript.scroll_offset
        library.length = 11
        await change(opened, POOL)
        assert opened.transcript.here() == before
        assert opened.transcript.scroll_offset == top
        assert "of 11 messages" in opened.text
        assert "3 new below" in opened.text
        library.length = 12
        await change(opened, POOL)
        assert "4 new below" in opened.text
        await opened.press("G")
        assert "new below" not in opened.text
        assert opened.transcript.position.place == 12


async def test_a_conversation_not_read_to_its_end_says_what_came() -> None:
    library = Growing()
    library.length = 40
    async with shell(library) as opened:
        await opened.press("enter")
        shown = opened.transcript.window
        assert shown is not None
        library.length = 41
        await change(opened, POOL)
        now = opened.transcript.window
        assert now is not None
        assert (now.first, len(now.messages), now.total) == (0, len(shown.messages), 41)
        assert "1 new below" in opened.text


async def test_a_tool_that_finishes_is_replaced_in_place() -> None:
    library = Growing()
    library.instead[3] = with_output(3, None, "running")
    async with shell(library) as opened:
        await opened.press("enter", "g")
        before = opened.transcript.here()
        library.instead[3] = with_output(3, "built in 9 s", "completed")
        await change(opened, POOL)
        assert opened.transcript.here() == before
        window = opened.transcript.window
        assert window is not None
        content = window.messages[3].parts[0].content
        assert isinstance(content, Tool)
        assert content.output == "built in 9 s"
        assert "       1 line ▸" in opened.text


async def test_another_session_s_change_reads_nothing_again() -> None:
    library = Growing()
    async with shell(library) as opened:
        await opened.press("enter")
        library.asked.clear()
        await change(opened, Change((("opencode", "ses_ci"),)))
        assert [call for call in library.asked if call.startswith("page")] == []


async def test_reading_again_makes_way_for_what_the_reader_asks() -> None:
    library = Growing()
    async with shell(library) as opened:
        await opened.press("enter")
        reader = opened.screen.reader
        gate = library.hold("page")
        library.length = 9
        reader.follow({("opencode", "ses_pool")}, everything=False)
        await asyncio.to_thread(gate.arrived.wait)
        reader.open_session(SESSIONS[4])
        gate.opened.set()
        await opened.rest()
        assert reader.window is not None
        assert reader.window.session.id == "ses_ci"


async def test_a_new_hit_joins_the_first_page() -> None:
    library = FakeLibrary(hits=[hit(n) for n in range(3)])
    async with shell(library) as opened:
        await opened.type("refused")
        await opened.press("enter", "1")
        chosen = opened.hits.hit
        assert chosen is not None
        library.all_hits = (hit(7), *library.all_hits)
        await change(opened, POOL)
        assert len(opened.hits.hits) == 4
        assert opened.hits.hit == chosen


async def test_a_problem_is_said_and_that_it_is_over() -> None:
    library = FakeLibrary()
    async with shell(library) as opened:
        fault = Fault("INDEX_FAILED", "/ours", "the disk that holds /ours is full")
        await change(opened, Change(problem=fault))
        assert "index not up to date" in opened.status.state
        assert "the disk that holds /ours is full" in opened.status.said
        await change(opened, POOL)
        assert "indexed 100 %" in opened.status.state


async def test_a_worker_that_breaks_says_so_and_f5_begins_anew() -> None:
    library = FakeLibrary()
    library.errors["follow"] = RuntimeError("no more threads")
    async with shell(library) as opened:
        await asyncio.to_thread(opened.screen.jobs._lanes["follow"].queue.join)
        await opened.rest()
        assert "following ended" in opened.status.state
        assert "RuntimeError: no more threads" in opened.status.said
        del library.errors["follow"]
        await opened.press("f5")
        assert library.asked.count("follow") == 2


async def test_a_store_appears_on_a_machine_without_one() -> None:
    library = FakeLibrary(sources=(), sessions=())
    async with shell(library) as opened:
        assert "No conversations on this machine yet" in opened.text
        assert library.asked.count("follow") == 1
        library.all_sources, library.all_sessions = (SOURCE,), SESSIONS
        await change(opened, Change(everything=True))
        assert "Fix pool timeout" in opened.text


# With a real library ---------------------------------------------------------------------------


async def until(opened: Shell, text: str) -> None:
    """Waits until something can be read on the screen."""
    for _ in range(400):
        if text in opened.text:
            return
        await asyncio.to_thread(Event().wait, 0.02)
        await opened.pilot.pause()
    raise AssertionError(f"{text!r} never came:\n{opened.text}")


async def test_a_commit_shows_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.follow.TICK_S", 0.01)
    store = one_talk(tmp_path / "opencode.db")
    held = Library.open(sources=[store], index=tmp_path / "ours" / "index.db")
    async with shell(held) as opened:
        await opened.press("enter")
        new = {"type": "text", "text": "quartz arrives"}
        add_part(store, "prt_new", "msg_say", "ses_one", new, LATER)
        await until(opened, "quartz arrives")
        jobs = opened.screen.jobs
        await opened.app.action_quit()
        for name, lane in jobs._lanes.items():
            lane.thread.join(5)
            assert not lane.thread.is_alive(), name
    assert [thread for thread in _followers() if thread.is_alive()] == []
    held.close()


@pytest.mark.parametrize("moment", ["backfill", "following"])
async def test_quitting_ends_what_is_under_way(tmp_path: Path, moment: str) -> None:
    words = "quartz " + " ".join(f"w{n}" for n in range(2_000))
    messages = [MessageSpec("user", [text(f"{n} {words}")] * 4) for n in range(300)]
    store = opencode_db(tmp_path / "opencode.db", sessions=[talk("one", *messages)])
    held = Library.open(sources=[store], index=tmp_path / "ours" / "index.db")
    async with shell(held, rest=False) as opened:
        jobs = opened.screen.jobs
        while not (jobs.following if moment == "following" else held.coverage().indexed):
            await opened.pilot.pause()
        await opened.app.action_quit()
        for name in ("sync", "follow"):
            if name in jobs._lanes:
                await asyncio.to_thread(jobs._lanes[name].thread.join, 10)
                assert not jobs._lanes[name].thread.is_alive(), name
    held.close()


def _followers() -> list[Thread]:
    import threading

    return [one for one in threading.enumerate() if one.name == "backscroll-follow"]
