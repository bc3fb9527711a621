"""Literal mode finds exactly the documents that have the text, newest first, page by page."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.errors import StoreError
from store.library import Library
from store.model import Hit
from tests.makers import BASE, MessageSpec, PartSpec, opencode_db, text, tool
from tests.store.shelf import library, sync, talk

PIECES = [
    "foo(bar)",
    "Foo",
    "=> {",
    "naïve",
    "NAÏVE",
    "naive",
    "10.0.0.7:5432",
    'a "quoted"',
    "\\n",
]
PIECES += ["数据库", "连接", "🙂", "ECONNREFUSED", "x", "tab\tbed", "ß", "é"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Library, dict[str, str]]]:
    """A library, and the texts of its parts by id."""
    folder = tmp_path_factory.mktemp("literal")
    chance = random.Random(3)
    texts = {
        f"prt_{n:03}": chance.choice([" ", "\n", "  ", ""]).join(chance.choices(PIECES, k=4))
        for n in range(300)
    }
    parts = [
        PartSpec(text(said, time={"start": BASE + chance.randrange(99)}), id=name)
        for name, said in texts.items()
    ]
    talks = [
        talk(f"t{n}", MessageSpec("assistant", parts[n::3], id=f"msg_{n}"), title="", time=BASE)
        for n in range(3)
    ]
    held = library(folder / "index.db", opencode_db(folder / "opencode.db", sessions=talks))
    sync(held)
    yield held, texts
    held.close()


def pages(held: Library, asked: str, limit: int) -> list[Hit]:
    """All pages of a literal search."""
    answer = held.scan(asked, limit=limit)
    hits = list(answer.hits)
    while answer.cursor:
        answer = held.scan(asked, limit=limit, cursor=answer.cursor)
        hits += answer.hits
    return hits


WANTED = ["foo(bar)", "oo(ba", "=>", "=> {", "naïve", "naive", "0.7:54", '"quoted"', 'a "q', "\\n"]
WANTED += ["\\", "据库", "库连", "🙂", "nrefus", "x", "tab bed", "B)\tf", "é", "ß", ":", "{ x", "e"]


@pytest.mark.parametrize("limit", [7, 1000])
@pytest.mark.parametrize("asked", WANTED)
def test_exactly_the_documents_with_the_text(
    corpus: tuple[Library, dict[str, str]], asked: str, limit: int
) -> None:
    held, texts = corpus
    spot = re.compile(r"\s+".join(map(re.escape, asked.split())), re.IGNORECASE)
    hits = pages(held, asked, limit)
    assert {hit.part for hit in hits} == {name for name, said in texts.items() if spot.search(said)}
    assert len(hits) == len({hit.part for hit in hits})
    assert [hit.time for hit in hits] == sorted((hit.time for hit in hits), reverse=True)
    assert all(hit.spans for hit in hits)


def test_filters_count_and_what_is_none_is_text(corpus: tuple[Library, dict[str, str]]) -> None:
    held, texts = corpus
    hits = pages(held, "session:ses_t1 =>", 1000)
    assert {hit.part for hit in hits} == {
        name for n, (name, said) in enumerate(texts.items()) if n % 3 == 1 and "=>" in said
    }
    assert held.scan("kind:foo").hits == ()
    for empty in ("", "  ", "session:ses_t1"):
        with pytest.raises(StoreError, match="INVALID_QUERY"):
            held.scan(empty)


def test_what_a_tool_was_given_and_titles(tmp_path: Path) -> None:
    call = tool("edit", {"path": "src/a.py", "deep": [{"on": True}]}, 'said "yes"\nand no')
    spec = talk("one", MessageSpec("assistant", [PartSpec(call, id="prt_1")]), title="A => B")
    held = library(tmp_path / "index.db", opencode_db(tmp_path / "opencode.db", sessions=[spec]))
    sync(held)
    kinds = {
        asked: [hit.kind for hit in held.scan(asked).hits]
        for asked in ("path: src/a.py", "on: true", 'SAID "YES" AND', "a =>", "nowhere")
    }
    assert kinds == {
        "path: src/a.py": ["tool_input"],
        "on: true": ["tool_input"],
        'SAID "YES" AND': ["tool_output"],
        "a =>": ["title"],
        "nowhere": [],
    }


def test_hits_are_told_as_they_come_and_it_stops_at_once(
    corpus: tuple[Library, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    held, _ = corpus
    monkeypatch.setattr("store.literal.EVERY", 1)
    told: list[tuple[int, int]] = []

    def stop(hits: tuple[Hit, ...], looked: int, of: int) -> None:
        told.append((looked, of))
        held.interrupt()

    with pytest.raises(StoreError, match="ABORTED"):
        held.scan("=>", limit=1000, report=stop)
    assert told[0][0] == 0
    assert len(told) == 1
