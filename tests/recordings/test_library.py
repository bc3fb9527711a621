"""The library over recorded stores: its counts are right and everything in them is found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from store.library import Library
from store.model import Answer, Hit
from tests.recordings.conftest import Recording, copy_store
from tests.recordings.count import Count, Said, count_store
from tests.recordings.stores import STORES

KINDS = {
    ("text", "user"): "user_text",
    ("text", "assistant"): "assistant_text",
}
MIMO = "mimo/mimo-allkinds.db"
ENCODED = re.compile(r"data:[\w/+.-]+;base64,\S+")
WORD = re.compile(r"[^\W_]+")
HAN = re.compile(r"[\u4e00-\u9fff]{4,}")


def open_library(store: Path, folder: Path) -> Library:
    """A library of one store with an index of its own, brought up to date."""
    library = Library.open(sources=[store], index=folder / "index.db")
    library.sync(Event())
    return library


@pytest.fixture(params=STORES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def library(recording: Recording, name: str, tmp_path: Path) -> Iterator[Library]:
    found = open_library(recording(name), tmp_path)
    yield found
    found.close()


@pytest.fixture
def counted(recordings: Path, name: str, tmp_path: Path) -> Count:
    return count_store(copy_store(recordings / name, tmp_path / "counted"))


def pages(library: Library, query: str) -> Iterator[Answer]:
    """Every page of an answer."""
    answer = library.search(query, limit=1000)
    yield answer
    while answer.more:
        answer = library.search(query, limit=1000, cursor=answer.cursor)
        yield answer


def places(library: Library, query: str) -> set[str | None]:
    """The parts that a query finds, those of folded copies included."""
    hits = [hit for answer in pages(library, query) for hit in answer.hits]
    return {part for hit in hits for part in parts_of(hit)}


def parts_of(hit: Hit) -> set[str | None]:
    return {hit.part, *(copy.part for copy in hit.copies)}


def words_of(text: str) -> list[str]:
    """What to look for: the last word, which only a whole body has, and two Han letters in a run.

    A text without any word gives a literal.
    """
    plain = ENCODED.sub(" ", text)
    words = WORD.findall(plain)
    if not words:
        return ['"' + text.strip().replace('"', "")[:40] + '"']
    long = [word for word in words if len(word) >= 3]
    return [(long or words)[-1], *(run[1:3] for run in HAN.findall(plain)[-1:])]


def queries(said: Said) -> list[str]:
    kind = KINDS.get((said.kind, said.role), said.kind)
    synthetic = " is:synthetic" if said.synthetic else ""
    where = f"kind:{kind} session:{said.session}{synthetic}"
    return [f"{word} {where}" for word in words_of(said.text)]


def test_counts_of_the_source(library: Library, counted: Count) -> None:
    (source,) = library.sources()
    assert (source.sessions, source.messages, source.parts) == (
        len(counted.sessions),
        counted.messages,
        counted.parts,
    )
    assert source.behind == 0
    assert source.faults == ()
    assert library.coverage().complete


def test_counts_of_every_session(library: Library, counted: Count) -> None:
    listed = library.sessions("-is:deleted", limit=None).sessions
    found = {session.id: (session.messages, session.parts) for session in listed}
    assert found == {
        ident: (session.messages, session.parts) for ident, session in counted.sessions.items()
    }


def test_every_text_is_found_by_a_word_of_it(library: Library, counted: Count) -> None:
    answers: dict[str, set[str | None]] = {}
    missed = []
    asked = [(query, said) for said in counted.said if said.text.strip() for query in queries(said)]
    for query, said in asked:
        if query not in answers:
            answers[query] = places(library, query)
        if said.part not in answers[query]:
            missed.append((query, said.part, said.text[:80]))
    assert missed == []
    assert len(answers) > 10


# What MiMo Code's own search answered --------------------------------------------------------


@pytest.fixture(scope="module")
def mimo(
    recordings: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Library, set[str]]]:
    """The library over MiMo Code's recording, and the parts that the recording still has."""
    folder = tmp_path_factory.mktemp("mimo")
    counted = count_store(copy_store(recordings / MIMO, folder / "counted"))
    library = open_library(copy_store(recordings / MIMO, folder / "store"), folder)
    yield library, {said.part for said in counted.said}
    library.close()


@pytest.fixture(scope="module")
def answers(recordings: Path) -> list[dict[str, Any]]:
    whole = json.loads((recordings / "mimo/expected-search.json").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = whole["queries"]
    assert len(found) == 37
    return found


def test_everything_that_mimocode_finds(
    mimo: tuple[Library, set[str]], answers: list[dict[str, Any]]
) -> None:
    library, stored = mimo
    missed, compared = [], 0
    for answer in answers:
        wanted = {hit["part_id"] for hit in answer["hits"]} & stored
        if not wanted:
            continue
        query = answer["query"]
        found = places(library, query) | places(library, f"{query} is:synthetic")
        missed += [(query, part) for part in sorted(wanted - found)]
        compared += len(wanted)
    assert missed == []
    assert compared > 50


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("连接串", "连接串在哪里"),
        ("数据库", "数据库连接串是"),
        ("截图needle", "截图needle"),
    ],
)
def test_what_mimocode_misses_in_chinese(
    mimo: tuple[Library, set[str]], answers: list[dict[str, Any]], query: str, text: str
) -> None:
    theirs = next(answer["hits"] for answer in answers if answer["query"] == query)
    assert theirs == []
    hits = mimo[0].search(query).hits
    assert any(text in hit.snippet for hit in hits)
