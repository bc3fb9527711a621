"""Stored text on a terminal: nothing in it steers, nothing readable is lost, widths are right."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.plain import clean, cut, one_line, pad, width

TEXTS = st.text(st.characters(exclude_categories=[]))


@given(TEXTS)
def test_one_line_keeps_offsets_and_lets_nothing_through(text: str) -> None:
    line = one_line(text)
    assert len(line) == len(text)
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in line)
    assert not set(line) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028")


@given(TEXTS)
def test_clean_lets_only_line_feeds_through(text: str) -> None:
    for line in clean(text).split("\n"):
        assert one_line(line) == line


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link", "link"),
        ("\x9b2J", "\ufffd2J"),
        ("a\x1b", "a␛"),
        ("one\r\ntwo\rthree\x85four", "one\ntwo\nthree\nfour"),
        ("a\tb", "a       b"),
        ("\x07", "␇"),
        ("abc\u202etxt", "abc\ufffdtxt"),
        ("数据库 🙂", "数据库 🙂"),
        ("\udc80", "\ufffd"),
    ],
)
def test_clean(text: str, harmless: str) -> None:
    assert clean(text) == harmless


@pytest.mark.parametrize(("text", "cells"), [("abc", 3), ("数据", 4), ("e\u0301", 1), ("ｱ", 1)])
def test_width(text: str, cells: int) -> None:
    assert width(text) == cells


def test_pad_fills_cells() -> None:
    assert pad("数", 4) == "数  "


@pytest.mark.parametrize(
    ("text", "cells", "shown"), [("abcdef", 4, "abc…"), ("数据库", 4, "数…"), ("abc", 3, "abc")]
)
def test_cut_says_that_something_is_missing(text: str, cells: int, shown: str) -> None:
    assert cut(text, cells) == shown
