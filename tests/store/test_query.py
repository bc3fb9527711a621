"""A typed text becomes a query: terms, groups, filters; and an expression that FTS5 accepts."""

from __future__ import annotations

import time
from datetime import timedelta, timezone
from itertools import pairwise

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import StoreError
from store.query import Filter, Query, exclusion, highlight, match, parse, verify
from store.syntax import KEYS
from store.text import spaced

NOW = 1_790_000_000_000  # 2026-09-21T14:13:20Z
EAST = timezone(timedelta(hours=8))

BODIES = {
    1: "The connection pool was exhausted in src/db/pool.py",
    2: "ConnectionRefused: 10.0.0.7:5432 -> None",
    3: "数据库连接失败，error 42",
    4: "数据，库 and the snake_case of Café",
    5: 'def main() => 数据库; "quoted text" OR NEAR(x)',
}


def ask(text: str) -> Query:
    return parse(text, NOW, EAST)


def outcome(text: str) -> Query | str:
    """The query of a text, or the code of its error."""
    try:
        return ask(text)
    except StoreError as error:
        return error.code


@pytest.fixture(scope="module")
def index() -> apsw.Connection:
    """A table as the index has it."""
    connection = apsw.Connection(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE fts USING fts5(body, content='', contentless_delete=1,"
        " tokenize='unicode61 remove_diacritics 2')"
    )
    for number, body in BODIES.items():
        connection.execute("INSERT INTO fts(rowid, body) VALUES(?, ?)", (number, spaced(body)))
    return connection


def rows(index: apsw.Connection, expression: str) -> set[int]:
    return {row[0] for row in index.execute("SELECT rowid FROM fts(?)", (expression,))}


def answers(index: apsw.Connection, text: str) -> set[int]:
    """What a search does with the three functions."""
    query = ask(text)
    expression, unwanted = match(query), exclusion(query)
    found = set(BODIES) if expression is None else rows(index, expression)
    if expression is None and unwanted:
        found -= rows(index, unwanted)
    return {number for number in found if verify(query, BODIES[number])}


FOUND = {
    "": {1, 2, 3, 4, 5},
    "pool": {1},
    "POOL exhausted": {1},
    "connect": {1, 2},
    "cafe": {4},
    "CAFÉ": {4},
    "pool refused": set(),
    "src/db/pool.py": {1},
    "db/po": {1},
    "py/pool": set(),
    "10.0.0.7:5432": {2},
    "(pool.py)": {1},
    "snake_ca": {4},
    "n": set(),
    "x": {5},
    "数": {3, 4, 5},
    "据库": {3, 4, 5},
    '"据库"': {3, 5},
    "失败error": {3},
    "失败err": {3},
    "=>": {5},
    "main =>": {5},
    "-> pool": set(),
    "-> none": {2},
    '"-> None"': {2},
    '"- None"': set(),
    '"connection pool"': {1},
    '"connection   pool"': {1},
    '"connection poo"': set(),
    '"pool was exhausted in src"': {1},
    '"src db"': set(),
    '"the connection"': {1},
    "pool | error": {1, 3},
    "pool | error the": {1},
    "pool | =>": {1, 5},
    "数据 -error": {4, 5},
    "数据 -err": {3, 4, 5},
    '数据 -"据库"': {4},
    '数据 -"=>"': {3, 4},
    "-pool": {2, 3, 4, 5},
    '-"=>"': {1, 2, 3, 4},
    "OR": {5},
    "NEAR(x)": {5},
    '"quoted': {5},
    'quoted"': {5},
    "pool*": {1},
    "a | ": set(),
    "--pool": {1},
    "->None": {2},
    "nosuchkey:pool": set(),
}


@pytest.mark.parametrize("text", FOUND)
def test_a_query_finds_these_documents(index: apsw.Connection, text: str) -> None:
    """Over a real FTS5 table and the texts themselves."""
    assert answers(index, text) == FOUND[text]


EXPRESSIONS = {
    "": None,
    "kind:title": None,
    "=>": None,
    "-foo": None,
    "foo": '"foo"*',
    "(foo),": '"foo"*',
    "f": '"f"',
    "foo.b": '"foo.b"',
    "foo.bar": '"foo.bar"*',
    "数据库": '"数 据 库"',
    "错error": '"错 error"*',
    "error错": '"error 错"',
    '"foo bar"': '"foo bar"',
    'say"hi"x': '"say""hi""x"',
    "foo bar": '"foo"* AND "bar"*',
    "foo | bar baz": '("foo"* OR "bar"*) AND "baz"*',
    "foo | => baz": '"baz"*',
    "foo -x -y.z": '("foo"*) NOT ("x" OR "y.z")',
    'foo -"=> x"': '"foo"*',
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_a_query_becomes_this_expression(text: str) -> None:
    """Only quoted strings, stars and operators of our own."""
    assert match(ask(text)) == EXPRESSIONS[text]


def test_the_pieces_of_a_term_may_be_asked_for_anywhere() -> None:
    """Han runs stay together."""
    expression = match(ask('foo.bar 数据/库x "a.b"'), pieces=True)

    assert expression == '("foo" AND "bar"*) AND ("数 据" AND "库 x") AND "a.b"'


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_any_text_is_a_query_that_fts5_accepts(index: apsw.Connection, text: str) -> None:
    """The only other outcome is a filter's impossible value."""
    query = outcome(text)
    if isinstance(query, str):
        assert query == "INVALID_FILTER"
        return
    for expression in (match(query), match(query, pieces=True), exclusion(query)):
        if expression is not None:
            rows(index, expression)


@given(
    st.lists(
        st.sampled_from(
            [
                '"',
                "'",
                "-",
                "|",
                " ",
                "*",
                "^",
                "(",
                ")",
                ":",
                ",",
                "NOT",
                "AND",
                "NEAR",
                "a",
                "库",
                "kind:title",
                "title:",
                "since:7d",
                "=>",
                "{",
                "}",
                "+",
                "\\",
                "é",
                "\U0001f916",
            ]
        ),
        max_size=25,
    ).map("".join)
)
def test_syntax_of_all_sorts_is_never_an_error(index: apsw.Connection, text: str) -> None:
    """Operators of FTS5 and of our own in any mixture."""
    query = outcome(text)
    if isinstance(query, str):
        assert query == "INVALID_FILTER"
        return
    if (expression := match(query)) is not None:
        rows(index, expression)
    verify(query, text)


@given(st.text(st.sampled_from("ab 库é-_.=|>\"'\n")), st.text(st.sampled_from("ab 库é=.\n")))
def test_a_text_is_found_by_any_phrase_of_it(before: str, text: str) -> None:
    """Whatever stands before and after it."""
    if text.strip():
        assert verify(ask(f'"{text}"'), f"{before}\n{text}\nafter")


@pytest.mark.parametrize("text", ["a\0b", "a\udcffb"])
def test_text_that_is_no_text_is_refused(text: str) -> None:
    with pytest.raises(StoreError) as caught:
        ask(text)

    assert caught.value.code == "INVALID_QUERY"


# Pieces --------------------------------------------------------------------------------------


def shape(text: str) -> list[list[str]]:
    return [[("=" if t.phrase else "") + t.text for t in group] for group in ask(text).groups]


SHAPES = {
    "a b": [["a"], ["b"]],
    "  a\t\nb ": [["a"], ["b"]],
    '"a b" c': [["=a b"], ["c"]],
    '"a b"c': [["=a b"], ["c"]],
    "a | b | c d": [["a", "b", "c"], ["d"]],
    "d a | b": [["d"], ["a", "b"]],
    '"a b" | c': [["=a b", "c"]],
    "a|b": [["a|b"]],
    "a |": [["a"], ["|"]],
    "| a": [["|"], ["a"]],
    "a | | b": [["a"], ["|"], ["|"], ["b"]],
    "a | -b": [["a"], ["|"]],
    "a | kind:title": [["a"], ["|"]],
    '"a': [['"a']],
    'a" b': [['a"'], ["b"]],
    '"" a': [['""'], ["a"]],
    '" " a': [['"'], ['"'], ["a"]],
    "-": [["-"]],
    "- a": [["-"], ["a"]],
    "--all": [["--all"]],
    "->x": [["->x"]],
    "-=>": [["-=>"]],
    "Kind:title": [["Kind:title"]],
    "kind:": [["kind:"]],
    "kind:, a": [["kind:,"], ["a"]],
    "http://x": [["http://x"]],
    "mykind:title": [["mykind:title"]],
}


@pytest.mark.parametrize("text", SHAPES)
def test_typed_text_falls_into_these_terms(text: str) -> None:
    assert shape(text) == SHAPES[text]


def test_exclusions_are_words_phrases_and_filters() -> None:
    query = ask('-word -"two words" -tool:bash -.env')

    assert [(t.text, t.phrase) for t in query.excluded] == [
        ("word", False),
        ("two words", True),
        (".env", False),
    ]
    assert query.filters == (Filter("tool", ("bash",), negated=True),)
    assert query.groups == ()


# Filters -------------------------------------------------------------------------------------


CLOSED_KEYS = ("kind", "status", "is", "has", "cause", "evidence")


@pytest.mark.parametrize("key", [k for k in KEYS if k not in CLOSED_KEYS])
def test_free_keys_take_any_value(key: str) -> None:
    """Dates apart, which take dates."""
    value = "today" if key in ("since", "before", "on") else "any thing"
    [found] = ask(f'{key}:"{value}"').filters

    assert (found.key, found.values, found.negated) == (key, (value,), False)


def test_values_are_lists_and_repeated_keys_add_to_them() -> None:
    query = ask('tool:bash,"my tool" x kind:Title tool:bash,read')

    assert query.filters == (
        Filter("tool", ("bash", "my tool", "read")),
        Filter("kind", ("title",)),
    )
    assert len(query.groups) == 1


def test_a_value_keeps_its_quote_where_it_has_only_one() -> None:
    assert ask('title:"one two').filters == (Filter("title", ('"one',)),)
    assert shape('title:"one two') == [["two"]]


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("kind:foo", "user_text, assistant_text"),
        ("kind:title,foo", "user_text, assistant_text"),
        ("-status:done", "pending, running, completed, error"),
        ("is:gone", "live, reverted, replaced, removed, deleted"),
        ("has:music", "error, image, file, diff, output"),
        ("since:soon", "2026-09-01"),
        ("before:2026-13-01", "2026-09-01"),
        ("on:2026-02-30", "2026-09-01"),
        ("since:2026-09-01T25:00", "2026-09-01"),
        ("since:٣d", "2026-09-01"),
    ],
)
def test_an_impossible_value_says_what_is_possible(text: str, valid: str) -> None:
    with pytest.raises(StoreError) as caught:
        ask(text)

    assert caught.value.code == "INVALID_FILTER"
    assert valid in caught.value.message


