"""Searching: every document that a plain scan finds, newest first, through pages, with filters."""

from __future__ import annotations

import base64
import json
import random
import re
import threading
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import apsw
import pytest

from store import backfill, pages
from store.errors import StoreError
from store.library import Library
from store.newest import newest
from store.text import fold
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    opencode_db,
    text,
)
from tests.store.shelf import (
    add_part,
    every_hit,
    found,
    library,
    say,
    sync,
    talk,
)

LATIN = [
    "port",
    "Portal",
    "ports",
    "export",
    "naïve",
    "naive",
    "Éclair",
    "eclairs",
    "x",
    "y2",
    "42",
]
HAN = "数据库连接池端口用哪个"
MARKS = ["=>", "foo.bar", "foo bar", "snake_case", "a->b", "10.0.0.7:5432", "café", "…", "🙂"]


def some_text(chance: random.Random) -> str:
    """A few words, a stretch of Han, and marks."""
    pieces = []
    for _ in range(chance.randint(1, 6)):
        kind = chance.random()
        if kind < 0.55:
            pieces.append(chance.choice(LATIN))
        elif kind < 0.85:
            start = chance.randrange(len(HAN))
            pieces.append(HAN[start : start + chance.randint(1, 5)])
        else:
            pieces.append(chance.choice(MARKS))
    return chance.choice([" ", "\n", ", "]).join(pieces)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Library, dict[str, str]]]:
    """A library of many runs with overlapping times, and the texts of its parts by id."""
    folder = tmp_path_factory.mktemp("corpus")
    chance = random.Random(5)
    texts = {f"prt_{n:04}": some_text(chance) for n in range(600)}
    names = list(texts)
    stores = []
    for number in range(2):
        talks = []
        for session in range(5):
            mine = names[number * 300 + session * 60 :][:60]
            parts = [
                PartSpec(timed(texts[name], chance.randrange(90), number * 5 + session), id=name)
                for name in mine
            ]
            spoken = MessageSpec("assistant", parts[:40], id=f"msg_{number}{session}")
            talks.append(talk(f"{number}{session}", spoken, title="", time=BASE + session * 1000))
        stores.append(opencode_db(folder / f"{number}.db", sessions=talks))
    held = library(folder / "index.db", *stores)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backfill, "BATCH_PARTS", 17)
        patch.setattr(backfill, "FIRST_BYTES", 1)
        patch.setattr("store.compare.CHUNK_BYTES", 1500)
        sync(held)
        for turn in range(4):
            for number in range(2):
                for session in range(5):
                    place = number * 300 + session * 60 + 40 + turn * 5
                    for name in names[place : place + 5]:
                        data = timed(texts[name], chance.randrange(90), number * 5 + session)
                        where = (f"msg_{number}{session}", f"ses_{number}{session}")
                        add_part(stores[number], name, *where, data, BASE + 10_000 + place)
            sync(held)
    yield held, texts
    held.close()


def timed(said: str, second: int, ms: int) -> dict[str, Any]:
    return text(said, time={"start": BASE + second * 1000 + ms})


@cache
def expected(term: str) -> re.Pattern[str]:
    """What a word finds by a plain scan: Han and words of three letters and more anywhere, other
    words whole and as beginnings."""
    anywhere = term[0] in HAN or re.fullmatch(r"[^\W_]{3,}", term)
    before = "" if anywhere else r"(?<![^\W_])"
    after = r"(?![^\W_])" if len(term) == 1 and term[0] not in HAN else ""
    return re.compile(before + joined(term) + after)


def joined(term: str) -> str:
    """The pieces of a term next to each other; white space and marks may stand between."""
    if term[0] in HAN:
        return r"[\W_]*".join(term)
    return r"[\W_]+".join(re.findall(r"[^\W_]+", fold(term)))


