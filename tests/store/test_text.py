"""Text becomes the tokens that FTS5 makes of it, scripts without spaces one character each."""

from __future__ import annotations

import sys
import unicodedata
from itertools import pairwise

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.text import (
    fold,
    folded,
    has_lone_surrogate,
    is_joined,
    spaced,
    stands_alone,
    tokens,
)

CONNECTION = apsw.Connection(":memory:")
UNICODE61 = CONNECTION.fts5_tokenizer("unicode61", ["remove_diacritics", "2"])


def indexed(text: str) -> list[str]:
    """The tokens that FTS5 makes of a text as we give it."""
    found = UNICODE61(spaced(text).encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None)
    return [str(token[-1]) for token in found]


def ours(text: str) -> list[str]:
    return [token.text for token in tokens(text)]


HARD = {
    "": [],
    "Hello, World": ["hello", "world"],
    "snake_case src/db/pool.py": ["snake", "case", "src", "db", "pool", "py"],
    "10.0.0.7:5432": ["10", "0", "0", "7", "5432"],
    "数据库连接": ["数", "据", "库", "连", "接"],
    "错误error码42": ["错", "误", "error", "码", "42"],
    "ひらがなカタカナーｶﾅ": list("ひらがなカタカナーｶﾅ"),
    "한국어 text": ["한", "국", "어", "text"],
    "ㄅㄆㄇ": ["ㄅ", "ㄆ", "ㄇ"],
    "𠀀𪛖x": ["𠀀", "𪛖", "x"],
    "々〆豈": ["々", "〆", "豈"],
    "，。「」": [],
    "Café NAÏVE Ångström": ["cafe", "naive", "angstrom"],
    "cafe\u0301s": ["cafes"],
    "か\u3099": ["か"],
    "Straße ẞ": ["straße", "ß"],
    "İstanbul ısı": ["istanbul", "ısı"],
    "ΣΊΣΥΦΟΣ σίσυφος": ["σίσυφοσ", "σίσυφοσ"],
    "Ёлка Йод": ["ёлка", "йод"],
    "\U0001f916done ⏺now 🥇x": ["done", "now", "x"],
    "a\u2066b\u061cc": ["a", "b", "c"],
    "ﬁne Ⅻ ½ x²": ["ﬁne", "ⅻ", "½", "x²"],
    "\ue0b0main\uf8ff": ["\ue0b0main\uf8ff"],
    "a\0b": ["a", "b"],
    "日\0本": ["日", "本"],
    "x\ud800y": ["x", "y"],
    "├── src": ["src"],
    "\x1b[31merror\x1b[0m: \x1b[01;31m\x1b[Kerr\x1b[m\x1b[Kno": ["error", "errno"],
    "a\x1b]b\nc\x07d": ["a", "b", "c", "d"],
    "a\x1b[2Jb\x1b]0;title\x07c": ["a", "b", "c"],
}


@pytest.mark.parametrize("text", HARD)
def test_hard_cases_become_these_tokens(text: str) -> None:
    """Both FTS5 and our own splitting give the tokens written down here."""
    assert indexed(text) == HARD[text]
    assert ours(text) == HARD[text]


ALPHABETS = st.one_of(
    st.characters(max_codepoint=0x2AF),
    st.characters(min_codepoint=0x300, max_codepoint=0x36F),
    st.characters(min_codepoint=0x391, max_codepoint=0x44F, exclude_categories=["Cn"]),
    st.characters(min_codepoint=0x2000, max_codepoint=0x30FF, categories=["L", "N", "P", "S", "Z"]),
    st.characters(min_codepoint=0x4E00, max_codepoint=0x4E20),
    st.characters(min_codepoint=0xAC00, max_codepoint=0xAC20),
    st.characters(min_codepoint=0x1F300, max_codepoint=0x1F9FF, exclude_categories=["Cn"]),
    st.sampled_from("\x1b[m;0K_-. \n"),
)


@given(st.text(ALPHABETS))
def test_our_tokens_are_those_of_fts5(text: str) -> None:
    """Over mixed scripts and signs."""
    assert ours(text) == indexed(text)


# Letters that Unicode 7 and later gave a capital, and letters younger than the running Python.
YOUNG_CASE = (
    (0x37F, 0x37F),
    (0x528, 0x52F),
    (0x13A0, 0x13FF),
    (0x1C80, 0x1CBF),
    (0x2C2F, 0x2C2F),
    (0xA640, 0xAB8F),
    (0xAB90, 0xABBF),
    (0x10400, 0x1FFFF),
)


def test_every_assigned_letter_and_digit_is_split_and_folded_as_fts5_does() -> None:
    """One code point at a time; letters whose case is newer than FTS5's tables only split alike."""
    different = []
    for code in range(sys.maxunicode + 1):
        letter = chr(code)
        if unicodedata.category(letter)[0] not in "LN" and unicodedata.category(letter) != "Co":
            continue
        a, b = ours(letter), indexed(letter)
        young = any(first <= code <= last for first, last in YOUNG_CASE)
        if a != b and not (young and len(a) == len(b)):
            different.append((hex(code), a, b))

    assert different == []


@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_can_be_given_to_fts5(text: str) -> None:
    """Half characters and NUL included."""
    assert b"\0" not in spaced(text).encode()


@given(st.text(st.characters(exclude_categories=[])))
def test_tokens_lie_in_order_where_they_say(text: str) -> None:
    """Each token is the folded text of its place."""
    found = tokens(text)

    assert [fold(text[t.start : t.end]) for t in found] == [t.text for t in found]
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_ascii_is_given_as_it_is() -> None:
    """No copy is made of the most common text."""
    text = "plain text\n" * 3

    assert spaced(text) is text


def test_places_survive_dropped_marks() -> None:
    """A folded text leads back to the original."""
    text = folded("re\u0301sume\u0301 x")

    assert text.text == "resume x"
    assert [text.place(i) for i in range(8)] == [0, 1, 3, 4, 5, 6, 8, 9]


def test_places_survive_colours_and_marks_together() -> None:
    """Escape sequences and marks are both stepped over."""
    text = folded("\x1b[1mE\u0301a\x1b[0mb")

    assert text.text == "eab"
    assert [text.place(i) for i in range(3)] == [4, 6, 11]


def test_a_token_runs_on_between_letters_only() -> None:
    """Not beside punctuation, at the ends, or at a character of a script without spaces."""
    assert [is_joined("ab-中文c", i) for i in range(7)] == [False, True] + [False] * 5


def test_scripts_without_spaces_are_known() -> None:
    """Han yes, Latin and punctuation no."""
    assert [stands_alone(c) for c in "中かa。é"] == [True, True, False, False, False]


def test_half_characters_are_noticed() -> None:
    """A lone surrogate is what undecodable bytes became."""
    assert has_lone_surrogate("é\udcff")
    assert not has_lone_surrogate("é😀")