HOUR = 3_600_000
DAY = 24 * HOUR
SEPTEMBER = 1_788_192_000_000  # 2026-09-01T00:00:00+08:00
TODAY = 1_789_920_000_000  # 2026-09-21T00:00:00+08:00

TIMES = {
    "since:2026-09-01": [(SEPTEMBER, None)],
    "before:2026-09-01": [(None, SEPTEMBER)],
    "on:2026-09-01": [(SEPTEMBER, SEPTEMBER + DAY)],
    "since:2026-09-01T10:00": [(SEPTEMBER + 10 * HOUR, None)],
    "since:2026-09-01T10:00:30.25": [(SEPTEMBER + 10 * HOUR + 30_250, None)],
    "since:2026-09-01T10:00Z": [(SEPTEMBER + 18 * HOUR, None)],
    "since:2026-09-01t10:00+02:00": [(SEPTEMBER + 16 * HOUR, None)],
    'since:"2026-09-01 10:00"': [(SEPTEMBER + 10 * HOUR, None)],
    "on:2026-09-01T10:00": [(SEPTEMBER, SEPTEMBER + DAY)],
    "since:today": [(TODAY, None)],
    "before:yesterday": [(None, TODAY - DAY)],
    "on:yesterday": [(TODAY - DAY, TODAY)],
    "since:7d": [(NOW - 7 * DAY, None)],
    "since:3h": [(NOW - 3 * HOUR, None)],
    "on:7d": [(TODAY - 7 * DAY, TODAY - 6 * DAY)],
    "since:999999d": [(0, None)],
    "on:today,yesterday": [(TODAY, TODAY + DAY), (TODAY - DAY, TODAY)],
    "since:3h since:7d": [(NOW - 3 * HOUR, None), (NOW - 7 * DAY, None)],
}


