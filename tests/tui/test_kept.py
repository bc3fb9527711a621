"""The first run says that a copy is kept, where, and how large; later runs say nothing of it."""

from __future__ import annotations

import re
from pathlib import Path

from store.library import Library
from tests.store.shelf import one_talk
from tests.tui.fake import FakeLibrary
from tests.tui.helpers import shell


async def test_the_first_run_says_that_a_copy_is_kept_and_the_second_does_not(
    tmp_path: Path,
) -> None:
    store, index = one_talk(tmp_path / "opencode.db"), tmp_path / "ours" / "index.db"
    said = []
    for _ in range(2):
        held = Library.open(sources=[store], index=index)
        async with shell(held, open_demo=FakeLibrary) as opened:
            said.append(opened.status.said)
        held.close()
    first, second = said
    size = first.removeprefix(f"a copy that outlives the stores is kept: {index}, ")
    assert re.fullmatch(r"0\.[1-9] MB", size)
    assert second == ""


async def test_the_demo_keeps_nothing_of_a_person(tmp_path: Path) -> None:
    store = one_talk(tmp_path / "opencode.db")
    held = Library.open(sources=[store], index=tmp_path / "ours" / "index.db")
    async with shell(held) as opened:
        assert opened.status.said == ""
    held.close()
