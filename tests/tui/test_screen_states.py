"""Every state the screen can be in, from nothing at all to quitting in the middle."""

from __future__ import annotations

import asyncio
import gc
import sys
import time
import weakref
from dataclasses import replace

from store.errors import StoreError
from store.model import Fault, Progress
from tests.tui.fake import LOOKED, SESSIONS, SOURCE, FakeLibrary, hit, session
from tests.tui.helpers import make_app, shell
from tui.jobs import Lane

HITS = [hit(0)]


async def test_nothing_on_this_machine_says_where_it_looked() -> None:
    async with shell(FakeLibrary((), (), (), LOOKED)) as sh:
        assert "No conversations on this machine yet" in sh.text
        for place in LOOKED:
            assert place.path in sh.text
        assert "no sessions folder in it" in sh.text
        assert "built-in demo" not in sh.text


async def test_one_key_opens_the_demo() -> None:
    demo = FakeLibrary(hits=HITS)
    async with shell(FakeLibrary((), (), ()), open_demo=lambda: demo) as sh:
        assert "try it with the built-in demo" in sh.text

        await sh.press("enter")

        assert sh.sessions.session == SESSIONS[0]
        assert sh.sessions.has_focus
        await sh.type("connection")
        assert len(sh.hits.hits) == 1


async def test_a_demo_that_fails_is_said() -> None:
    def broken() -> FakeLibrary:
        raise StoreError("OUTPUT_FAILED", "no room for the demo")

    async with shell(FakeLibrary((), (), ()), open_demo=broken) as sh:
        await sh.press("enter")

        assert sh.status.said == "no room for the demo"


async def test_the_latest_sessions_are_there_while_all_are_read() -> None:
    many = [session(f"ses_{n}", f"Session {n}", n * 60_000) for n in range(1234)]
    library = FakeLibrary(many)
    gate = library.hold("sessions all")
    async with shell(library, rest=False) as sh:
        await asyncio.to_thread(gate.arrived.wait, 5)
        await sh.pilot.pause()

        assert sh.sessions.session == many[0]
        assert 30 < sh.sessions.shown < 1234
        heading = next(line for line in sh.text.split("\n") if line.startswith(" api"))
        assert not any(sign.isdigit() for sign in heading.split("│")[0])
        await sh.press("j")
        gate.opened.set()
        await sh.rest()
        assert sh.sessions.shown == 1234
        assert sh.sessions.session == many[1]
        assert " api " in sh.text
        assert "1,234" in next(line for line in sh.text.split("\n") if line.startswith(" api"))


async def test_sessions_are_there_while_the_stores_are_looked_at() -> None:
    library = FakeLibrary()
    gate = library.hold("refresh")
    async with shell(library, rest=False) as sh:
        await asyncio.to_thread(gate.arrived.wait, 5)
        await sh.pilot.pause()

        assert sh.sessions.session == SESSIONS[0]
        assert "looking for stores…" in sh.text
        gate.opened.set()


async def test_the_list_says_that_it_is_loading() -> None:
    library = FakeLibrary()
    gate = library.hold("sessions")
    async with shell(library, rest=False) as sh:
        await asyncio.to_thread(gate.arrived.wait, 5)
        await sh.pilot.pause()

        assert "reading the list of sessions…" in sh.text
        gate.opened.set()


async def test_a_backfill_shows_how_far_it_is_and_the_screen_works() -> None:
    library = FakeLibrary(hits=HITS)
    library.progress = (Progress("opencode", 612, 4980, 700),)
    gate = library.hold("sync")
    usual = sys.getswitchinterval()
    async with shell(library, rest=False) as sh:
        await asyncio.to_thread(gate.arrived.wait, 5)
        await sh.pilot.pause()
        assert sh.status.state == "indexing 12 % · 612 of 4,980 parts · newest first"
        assert "catching up" in sh.text
        assert sys.getswitchinterval() < usual

        await sh.pilot.press("slash", *"connection", "enter")
        await sh.rest(but="sync")
        assert len(sh.hits.hits) == 1

        gate.opened.set()
        await sh.rest()
        assert sh.status.state == "indexed 100 % · 0 faults"
        assert sys.getswitchinterval() == usual


