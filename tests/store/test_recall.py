"""Whatever a plain scan finds a search finds, over all pages, and nothing else; each form once."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.errors import StoreError
from store.library import Library
from tests.makers import BASE, MessageSpec, PartSpec, opencode_db, text, tool
from tests.store.scanning import Key, drawn, found_by, holding, texts_of
from tests.store.shelf import add_part, every_hit, library, sync, talk

NAMES = ["ThreadPoolExecutor", "ECONNREFUSED", "get_user_id", "userIdMap", "v1.22.333", "error"]
NAMES += [
    "abc数据库def",
    "コネクション",
    "연결이거부됨",
    "数据库连接池",
    "Straße",
    "naïve",
    "x86_64",
    "µs",
]
NAMES += ["0xdeadbeef"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Library, dict[Key, str]]]:
    """A library with tokens made of pieces, in several pieces of the vocabulary."""
    folder = tmp_path_factory.mktemp("recall")
    chance = random.Random(11)
    store = opencode_db(folder / "opencode.db", sessions=[])

    def said() -> str:
        names = chance.choices(NAMES, k=3)
        glued = chance.choice(NAMES)[:4] + chance.choice(NAMES)[2:7]
        return chance.choice([" ", ", ", "\n"]).join([*names, glued, f"n{chance.randrange(500)}"])

    parts = [
        PartSpec(text(said(), time={"start": BASE + chance.randrange(900)}), id=f"prt_{n:03}")
        for n in range(400)
    ]
    store.unlink()
    spec = talk("one", MessageSpec("assistant", parts, id="msg_1"), title="tītle of_it", time=BASE)
    held = library(folder / "index.db", opencode_db(store, sessions=[spec]))
    sync(held)
    for turn in range(12):
        for n in range(3):
            data = text(said() + f" late{turn}word", time={"start": BASE + chance.randrange(900)})
            add_part(store, f"prt_z{turn}{n}", "msg_1", "ses_one", data, BASE + 9_000 + turn)
        sync(held)
    yield held, texts_of(folder / "index.db")
    held.close()


def test_words_drawn_at_random(corpus: tuple[Library, dict[Key, str]]) -> None:
    held, texts = corpus
    for word in dict.fromkeys(drawn(texts, random.Random(2), 240)):
        if word.isalnum():
            assert found_by(held, word, limit=50) == holding(texts, word), word


@pytest.mark.parametrize("limits", [(1, 10**9), (3000, 6)])
def test_the_ways_to_a_word_find_the_same(
    corpus: tuple[Library, dict[Key, str]],
    monkeypatch: pytest.MonkeyPatch,
    limits: tuple[int, int],
) -> None:
    held, texts = corpus
    monkeypatch.setattr("store.expression.MOST", limits[0])
    monkeypatch.setattr("store.expression.WORD_US", limits[1])
    for reads in (0, 10**9):
        monkeypatch.setattr("store.pages.reads_first", lambda *_, reads=reads: reads)
        for word in ("xec", "rror", "数据", "err", "late", "ord", "123"):
            assert found_by(held, word, limit=7) == holding(texts, word), word
    words = {"xec rror", "err 数据", "late ord"}
    for pair in words:
        both = holding(texts, pair.split()[0]) & holding(texts, pair.split()[1])
        if both:
            assert found_by(held, pair, limit=7) == both, pair


PLACES = {
    "user_text": "wordinprompt",
    "assistant_text": "wordinanswer",
    "tool_input": "wordininput",
    "tool_output": "wordinoutput",
    "title": "wordintitle",
}
FORMS = {
    "PoolExec": "ThreadPoolExecutor",
    "nrefused": "ECONNREFUSED",
    "user_id": "get_user_id",
    "UserId": "getUserIdMap",
    "库连": "数据库连接池",
    "c数据": "abc数据def",
    "池": "数据库连接池",
    "数据": "abc数据def",
    "abc": "abc数据def",
    "ネク": "コネクション",
    "거부": "연결이거부됨",
    "naive": "naïve",
    "RÉSUMÉ": "resume",
    "1.22": "v 1.22.333",
    "10.0.0.7:5432": "at 10.0.0.7:5432,",
    "src/db/pool.py": "in src/db/pool.py:31",
    "🙂": "fine 🙂",
    "=>": "a => b",
    '"b) => c"': "a (b) => c",
    "x86_64": "linux-x86_64",
}


@pytest.mark.parametrize("asked", FORMS)
@pytest.mark.parametrize("sort", ["newest", "relevance"])
def test_each_form_is_found_on_the_first_page(tmp_path: Path, asked: str, sort: str) -> None:
    spec = talk(
        "one",
        MessageSpec("user", [PartSpec(text(FORMS[asked]), id="prt_it")]),
        MessageSpec("assistant", [PartSpec(text("nothing of the kind"), id="prt_not")]),
    )
    held = library(tmp_path / "index.db", opencode_db(tmp_path / "opencode.db", sessions=[spec]))
    sync(held)
    answer = held.search(asked, sort=sort)  # type: ignore[arg-type]
    assert [(hit.part, hit.kind, hit.fate) for hit in answer.hits] == [
        ("prt_it", "user_text", "live")
    ]
    assert answer.widened is None


def test_each_place_is_found(tmp_path: Path) -> None:
    spec = talk(
        "one",
        MessageSpec("user", [text(PLACES["user_text"])]),
        MessageSpec(
            "assistant",
            [
                text(PLACES["assistant_text"]),
                tool("bash", {"command": PLACES["tool_input"]}, PLACES["tool_output"]),
            ],
        ),
        title=PLACES["title"],
    )
    held = library(tmp_path / "index.db", opencode_db(tmp_path / "opencode.db", sessions=[spec]))
    sync(held)
    told = {kind: [hit.kind for hit in held.search(word[4:]).hits] for kind, word in PLACES.items()}
    assert told == {kind: [kind] for kind in PLACES}


def test_exact_words_come_before_longer_ones_before_those_that_contain_it(tmp_path: Path) -> None:
    said = {"in": "the export", "long": "the portal", "word": "the port"}
    parts = [PartSpec(text(words), id=f"prt_{name}") for name, words in said.items()]
    spec = talk("one", MessageSpec("user", parts))
    held = library(tmp_path / "index.db", opencode_db(tmp_path / "opencode.db", sessions=[spec]))
    sync(held)
    for limit in (1, 20):
        hits = every_hit(held, "port", limit=limit, sort="relevance")
        assert [hit.part for hit in hits] == ["prt_word", "prt_long", "prt_in"]


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(st.text(max_size=40), st.binary(max_size=40).map(os.fsdecode)),
    st.sampled_from(["newest", "relevance"]),
)
def test_any_text_is_a_query_or_invalid(
    corpus: tuple[Library, dict[Key, str]], asked: str, sort: str
) -> None:
    held, _ = corpus
    codes = set()
    for literal in (False, True):
        try:
            if literal:
                held.scan(asked)
            else:
                held.search(asked, sort=sort)  # type: ignore[arg-type]
        except StoreError as error:
            codes.add(error.code)
    assert codes <= {"INVALID_QUERY", "INVALID_FILTER"}
