"""One line around the best match, with the places of what matched."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from store.query import parse
from store.snippet import LIMIT, Spans, marks, snippet
from store.text import fold


def cut(body: str, query: str, limit: int = LIMIT) -> tuple[str, list[str]]:
    """The line, and the marked parts of it."""
    line, spans = snippet(body, parse(query, 0), limit)
    return line, marked(line, spans)


def marked(text: str, spans: Spans) -> list[str]:
    return [text[start:end] for start, end in spans]


CUTS = {
    ("  short\ntext  ", "", 20): "short text",
    ("abcdefghij", "", 5): "abcd…",
    ("abcde-f", "f", 1): "…",
    ("abcde-f", "f", 2): "…f",
    ("abcde-f", "f", 5): "…de-f",
    ("a-c-efghij", "c", 5): "…-c-…",
    ("a-c-efghij", "c", 3): "…c…",
    ("a-c-efghij", "c", 10): "a-c-efghij",
    ("a-c-efghij", "c", 9): "a-c-efgh…",
    ("x" * 9 + "\n" * 2000 + "needle" + "\t" * 2000 + "y" * 9, "needle", 40): (
        "xxxxxxxxx needle yyyyyyyyy"
    ),
    ("one  \n\n two", "", 7): "one two",
    ("one two   ", "", 7): "one two",
    ("", "x", 9): "",
    (" \n ", "x", 9): "",
}


@pytest.mark.parametrize(("body", "query", "limit"), CUTS)
def test_a_text_is_cut_like_this(body: str, query: str, limit: int) -> None:
    """White space runs are one space; a cut side has an ellipsis, counted in the limit."""
    assert cut(body, query, limit)[0] == CUTS[body, query, limit]


MARKED = {
    ("The Pools of POOLING", "pool"): ["Pool", "POOL"],
    ("carpool pool", "pool"): ["pool"],
    ("carpool", "pool"): ["pool"],
    ("band ba b", "ba"): ["ba", "ba"],
    ("crab", "ab"): [],
    ("band b", "b"): ["b"],
    ("CAFÉ cafe\u0301s", "cafe"): ["CAFÉ", "cafe\u0301"],
    ("数据库在数据，库", "数据库"): ["数据库", "数据，库"],
    ("错误error码", "误err"): ["误err"],
    ("see src / db.pools", "src/db.pool"): ["src / db.pool"],
    ("foo\n\t-> bar, foo bar", '"foo -> bar"'): ["foo -> bar"],
    ("x => y", "=>"): ["=>"],
    ("foo bar", "foo | baz bar -x"): ["foo", "bar"],
    ("foobar foo", "foo foob"): ["foob", "foo"],
    ("kind title", "kind:title"): [],
    ("\x1b[31mer\x1b[0mror here", "error"): ["error"],
}


@pytest.mark.parametrize(("body", "query"), MARKED)
def test_what_matched_is_marked(body: str, query: str) -> None:
    """Up to the end of what was typed; within a word only where no word begins with it."""
    assert cut(body, query)[1] == MARKED[body, query]


def test_control_characters_are_gone() -> None:
    """Escape sequences whole, and signs that turn or hide text."""
    line, found = cut(
        "a\x07b\x1b]0;title\x07 \x1b[1;31mred\x1b[0m\u202e\u200b x\x00y\ud800z\r\nend", "red"
    )

    assert line == "ab red xyz end"
    assert found == ["red"]


def test_the_line_shows_where_most_terms_are_together() -> None:
    """Not where the first of them is first."""
    body = "alpha " + "x" * 900 + " beta " + "y" * 900 + " beta and alpha " + "z" * 900

    line, found = cut(body, "alpha beta")

    assert found == ["beta", "alpha"]
    assert len(line) == 240
    assert line.index("beta") == 80
    assert line[0] == line[-1] == "…"


def test_the_first_of_equal_places_is_shown() -> None:
    line, _ = cut("a needle first " + "x" * 500 + " needle second", "needle")

    assert line.startswith("a needle first xxx")


def test_without_a_match_it_is_the_beginning() -> None:
    line, spans = snippet("word " * 100, ())

    assert line == ("word " * 48)[:239] + "…"
    assert spans == ()


def test_texts_of_terms_will_do() -> None:
    """As an answer hands them on."""
    line, spans = snippet("the foo.bars", ["foo.bar", "the"])

    assert marked(line, spans) == ["the", "foo.bar"]


def test_marks_are_places_in_the_whole_text() -> None:
    """Where a part is shown in full; at most so many of each term."""
    text = "re\u0301sume\u0301 x\n" * 5

    assert marks(text, ["resume"], most=2) == ((0, 8), (11, 19))


TEXT = st.text(st.sampled_from("abé库 \n\t\x1b[m\u0301İ.-_\u202e\ud800"), max_size=80)


@given(TEXT, TEXT, st.integers(1, 30))
def test_a_snippet_is_one_short_line_with_sound_spans(body: str, query: str, limit: int) -> None:
    """Whatever the text, the query and the limit."""
    line, spans = snippet(body, query.split(), limit)

    assert len(line) <= limit
    assert line == " ".join(line.split())
    assert line.encode().decode() == line
    assert not set(line) & set("\x1b\u202e\ud800")
    assert all(0 <= start < end <= len(line) for start, end in spans)
    assert all(a[1] < b[0] for a, b in pairwise(spans))


PIECE = st.text(st.sampled_from("abé库 \n."), max_size=30)


@given(PIECE, st.text(st.sampled_from("abé库 ."), min_size=1, max_size=8), PIECE)
def test_a_phrase_of_the_text_is_marked(before: str, wanted: str, after: str) -> None:
    """The first marked text has the phrase, white space aside."""
    assume(wanted.strip())

    first, *_ = cut(f"{before} {wanted} {after}", f'"{wanted}"')[1]

    assert " ".join(fold(wanted).split()) in " ".join(fold(first).split())


def test_a_huge_text_is_looked_at_around_its_matches_only() -> None:
    """A megabyte of one letter beside the match changes nothing."""
    line, found = cut("a" * 1_000_000 + " needle " + "\n" * 1_000_000, "needle a")

    assert found == ["needle"]
    assert line.endswith("a needle")