async def test_another_program_that_indexes_is_no_error() -> None:
    library = FakeLibrary()
    library.errors["sync"] = StoreError("INDEX_BUSY", "another program writes the index")
    async with shell(library) as sh:
        assert sh.status.state == "another program indexes"
        assert sh.status.said == ""
        assert sh.sessions.session == SESSIONS[0]


async def test_an_index_that_is_being_written_hides_no_sessions() -> None:
    library = FakeLibrary()
    library.errors["refresh"] = StoreError("INDEX_BUSY", "another program writes the index")
    async with shell(library) as sh:
        assert sh.sessions.session == SESSIONS[0]
        assert sh.status.said == ""


async def test_a_source_that_cannot_be_read_is_marked_in_the_header() -> None:
    broken = replace(SOURCE, name="mimocode", producer="mimocode", opened="failed")
    async with shell(FakeLibrary(sources=[SOURCE, broken])) as sh:
        header = sh.text.split("\n")[0]

    assert header.startswith(" backscroll   opencode  ⚠ mimocode")


async def test_when_no_source_can_be_read_the_screen_says_so_and_why() -> None:
    why = Fault("SOURCE_UNREADABLE", "/x.db", "/x.db cannot be read: it is not an SQLite database")
    broken = replace(SOURCE, opened="failed", parts=0, messages=0, faults=(why,))
    async with shell(FakeLibrary(sessions=(), sources=[broken])) as sh:
        assert "Nothing can be read." in sh.text
        assert "it is not an" in sh.text
        assert "SQLite database" in sh.text
        assert "cannot be read" in sh.text.split("\n")[0]
        assert "up to date" not in sh.text
        assert "100 %" not in sh.text


async def test_a_worker_that_fails_says_why_and_can_be_asked_again() -> None:
    library = FakeLibrary()
    library.errors["sessions"] = KeyError("unforeseen")
    async with shell(library) as sh:
        assert "KeyError: 'unforeseen'" in sh.text
        assert "try again" in sh.text

        del library.errors["sessions"]
        await sh.press("f5")

        assert sh.sessions.session == SESSIONS[0]


async def test_stores_without_sessions_say_so() -> None:
    async with shell(FakeLibrary(())) as sh:
        assert "No sessions." in sh.text


async def quit_while_held(library: FakeLibrary, call: str, *keys: str) -> float:
    gate = library.hold(call)
    app = make_app(library)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*keys)
        await asyncio.to_thread(gate.arrived.wait, 5)
        began = time.monotonic()
        await app.action_quit()
    gate.opened.set()
    return time.monotonic() - began


async def test_quitting_is_quick_whatever_is_held() -> None:
    for call, keys in (
        ("search", ("slash", "x")),
        ("refresh", ()),
        ("sync", ()),
        ("page", ()),
    ):
        assert await quit_while_held(FakeLibrary(hits=HITS), call, *keys) < 0.5


async def test_quitting_ends_the_backfill_by_its_stop_event() -> None:
    library = FakeLibrary()
    gate = library.hold("sync")
    app = make_app(library)
    async with app.run_test() as pilot:
        await asyncio.to_thread(gate.arrived.wait, 5)
        await pilot.press("q")

    assert not app._browse.jobs._lanes["sync"].thread.is_alive()


def test_a_lane_holds_on_to_nobody_whom_it_has_answered() -> None:
    class Asker:
        def ask(self) -> None:
            """Nothing takes no time."""

    lane, asker = Lane("test"), Asker()
    asking = weakref.ref(asker)
    lane.queue.put(asker.ask)
    lane.queue.join()
    del asker
    gc.collect()
    assert asking() is None
    lane.queue.put(None)
