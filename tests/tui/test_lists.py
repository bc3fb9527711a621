"""How sessions and hits become rows, and how the cursor moves over them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Static

from store.model import Glance, Session
from tests.tui.fake import HOUR, MINUTE, NOW, SESSIONS, FakeLibrary, hit, other_hit, session
from tests.tui.helpers import shell
from tui.widgets import arranging as sessions
from tui.widgets import hits
from tui.widgets.arranging import Child, Project
from tui.widgets.hits import HitGroup, HitRow, hit_style
from tui.widgets.sessions import SessionList


def names(rows: list[sessions.ListRow]) -> list[str]:
    return [
        row.name.upper()
        if isinstance(row, Project)
        else "  " * row.depth + row.session.id
        if isinstance(row, Child)
        else row.id
        for row in rows
    ]


def test_sessions_stand_under_projects_and_parents_newest_first() -> None:
    rows = sessions.arrange(sessions.ordered(reversed(SESSIONS)))

    assert names(rows) == [
        "API", "ses_pool", "  ses_explore", "ses_rename", "ses_han",
        "WEB", "ses_ci", "ses_none",
        "NOTES", "ses_retry", "ses_old",
    ]  # fmt: skip


def test_a_session_without_its_parent_or_in_a_loop_stands_by_itself() -> None:
    lost = session("lost", "Lost", MINUTE, parent="gone")
    one = session("one", "One", 2 * MINUTE, parent="two")
    two = session("two", "Two", 3 * MINUTE, parent="one")

    assert names(sessions.arrange([lost, one, two])) == ["API", "lost", "one", "two"]


def test_what_is_below_a_loop_stands_by_itself() -> None:
    loop = session("loop", "Loop", MINUTE, parent="loop")
    below = session("below", "Below", 2 * MINUTE, parent="loop")
    leaf = session("leaf", "Leaf", 3 * MINUTE, parent="below")

    assert names(sessions.arrange([loop, below, leaf])) == ["API", "loop", "below", "leaf"]


def test_a_parent_of_its_own_source_comes_before_that_of_another() -> None:
    mine = session("one", "One", MINUTE)
    other = session("one", "One as well", 3 * MINUTE, source="mimocode")
    child = session("two", "Two", 2 * MINUTE, parent="one", source="mimocode")

    assert names(sessions.arrange([mine, child])) == ["API", "one", "  two"]
    assert names(sessions.arrange([mine, other, child])) == ["API", "one", "one", "  two"]


def test_three_thousand_levels_are_arranged() -> None:
    deep = [
        session(f"s{n}", f"s{n}", n, parent=f"s{n - 1}" if n else "", messages=n)
        for n in range(3000)
    ]
    rows = sessions.arrange(deep)[1:]

    assert [row.depth for row in rows if isinstance(row, Child)] == list(range(1, 3000))


def test_hits_are_grouped_by_session_in_the_order_of_their_first() -> None:
    rows = hits.arrange([hit(0), other_hit(0), hit(1)], grouped=True, more=False)

    assert [row.hits if isinstance(row, HitGroup) else row.hit.id for row in rows] == [
        2, hit(0).id, hit(1).id, 1, other_hit(0).id,
    ]  # fmt: skip


def test_a_snippet_shows_its_first_match_however_far_it_is() -> None:
    snippet = "word " * 30 + "needle and more"
    found = hit(0, snippet=snippet, spans=((150, 156),))

    line = hits.snippet_line(found, 40)

    place = line.plain.index("needle")
    assert line.plain.startswith("…word ")
    assert place < 20
    assert [(span.start, span.end) for span in line.spans if span.style == hits.MATCH] == [
        (place, place + 6)
    ]


def test_stored_text_is_never_markup() -> None:
    found = hit(0, snippet="[red]x[/nothing] \x1b[2J", spans=())

    assert hits.snippet_line(found, 80).plain == "[red]x[/nothing] ␛[2J"


async def test_the_columns_of_the_sessions_are_aligned() -> None:
    async with shell(FakeLibrary()) as sh:
        lines = sh.text.split("\n")
        pane = [line.split("│")[0] for line in lines]

    assert "▌ Fix pool timeout under l…    12m    44 ▪" in pane[4]
    assert "  Rename tables in billing      2h    18 ↶" in pane[6]
    assert pane[7].startswith("  数据库连接池超时              5h     9")


async def test_the_cursor_skips_headings_and_stops_at_the_ends() -> None:
    async with shell(FakeLibrary()) as sh:
        seen = []
        for key in ("k", "G", "j", "k", "k", "k", "k", "k", "g"):
            await sh.pilot.press(key)
            assert sh.sessions.session is not None
            seen.append(sh.sessions.session.id)

    assert seen == [
        "ses_pool", "ses_old", "ses_old", "ses_retry", "ses_none", "ses_ci", "ses_han",
        "ses_rename", "ses_pool",
    ]  # fmt: skip


async def test_one_project_and_all_of_them_again() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("G", "p")
        assert [row for row in sh.sessions.rows if isinstance(row, Project)] == [
            Project("notes", 2, False)
        ]
        assert sh.sessions.session == SESSIONS[-1]

        await sh.press("a")
        assert len(sh.sessions.rows) == 11
        assert sh.sessions.session == SESSIONS[-1]


async def test_the_cursor_stays_with_its_session_when_the_list_changes() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("j", "j")
        newer = session("ses_new", "Brand new", 0)
        sh.sessions.set_sessions([newer, *SESSIONS])

        assert sh.sessions.session == SESSIONS[2]


async def test_a_click_selects_and_a_second_one_opens() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.pilot.click(sh.sessions, offset=(5, 3))
        assert sh.sessions.session == SESSIONS[2]
        assert sh.sessions.has_focus

        await sh.pilot.click(sh.sessions, offset=(5, 3))
        await sh.rest()
        assert sh.transcript.has_focus


class Many(App[None]):
    def compose(self) -> ComposeResult:
        yield SessionList(now=lambda: NOW)


async def test_of_twenty_thousand_sessions_those_in_view_are_painted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = [
        session(f"ses_{n}", f"Session {n}", n * HOUR, project=f"p{n % 90}") for n in range(20_000)
    ]
    async with Many().run_test(size=(80, 24)) as pilot:
        rows = pilot.app.query_one(SessionList)
        arranged = sessions.arrange(many)
        painted: list[object] = []
        paint = rows.paint

        def noted(row: Any, width: int, current: bool) -> Any:
            painted.append(row)
            return paint(row, width, current)

        monkeypatch.setattr(rows, "paint", noted)
        rows.set_rows(arranged)
        await pilot.pause()
        await pilot.press("G")
        await pilot.pause()

        assert isinstance(rows.selected, Session)
        assert 0 < len(painted) < 200


@pytest.mark.parametrize("depth", [1, 4, 5, 3_000])
async def test_a_title_is_seen_however_deep_it_stands(depth: int) -> None:
    async with Many().run_test(size=(36, 24)) as pilot:
        rows = pilot.app.query_one(SessionList)
        (line,) = rows.paint(Child(session("ses_deep", "Deep", 0), depth), 36, False)
        assert line.cell_length == 36
        assert line.plain[2:].lstrip().startswith(f"└ {depth} D" if depth > 4 else "└ Deep")


async def test_a_session_that_nobody_has_read_yet_says_nothing_else() -> None:
    unread = replace(session("ses_new", "", 0, messages=0), unread=True)
    async with Many().run_test(size=(40, 24)) as pilot:
        rows = pilot.app.query_one(SessionList)
        (line,) = rows.paint(unread, 40, False)
        assert line.plain.split() == ["Not", "read", "yet"]


async def test_flat_hits_name_their_session() -> None:
    async with shell(FakeLibrary(hits=[hit(0), other_hit(0)])) as sh:
        await sh.type("connection")
        await sh.press("escape")
        await sh.press("v")

        assert [type(row) for row in sh.hits.rows] == [HitRow, HitRow]
        assert "bash output ✗  Fix pool timeout" in sh.text


def test_sessions_by_day_and_by_length() -> None:
    today = datetime.fromtimestamp(NOW)
    rows = sessions.arrange(sessions.ordered(SESSIONS, "messages"), by="day", today=today)
    assert names(rows)[:4] == ["TODAY", "ses_pool", "  ses_explore", "ses_rename"]
    assert [row.name for row in rows if isinstance(row, Project)] == [
        "Today", "Yesterday", "16 November", "24 October 2025",
    ]  # fmt: skip


def test_flat_and_by_title_without_headings() -> None:
    rows = sessions.arrange(sessions.ordered(SESSIONS, "title"), by="flat")
    assert names(rows)[:2] == ["ses_retry", "ses_old"]
    assert not any(isinstance(row, Project) for row in rows)


async def test_typing_narrows_the_sessions() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("f", *"web ci")
        assert sh.sessions.session is not None
        assert sh.sessions.session.id == "ses_ci"
        assert "1 of 8" in sh.text
        assert "web ci" in sh.text.split("\n")[-2]

        await sh.press("enter")
        assert sh.sessions.has_focus
        await sh.press("f", "escape")
        assert "1 of 8" not in sh.text
        assert sh.sessions.has_focus


async def test_grouping_and_order_go_round() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("v")
        assert "Today" in sh.text
        assert "day · 8" in sh.text
        await sh.press("v", "s")
        assert "flat · title · 8" in sh.text
        await sh.press("v", "s", "s")
        assert sh.sessions.grouping == "project"
        assert sh.sessions.order == "newest"


def test_twenty_thousand_sessions_are_narrowed_and_arranged() -> None:
    many = [
        replace(SESSIONS[0], id=f"ses_{n}", title=f"Session {n}", project=f"p{n % 100}", updated=n)
        for n in range(20_000)
    ]
    named = sessions.named(many)
    rows = sessions.arrange([one for one, _ in sessions.narrowed(named, "session 199")])
    assert sum(isinstance(row, Session) for row in rows) == sum(
        "199" in str(n) for n in range(20_000)
    )


async def test_the_session_under_the_cursor_is_told_in_two_lines() -> None:
    library = FakeLibrary()
    library.glances = {
        "ses_pool": Glance("Why does\n the [b]pool[/b] time out?", "Because \x1b[31mit is small."),
        "ses_rename": Glance("Rename the tables.", ""),
    }
    async with shell(library, (120, 40)) as sh:
        said = sh.screen.query_one("#glance", Static)
        assert str(said.content).split("\n") == [
            "you  Why does the [b]pool[/b] time out?",
            "end  Because ␛[31mit is small.",
        ]
        await sh.press("j", "j")
        assert str(said.content) == "you  Rename the tables.\n"


async def test_a_low_screen_has_no_room_for_that() -> None:
    async with shell(FakeLibrary(), (50, 15)) as sh:
        assert not sh.screen.query_one("#glance").display


async def test_signs_say_what_is_special_about_a_session() -> None:
    async with shell(FakeLibrary(), (120, 40)) as sh:
        rows = {
            one.id: sh.sessions.paint(row, 50, False)[0].plain.rstrip()
            for row in sh.sessions.rows
            if (one := sessions.session_of(row))
        }
        assert rows["ses_pool"].endswith("44 ▪↳")
        assert rows["ses_rename"].endswith("18 ↶")
        assert rows["ses_explore"].endswith("  3")


async def test_a_letter_more_a_letter_less_and_another_project_narrow_right() -> None:
    async with shell(FakeLibrary()) as sh:

        def listed() -> list[str]:
            return [one.id for one in map(sessions.session_of, sh.sessions.rows) if one]

        everything = listed()
        sh.sessions.narrow("re")
        some = listed()
        sh.sessions.narrow("rename")
        assert listed() == ["ses_rename"]
        sh.sessions.narrow("re")
        assert listed() == some
        assert len(some) > 1
        sh.sessions.narrow("")
        assert listed() == everything
        sh.sessions.narrow("web")
        sh.sessions.action_one_project()
        sh.sessions.narrow("")
        assert listed() == ["ses_ci", "ses_none"]
        sh.sessions.action_all_projects()
        assert listed() == everything


def test_a_hit_in_a_call_that_completed_in_vain_has_the_colour_of_errors() -> None:
    assert hit_style(hit(0, failed=True)) == "$error"
    assert hit_style(hit(0, failed=False)) == "$success"
