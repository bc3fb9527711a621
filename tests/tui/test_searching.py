"""Searching: live while typing, late answers dropped, pages, enter and esc, bad queries."""

from __future__ import annotations

import asyncio

import pytest
from textual.screen import Screen

from store.errors import StoreError
from store.model import Coverage
from tests.tui.fake import FakeLibrary, Gate, hit, other_hit
from tests.tui.helpers import shell

HITS = [hit(n) for n in range(5)] + [other_hit(n) for n in range(3)]


async def test_results_are_live_while_typing() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.press("slash", *"connection", "space", *"ref")

        assert sh.bar.field.has_focus
        assert len(sh.hits.hits) == 8
        assert "8 hits · newest · 2.1 ms" in sh.text
        assert "8 in 2 sessions" in sh.text


async def test_a_key_after_a_pause_is_asked_at_once_and_a_burst_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tui.widgets.searchbar.DEBOUNCE", 60)
    library = FakeLibrary(hits=HITS)
    async with shell(library) as sh:
        await sh.press("slash")
        for text in ("c", "co", "con", "conn"):
            sh.bar.field.value = text
            await sh.pilot.pause()
        await sh.rest()
        asked = [call for call in library.asked if call.startswith("search")]
        assert asked == ["search c", "search conn"]


async def test_typing_on_does_not_lay_out_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would take longer than the search."""
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.type("connec")
        laid_out: list[bool] = []
        monkeypatch.setattr(Screen, "_refresh_layout", lambda *given, **more: laid_out.append(True))
        for letter in "tion":
            await sh.pilot.press(letter)
            await sh.rest()
        assert sh.bar.asked == "connection"
        assert sh.hits.hits
        assert laid_out == []


async def test_the_pane_follows_the_first_hit_and_its_match() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.type("connection refused")

        part = sh.transcript.current_part
        assert part is not None
        assert part.id == "prt_ses_pool_1_a"
        assert "could not connect: connection refused at 10.0.0.7:5432" in sh.text


async def test_an_answer_to_older_keystrokes_is_dropped() -> None:
    library = FakeLibrary(hits=[hit(0), hit(1, snippet="pool and more", spans=((0, 4),))])
    late = library.gates["search connect"] = Gate()
    async with shell(library) as sh:
        sh.bar.field.value = "connect"
        await asyncio.to_thread(late.arrived.wait, 5)

        sh.bar.field.value = "pool and"
        await sh.rest()

        assert [one.snippet for one in sh.hits.hits] == ["pool and more"]
        assert library.interrupts == 2


async def test_enter_opens_the_first_hit_and_esc_leads_back() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.type("connection")
        await sh.press("enter")
        assert sh.hits.has_focus
        assert sh.transcript.current_part is not None
        assert sh.transcript.current_part.id == "prt_ses_pool_1_a"

        await sh.press("enter")
        assert sh.transcript.has_focus

        await sh.press("escape")
        assert sh.hits.has_focus

        await sh.press("escape")
        assert sh.sessions.has_focus
        assert sh.bar.value == "connection"

        await sh.press("2")
        assert sh.hits.has_focus


async def test_enter_before_the_answer_opens_the_first_hit_when_it_comes() -> None:
    library = FakeLibrary(hits=HITS)
    gate = library.gates["search connection"] = Gate()
    async with shell(library) as sh:
        await sh.pilot.press("slash", *"connection", "enter")
        await asyncio.to_thread(gate.arrived.wait, 5)
        assert sh.bar.field.has_focus

        gate.opened.set()
        await sh.rest()

        assert sh.hits.has_focus
        assert "around opencode:prt_ses_pool_1_a" in library.asked


async def test_slash_selects_the_query_that_is_there() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.type("connection")
        await sh.press("escape", "slash", "p", "o")

        assert sh.bar.value == "po"


async def test_letters_are_text_in_the_search_bar() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.press("slash", "q", "question_mark", "1", "T", "l")

        assert sh.bar.value == "q?1Tl"
        assert sh.app.screen is sh.screen


async def test_an_emptied_query_shows_the_sessions_again() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.type("connection")
        await sh.type("")

        assert sh.sessions.display
        assert sh.hits.hits == []
        assert "8 hits" not in sh.text


async def test_a_bad_filter_is_a_quiet_line_and_the_hits_stay() -> None:
    library = FakeLibrary(hits=HITS)
    said = "kind:foo is no kind; kinds are user_text, tool_output"
    library.errors["search connection kind:foo"] = StoreError("INVALID_FILTER", said)
    async with shell(library) as sh:
        await sh.type("connection")
        sh.bar.field.value = "connection kind:foo"
        await sh.rest()

        assert said in sh.text
        assert len(sh.hits.hits) == 8
        assert sh.bar.field.has_focus

        await sh.type("connection")
        assert said not in sh.text


async def test_the_next_page_is_loaded_near_the_end() -> None:
    library = FakeLibrary(hits=[hit(n) for n in range(21)])
    library.page_size = 20
    async with shell(library) as sh:
        await sh.type("connection")
        assert len(sh.hits.hits) == 20
        before = sh.hits.hit

        await sh.press("escape", *"jjjjjj")

        assert len(sh.hits.hits) == 21
        assert before is not None
        assert sh.hits.hit == hit(6)


async def test_no_hits_say_what_to_do() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.type("nowhere at all")

        assert "Nothing found." in sh.text
        assert "change the query" in sh.text
        assert "Fewer words or filters find more." in sh.text


async def test_hits_of_an_incomplete_index_say_so() -> None:
    library = FakeLibrary(hits=HITS)
    library.covered = Coverage(600, 5000, 0, 4400)
    async with shell(library) as sh:
        await sh.type("connection")

        assert "8 hits · of 12 % so far, newest first" in sh.text


async def test_sorting_by_relevance_asks_again() -> None:
    library = FakeLibrary(hits=HITS)
    async with shell(library) as sh:
        await sh.type("connection")
        await sh.press("escape", "s")

        assert library.asked.count("search connection") == 2
        assert "8 hits · by relevance" in sh.text


async def test_beyond_the_last_match_loaded_n_opens_the_next_hit() -> None:
    library = FakeLibrary(hits=[hit(0), hit(10)])
    async with shell(library) as sh:
        await sh.type("connection")
        await sh.press("enter", "enter")
        presses = 0
        while sh.hits.hit == hit(0) and presses < 9:
            await sh.press("n")
            presses += 1

        assert presses > 1
        assert sh.hits.hit == hit(10)
        assert sh.transcript.has_focus
        part = sh.transcript.current_part
        assert part is not None
        assert part.id == "prt_ses_pool_21_a"


async def test_the_same_words_typed_again_bring_their_hits_back() -> None:
    async with shell(FakeLibrary(hits=HITS)) as sh:
        await sh.type("connection")
        await sh.press("enter", "escape")
        assert sh.sessions.has_focus
        await sh.press("slash", *"connection")
        assert sh.screen.has_class("-hits")
        assert len(sh.hits.hits) == len(HITS)


async def test_what_was_proposed_goes_when_the_bar_is_left() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("slash", *"kin")
        proposals = sh.screen.query_one("#proposals")
        assert proposals.display
        await sh.press("escape")
        assert not proposals.display