@pytest.mark.parametrize("text", TIMES)
def test_dates_are_these_spans(text: str) -> None:
    """From is included, to is not; a day without an offset is a local one."""
    [found] = ask(text).filters

    assert list(found.times) == TIMES[text]


def test_without_a_zone_days_are_those_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day is as long as the clock makes it: 25 hours when summer time ends."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        [found] = parse("on:2026-10-25", NOW).filters
    finally:
        monkeypatch.undo()
        time.tzset()

    assert found.times == ((1_792_879_200_000, 1_792_879_200_000 + 25 * HOUR),)


# What a query says of itself -----------------------------------------------------------------


def test_a_query_is_repeated_as_json() -> None:
    assert ask('a | "b c" -d kind:title since:2026-09-01').as_json() == {
        "text": 'a | "b c" -d kind:title since:2026-09-01',
        "groups": [[{"text": "a", "phrase": False}, {"text": "b c", "phrase": True}]],
        "excluded": [{"text": "d", "phrase": False}],
        "filters": [
            {"key": "kind", "values": ["title"], "negated": False},
            {
                "key": "since",
                "values": ["2026-09-01"],
                "negated": False,
                "times": [{"from": "2026-08-31T16:00:00.000Z", "to": None}],
            },
        ],
    }


def test_terms_to_mark_are_bare_and_once_each() -> None:
    assert ask('(foo) foo "b  c" => -x kind:title').terms() == ("foo", "b  c", "=>")


