"""Text is cut into rows that fit, loses nothing, and shows its matches."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.content import Span

from tests.tui.samples import marked
from tui.render.row import Marker, divide, fold, folded, wrap, wrapped

WIDE = st.text(st.sampled_from("ab  c-é连接池，。🧪👩\u200d🔬\u0301"), max_size=80)


def rows(text: str, width: int) -> list[str]:
    return [text[start:end] for start, end in wrap(text, width)]


def test_prose_breaks_between_words() -> None:
    assert rows("The pool times out when forty workers start", 12) == [
        "The pool",
        "times out",
        "when forty",
        "workers",
        "start",
    ]


def test_a_word_longer_than_a_row_is_cut() -> None:
    assert rows("see https://example.org/pool now", 10) == [
        "see",
        "https://ex",
        "ample.org/",
        "pool now",
    ]


def test_wide_letters_break_anywhere_but_before_punctuation() -> None:
    assert rows("连接池在启动时超时，请检查", 18) == ["连接池在启动时超", "时，请检查"]
    assert rows("数据库连接 pool 超时", 12) == ["数据库连接", "pool 超时"]


@given(WIDE, st.integers(2, 30))
@example("\u0301接，", 2)
def test_wrapped_rows_fit_and_hold_every_letter(text: str, width: int) -> None:
    cut = rows(text, width)
    assert all(cell_len(row) <= width for row in cut)
    assert "".join(cut).replace(" ", "") == text.replace(" ", "")


@given(WIDE, st.integers(2, 30))
def test_folded_rows_fit_and_are_the_line(text: str, width: int) -> None:
    assert all(cell_len(row) <= width for row in fold(text, width))
    assert "".join(fold(text, width)) == text


def test_terms_are_marked_whatever_their_case_and_accents() -> None:
    line = "Café, CAFE and cafés, but not caf"
    assert marked(folded(line, 80, marker=Marker(("cafe",)))) == ["Café", "CAFE", "café"]


def test_an_accented_term_marks_plain_text() -> None:
    assert marked(folded("a cafe", 80, marker=Marker(("CAFÉ",)))) == ["cafe"]


def test_a_mark_that_makes_another_letter_is_no_accent() -> None:
    assert marked(folded("かがか", 80, marker=Marker(("が",)))) == ["が"]


def test_a_phrase_is_marked_over_a_line_break_between_rows() -> None:
    made = wrapped(
        "could not connect: connection refused", 30, marker=Marker(("connection refused",))
    )
    assert marked(made) == ["connection", "refused"]
    assert [row.match for row in made] == [True, True]


def test_the_longest_of_several_terms_is_marked_and_none_means_nothing() -> None:
    assert marked(folded("pools", 80, marker=Marker(("pool", "pools")))) == ["pools"]
    assert marked(folded("pools", 80, marker=Marker(("", "  ")))) == []


def test_styles_are_dealt_out_to_the_rows_they_cover() -> None:
    spans = (Span(0, 3, "bold"), Span(2, 9, "italic"))
    assert divide(spans, [(0, 4), (5, 10)]) == [
        (Span(0, 3, "bold"), Span(2, 4, "italic")),
        (Span(0, 4, "italic"),),
    ]
