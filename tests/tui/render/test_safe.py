"""Stored text cannot steer the terminal, and nothing printable is lost on the way."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.render.safe import CHUNK, clean, one_line

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
NASTY = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=["Cs", "Cc"]),
        st.sampled_from(list("\x1b\x9b\x9d[]0;31mABC\x07\\\r\n\t\ufeff\u2028" + BIDI)),
    )
)


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("plain, 连接池 and 🧪", "plain, 连接池 and 🧪"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b1mbold", "bold"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]0;never ended", "␛]0;never ended"),
        ("\x1bPq#0;2;0;0;0\x1b\\after", "after"),
        ("\x1b(B\x1b7", ""),
        ("lone \x1b here", "lone ␛ here"),
        ("bell\x07 nul\x00 del\x7f", "bell␇ nul␀ del␡"),
        ("a\r\nb\rc\u2028d\x85e", "a\nb\nc\nd\ne"),
        ("a\tb\n\tc", "a       b\n        c"),
        ("\ufefftext", "text"),
        ("abc\u202egnp.exe", "abcgnp.exe"),
        ("half \ud83c of it", "half \ufffd of it"),
        ("\x1b\x1b[0m[31m", "␛[31m"),
    ],
)
def test_what_is_shown_of_stored_text(stored: str, shown: str) -> None:
    assert clean(stored) == shown


@given(NASTY)
def test_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    left = {letter for letter in clean(text) if unicodedata.category(letter) in ("Cc", "Cs")}
    assert left <= {"\n"}
    assert not set(clean(text)) & set(BIDI + "\ufeff\u2028\u2029")


@given(NASTY)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S", "Zs", "Co"])))
def test_plain_text_is_left_alone(text: str) -> None:
    assert clean(text) == text


@given(st.text(st.one_of(st.characters(exclude_characters="\x1b"), st.sampled_from("\x00\r\t"))))
def test_no_printable_letter_is_lost_outside_of_sequences(text: str) -> None:
    text = "".join(letter for letter in text if not "\x80" <= letter <= "\x9f")
    printable = [letter for letter in text if letter.isprintable() and letter != " "]
    kept = iter(clean(text))
    assert all(letter in kept for letter in printable)


def test_a_long_text_is_cleaned_as_a_short_one() -> None:
    line = "\x1b[32mok\x1b[0m\tpassed\r\n"
    assert clean(line * CHUNK) == "ok      passed\n" * CHUNK


def test_one_line_joins_blanks_and_ends_in_an_ellipsis() -> None:
    assert one_line("  pytest -x \\\n\ttests/pool ", 40) == "pytest -x \\ tests/pool"
    assert one_line("pytest -x tests/pool", 10) == "pytest -x…"
    assert one_line("连接池超时", 6) == "连接…"


@given(NASTY, st.integers(0, 30))
def test_one_line_never_needs_more_room_than_it_has(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert cell_len(line) <= limit
    assert "\n" not in line
