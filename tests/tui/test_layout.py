"""Which panes there are at which size, moving between them, and the keys that do it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widget import Widget

from store.errors import StoreError
from tests.tui.fake import SESSIONS, FakeLibrary, hit
from tests.tui.helpers import Shell, shell
from tui.commands import Actions
from tui.keys import check_keymap, help_lines, shown
from tui.remembered import read_width
from tui.settings import Loaded, Settings

HITS = [hit(n) for n in range(3)]


def panes(sh: Shell) -> list[str]:
    places: dict[str, Widget] = {"sessions": sh.sessions, "hits": sh.hits, "reading": sh.transcript}
    return [name for name, place in places.items() if place.region.area > 0]


async def test_narrow_screens_take_turns() -> None:
    async with shell(FakeLibrary(hits=HITS), (80, 24)) as sh:
        assert panes(sh) == ["sessions"]

        await sh.press("enter")
        assert panes(sh) == ["reading"]

        await sh.press("escape")
        assert panes(sh) == ["sessions"]

        await sh.type("connection")
        assert panes(sh) == ["hits"]

        await sh.press("enter", "enter")
        assert panes(sh) == ["reading"]
        assert "connection refused at 10.0.0.7" in sh.text

        await sh.press("slash")
        assert panes(sh) == ["hits"]


async def test_wide_screens_show_all_three() -> None:
    async with shell(FakeLibrary(hits=HITS), (160, 45)) as sh:
        assert panes(sh) == ["sessions", "reading"]

        await sh.type("connection")
        assert panes(sh) == ["sessions", "hits", "reading"]


async def test_resizing_changes_the_layout_and_keeps_the_place() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.press("j", "enter")
        await sh.pilot.resize_terminal(60, 20)
        await sh.rest()
        assert panes(sh) == ["reading"]

        await sh.pilot.resize_terminal(170, 50)
        await sh.rest()
        assert panes(sh) == ["sessions", "reading"]
        assert sh.sessions.session == SESSIONS[1]
        assert sh.transcript.has_focus


async def test_no_line_is_wider_than_the_smallest_screen() -> None:
    async with shell(FakeLibrary(hits=HITS), (50, 15)) as sh:
        lines = sh.text.split("\n")

    assert len(lines) == 15
    assert "▌ Fix pool timeout under load       12m    44 ▪" in lines[4]


async def test_numbers_and_tab_lead_through_the_panes() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.type("connection")
        await sh.press("tab")
        assert sh.hits.has_focus
        await sh.press("tab")
        assert sh.transcript.has_focus
        await sh.press("tab")
        assert sh.bar.field.has_focus
        await sh.press("shift+tab", "1")
        assert sh.sessions.has_focus
        assert panes(sh) == ["sessions", "reading"]


async def test_a_pane_can_be_enlarged_and_put_back() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.press("3", "plus")
        assert panes(sh) == ["reading"]

        await sh.press("escape")
        assert panes(sh) == ["sessions", "reading"]


async def test_keys_can_be_changed_by_their_id() -> None:
    settings = Settings(keymap={"rows.down": "n", "search": "f3"})
    async with shell(FakeLibrary(), settings=settings) as sh:
        await sh.press("j")
        assert sh.sessions.session == SESSIONS[0]
        await sh.press("n")
        assert sh.sessions.session == SESSIONS[1]
        await sh.press("f3")
        assert sh.bar.field.has_focus


def test_clashes_and_unknown_ids_of_a_keymap_are_reported() -> None:
    applied, problems = check_keymap({"rows.down": "k", "nothing.such": "x", "rows.up": " "})

    assert applied == {"rows.down": "k"}
    assert all(isinstance(problem, StoreError) for problem in problems)
    assert [problem.message for problem in problems] == [
        "keymap: no key has the id 'nothing.such'; ? lists them",
        "keymap: rows.up has no key; it keeps its own",
        "keymap: k is both rows.down and rows.up",
    ]


def test_our_own_keys_do_not_clash() -> None:
    from tui.keys import groups

    everything = {
        binding.id: binding.key for place in groups() for binding in place.bindings() if binding.id
    }

    assert check_keymap(everything)[1] == []


async def test_the_palette_offers_every_action_of_the_place() -> None:
    async with shell(FakeLibrary()) as sh:
        provider = Actions(sh.screen)
        found = [one.text async for one in provider.discover()]

        assert "Search" in found
        assert "Choose a theme" in found
        assert "Only this project" in found


async def test_the_status_line_shows_the_first_key_of_each_binding() -> None:
    async with shell(FakeLibrary()) as sh:
        assert sh.text.split("\n")[-1].startswith(" enter read   p this project   f filter")


async def test_the_list_is_made_wider_and_that_is_remembered(tmp_path: Path) -> None:
    loaded = Loaded(Settings(), tmp_path / "settings.toml")
    async with shell(FakeLibrary(), loaded=loaded) as sh:
        before = sh.screen.sessions.outer_size.width
        await sh.press("right_curly_bracket", "right_curly_bracket")
        assert sh.screen.sessions.outer_size.width == before + 8
        await sh.pilot.resize_terminal(80, 24)
        await sh.rest()
        assert sh.screen.sessions.outer_size.width == 80

    async with shell(FakeLibrary(), loaded=loaded) as sh:
        assert sh.screen.sessions.outer_size.width == before + 8
        await sh.press("left_curly_bracket")
        assert sh.screen.sessions.outer_size.width == before + 4


def test_a_width_that_is_none_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "screen.json").write_text('{"list": "wide"}')
    assert read_width(tmp_path) == 0
    (tmp_path / "screen.json").write_text("no json")
    assert read_width(tmp_path) == 0


@pytest.mark.parametrize(
    ("key", "sign"),
    [
        ("number_sign", "#"), ("slash", "/"), ("plus", "+"), ("left_curly_bracket", "{"),
        ("space", "space"), ("escape", "esc"), ("ctrl+d", "ctrl+d"), ("G", "G"), ("minus", "-"),
    ],
)  # fmt: skip
def test_a_key_is_named_by_what_is_on_it(key: str, sign: str) -> None:
    assert shown(key) == sign


def test_no_key_in_the_help_has_a_name_that_stands_on_no_keyboard() -> None:
    for line in help_lines(None, {}):
        assert "_" not in line.plain[:22], line.plain


def test_narrow_help_has_a_key_and_its_words_side_by_side() -> None:
    lines = [line.plain for line in help_lines(None, {}, 45)]
    assert "  j down     Down" in lines
    assert "  space      Page down" in lines
    assert "  ✓ ✗ …      a tool that is done, failed," in lines
    assert "             runs or was interrupted" in lines
    assert max(map(len, lines)) <= 45


async def test_help_at_fifty_columns_breaks_no_key_into_two_lines() -> None:
    async with shell(FakeLibrary(), (50, 15)) as sh:
        await sh.press("question_mark")
        keys = [line for line in sh.text.split("\n")[1:-2] if line[3:14].strip()]
        assert len(keys) > 6
        assert not any("." in line for line in keys)
