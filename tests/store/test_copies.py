"""Copies of one text are one hit that lists them; filters still reach every copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.library import Library
from tests.makers import BASE, MessageSpec, PartSpec, opencode_db, text, tool
from tests.store.shelf import DELETE, edit, every_hit, library, one_talk, sync, talk

SAID = text("The walrus sleeps.", time={"start": BASE + 7})


def spoken(ident: str, *parts: PartSpec) -> MessageSpec:
    return MessageSpec("assistant", list(parts), id=f"msg_{ident}")


@pytest.fixture
def held(tmp_path: Path) -> Library:
    call = {"call": "call_1", "start": BASE + 5, "end": BASE + 6}
    del call
    first = talk("first", spoken("a", PartSpec(SAID, id="prt_a")), title="walk", time=BASE)
    fork = talk("fork", spoken("b", PartSpec(SAID, id="prt_b")), title="walk (fork #1)", time=BASE)
    later = text("The walrus sleeps.", time={"start": BASE + 8})
    other = talk("other", spoken("c", PartSpec(later, id="prt_c")), title="else", time=BASE)
    store = opencode_db(tmp_path / "opencode.db", sessions=[first, fork, other])
    made = library(tmp_path / "index.db", store)
    sync(made)
    return made


@pytest.mark.parametrize("sort", ["newest", "relevance"])
def test_copies_are_one_hit_and_equal_text_at_another_time_is_not(held: Library, sort: str) -> None:
    answer = held.search("walrus", sort=sort)  # type: ignore[arg-type]
    told = {hit.part: [one.part for one in hit.copies] for hit in answer.hits}
    assert told in ({"prt_a": ["prt_b"], "prt_c": []}, {"prt_b": ["prt_a"], "prt_c": []})
    assert answer.total == 2


def test_each_copy_is_found_where_a_filter_asks_for_it(held: Library) -> None:
    for name, part in (("ses_first", "prt_a"), ("ses_fork", "prt_b")):
        (hit,) = held.search(f"walrus session:{name}").hits
        assert (hit.part, len(hit.copies)) == (part, 1)


def test_a_filter_that_lets_several_copies_pass_shows_one(held: Library) -> None:
    for limit in (1, 20):
        hits = every_hit(held, "walrus title:walk role:assistant", limit=limit)
        assert len(hits) == 1
    answer = held.search("walrus role:assistant")
    assert (answer.total, len(answer.hits)) == (2, 2)


def test_two_calls_of_one_moment_are_two(tmp_path: Path) -> None:
    parts = [
        PartSpec(tool("bash", {"command": "date"}, "noon", call=f"call_{n}"), id=f"prt_{n}")
        for n in range(2)
    ]
    talks = [talk(str(n), spoken(str(n), part), time=BASE) for n, part in enumerate(parts)]
    made = library(tmp_path / "index.db", opencode_db(tmp_path / "opencode.db", sessions=talks))
    sync(made)
    assert len(made.search("noon kind:tool_output").hits) == 2


def test_a_copy_stands_for_the_others_once_the_first_is_read_anew(tmp_path: Path) -> None:
    store = one_talk(tmp_path / "a.db")
    copy = tmp_path / "b.db"
    copy.write_bytes(store.read_bytes())
    made = library(tmp_path / "index.db", store, copy)
    sync(made)
    for path in (store, copy):
        said = '{"type": "text", "text": "now a lynx"}'
        edit(path, ("update part set data = ?, time_updated = 9 where id = 'prt_say'", (said,)))
        sync(made)
        if path is store:
            assert len(made.search("charlie").hits) == 1
    assert not [hit for hit in made.search("charlie").hits if hit.fate == "live"]
    (hit,) = made.search("lynx").hits
    assert len(hit.copies) == 1
    edit(copy, DELETE["session"])
    sync(made)
    (hit,) = made.search("lynx").hits
    assert (hit.source, hit.fate) == ("opencode", "live")
