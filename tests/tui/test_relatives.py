"""From a session to those it belongs with, and to the other stores that have it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from threading import Event

import pytest

from store.errors import StoreError
from store.library import Library
from store.model import Child, Copy, Fork, Lineage, Session
from tests.makers import BASE, MessageSpec, PartSpec, mimocode_db, opencode_db, text
from tests.store.shelf import talk
from tests.tui.fake import HOUR, MINUTE, FakeLibrary, session
from tests.tui.helpers import Shell, shell
from tui import ways, words
from tui.heading import also_in, reading
from tui.relatives import DEEPEST, Relative, relatives_of
from tui.widgets.arranging import session_of
from tui.widgets.picker import Item, ItemList, Picker

COPIES = (Copy("mimocode", 50, 90, flags=("imported",)), Copy("opencode-2", 44, 80))
POOL = session("ses_pool", "Fix pool timeout", 12 * MINUTE, messages=44, copies=COPIES)
CHILD = session("ses_explore", "explore", 13 * MINUTE, messages=3, parent="ses_pool",
                flags=("subagent",))  # fmt: skip
BELOW = session("ses_below", "deeper", 14 * MINUTE, messages=1, parent="ses_explore",
                flags=("fork",))  # fmt: skip
ROOT = session("ses_root", "Root", 3 * HOUR, messages=9)
FORK = session("ses_fork", "Fix pool timeout (fork #1)", HOUR, messages=12, flags=("fork",))


class Kin(FakeLibrary):
    """Answers `trace` with a lineage that the test gives."""

    def __init__(self, lineage: Lineage) -> None:
        sessions = [
            lineage.session,
            *lineage.parents,
            *(one.session for one in lineage.children),
            *(one.session for one in lineage.forks),
        ]
        super().__init__(sessions)
        self.lineage = lineage

    def trace(self, session: str) -> Lineage:
        super().trace(session)
        return self.lineage


def kin() -> Kin:
    return Kin(
        Lineage(
            replace(POOL, parent="ses_root"),
            parents=(ROOT,),
            children=(Child(CHILD, 1), Child(BELOW, 2)),
            forks=(Fork(FORK, "fork", 9),),
        )
    )


async def open_pool(sh: Shell) -> None:
    """Opens the session that has all the relatives."""
    places = [one.id if one else "" for one in map(session_of, sh.sessions.rows)]
    sh.sessions.go(places.index("ses_pool"))
    await sh.press("enter")


def choices(sh: Shell) -> list[Item]:
    assert isinstance(sh.app.screen, Picker)
    return list(sh.app.screen.query_one(ItemList).rows)


# Other places --------------------------------------------------------------------------------


def test_the_heading_names_every_place_and_which_has_more() -> None:
    assert also_in(POOL) == "in opencode mimocode+ opencode-2"
    assert also_in(ROOT) == ""
    title, about = reading(POOL, None, 0, "/home/ada", 60)
    assert (title, about.split("  ")[0]) == ("Fix pool timeout", also_in(POOL))


def test_a_session_of_several_stores_has_a_sign() -> None:
    assert (words.session_signs(POOL), words.session_signs(ROOT)) == ("≡", "")


async def test_the_screen_names_both_places_and_leads_to_the_other() -> None:
    library = kin()
    async with shell(library) as sh:
        await open_pool(sh)
        assert "in opencode mimocode+" in sh.text
        await sh.press("r")
        assert "in mimocode · 50 messages, 6 more" in sh.text
        assert "sub-agent · 3 messages" in sh.text
        await sh.press("enter")
        assert "page mimocode:ses_pool 0 11" in library.asked


@pytest.mark.parametrize("place", ["source:mimocode", ""])
async def test_a_conversation_of_two_real_stores(tmp_path: Path, place: str) -> None:
    one = talk("one", MessageSpec("user", [PartSpec(text("walrus"), id="prt_a")], id="msg_a"))
    stores = [
        opencode_db(tmp_path / "opencode.db", sessions=[one]),
        mimocode_db(tmp_path / "mimocode.db", sessions=[one], imported={"ses_one": "opencode"}),
    ]
    library = Library.open(sources=stores, index=tmp_path / "index.db")
    async with shell(library) as sh:
        assert [one.source for one in sh.sessions._all] == ["opencode"]
        if place:
            await sh.type(f"walrus {place}")
            await sh.press("enter")
        await sh.press("enter")
        first, other = ("mimocode", "opencode") if place else ("opencode", "mimocode")
        assert f"in {first} {other}" in sh.text
        await sh.press("r", "enter")
        assert sh.screen.reader.window is not None
        assert sh.screen.reader.window.session.source == other


# Relatives -----------------------------------------------------------------------------------


def test_relatives_are_places_then_a_tree_then_forks() -> None:
    found = relatives_of(kin(), POOL).found
    assert [(one.ident, one.bond) for one in found] == [
        ("mimocode:ses_pool", "in mimocode"),
        ("opencode-2:ses_pool", "in opencode-2"),
        ("opencode:ses_root", "parent"),
        ("opencode:ses_explore", "sub-agent"),
        ("opencode:ses_below", "fork"),
        ("opencode:ses_fork", "fork"),
    ]
    assert found[3].title == "explore"
    assert found[4].title == "· deeper"


def test_a_sub_agent_that_began_with_a_copy_is_a_sub_agent() -> None:
    child = replace(CHILD, flags=("subagent", "fork"))
    found = relatives_of(Kin(Lineage(POOL, children=(Child(child, 1),))), POOL).found
    assert found[-1].bond == "sub-agent"


@pytest.mark.parametrize(("down", "ident"), [(2, "ses_root"), (3, "ses_explore"), (5, "ses_fork")])
async def test_up_down_and_across(down: int, ident: str) -> None:
    async with shell(kin()) as sh:
        await open_pool(sh)
        await sh.press("r")
        await sh.press(*["j"] * down, "enter")
        assert not isinstance(sh.app.screen, Picker)
        assert sh.screen.reader.window is not None
        assert sh.screen.reader.window.session.id == ident
        await sh.press("alt+left")
        assert sh.screen.reader.window.session.id == "ses_pool"


async def test_across_to_a_fork_and_back_in_a_real_store(tmp_path: Path) -> None:
    asked = [MessageSpec("user", [text("Which port?")], time=BASE)]
    store = opencode_db(
        tmp_path / "opencode.db",
        sessions=[
            talk("origin", *asked, time=BASE),
            talk("fork", *asked, title="origin (fork #1)", time=BASE + 9),
        ],
    )
    library = Library.open(sources=[store], index=tmp_path / "index.db")
    library.sync(Event())
    async with shell(library) as sh:
        start = sh.sessions.session
        assert start is not None
        await sh.press("enter", "r")
        assert len(choices(sh)) == 1
        await sh.press("enter")
        window = sh.screen.reader.window
        assert window is not None
        assert {start.id, window.session.id} == {"ses_origin", "ses_fork"}


async def test_a_parent_that_is_nowhere_is_said() -> None:
    library = Kin(Lineage(replace(CHILD, parent="ses_gone"), missing="ses_gone"))
    async with shell(library) as sh:
        await sh.press("enter", "r")
        assert sh.status.said == "its parent ses_gone is in no store"
        library.lineage = Lineage(CHILD, children=(Child(BELOW, 1),), missing="ses_gone")
        await sh.press("r")
        assert "its parent ses_gone is in no store" in sh.text


async def test_nobody_else_is_said() -> None:
    async with shell(Kin(Lineage(ROOT))) as sh:
        await sh.press("enter", "r")
        assert sh.status.said == "this session has no relatives"


async def test_a_cycle_is_said() -> None:
    library = kin()
    library.errors["trace"] = StoreError("INVALID_LINEAGE", "ses_pool is its own ancestor")
    async with shell(library) as sh:
        await sh.press("enter", "r")
        assert sh.status.said == "ses_pool is its own ancestor"
        assert not isinstance(sh.app.screen, Picker)


def test_three_thousand_levels_become_a_list() -> None:
    deep = tuple(Child(replace(CHILD, id=f"s{n}"), n + 1) for n in range(3000))
    found = relatives_of(Kin(Lineage(ROOT, children=deep)), ROOT).found
    assert len(found) == 3000
    assert found[DEEPEST].title == "· " * DEEPEST + "explore"
    assert found[-1].title == "· " * DEEPEST + "3000 explore"


# Parent and sub-agent in another store -------------------------------------------------------


def two_stores(tmp_path: Path) -> tuple[Library, Session]:
    """A child whose parent only another store has."""
    root = talk("root", MessageSpec("user", [text("Go.")]), time=BASE)
    child = talk("child", MessageSpec("user", [text("Explore.")]), parent="ses_root", time=BASE + 5)
    stores = [
        opencode_db(tmp_path / "a.db", sessions=[root]),
        opencode_db(tmp_path / "b.db", sessions=[child]),
    ]
    library = Library.open(sources=stores, index=tmp_path / "index.db")
    library.sync(Event())
    return library, library.page("ses_child", 0, 1).session


def test_a_parent_in_another_store_is_found(tmp_path: Path) -> None:
    library, child = two_stores(tmp_path)
    window = ways.parent_window(library, child)
    assert (window.session.source, window.session.id) == ("opencode", "ses_root")
    below = ways.child_window(library, "opencode", "ses_child")
    assert (below.session.source, below.session.id) == ("opencode-2", "ses_child")


async def test_the_parent_of_a_session_whose_parent_is_nowhere(tmp_path: Path) -> None:
    orphan = talk("one", MessageSpec("user", [text("Hello.")]), parent="ses_gone")
    store = opencode_db(tmp_path / "opencode.db", sessions=[orphan])
    async with shell(Library.open(sources=[store], index=tmp_path / "index.db")) as sh:
        await sh.press("enter", "circumflex_accent")
        assert "ses_gone" in sh.status.said
        window = sh.screen.reader.window
        assert window is not None
        assert window.session.id == "ses_one"


def test_a_relative_says_what_it_is() -> None:
    (place, *_) = relatives_of(kin(), POOL).found
    assert place == Relative(
        "mimocode:ses_pool", "in mimocode", "Fix pool timeout", "50 messages, 6 more"
    )


def test_how_long_a_relative_is_that_nobody_has_read_is_not_told() -> None:
    copies = (Copy("dsh-2", 0, 9, unread=True),)
    child = replace(CHILD, messages=0, unread=True)
    door = Kin(Lineage(replace(POOL, copies=copies), children=(Child(child, 1),)))
    found = relatives_of(door, POOL).found
    assert [(one.title, one.about) for one in found] == [
        ("Fix pool timeout", ""),
        ("Not read yet", f"{datetime.fromtimestamp(CHILD.created / 1000):%d %b %H:%M}"),
    ]
