"""Printed colours are kept as colours of the theme; nothing else of ANSI is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual.content import Span

from tui.render.ansi import Painter
from tui.render.excerpt import Look, output_rows
from tui.render.safe import clean

PIECES = st.sampled_from(
    ["a", "连", "\t", "\n", "\r\n", "\r", "\x1b", "\x1b[1m", "\x1b[38;5;9m", "\x1b[0m", "\x9b31m",
     "\x1b]0;title\x07", "\x1b[2J", "\u202e", "[31m", "m"]
)  # fmt: skip


def test_the_first_eight_colours_are_those_of_the_theme() -> None:
    texts, spans = Painter().take("\x1b[1;32mok\x1b[0m \x1b[41mbad\x1b[49m")
    assert texts == ["ok bad"]
    assert spans == {0: (Span(0, 2, "bold $success"), Span(3, 6, "$background on $error"))}


def test_of_256_and_rgb() -> None:
    _, spans = Painter().take("\x1b[38;5;196ma\x1b[48;2;1;2;300mb\x1b[38;5m\x1b[mc")
    assert spans == {0: (Span(0, 1, "#ff0000"), Span(1, 2, "#ff0000 on #0102ff"))}


def test_attributes_are_switched_off_one_by_one() -> None:
    _, spans = Painter().take("\x1b[1;4;33ma\x1b[22mb\x1b[39mc\x1b[24md")
    styles = [span.style for span in spans[0]]
    assert styles == ["bold underline $warning", "underline $warning", "underline"]


def test_tabs_are_filled_up_from_the_column_they_stand_in() -> None:
    texts, spans = Painter().take("ab\x1b[31m\tc")
    assert texts == ["ab      c"]
    assert spans == {0: (Span(2, 9, "$error"),)}


def test_an_output_shows_its_colours_and_its_matches() -> None:
    from tui.render.row import MATCH, Marker

    rows = output_rows("\x1b[31mFAILED\x1b[0m pool", Look(40, marker=Marker(("pool",))))
    assert rows[0].text == "FAILED pool"
    assert rows[0].spans == (Span(0, 6, "$error"), Span(7, 11, MATCH))


@given(st.lists(PIECES, max_size=12).map("".join))
def test_the_text_is_what_cleaning_gives(text: str) -> None:
    texts, spans = Painter().take(text)
    assert "\n".join(texts).replace("\n", "") == clean(text).replace("\n", "")
    assert all(span.end <= len(texts[line]) for line, own in spans.items() for span in own)
