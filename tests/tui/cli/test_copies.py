"""The command line on conversations that several stores have, and on stores that disagree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.makers import BASE, MessageSpec, PartSpec, mimocode_db, opencode_db, text
from tests.store.shelf import talk
from tests.tui.cli.conftest import Ran, Run
from tui.__main__ import main

ASKED = MessageSpec("user", [PartSpec(text("walrus"), id="prt_a")], id="msg_a")
MORE = MessageSpec("user", [PartSpec(text("seal"), id="prt_b")], id="msg_b")
TALK = talk("one", ASKED, title="Walrus", time=BASE)


@pytest.fixture
def real(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs the program on the stores `a.db` and `b.db` of the test."""

    def go(*arguments: str) -> Ran:
        stores = [f"--source={tmp_path / name}" for name in ("a.db", "b.db")]
        code = main([*arguments, *stores, f"--index={tmp_path / 'index.db'}"])
        out, err = capfd.readouterr()
        return Ran(code, out, err)

    return go


@pytest.fixture
def imported(tmp_path: Path) -> None:
    opencode_db(tmp_path / "a.db", sessions=[TALK])
    longer = talk("one", ASKED, MORE, title="Walrus", time=BASE)
    mimocode_db(tmp_path / "b.db", sessions=[longer], imported={"ses_one": "opencode"})


@pytest.fixture
def disagreeing(tmp_path: Path) -> None:
    opencode_db(tmp_path / "a.db", sessions=[TALK])
    opencode_db(tmp_path / "b.db", sessions=[replace(TALK, directory="/srv/b")])


@pytest.mark.usefixtures("imported")
def test_a_session_lists_its_other_places(real: Run) -> None:
    assert real("index").code == 0
    (listed,) = real("sessions", "--json").answer["sessions"]
    copy = {
        "source": "mimocode",
        "session": "ses_one",
        "messages": 2,
        "parts": 2,
        "time_updated": "2026-11-30T00:53:22.010Z",
        "fate": "live",
        "flags": ["imported"],
    }
    assert (listed["source"], listed["messages"], listed["copies"]) == ("opencode", 1, [copy])
    assert real("around", "msg_a", "--json").answer["session"]["copies"] == [copy]
    assert real("trace", "ses_one", "--json").answer["session"]["copies"] == [copy]
    (hit,) = real("search", "walrus", "kind:user_text", "--json").answer["hits"]
    assert (hit["source"], [one["source"] for one in hit["copies"]]) == ("opencode", ["mimocode"])
    (other,) = real("sessions", "is:imported", "--json").answer["sessions"]
    assert (other["source"], other["copies"][0]["source"]) == ("mimocode", "opencode")


@pytest.mark.usefixtures("imported")
def test_other_places_for_people(real: Run) -> None:
    said = "(also in mimocode with 1 message more)"
    assert real("sessions").out.rstrip().endswith(said)
    assert real("trace", "ses_one").out.rstrip().endswith(said)


@pytest.mark.usefixtures("disagreeing")
def test_a_conflict_is_in_every_answer_s_faults(real: Run) -> None:
    assert real("index").code == 0
    for command in (
        ["doctor"],
        ["sessions"],
        ["search", "walrus"],
        ["around", "opencode:ses_one"],
        ["trace", "opencode:ses_one"],
        ["leftovers"],
        ["stats"],
    ):
        ran = real(*command, "--json")
        (fault,) = ran.answer["faults"]
        assert (fault["code"], fault["about"]) == ("SOURCE_CONFLICT", "opencode-2:ses_one"), command
    sources = real("doctor", "--json").answer["sources"]
    assert [[one["code"] for one in each["skipped"]] for each in sources] == [
        [],
        ["SOURCE_CONFLICT"],
    ]


@pytest.mark.usefixtures("disagreeing")
def test_a_conflict_for_people(real: Run) -> None:
    told = real("doctor").out
    assert "opencode and opencode-2 disagree on session ses_one: folder" in told
    listed = real("sessions")
    assert [line.split()[-1] for line in listed.out.splitlines()] == [
        "opencode-2:ses_one",
        "opencode:ses_one",
    ]
    assert "1 session told differently by two stores; `backscroll doctor` lists them" in listed.err
    for name in ("opencode", "opencode-2"):
        assert "walrus" in real("around", f"{name}:ses_one").out
