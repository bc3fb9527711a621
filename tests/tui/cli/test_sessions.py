"""`sessions`: the JSON and the lines for people."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from threading import Event

from store.errors import StoreError
from tests.tui.cli.conftest import Run
from tests.tui.cli.fake import NOON, SESSION, Fake

POOL = {
    "source": "opencode",
    "session": "ses_pool",
    "title": "Fix pool timeout",
    "project": "api",
    "directory": "/src/api",
    "parent": None,
    "messages": 2,
    "parts": 3,
    "unread": False,
    "time_created": "2026-09-01T12:00:00.123Z",
    "time_updated": "2026-09-01T12:01:00.123Z",
    "fate": "live",
    "flags": ["archived"],
    "copies": [],
    "revert": {"message": "msg_two", "part": "", "diff": "", "after": False},
    "faults": 0,
    "gone": 0,
}


def test_the_list_as_json(run: Run) -> None:
    ran = run("sessions", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.answer == {
        "sessions": [POOL],
        "total": 1,
        "unread": 0,
        "more": False,
        "cursor": None,
        "faults": [],
    }


def test_filters_and_limits_reach_the_door(run: Run, door: Fake) -> None:
    run("sessions", "project:api", "since:7d", "--limit", "3", "--cursor", "c")
    assert door.calls[-1] == ("sessions", ("project:api since:7d", 3, "c"))


def test_a_session_for_people(run: Run) -> None:
    ran = run("sessions")
    when = f"{datetime.fromtimestamp(NOON / 1000 + 60):%Y-%m-%d %H:%M}"
    assert ran.out == (
        f"{when}  2  Fix pool timeout  api  opencode:ses_pool  (archived, pending revert)\n"
    )
    assert ran.err == "backscroll: 1 session\n"


def test_a_session_that_lost_something_says_so(run: Run, door: Fake) -> None:
    door.listed = (replace(SESSION, revert=None, flags=(), gone=1_234),)
    assert run("sessions").out.endswith("opencode:ses_pool  (1,234 gone)\n")
    assert run("sessions", "--json").answer["sessions"][0]["gone"] == 1_234


def test_no_session_is_one(run: Run, door: Fake) -> None:
    door.listed = ()
    ran = run("sessions", "project:none", "--json")
    assert ran.code == 1
    assert ran.answer["sessions"] == []


def test_a_busy_index_lists_what_is_there(run: Run, door: Fake) -> None:
    def busy(_: Event) -> None:
        raise StoreError("INDEX_BUSY", "another program writes the index")

    door.syncing = busy
    ran = run("sessions", "--json")
    assert ran.answer["sessions"] == [POOL]
    assert "another program is writing the index" in ran.err


def test_the_list_is_brought_up_to_date_first(run: Run, door: Fake) -> None:
    run("sessions")
    assert [name for name, _ in door.calls][1:] == ["sync", "sessions"]


def test_what_is_not_known_of_a_session_that_was_not_read_is_not_told(run: Run, door: Fake) -> None:
    door.listed = (replace(SESSION, title="", messages=0, unread=True, revert=None, flags=()),)
    ran = run("sessions")
    assert ran.out == "?  ?  (not read yet)  api  opencode:ses_pool\n"
    (told,) = run("sessions", "--json").answer["sessions"]
    unknown = ("title", "messages", "parts", "time_updated")
    assert ([told[name] for name in unknown], told["unread"]) == ([None] * 4, True)


def test_how_many_sessions_were_not_read_is_said(run: Run, door: Fake) -> None:
    door.listed = (SESSION, *(replace(SESSION, id=ident, unread=True) for ident in "ab"))
    ran = run("sessions", "--json")
    assert ran.answer["unread"] == 2
    assert ran.err.startswith("backscroll: 2 sessions are not read yet: titles, counts and")
