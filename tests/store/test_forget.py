"""Forgetting: no piece of a text is left in the file, and it does not come back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import apsw
import pytest

from store import forget, reviewing, sqlite
from store.errors import StoreError
from store.library import Library
from store.lock import writing
from store.model import Revert
from tests.makers import MessageSpec, PartSpec, SessionSpec, opencode_db, text
from tests.makers.rows import to_json
from tests.store.shelf import edit, found, library, say, sync, synced, talk

SECRET = "the password is swordfish-4711-xyzzy"
OTHER = "nothing of the kind is told in here"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Two sessions; the second took a message over from the first, as a fork does."""
    asked = [PartSpec(text(SECRET), id="prt_a"), PartSpec(text(OTHER), id="prt_b")]
    return opencode_db(
        tmp_path / "opencode.db",
        sessions=[
            talk(
                "one",
                MessageSpec("user", asked, id="msg_a", time=1_796_000_000_000),
                MessageSpec("assistant", [PartSpec(text("understood"), id="prt_c")], id="msg_c"),
                title="A talk with swordfish in its title",
            ),
            talk(
                "two",
                MessageSpec(
                    "user",
                    [PartSpec(text(SECRET), id="prt_z")],
                    id="msg_z",
                    time=1_796_000_000_000,
                ),
                title="one (fork #1)",
            ),
        ],
    )


def bytes_in(index: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(index.parent.iterdir()))


def pieces(words: str) -> list[bytes]:
    told = words.encode()
    return [told[at : at + 16] for at in range(len(told) - 15)]


def left_of(index: Path, words: str) -> list[bytes]:
    held = bytes_in(index)
    return [piece for piece in pieces(words) if piece in held]


@pytest.mark.parametrize("ident", ["prt_a", "msg_a", "ses_one"])
def test_no_piece_of_it_is_left(store: Path, index: Path, ident: str) -> None:
    held = library(index, store)
    sync(held)
    assert found(held, "swordfish kind:user_text") == ["prt_a"]
    done = held.forget([ident])
    assert (done.sessions, done.messages) == {
        "prt_a": (0, 0),
        "msg_a": (0, 1),
        "ses_one": (1, 2),
    }[ident]
    assert left_of(index, SECRET) == []
    assert b"swordfish" not in bytes_in(index) or ident != "ses_one"
    if ident == "prt_a":
        assert found(held, '"nothing of the kind"') == ["prt_b"]
    held.close()


@pytest.mark.parametrize("rebuild", [False, True])
@pytest.mark.parametrize("ident", ["prt_a", "msg_a", "ses_one"])
def test_it_stays_forgotten(store: Path, index: Path, ident: str, rebuild: bool) -> None:
    held = library(index, store)
    sync(held)
    held.forget([ident])
    held.close()
    store.touch()
    synced(index, store, rebuild=rebuild)
    again = library(index, store)
    assert found(again, "password") == []
    assert left_of(index, SECRET) == []
    assert again.coverage().complete
    again.close()


def test_a_query_names_what_to_forget(store: Path, index: Path) -> None:
    held = library(index, store)
    sync(held)
    told = held.forget(query='"swordfish-4711"', only_count=True)
    assert (told.sessions, told.messages, told.parts) == (0, 0, 2)
    assert found(held, "password") != []
    held.forget(query='"swordfish-4711"')
    assert found(held, "password") == []
    assert found(held, "understood") == ["prt_c"]


def test_a_session_is_named_by_filters_alone(store: Path, index: Path) -> None:
    held = library(index, store)
    sync(held)
    assert held.forget(query="session:ses_one").sessions == 1
    assert [one.id for one in held.sessions().sessions] == ["ses_two"]


def test_what_is_not_there_cannot_be_forgotten(store: Path, index: Path) -> None:
    held = library(index, store)
    sync(held)
    with pytest.raises(StoreError) as caught:
        held.forget(["prt_nowhere"])
    assert caught.value.code == "PART_NOT_FOUND"
    assert held.forget(query="nowhere to be found").parts == 0


# Earlier texts, copies ----------------------------------------------------------------------