def test_there_are_many_runs_with_overlapping_times(
    corpus: tuple[Library, dict[str, str]],
) -> None:
    with closing(apsw.Connection(str(corpus[0].health().path))) as db:
        runs: list[Any] = db.execute("select tmin, tmax from run").fetchall()
    assert len(runs) > 20
    assert any(low < other < high for low, high in runs for other, _ in runs)


TERMS = [
    *("port", "PORT", "ports", "portal", "export", "naive", "NAÏVE", "naï", "eclair", "éc", "po"),
    *("x", "y", "y2", "4", "42", "10", "snake", "snake_case", "foo.bar", "a->b", "10.0.0.7:5432"),
    *("cafe", "café"),
    *(HAN[i : i + n] for n in (1, 2, 3, 4, 5) for i in range(len(HAN) - n + 1)),
    *("库数", "口端", "个用哪"),
]


@pytest.mark.parametrize("term", TERMS)
def test_a_word_finds_what_a_plain_scan_finds(
    corpus: tuple[Library, dict[str, str]], term: str
) -> None:
    held, texts = corpus
    wanted = {name for name, said in texts.items() if expected(term).search(fold(said))}
    hits = every_hit(held, term, limit=37)
    assert {hit.part for hit in hits} == wanted
    assert len(hits) == len({hit.part for hit in hits})
    assert [hit.time for hit in hits] == sorted((hit.time for hit in hits), reverse=True)


def test_words_in_any_combination(corpus: tuple[Library, dict[str, str]]) -> None:
    held, texts = corpus
    chance = random.Random(8)
    told = 0
    for _ in range(60):
        words = [chance.choice(TERMS[:14] + TERMS[24:50]) for _ in range(3)]
        form = chance.choice(["{} {}", "{} | {}", "{} -{}", "{} | {} {}", "{} {} -{}"])
        query = form.format(*words)
        hits = {hit.part for hit in every_hit(held, query, limit=100)}
        wanted = {name for name, said in texts.items() if passes(form, words, fold(said))}
        if wanted or not held.search(query).widened:
            assert hits == wanted, query
        told += bool(wanted)
    assert told > 30


def passes(form: str, words: list[str], said: str) -> bool:
    a, b, c = (expected(word).search(said) is not None for word in words)
    without = [whole(word).search(said) is None for word in words]
    return {
        "{} {}": a and b,
        "{} | {}": a or b,
        "{} -{}": a and without[1],
        "{} | {} {}": (a or b) and c,
        "{} {} -{}": a and b and without[2],
    }[form]


@cache
def whole(term: str) -> re.Pattern[str]:
    """As `expected`, whole words only: what is left out."""
    edge = "" if term[0] in HAN else r"(?![^\W_])"
    return re.compile(("" if term[0] in HAN else r"(?<![^\W_])") + joined(term) + edge)


PHRASES = [
    "=>",
    "foo.bar",
    "foo bar",
    "10.0.0.7:5432",
    "a->b",
    "port, naive",
    "…",
    "🙂",
    "snake_case",
]


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_is_literally_so(corpus: tuple[Library, dict[str, str]], phrase: str) -> None:
    held, texts = corpus
    spot = re.compile(
        (r"(?<![^\W_])" if phrase[0].isalnum() else "")
        + r"\s+".join(map(re.escape, phrase.split()))
        + (r"(?![^\W_])" if phrase[-1].isalnum() else "")
    )
    wanted = {name for name, said in texts.items() if spot.search(fold(said))}
    assert wanted
    assert {hit.part for hit in every_hit(held, f'"{phrase}"', limit=11)} == wanted


def test_bare_punctuation_is_found_by_reading(corpus: tuple[Library, dict[str, str]]) -> None:
    held, texts = corpus
    wanted = {name for name, said in texts.items() if "=>" in said}
    hits = every_hit(held, "=>", limit=7)
    assert {hit.part for hit in hits} == wanted
    assert all("=>" in hit.snippet for hit in hits)
    both = {name for name in wanted if expected("port").search(fold(texts[name]))}
    assert {hit.part for hit in every_hit(held, "=> port", limit=7)} == both
    less = {name for name in wanted if not whole("port").search(fold(texts[name]))}
    assert {hit.part for hit in every_hit(held, "=> -port", limit=7)} == less


