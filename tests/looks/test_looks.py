"""What the screen looks like in its main states; look at every picture before accepting it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_textual_snapshot as plugin  # type: ignore[import-untyped]

from store.model import Coverage, Fault, Progress
from tests.tui.fake import SOURCE, FakeLibrary, hit, other_hit
from tests.tui.helpers import Shell, shell

HITS = [
    hit(0),
    hit(3, kind="tool_error", status="error", snippet="db: connection refused after 3 tries",
        spans=((4, 22),)),
    other_hit(1),
    hit(10, fate="reverted"),
    other_hit(4),
]  # fmt: skip

Look = Callable[[Shell, str], None]


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths of the fake library are under the home folder."""
    monkeypatch.setenv("HOME", "/home/ada")


@pytest.fixture
def look(snapshot: Any) -> Look:
    """Compares the screen with the accepted picture of a name."""
    accepted = snapshot.use_extension(plugin.SVGImageExtension)

    def compare(sh: Shell, name: str) -> None:
        assert sh.app.export_screenshot(simplify=True) == accepted(name=name)

    return compare


async def test_start(look: Look) -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        look(sh, "start")


async def test_searching_and_reading(look: Look) -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.type("connection refused")
        look(sh, "searching")

        await sh.press("enter")
        look(sh, "hit-open")


async def test_nothing_on_this_machine(look: Look) -> None:
    async with shell(FakeLibrary((), (), ()), open_demo=FakeLibrary) as sh:
        look(sh, "nothing-here")


async def test_backfill_running(look: Look) -> None:
    library = FakeLibrary(hits=HITS)
    library.progress = (Progress("opencode", 612, 4980, 700),)
    library.covered = Coverage(612, 4980, 0, 4368)
    gate = library.hold("sync")
    async with shell(library, rest=False) as sh:
        await asyncio.to_thread(gate.arrived.wait, 5)
        await sh.rest(but="sync")
        await sh.pilot.press("slash")
        sh.bar.field.value = "connection"
        await sh.rest(but="sync")
        look(sh, "backfill")
        gate.opened.set()


async def test_no_hits(look: Look) -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.type("pool.timout kind:tool_output")
        look(sh, "no-hits")


async def test_narrow(look: Look) -> None:
    async with shell(FakeLibrary(hits=HITS), (60, 20)) as sh:
        look(sh, "narrow-list")

        await sh.press("enter")
        look(sh, "narrow-reading")


async def test_wide(look: Look) -> None:
    async with shell(FakeLibrary(hits=HITS), (160, 45)) as sh:
        await sh.type("connection")
        await sh.press("escape")
        look(sh, "wide")


@pytest.mark.parametrize("name", ["paper", "contrast", "sixteen", "moss", "mono"])
async def test_themes(look: Look, name: str) -> None:
    async with shell(FakeLibrary(hits=HITS), (100, 24)) as sh:
        sh.app.theme = name
        await sh.type("connection")
        await sh.press("escape")
        look(sh, name)


async def test_sources_and_faults(look: Look, tmp_path: Path) -> None:
    faults = (
        Fault("CORRUPT_PART", "prt_7", "the row is no JSON; skipped"),
        Fault("CORRUPT_PART", "prt_9", "the row is larger than can be read; skipped"),
    )
    broken = replace(
        SOURCE, name="mimocode", producer="mimocode", opened="failed", sessions=0, messages=0,
        parts=0, path="/home/ada/.local/share/mimocode/mimocode.db",
        faults=(Fault("SOURCE_UNREADABLE", "", "no permission to read it"),),
    )  # fmt: skip
    async with shell(FakeLibrary(sources=[replace(SOURCE, faults=faults), broken])) as sh:
        await sh.press("F")
        look(sh, "sources")


async def test_help(look: Look) -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("question_mark")
        look(sh, "help")
