"""What the last line names and says, in windows of any width."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from store.model import Part, Tool
from tests.tui.fake import FakeLibrary
from tests.tui.helpers import Shell, shell
from tui.widgets.statusline import StatusLine
from tui.widgets.viewer import PartViewer

IDLE = "indexed 100 % · 0 faults"


def last_line(sh: Shell) -> str:
    return str(sh.app.screen.query_one(StatusLine).render()).rstrip()


async def test_at_fifty_columns_keys_stand_where_an_idle_state_would() -> None:
    async with shell(FakeLibrary(), (50, 15)) as sh:
        assert last_line(sh).startswith(" enter read ")
        assert last_line(sh).endswith("   ? keys")
        await sh.press("enter")
        assert last_line(sh) == " enter open   y copy   w save   esc back   ? keys"


async def test_an_idle_state_stands_beside_all_the_keys_or_not_at_all() -> None:
    async with shell(FakeLibrary(), (80, 24)) as sh:
        assert IDLE not in last_line(sh)
        named = cell_len(last_line(sh))
        line = sh.status
        line.show_keys([("enter", "open")], [("?", "keys")])
        assert last_line(sh).startswith(" enter open   ? keys ")
        assert last_line(sh).endswith(IDLE)
        assert named < 80


async def test_a_state_that_tells_something_stays_and_so_do_the_way_out_and_the_help() -> None:
    async with shell(FakeLibrary(), (50, 15)) as sh:
        await sh.press("enter")
        sh.status.show_state("indexing 12 %")
        assert last_line(sh) == " enter open   esc back   ? keys     indexing 12 %"


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (50, 15)])
@pytest.mark.parametrize("way", ["", "enter", "enter enter", "L", "p", "+"])
async def test_the_way_out_and_the_help_are_always_named(size: tuple[int, int], way: str) -> None:
    async with shell(FakeLibrary(), size) as sh:
        await sh.press(*way.split())
        assert last_line(sh).removesuffix(IDLE).rstrip().endswith("   ? keys")
        assert ("esc back" in last_line(sh)) == bool(way)


async def test_a_word_on_one_side_goes_with_that_side() -> None:
    tool = Tool("bash", status="completed", input={"command": "ls"}, output="pool.py\n")
    part = Part("prt_1", "msg_1", "ses_1", 0, 0, tool)
    async with shell(FakeLibrary()) as sh:
        viewer = PartViewer(part)
        await sh.app.push_screen(viewer)
        await sh.rest()
        viewer.add_side("whole output", "pool.py\nrest.py\n")
        viewer.say("the whole output, 16 B, from /tmp/out")
        assert "16 B" in last_line(sh)
        await sh.press("tab")
        assert "find" in last_line(sh)
