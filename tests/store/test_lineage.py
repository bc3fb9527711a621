"""Lineages: parents up, children down, forks across; cycles, missing parents and great depth."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from store.errors import StoreError
from store.library import Library
from store.model import Lineage
from tests.makers import BASE, MessageSpec, SessionSpec, opencode_db, text
from tests.makers.harness import LogSpec, harness_home
from tests.store.shelf import library, sync, talk

Open = Callable[..., Library]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens a library over a store with these sessions, brought up to date unless told not to."""
    held: list[Library] = []

    def make(*sessions: SessionSpec, indexed: bool = True) -> Library:
        store = opencode_db(tmp_path / "opencode.db", sessions=sessions)
        held.append(library(tmp_path / "index.db", store))
        if indexed:
            sync(held[-1])
        return held[-1]

    yield make
    for one in held:
        one.close()


def ask(words: str, time: int, ident: str = "") -> MessageSpec:
    return MessageSpec("user", [text(words)], id=ident, time=time)


def below(found: Lineage) -> list[tuple[str, int]]:
    return [(child.session.id, child.depth) for child in found.children]


def test_parents_are_nearest_first_and_children_in_the_order_of_a_tree(opened: Open) -> None:
    held = opened(
        talk("root", time=BASE),
        talk("middle", parent="ses_root", time=BASE + 1),
        talk("late", parent="ses_middle", time=BASE + 9),
        talk("early", parent="ses_middle", time=BASE + 3),
        talk("leaf", parent="ses_early", time=BASE + 20),
        talk("aunt", parent="ses_root", time=BASE + 4),
        indexed=False,
    )
    found = held.trace("ses_leaf")
    assert [one.id for one in found.parents] == ["ses_early", "ses_middle", "ses_root"]
    assert (found.complete, found.children) == (True, ())
    assert below(held.trace("ses_root")) == [
        ("ses_middle", 1),
        ("ses_early", 2),
        ("ses_leaf", 3),
        ("ses_late", 2),
        ("ses_aunt", 1),
    ]


def over(tmp_path: Path, *stores: Sequence[SessionSpec]) -> Library:
    """A library over several stores that were listed: `opencode`, `opencode-2`, and so on."""
    paths = [
        opencode_db(tmp_path / f"{number}.db", sessions=sessions)
        for number, sessions in enumerate(stores)
    ]
    held = library(tmp_path / "index.db", *paths)
    held.refresh()
    return held


def named(found: Lineage) -> list[str]:
    return [f"{child.session.source}:{child.session.id}" for child in found.children]


def test_a_parent_under_the_id_of_another_has_the_children_of_its_own_store(
    tmp_path: Path,
) -> None:
    held = over(
        tmp_path,
        [talk("root", time=BASE), talk("a", parent="ses_root"), talk("c", parent="ses_root")],
        [talk("root", time=BASE + 1), talk("b", parent="ses_root")],
    )
    assert named(held.trace("opencode:ses_root")) == ["opencode:ses_a", "opencode:ses_c"]
    assert named(held.trace("opencode-2:ses_root")) == ["opencode-2:ses_b"]
    (parent,) = held.trace("ses_b").parents
    assert (parent.source, parent.id) == ("opencode-2", "ses_root")


def test_children_of_one_id_that_disagree_are_both_children(tmp_path: Path) -> None:
    root = talk("root", time=BASE)
    held = over(
        tmp_path,
        [root, talk("a", parent="ses_root", time=BASE + 1)],
        [root, talk("a", parent="ses_root", time=BASE + 2)],
    )
    assert named(held.trace("ses_root")) == ["opencode:ses_a", "opencode-2:ses_a"]


def test_children_are_found_in_every_store_that_has_the_same_parent(tmp_path: Path) -> None:
    root, both = talk("root", time=BASE), talk("both", parent="ses_root", time=BASE + 1)
    held = over(
        tmp_path, [root, both], [root, both, talk("more", parent="ses_root", time=BASE + 2)],
        [talk("alone", parent="ses_root", time=BASE + 3)],
    )  # fmt: skip
    assert named(held.trace("opencode-2:ses_root")) == [
        "opencode-2:ses_both", "opencode-2:ses_more", "opencode-3:ses_alone",
    ]  # fmt: skip
    assert [one.id for one in held.trace("ses_alone").parents] == ["ses_root"]


def test_children_made_at_the_same_time_come_by_their_ids(opened: Open) -> None:
    held = opened(
        talk("root"),
        talk("b", parent="ses_root", time=BASE + 5),
        talk("a", parent="ses_root", time=BASE + 5),
        indexed=False,
    )
    assert below(held.trace("opencode:ses_root")) == [("ses_a", 1), ("ses_b", 1)]


def test_a_parent_that_is_nowhere_is_named(opened: Open) -> None:
    held = opened(talk("one", parent="ses_two"), talk("two", parent="outside"), indexed=False)
    found = held.trace("ses_one")
    assert [one.id for one in found.parents] == ["ses_two"]
    assert (found.complete, found.missing) == (False, "outside")