@pytest.mark.parametrize("query", ["", "port", "数据", "kind:assistant_text", "=>"])
@pytest.mark.parametrize("limit", [1, 2, 64, 65, 1000])
def test_the_order_is_exactly_by_time_then_age(
    corpus: tuple[Library, dict[str, str]], query: str, limit: int
) -> None:
    held, _ = corpus
    if limit < 3 and query in ("", "kind:assistant_text"):
        query += " session:ses_00"
    hits = every_hit(held, query, limit=limit)
    with closing(apsw.Connection(held.health().path)) as db:
        rows = db.execute("select p.native, d.id from doc d join part p on p.id = d.part")
        idents: dict[Any, Any] = dict(rows.fetchall())  # type: ignore[arg-type]
    keys = [(hit.time, idents[hit.part]) for hit in hits]
    assert keys == sorted(keys, reverse=True)
    assert len(set(keys)) == len(keys)


def test_many_hits_of_many_runs_are_walked(
    corpus: tuple[Library, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    held, _ = corpus
    whole_list = found(held, "port | 数", limit=1000)
    monkeypatch.setattr("store.search.COUNTED", 10)
    monkeypatch.setattr("store.pages.STEP", 3)
    assert found(held, "port | 数", limit=1000) == whole_list
    assert found(held, "port | 数", limit=5) == whole_list
    assert len(whole_list) > 250


def test_pages_hold_while_documents_are_added(tmp_path: Path) -> None:
    messages = [
        MessageSpec("user", [PartSpec(text(f"word {n}"), id=f"prt_{n:02}")], id=f"msg_{n:02}")
        for n in range(30)
    ]
    store = opencode_db(tmp_path / "opencode.db", sessions=[talk("one", *messages)])
    held = library(tmp_path / "index.db", store)
    sync(held)
    first = held.search("word", limit=10)
    seen = [hit.part for hit in first.hits]
    cursor = first.cursor
    number = 0
    while cursor:
        for side in ("00", "29"):
            number += 1
            data = text("word late", time={"start": BASE + (50_000 if side == "29" else 500)})
            add_part(
                store, f"prt_x{number}", f"msg_{side}", "ses_one", data, BASE + 99_000 + number
            )
        sync(held)
        page = held.search("word", limit=10, cursor=cursor)
        seen += [hit.part for hit in page.hits]
        cursor = page.cursor
    old = [name for name in seen if name and "x" not in name]
    assert old == [f"prt_{n:02}" for n in reversed(range(30))]
    assert len(seen) == len(set(seen))


def test_a_cursor_answers_its_own_question_only(corpus: tuple[Library, dict[str, str]]) -> None:
    held, _ = corpus
    cursor = held.search("port", limit=2).cursor
    assert cursor
    assert held.search("port", limit=500, cursor=cursor).hits
    for more in (
        {"text": "ports"},
        {"text": "port", "sort": "relevance"},
        {"text": "port is:live"},
    ):
        with pytest.raises(StoreError, match="INVALID_CURSOR"):
            held.search(cursor=cursor, **more)  # type: ignore[arg-type]
    listed = held.sessions(limit=1).cursor
    for bad in (listed, cursor[:-4], cursor + "AAAA"):
        with pytest.raises(StoreError, match="INVALID_CURSOR"):
            held.search("port", cursor=bad)
    with pytest.raises(StoreError, match="INVALID_CURSOR"):
        held.sessions(limit=1, cursor=cursor)


def encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "é",
        "\ud800",
        "=" * 9,
        "A" * 100_000,
        encoded(7),
        encoded([1, "a", [1, 2, 3]]),
        encoded([1, "a", [1, 2, float("inf")]]),
        encoded([1, "a", [1, 2, float("nan")]]),
        encoded([1, "a", [1, 2, -(10**30)]]),
        encoded([1, "a", [1, 2, "9" * 5000]]),
        encoded([1, "a", []]),
        encoded({"a": 1, "b": 2, "c": 3}),
        encoded([[[[[]]]]] * 3),
    ],
)
def test_garbage_is_no_cursor(corpus: tuple[Library, dict[str, str]], cursor: str) -> None:
    held, _ = corpus
    for call in (held.search, held.sessions):
        with pytest.raises(StoreError, match="INVALID_CURSOR"):
            call("port", cursor=cursor)
    with pytest.raises(StoreError, match="INVALID_CURSOR"):
        held.search("port", cursor=cursor, sort="relevance")


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_limits(corpus: tuple[Library, dict[str, str]], limit: int) -> None:
    held, _ = corpus
    for call in (held.search, held.sessions):
        with pytest.raises(StoreError, match="INVALID_LIMIT"):
            call("port", limit=limit)
    assert len(held.search("port", limit=1).hits) == 1
    assert len(held.search("", limit=1000).hits) == 600


