"""What a person wants passed over, masked or not kept: projects, folders, patterns, limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import limits
from store.library import Library
from store.model import Tool
from store.rules import MASK, Rules
from tests.makers import MessageSpec, PartSpec, opencode_db, text
from tests.store.shelf import DELETE, edit, found, one_talk, sync, talk


def library(index: Path, store: Path, **rules: object) -> Library:
    held = Library.open(sources=[store], index=index, rules=Rules(**rules))  # type: ignore[arg-type]
    sync(held)
    return held


@pytest.fixture
def two(tmp_path: Path) -> Path:
    return opencode_db(
        tmp_path / "opencode.db",
        sessions=[
            talk(
                name,
                MessageSpec(
                    "user", [PartSpec(text(f"common {name} sk-{name}99"), id=f"prt_{name}")]
                ),
                directory=f"/home/mia/src/{name}",
            )
            for name in ("open", "private")
        ],
    )


@pytest.mark.parametrize(
    "entry", ["private", "/home/mia/src/private", "/home/mia/src/pri*", "/home/mia/src/private/"]
)
def test_what_is_passed_over_is_not_in_the_index(two: Path, index: Path, entry: str) -> None:
    held = library(index, two, exclude=(entry,))
    assert found(held, "common") == ["prt_open"]
    assert [one.id for one in held.sessions().sessions] == ["ses_open"]


def test_what_was_indexed_goes_and_comes_again(two: Path, index: Path) -> None:
    assert len(found(library(index, two), "common")) == 2
    held = library(index, two, exclude=("private",))
    assert found(held, "common") == ["prt_open"]
    held.close()
    assert b"sk-private99" not in index.read_bytes()
    assert len(found(library(index, two), "common")) == 2


@pytest.mark.parametrize("before", [False, True])
def test_texts_are_masked(two: Path, index: Path, before: bool) -> None:
    if before:
        library(index, two).close()
    held = library(index, two, exclude=(r"text:sk-\w+",))
    assert found(held, "open99") == []
    assert [hit.snippet for hit in held.search("common open").hits] == [f"common open {MASK}"]
    held.close()
    assert b"sk-open99" not in index.read_bytes()


@pytest.mark.parametrize("what", DELETE)
def test_without_an_archive_what_went_is_gone(store: Path, index: Path, what: str) -> None:
    library(index, store, archive=False).close()
    edit(store, DELETE[what])
    held = library(index, store, archive=False)
    assert found(held, "charlie") == []
    assert held.leftovers().leftovers == ()
    assert [one.fate for one in held.sessions().sessions] == ([] if what == "session" else ["live"])


LONG_AGO = 1_700_000_000_000
"""November 2023."""


@pytest.mark.parametrize(("days", "left"), [(0, ["prt_say"]), (100_000, ["prt_say"]), (100, [])])
def test_old_copies_go_after_their_days(
    tmp_path: Path, index: Path, days: int, left: list[str]
) -> None:
    old = MessageSpec(
        "user", [PartSpec(text("charlie"), id="prt_say")], id="msg_say", time=LONG_AGO
    )
    spec = talk("one", old, time=LONG_AGO)
    store = opencode_db(tmp_path / "opencode.db", version="1.2.1", sessions=[spec])
    library(index, store, days=days).close()
    edit(store, DELETE["message"])
    held = library(index, store, days=days)
    assert [one.part for one in held.leftovers().leftovers] == left


def test_a_full_archive_gives_up_live_text_first(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = one_talk(tmp_path / "opencode.db")
    library(index, store).close()
    edit(store, DELETE["part"])
    held = library(index, store)
    assert [one.text for one in held.leftovers().leftovers] == ["charlie answer"]
    held.close()
    monkeypatch.setattr(limits, "MB", 10)
    held = library(index, store, megabytes=1)
    assert held.leftovers().leftovers == ()
    assert found(held, "charlie") == []
    assert found(held, "bravo") == ["prt_tool"]
    part = held.show("prt_tool").parts[0]
    assert isinstance(part.content, Tool)
    assert part.content.output == "bravo output"
    assert held.health().archive_bytes < 10