def test_an_earlier_text_takes_the_present_one_with_it(store: Path, index: Path) -> None:
    synced(index, store)
    say(store, "prt_b", "something else is told now", 1_796_000_900_000)
    synced(index, store)
    held = library(index, store)
    for only_count in (True, False):
        told = held.forget(query='is:replaced "nothing of the kind"', only_count=only_count)
        assert (told.parts, told.versions, told.present, told.copies) == (1, 1, 1, 0)
    assert found(held, "told") == []
    assert left_of(index, OTHER) == []
    assert left_of(index, "something else is told now") == []
    synced(index, store, rebuild=True)
    assert found(library(index, store), "told") == []


def test_copies_are_counted_and_go_too(store: Path, index: Path) -> None:
    held = library(index, store)
    sync(held)
    told = held.forget(["prt_a"], only_count=True)
    assert (told.parts, told.copies, told.versions) == (2, 1, 0)


@pytest.mark.parametrize("ident", ["prt_a", "msg_a", "ses_one"])
def test_the_same_thing_in_another_store_goes_and_stays_away(
    tmp_path: Path, store: Path, index: Path, ident: str
) -> None:
    backup = tmp_path / "backup.db"
    backup.write_bytes(store.read_bytes())
    held = library(index, store, backup)
    sync(held)
    held.forget([f"opencode:{ident}"])
    later = tmp_path / "later.db"  # known to nobody when it was forgotten
    later.write_bytes(store.read_bytes())
    for rebuild in (False, True):
        synced(index, store, backup, later, rebuild=rebuild)
        again = library(index, store, backup, later)
        assert found(again, "swordfish kind:user_text") == []
        assert left_of(index, SECRET) == []
        assert again.coverage().complete
        again.close()


def test_a_fork_that_comes_later_brings_nothing_back(tmp_path: Path, index: Path) -> None:
    path = opencode_db(tmp_path / "opencode.db", sessions=[secret_talk("one", "a")])
    held = library(index, path)
    sync(held)
    held.forget(["prt_a"])
    fork = opencode_db(tmp_path / "fork.db", sessions=[secret_talk("two", "z")])
    for rebuild in (False, True):
        synced(index, path, fork, rebuild=rebuild)
        again = library(index, path, fork)
        assert found(again, "password") == []
        (hit,) = again.search("understood").hits
        assert [one.part for one in hit.copies] == ["prt_answer_z"]
        assert left_of(index, SECRET) == []
        assert again.coverage().complete
        again.close()


def secret_talk(name: str, end: str) -> SessionSpec:
    return talk(
        name,
        MessageSpec(
            "user",
            [PartSpec(text(SECRET), id=f"prt_{end}")],
            id=f"msg_{end}",
            time=1_796_000_000_000,
        ),
        MessageSpec(
            "assistant",
            [PartSpec(text("understood"), id=f"prt_answer_{end}")],
            id=f"msg_answer_{end}",
        ),
    )