@pytest.mark.parametrize("asked", ["ses_a", "ses_b", "ses_below"])
def test_a_cycle_is_an_error_that_names_it(opened: Open, asked: str) -> None:
    held = opened(
        talk("a", parent="ses_b"),
        talk("b", parent="ses_a"),
        talk("below", parent="ses_a"),
        indexed=False,
    )
    with pytest.raises(StoreError) as caught:
        held.trace(asked)
    assert caught.value.code == "INVALID_LINEAGE"
    assert "ses_a" in caught.value.message
    assert "ses_b" in caught.value.message


def test_its_own_parent_is_a_cycle(opened: Open) -> None:
    held = opened(talk("self", parent="ses_self"), indexed=False)
    with pytest.raises(StoreError, match="ses_self < ses_self") as caught:
        held.trace("ses_self")
    assert caught.value.code == "INVALID_LINEAGE"


def test_an_unknown_session(opened: Open) -> None:
    with pytest.raises(StoreError) as caught:
        opened(talk("one"), indexed=False).trace("ses_two")
    assert caught.value.code == "SESSION_NOT_FOUND"


def test_three_thousand_levels(opened: Open, tmp_path: Path) -> None:
    held = opened(talk("0000"), indexed=False)
    with closing(sqlite3.connect(tmp_path / "opencode.db")) as db:
        names = [row[1] for row in db.execute("pragma table_info(session)")]
        copied = ", ".join({"id": "?", "parent_id": "?"}.get(name, f'"{name}"') for name in names)
        db.executemany(
            f"insert into session select {copied} from session where id = 'ses_0000'",
            [_values(names, level) for level in range(1, 3000)],
        )
        db.commit()
    down = held.trace("ses_0000")
    assert below(down)[-1] == ("ses_2999", 2999)
    up = held.trace("ses_2999")
    assert (len(up.parents), up.parents[-1].id) == (2999, "ses_0000")


def _values(names: list[str], level: int) -> tuple[str, ...]:
    given = {"id": f"ses_{level:04}", "parent_id": f"ses_{level - 1:04}"}
    return tuple(given[name] for name in names if name in given)


# Forks ---------------------------------------------------------------------------------------

ASKED = "Which port does the server use?"
ORIGIN = talk(
    "origin", ask(ASKED, BASE), ask("And the pool?", BASE + 10), ask("Thanks", BASE + 20), time=BASE
)
FORK = talk(
    "fork",
    ask(ASKED, BASE),
    ask("And the pool?", BASE + 10),
    ask("And the gateway?", BASE + 90),
    title="origin (fork #1)",
    time=BASE + 80,
)


def forks(held: Library, ident: str) -> list[tuple[str, str, int | None]]:
    return [(one.session.id, one.relation, one.shared) for one in held.trace(ident).forks]


def test_a_fork_and_its_origin_know_each_other_and_what_they_share(opened: Open) -> None:
    held = opened(ORIGIN, FORK)
    assert forks(held, "ses_origin") == [("ses_fork", "fork", 2)]
    assert forks(held, "ses_fork") == [("ses_origin", "origin", 2)]


def test_two_forks_of_one_session_are_siblings(opened: Open) -> None:
    second = talk("second", ask(ASKED, BASE), title="origin (fork #2)", time=BASE + 99)
    held = opened(ORIGIN, FORK, second)
    assert forks(held, "ses_second") == [("ses_origin", "origin", 1), ("ses_fork", "sibling", 1)]


def test_a_renamed_fork_is_known_by_its_history(opened: Open) -> None:
    renamed = talk("renamed", ask(ASKED, BASE), title="Another way", time=BASE + 80)
    held = opened(ORIGIN, renamed)
    assert forks(held, "ses_origin") == [("ses_renamed", "fork", 1)]
    assert forks(held, "ses_renamed") == [("ses_origin", "origin", 1)]


def test_an_equal_title_alone_makes_no_fork_once_the_history_is_known(opened: Open) -> None:
    other = talk("other", ask("Something else", BASE + 5), title="origin (fork #1)")
    assert forks(opened(ORIGIN, other), "ses_origin") == []


def test_an_equal_time_with_another_text_makes_no_fork(opened: Open) -> None:
    assert forks(opened(ORIGIN, talk("other", ask("Something else", BASE))), "ses_origin") == []


def test_before_the_index_knows_the_messages_the_title_tells(opened: Open) -> None:
    held = opened(ORIGIN, FORK, talk("plain", title="origin"), indexed=False)
    assert forks(held, "ses_origin") == [("ses_fork", "fork", None)]


@pytest.mark.parametrize("title", ["", " "])
def test_sessions_without_a_title_are_not_told_by_it(
    opened: Open, tmp_path: Path, title: str
) -> None:
    fork = talk("fork", title=f"{title} (fork #1)")
    assert forks(opened(talk("one", title=title), fork, indexed=False), "ses_fork") == []
    logs = [LogSpec("fork", parent="gone"), LogSpec("other")]
    held = library(tmp_path / "logs.db", harness_home(tmp_path / "home", logs))
    assert forks(held, "fork") == []


def test_sub_agents_with_one_prompt_are_no_forks_of_each_other(opened: Open) -> None:
    held = opened(
        talk("root"),
        talk("a", ask(ASKED, BASE), parent="ses_root"),
        talk("b", ask(ASKED, BASE), parent="ses_root"),
    )
    assert forks(held, "ses_a") == []
