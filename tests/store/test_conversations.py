"""One conversation that lies in several stores: shown once, read from the best, nothing hidden."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from store.errors import StoreError
from store.library import Library
from store.model import Copy, Session
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    SessionSpec,
    mimocode_db,
    opencode_db,
    text,
)
from tests.makers.harness import (
    LogSpec,
    harness_home,
    harness_sqlite,
    harness_zip,
    small_talk,
    user,
)
from tests.makers.opencode_files import exported, opencode_files
from tests.store.shelf import DELETE, LATER, add_part, edit, library, sync, talk

ASKED = MessageSpec("user", [PartSpec(text("The walrus sleeps."), id="prt_a")], id="msg_a")
SAID = MessageSpec("assistant", [PartSpec(text("On a floe."), id="prt_b")], id="msg_b")
TALK = talk("one", ASKED, SAID, title="Walrus", time=BASE)
LONGER = talk(
    "one",
    ASKED,
    SAID,
    MessageSpec("user", [PartSpec(text("And the seal?"), id="prt_c")], id="msg_c"),
    title="Walrus",
    time=BASE,
)
LOG = LogSpec("session-one", [user("The walrus sleeps."), *small_talk()[3:]])


def db(path: Path, *specs: SessionSpec) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return opencode_db(path, sessions=specs or (TALK,))


def mimo(path: Path, spec: SessionSpec = TALK, source: str = "opencode") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return mimocode_db(path, sessions=[spec], imported={spec.id: source} if source else None)


def copied(path: Path, to: Path) -> Path:
    return Path(shutil.copy(path, to))


def backup(root: Path) -> list[Path]:
    return [first := db(root / "opencode.db"), copied(first, root / "backup-of-june.db")]


def channels(root: Path) -> list[Path]:
    db(root / "opencode.db")
    copied(root / "opencode.db", root / "opencode-dev.db")
    return [root]


def imported(root: Path) -> list[Path]:
    return [mimo(root / "mimocode.db"), db(root / "opencode.db")]


def old_files(root: Path) -> list[Path]:
    return [db(root / "opencode.db"), opencode_files(root / "old" / "storage", sessions=[TALK])]


def export(root: Path) -> list[Path]:
    return [db(root / "opencode.db"), exported(root / "walrus.json", TALK)]


def generations(root: Path) -> list[Path]:
    return [
        harness_home(root / "new", [LOG]),
        harness_home(root / "old", [replace(LOG, version=0)], packed=False),
    ]


def archive(root: Path) -> list[Path]:
    return [harness_home(root / "home", [LOG]), harness_zip(root / "export.zip", [LOG])]


def database(root: Path) -> list[Path]:
    old = replace(LOG, version=0)
    return [harness_home(root / "home", [LOG]), harness_sqlite(root / "sessions.db", [old])]


@pytest.mark.parametrize(
    "make",
    [backup, channels, imported, old_files, export, generations, archive, database],
)
def test_it_is_shown_once_with_its_other_place(
    tmp_path: Path, make: Callable[[Path], list[Path]]
) -> None:
    held = library(tmp_path / "index.db", *make(tmp_path))
    report = sync(held)
    assert [one.sessions for one in report.sources] == [1, 1]
    assert [one.faults for one in report.sources] == [(), ()]
    page = held.sessions()
    (shown,) = page.sessions
    (copy,) = shown.copies
    assert (page.total, {shown.source, copy.source}) == (1, {one.name for one in report.sources})
    assert (copy.messages, copy.fate) == (shown.messages, "live")
    (hit,) = held.search("walrus kind:user_text").hits
    assert [(hit.source, hit.session)] == [(shown.source, shown.id)]
    assert [one.source for one in hit.copies] == [copy.source]
    assert held.show(hit.part or "").session == shown
    assert held.page(f"{copy.source}:{shown.id}", 0, 9).total == copy.messages
    (other,) = held.sessions(f"source:{copy.source}").sessions
    assert (other.source, [one.source for one in other.copies]) == (copy.source, [shown.source])
    held.close()


def test_a_part_of_the_list_is_what_the_whole_list_has_of_it(tmp_path: Path) -> None:
    alone = talk("two", title="Alone", time=BASE)
    first = db(tmp_path / "opencode.db", TALK, alone)
    held = library(tmp_path / "index.db", first, copied(first, tmp_path / "copy.db"))
    sync(held)
    add_part(first, "prt_z", "msg_b", "ses_one", text("It wakes."), LATER)
    edit(first, ("delete from session where id = 'ses_two'", ()))
    sync(held)
    whole = {one.id: one for one in held.sessions(limit=None).sessions}
    assert len(whole["ses_one"].copies) == 1
    assert held.some_sessions({"ses_one"}) == (whole["ses_one"],)
    assert set(held.some_sessions({"ses_one", "ses_two", "ses_none"})) == set(whole.values())
    held.close()


# The primary ---------------------------------------------------------------------------------


def sources(session: Session) -> list[str]:
    """Where a session lies, the primary first."""
    return [session.source, *(one.source for one in session.copies)]


def only(held: Library, query: str = "") -> Session:
    (session,) = held.sessions(query).sessions
    return session


def test_native_comes_before_imported_whichever_is_newer(tmp_path: Path) -> None:
    mine = mimo(tmp_path / "mimocode.db", replace(LONGER, time=BASE))
    edit(mine, ("update session set time_updated = ?", (LATER,)))
    held = library(tmp_path / "index.db", mine, db(tmp_path / "opencode.db"))
    sync(held)
    shown = only(held)
    assert sources(shown) == ["opencode", "mimocode"]
    assert shown.copies == (Copy("mimocode", 3, 3, LATER, "live", ("imported",)),)
    assert (shown.active, shown.longer) == (LATER, shown.copies)
    assert held.page("ses_one", 0, 9).session == shown
    assert [one.message.id for one in held.page("ses_one", 0, 9).messages] == ["msg_a", "msg_b"]


def test_what_only_a_copy_has_is_found_and_opens_there(tmp_path: Path) -> None:
    mine = mimo(tmp_path / "mimocode.db", LONGER)
    held = library(tmp_path / "index.db", mine, db(tmp_path / "opencode.db"))
    sync(held)
    (hit,) = held.search("seal").hits
    assert (hit.id, hit.copies) == ("mimocode:prt_c", ())
    for ident in ("prt_c", "msg_c"):
        window = held.around(ident)
        assert (window.session.source, window.total) == ("mimocode", 3)
    assert sources(held.around("prt_c").session) == ["mimocode", "opencode"]


def test_of_natives_the_newest_is_the_primary(tmp_path: Path) -> None:
    first = db(tmp_path / "a.db")
    second = copied(first, tmp_path / "b.db")
    held = library(tmp_path / "index.db", first, second)
    sync(held)
    assert sources(only(held)) == ["opencode", "opencode-2"]
    edit(second, ("update session set time_updated = ?", (LATER,)))
    sync(held)
    assert sources(only(held)) == ["opencode-2", "opencode"]
    (hit,) = held.search("walrus kind:user_text").hits
    assert (hit.source, [one.source for one in hit.copies]) == ("opencode-2", ["opencode"])
    assert held.show("prt_a").session.source == "opencode-2"


def test_what_is_there_comes_before_what_is_gone(tmp_path: Path) -> None:
    first = db(tmp_path / "opencode.db")
    held = library(tmp_path / "index.db", first, mimo(tmp_path / "mimocode.db"))
    sync(held)
    edit(first, DELETE["session"])
    sync(held)
    shown = only(held)
    assert (sources(shown), shown.fate) == (["mimocode", "opencode"], "live")
    assert [one.fate for one in shown.copies] == ["deleted"]
    assert held.show("prt_a").session.source == "mimocode"
    assert sources(only(held, "is:deleted")) == ["opencode", "mimocode"]
    assert {hit.fate for hit in held.search("walrus").hits} == {"live"}


def test_a_filter_that_the_primary_does_not_pass_shows_the_other(tmp_path: Path) -> None:
    held = library(tmp_path / "index.db", *imported(tmp_path))
    sync(held)
    assert sources(only(held, "is:imported")) == ["mimocode", "opencode"]
    assert sources(only(held, "-is:imported")) == ["opencode", "mimocode"]
    assert sources(only(held, "is:live")) == ["opencode", "mimocode"]
    assert [hit.source for hit in held.search("floe is:imported").hits] == ["mimocode"]


@pytest.mark.parametrize(
    "narrowed", ["is:live", "role:user", "session:ses_one", "title:walrus", "-is:fork"]
)
@pytest.mark.parametrize("imported_first", [True, False])
def test_the_primary_answers_whatever_narrows_the_hits(
    tmp_path: Path, narrowed: str, imported_first: bool
) -> None:
    stores = imported(tmp_path)
    held = library(tmp_path / "index.db", *(reversed(stores) if imported_first else stores))
    sync(held)
    for sort in ("newest", "relevance"):
        (hit,) = held.search(f"walrus kind:user_text {narrowed}", sort=sort).hits
        assert (hit.source, [one.source for one in hit.copies]) == ("opencode", ["mimocode"])
    counts = held.facets(f"walrus kind:user_text {narrowed}").counts
    assert counts["kind"] == (("user_text", 1),)


def test_a_store_that_is_there_answers_before_one_that_vanished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    db(tmp_path / "opencode" / "opencode.db")
    beta = copied(tmp_path / "opencode" / "opencode.db", tmp_path / "opencode" / "opencode-beta.db")
    held = Library.open(index=tmp_path / "index.db")
    sync(held)
    (tmp_path / "opencode" / "opencode.db").unlink()
    edit(beta, ("delete from part where id = 'prt_a'", ()))
    sync(held)
    for query in ("sleeps", "sleeps role:user"):
        (hit,) = held.search(query).hits
        assert (hit.source, hit.fate, len(hit.copies)) == ("opencode-2", "removed", 1)
    held.close()


def test_what_does_not_answer_is_no_copy(tmp_path: Path) -> None:
    first, second = backup(tmp_path)
    both = library(tmp_path / "index.db", first, second)
    sync(both)
    both.close()
    held = library(tmp_path / "index.db", second)
    assert sources(only(held)) == ["opencode-2"]
    assert held.page("ses_one", 0, 9).session.copies == ()
    assert held.trace("ses_one").session.copies == ()


def test_the_list_follows_the_place_that_went_on_last(tmp_path: Path) -> None:
    other = talk("two", MessageSpec("user", [text("Another.")]), time=BASE + 9)
    store = db(tmp_path / "opencode.db", TALK, other)
    edit(store, ("update session set time_updated = ? where id = 'ses_two'", (LATER - 1,)))
    mine = mimo(tmp_path / "mimocode.db", LONGER)
    edit(mine, ("update session set time_updated = ?", (LATER,)))
    held = library(tmp_path / "index.db", store, mine)
    sync(held)
    listed = [one.id for one in held.sessions().sessions]
    assert listed == ["ses_one", "ses_two"]
    paged = []
    cursor = None
    for _ in range(2):
        page = held.sessions(limit=1, cursor=cursor)
        paged += [one.id for one in page.sessions]
        cursor = page.cursor
    assert (paged, cursor) == (listed, None)


def test_forgetting_one_place_forgets_them_all(tmp_path: Path) -> None:
    held = library(tmp_path / "index.db", *imported(tmp_path))
    sync(held)
    told = held.forget(["ses_one"])
    assert (told.sessions, told.messages, told.parts) == (2, 4, 4)
    sync(held)
    assert held.sessions().sessions == ()
    assert held.search("walrus").hits == ()


def test_forks_are_conversations_of_their_own(tmp_path: Path) -> None:
    again = MessageSpec("user", [text("The walrus sleeps.")], time=BASE)
    fork = talk("fork", again, title="Walrus (fork #1)", time=BASE + 5)
    held = library(tmp_path / "index.db", db(tmp_path / "opencode.db", TALK, fork))
    sync(held)
    assert {one.id: one.copies for one in held.sessions().sessions} == {
        "ses_one": (),
        "ses_fork": (),
    }


# A store that moved --------------------------------------------------------------------------


def test_a_store_that_moved_shows_its_sessions_once_and_keeps_what_was_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "here"))
    monkeypatch.setenv("OPENCODE_DB", str(tmp_path / "there" / "moved.db"))
    old = db(tmp_path / "here" / "opencode" / "opencode.db", LONGER)
    held = Library.open(index=tmp_path / "index.db")
    sync(held)
    edit(old, ("delete from message where id = 'msg_c'", ()))
    sync(held)
    (tmp_path / "there").mkdir()
    old.rename(tmp_path / "there" / "moved.db")
    report = sync(held)
    assert [(one.name, one.opened, one.sessions) for one in report.sources] == [
        ("opencode", "missing", 1),
        ("opencode-2", "immutable", 1),
    ]
    assert sources(only(held)) == ["opencode-2", "opencode"]
    (hit,) = held.search("walrus kind:user_text").hits
    assert (hit.source, hit.fate) == ("opencode-2", "live")
    (gone,) = held.search("seal").hits
    assert (gone.id, gone.fate) == ("opencode:prt_c", "removed")
    assert held.show(gone.id).parts[0].content == held.show("prt_c").parts[0].content
    assert held.search("walrus is:deleted").hits == ()
    held.close()


def test_a_store_that_vanished_answers_from_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = db(tmp_path / "opencode" / "opencode.db", LONGER)
    held = Library.open(index=tmp_path / "index.db")
    sync(held)
    edit(path, ("delete from message where id = 'msg_c'", ()))
    sync(held)
    path.unlink()
    (info,) = sync(held).sources
    assert (info.opened, info.sessions, info.leftovers) == ("missing", 1, 1)
    fates = {hit.part: hit.fate for hit in held.search("walrus | seal kind:user_text").hits}
    assert fates == {"prt_a": "live", "prt_c": "removed"}
    window = held.page("ses_one", 0, 9)
    assert [one.message.fate for one in window.messages] == ["live", "live", "removed"]
    held.close()


def test_a_store_that_another_replaced_leaves_its_sessions_and_fates(tmp_path: Path) -> None:
    path = db(tmp_path / "opencode.db", LONGER)
    held = library(tmp_path / "index.db", path)
    sync(held)
    edit(path, ("delete from message where id = 'msg_c'", ()))
    sync(held)
    path.unlink()
    db(path, talk("two", MessageSpec("user", [PartSpec(text("A seal."), id="prt_n")])))
    (info,) = sync(held).sources
    assert (info.name, info.sessions) == ("opencode", 1)
    fates = {hit.part: hit.fate for hit in held.search("walrus | seal kind:user_text").hits}
    assert fates == {"prt_a": "deleted", "prt_c": "removed", "prt_n": "live"}
    assert [one.message.id for one in held.page("ses_one", 0, 9).messages] == [
        "msg_a",
        "msg_b",
        "msg_c",
    ]
    held.close()


# Disagreement --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (
            replace(TALK, columns={"time_created": BASE + 1}),
            "created 2026-11-30T00:53:20.000Z and 2026-11-30T00:53:20.001Z",
        ),
        (replace(TALK, parent="ses_x"), "parent none and ses_x"),
        (replace(TALK, directory="/srv/b"), "folder /home/mia/src/alpha and /srv/b"),
    ],
)
def test_stores_that_disagree_are_a_fault_and_both_readable(
    tmp_path: Path, other: SessionSpec, said: str
) -> None:
    first, second = db(tmp_path / "a.db"), db(tmp_path / "b.db", other)
    edit(first, ("update session set time_updated = ?", (LATER,)))
    held = library(tmp_path / "index.db", first, second)
    one, two = sync(held).sources
    (fault,) = two.faults
    assert (one.faults, fault.code, fault.about) == ((), "SOURCE_CONFLICT", "opencode-2:ses_one")
    assert said in fault.message
    assert held.sources()[1].faults == (fault,)
    assert [sources(each) for each in held.sessions().sessions] == [["opencode"], ["opencode-2"]]
    for name in ("opencode", "opencode-2"):
        assert held.page(f"{name}:ses_one", 0, 9).total == 2
    for ident in ("ses_one", "ses_o", "msg_a", "prt_b"):
        with pytest.raises(StoreError, match="AMBIGUOUS_ID") as caught:
            held.around(ident)
        named = [one for one in caught.value.message.split() if one.startswith("opencode")]
        assert [one.partition(":")[0] for one in named] == ["opencode", "opencode-2"]
    assert held.around("opencode-2:msg_a").session.source == "opencode-2"


def test_one_of_those_that_disagree_answers_where_only_that_may(tmp_path: Path) -> None:
    stores = db(tmp_path / "a.db"), db(tmp_path / "b.db", replace(TALK, parent="ses_x"))
    sync(library(tmp_path / "index.db", *stores))
    held = library(tmp_path / "index.db", stores[1])
    assert held.around("ses_one").session.source == "opencode-2"


def test_logs_that_disagree(tmp_path: Path) -> None:
    homes = [
        harness_home(tmp_path / "a", [LOG]),
        harness_home(tmp_path / "b", [replace(LOG, cwd="/srv/b", created=BASE + 1)]),
    ]
    held = library(tmp_path / "index.db", *homes)
    faults = [fault for one in sync(held).sources for fault in one.faults]
    assert [(one.code, one.about.split(":")[1]) for one in faults] == [
        ("SOURCE_CONFLICT", "session-one")
    ]
    assert len(held.sessions().sessions) == 2


def test_an_import_may_differ(tmp_path: Path) -> None:
    moved = replace(TALK, directory="/srv/b", columns={"time_created": BASE + 1})
    held = library(
        tmp_path / "index.db", db(tmp_path / "a.db"), mimo(tmp_path / "mimocode.db", moved)
    )
    assert [one.faults for one in sync(held).sources] == [(), ()]
    assert sources(only(held)) == ["opencode", "mimocode"]


def test_a_third_that_agrees_stays_with_the_one_it_agrees_with(tmp_path: Path) -> None:
    other = replace(TALK, directory="/srv/b")
    stores = [db(tmp_path / "a.db"), db(tmp_path / "b.db", other)]
    stores.append(copied(stores[1], tmp_path / "c.db"))
    held = library(tmp_path / "index.db", *stores)
    sync(held)
    assert [sources(each) for each in reversed(held.sessions().sessions)] == [
        ["opencode"],
        ["opencode-2", "opencode-3"],
    ]


def test_it_is_over_once_they_agree(tmp_path: Path) -> None:
    first, second = db(tmp_path / "a.db"), db(tmp_path / "b.db", replace(TALK, directory="/srv/b"))
    held = library(tmp_path / "index.db", first, second)
    assert len(sync(held).sources[1].faults) == 1
    edit(second, ("update session set directory = '/home/mia/src/alpha'", ()))
    assert [one.faults for one in sync(held).sources] == [(), ()]
    assert len(held.sessions().sessions) == 1


# Relatives in other stores -------------------------------------------------------------------


def test_relatives_are_told_once_and_found_in_whichever_store_has_them(tmp_path: Path) -> None:
    child = talk("child", parent="ses_one", time=BASE + 5)
    late = talk("late", parent="ses_one", time=BASE + 9)
    first = db(tmp_path / "a.db", TALK, child)
    second = db(tmp_path / "b.db", TALK, child, late)
    held = library(tmp_path / "index.db", first, second)
    sync(held)
    for name, other in (("opencode", "opencode-2"), ("opencode-2", "opencode")):
        found = held.trace(f"{name}:ses_one")
        assert [one.source for one in found.session.copies] == [other]
        assert [(one.session.source, one.session.id) for one in found.children] == [
            (name, "ses_child"),
            ("opencode-2", "ses_late"),
        ]
    assert [one.source for one in held.trace("ses_late").parents] == ["opencode-2"]


def test_a_part_that_comes_to_the_primary_alone(tmp_path: Path) -> None:
    first = db(tmp_path / "a.db")
    second = copied(first, tmp_path / "b.db")
    held = library(tmp_path / "index.db", first, second)
    sync(held)
    add_part(first, "prt_n", "msg_b", "ses_one", text("quartz"), LATER)
    sync(held)
    (hit,) = held.search("quartz").hits
    assert (hit.source, hit.copies) == ("opencode", ())