# Beside other programs ----------------------------------------------------------------------


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for another program."""
    monkeypatch.setattr(sqlite, "_patience", lambda connection: None)


def test_beside_an_idle_program_every_byte_goes(store: Path, index: Path) -> None:
    held, other = library(index, store), library(index, store)
    sync(held)
    assert found(other, "swordfish kind:user_text") == ["prt_a"]
    held.forget(["prt_a"])
    assert left_of(index, SECRET) == []
    assert found(other, "swordfish kind:user_text") == []
    other.close()


def test_beside_a_program_that_reads_nothing_is_forgotten(
    store: Path, index: Path, impatient: None
) -> None:
    held = library(index, store)
    sync(held)
    with reading(index):
        with pytest.raises(StoreError) as caught:
            held.forget(["prt_a"])
        assert (caught.value.code, "nothing was forgotten" in caught.value.message) == (
            "INDEX_BUSY",
            True,
        )
        assert found(held, "swordfish kind:user_text") == ["prt_a"]
    held.forget(["prt_a"])
    assert left_of(index, SECRET) == []


def test_a_program_that_begins_to_read_just_then_is_told_and_made_good(
    store: Path, index: Path, impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = library(index, store)
    sync(held)
    monkeypatch.setattr(forget, "_alone", lambda *_: None)
    with reading(index), pytest.raises(StoreError) as caught:
        held.forget(["prt_a"])
    assert (caught.value.code, "it is forgotten" in caught.value.message) == ("INDEX_BUSY", True)
    assert found(held, "swordfish kind:user_text") == []
    held.close()
    synced(index, store)
    assert left_of(index, SECRET) == []


def to_wipe(index: Path) -> bool:
    with closing(apsw.Connection(str(index))) as other:
        rows = other.execute("SELECT value FROM meta WHERE key = 'wipe'").fetchall()
    return rows[0][0] == 1


class Killed(BaseException):
    """Nothing catches it."""


def test_dying_before_the_bytes_are_gone_leaves_them_to_the_next_run(
    store: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = library(index, store)
    sync(held)

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(forget, "_write_anew", die)
        with pytest.raises(Killed):
            held.forget(["prt_a"])
        held.close()
        with pytest.raises(Killed):  # and again, while it is made good
            synced(index, store)
    assert to_wipe(index)
    synced(index, store)
    assert not to_wipe(index)
    assert left_of(index, SECRET) == []
    assert found(library(index, store), "swordfish kind:user_text") == []


def test_beside_a_program_that_writes_nothing_is_forgotten(store: Path, index: Path) -> None:
    held = library(index, store)
    sync(held)
    with writing(index), pytest.raises(StoreError) as caught:
        held.forget(["prt_a"])
    assert caught.value.code == "INDEX_BUSY"
    assert found(held, "swordfish kind:user_text") == ["prt_a"]


@contextmanager
def reading(index: Path) -> Iterator[None]:
    """Another program in the middle of a read, with something of the log still to be had."""
    with closing(apsw.Connection(str(index))) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM part").fetchall()
        yield


def test_damaged_copies_are_named_and_go_with_everything(store: Path, index: Path) -> None:
    held = library(index, store)
    sync(held)
    aside = index.with_name(f"{index.name}.damaged-2026-09-01-120000-1")
    aside.write_bytes(b"damaged, and it may have a password")
    assert held.forget(["prt_a"]).aside == (str(aside),)
    assert aside.exists()
    assert str(aside) in held.forget_all()
    assert list(index.parent.iterdir()) == []


def test_everything_of_ours_goes(store: Path, index: Path) -> None:
    before = store.read_bytes()
    held = library(index, store)
    sync(held)
    assert str(index) in held.forget_all()
    assert list(index.parent.iterdir()) == []
    assert store.read_bytes() == before
    assert found(Library.open(sources=[store], index=index), "password") == []


def test_the_diff_of_a_revert_tells_nothing_of_what_was_forgotten(
    tmp_path: Path, index: Path
) -> None:
    told = {"messageID": "msg_a", "diff": f"--- a\n+++ a\n+{SECRET}\n"}
    asked = MessageSpec("user", [PartSpec(text(SECRET), id="prt_a")], id="msg_a")
    store = opencode_db(
        tmp_path / "opencode.db", sessions=[talk("one", asked, columns={"revert": to_json(told)})]
    )
    synced(index, store)
    assert left_of(index, "+" + SECRET) != []
    held = library(index, store)
    held.forget(["prt_a"])
    held.close()
    for rebuild in (False, True):
        assert left_of(index, "+" + SECRET) == []
        edit(store, ("update session set time_updated = time_updated + 1", ()))
        synced(index, store, rebuild=rebuild)
    (session,) = library(index, store).sessions().sessions
    assert session.revert == Revert("msg_a")


def test_a_title_that_says_it_is_named(store: Path, index: Path) -> None:
    held = library(index, store)
    sync(held)
    told = held.forget(query="swordfish")
    assert (told.parts, told.titles) == (2, ("ses_one",))
    again = held.forget(query="swordfish")
    assert (again.sessions, again.parts, again.titles) == (0, 0, ("ses_one",))
    held.forget(["ses_one"])
    assert held.forget(query="swordfish").titles == ()


def test_forgetting_waits_for_what_another_program_is_just_writing(
    store: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced(index, store)
    asked, held = threading.Event(), threading.Event()

    def hold() -> None:
        with writing(index):
            held.set()
            asked.wait(30)

    def told(path: Path, patience_ms: int = 0) -> AbstractContextManager[None]:
        assert patience_ms >= 1_000
        asked.set()
        return writing(path, patience_ms)

    monkeypatch.setattr(reviewing, "writing", told)
    other = threading.Thread(target=hold)
    other.start()
    held.wait(30)
    one = library(index, store)
    assert one.forget(["prt_c"]).parts == 1
    other.join()