def test_totals_never_say_more_than_there_is(corpus: tuple[Library, dict[str, str]]) -> None:
    held, _ = corpus
    for query in ("port", '"foo.bar"', "=>", "数据库", "port -ports", "kind:assistant_text", ""):
        count = len(every_hit(held, query, limit=1000))
        for limit in (3, 1000):
            answer = held.search(query, limit=limit)
            assert answer.total in (None, count), query
            assert min(limit + 1, count) <= answer.total_at_least <= count
            assert answer.more == (count > limit) == (answer.cursor is not None)


def test_by_relevance_every_hit_comes_once(corpus: tuple[Library, dict[str, str]]) -> None:
    held, _ = corpus
    hits = every_hit(held, "port", limit=9, sort="relevance")
    assert sorted(hit.part or "" for hit in hits) == sorted(found(held, "port", limit=1000))
    scores = [hit.score or 0 for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert len(every_hit(held, '"foo.bar"', limit=2, sort="relevance")) == len(
        found(held, '"foo.bar"', limit=1000)
    )
    assert [hit.score for hit in held.search("port").hits] == [None] * 20


def test_a_page_by_relevance_is_stale_once_documents_changed(tmp_path: Path) -> None:
    messages = [MessageSpec("user", [PartSpec(text("word"), id=f"prt_{n}")]) for n in range(5)]
    store = opencode_db(tmp_path / "opencode.db", sessions=[talk("one", *messages)])
    held = library(tmp_path / "index.db", store)
    sync(held)
    cursor = held.search("word", limit=2, sort="relevance").cursor
    assert len(held.search("word", limit=2, sort="relevance", cursor=cursor).hits) == 2
    say(store, "prt_1", "another word", BASE + 10**6)
    sync(held)
    with pytest.raises(StoreError, match="STALE_CURSOR"):
        held.search("word", limit=2, sort="relevance", cursor=cursor)


def test_an_interrupted_search_ends(
    corpus: tuple[Library, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    held, _ = corpus
    begun, ended = threading.Event(), threading.Event()
    original = newest

    def endless(*given: Any) -> Iterator[tuple[int, int]]:
        while not ended.is_set():
            begun.set()
            yield from original(*given)

    monkeypatch.setattr(pages, "newest", endless)
    codes: list[str] = []

    def run() -> None:
        try:
            held.search("≠≠≠")
        except StoreError as error:
            codes.append(error.code)

    thread = threading.Thread(target=run)
    thread.start()
    assert begun.wait(5)
    held.interrupt()
    thread.join(5)
    stuck = thread.is_alive()
    ended.set()
    thread.join(5)
    monkeypatch.undo()
    assert not stuck
    assert codes == ["ABORTED"]
    assert held.search("port").hits