@pytest.mark.parametrize(
    ("text", "scan", "verification"),
    [
        ("foo", False, False),
        ("foo.bar -baz", False, False),
        ('"foo"', False, False),
        ('"foo bar"', False, True),
        ('"foo."', False, True),
        ('"数据"', False, True),
        ("数据", False, False),
        ("foo =>", False, True),
        ("=>", True, True),
        ("foo | =>", True, True),
        ('-"a b"', False, True),
        ("kind:title", False, False),
    ],
)
def test_it_is_known_what_the_index_cannot_tell(text: str, scan: bool, verification: bool) -> None:
    query = ask(text)

    assert (bool(query.groups) and match(query) is None) == scan
    assert query.needs_verification == verification


def test_synthetic_text_is_asked_for_by_its_flag() -> None:
    assert ask("is:live,synthetic").wants_synthetic
    assert not ask("-is:synthetic synthetic").wants_synthetic


@pytest.mark.parametrize(
    ("text", "body", "holds"),
    [
        ('"foo -> bar"', "x FOO  ->\n bar.", True),
        ('"foo -> bar"', "foo bar -> ", False),
        ('"café au"', "CAFE\u0301 AU lait", True),
        ('"foo bar"', "foo barn", False),
        ('"foo bar"', "xfoo bar, foo bar", True),
        ('-"foo bar"', "foo bar", False),
        ('-"foo bar"', "foo, bar", True),
        ("foo =>", "food => x", True),
        ("foo", "nothing to check", True),
        ('"e = x"', "e " * 20_000 + "e = x", True),
        ("\u0301 =>", "\u0301 =>", False),
    ],
)
def test_texts_are_checked_literally(text: str, body: str, holds: bool) -> None:
    assert verify(ask(text), body) is holds


def test_the_typed_query_is_coloured() -> None:
    text = 'a | "b c" -d -tool:x kind:foo on:today |'

    assert [(text[start:end], look) for start, end, look in highlight(text)] == [
        ("a", "word"),
        ("|", "or"),
        ('"b c"', "phrase"),
        ("-d", "not"),
        ("-tool:", "not"),
        ("x", "value"),
        ("kind:", "key"),
        ("foo", "wrong"),
        ("on:", "key"),
        ("today", "value"),
        ("|", "word"),
    ]


@given(st.text(st.sampled_from('ab"|-: ,=\0\ud800kindtile')))
def test_colours_cover_all_but_white_space(text: str) -> None:
    """In order and without overlap."""
    shown = highlight(text)
    covered = {i for start, end, _ in shown for i in range(start, end)}

    assert covered >= {i for i, c in enumerate(text) if not c.isspace()}
    assert all(a[1] <= b[0] for a, b in pairwise(shown))
