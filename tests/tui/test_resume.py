"""The command that resumes a session, per producer, and what is said beside it."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from store.model import Lineage, Producer, Revert, Session, SourceInfo
from tests.tui.fake import FakeLibrary
from tui.resume import Place, resume_command, resume_warnings, resuming

POOL = Session("opencode", "ses_pool", "Fix pool", "/home/ada/my src/api", "api")
LOG = Session("dsh", "2faf9891-a1f0", "Fix pool", "/src", "api", version="4")
REVERT = "a revert is pending: the next prompt deletes the hidden messages for good"


@pytest.mark.parametrize(
    ("producer", "command"),
    [
        ("opencode", "cd '/home/ada/my src/api' && opencode -s ses_pool"),
        ("mimocode", "cd '/home/ada/my src/api' && mimo -s ses_pool"),
    ],
)
def test_opencode_and_mimocode(producer: Producer, command: str) -> None:
    assert resume_command(POOL, producer, Place()) == command
    assert resume_warnings(POOL, producer, Place()) == []


@pytest.mark.parametrize("folder", ["/a'; rm -rf ~; '", "/a\n$(id)", "/a`id`", '/"$HOME"'])
def test_a_folder_is_one_word(folder: str) -> None:
    command = resume_command(replace(POOL, directory=folder, id="ses;id"), "opencode", Place())
    assert shlex.split(command) == ["cd", folder, "&&", "opencode", "-s", "ses;id"]


def test_a_folder_that_is_gone_is_left_out_and_told() -> None:
    assert resume_command(POOL, "opencode", Place(folder_there=False)) == "opencode -s ses_pool"
    told = resume_warnings(POOL, "opencode", Place(folder_there=False))
    assert told == ["its folder /home/ada/my src/api is gone"]


def test_a_pending_revert_warns() -> None:
    assert resume_warnings(replace(POOL, revert=Revert("msg_1")), "opencode", Place()) == [REVERT]


def test_a_deleted_session_has_no_command() -> None:
    gone = replace(POOL, fate="deleted")
    assert resume_command(gone, "opencode", Place()) == ""
    assert resume_warnings(gone, "opencode", Place()) == [
        "the session is deleted; its agent cannot go on with it"
    ]


def test_the_harness_with_a_terminal_profile() -> None:
    command = resume_command(LOG, "dsh", Place(home="/opt/my dsh", terminal_profile=True))
    assert command == ("cd /src && DSH_HOME='/opt/my dsh' dsh --profile tui --resume 2faf9891-a1f0")
    assert resume_warnings(LOG, "dsh", Place(terminal_profile=True)) == []


def test_the_harness_without_one() -> None:
    assert (
        resume_command(LOG, "dsh", Place())
        == "cd /src && dsh headless --session-id 2faf9891-a1f0 ..."
    )
    assert resume_warnings(LOG, "dsh", Place()) == [
        "put what you want to say in the place of the dots"
    ]


@pytest.mark.parametrize(
    "session",
    [
        replace(LOG, parent="root"),
        replace(LOG, flags=("fork",)),
        replace(LOG, directory=""),
        replace(LOG, version="0"),
    ],
)
def test_what_the_harness_refuses_is_chosen_on_its_page(session: Session) -> None:
    assert resume_command(session, "dsh", Place(home="/d")) == "DSH_HOME=/d dsh web"
    assert resume_warnings(session, "dsh", Place()) == ["then choose Fix pool on the page"]


class Family(FakeLibrary):
    """A library that knows the sessions above."""

    def __init__(self, *above: Session) -> None:
        super().__init__()
        self.above = above

    def trace(self, session: str) -> Lineage:
        return Lineage(self.all_sessions[0], self.above)


def test_a_child_opens_the_session_at_the_top(tmp_path: Path) -> None:
    top = replace(POOL, id="ses_top", directory=str(tmp_path))
    door = Family(replace(POOL, id="ses_middle"), top)
    child = replace(POOL, id="ses_child", parent="ses_middle")
    command, warnings = resuming(door, child, SourceInfo("mimocode", "mimocode", "/m.db"))
    assert command == f"cd {tmp_path} && mimo -s ses_top"
    assert warnings == ["this opens the session that it belongs to"]


def test_a_child_of_what_is_gone_opens_itself() -> None:
    door = Family(replace(POOL, id="ses_top", fate="deleted"))
    child = replace(POOL, id="ses_child", parent="ses_top")
    command, _ = resuming(door, child, SourceInfo("opencode", "opencode", "/o.db"))
    assert command == "opencode -s ses_child"


def test_a_folder_that_cannot_be_looked_at_is_as_good_as_gone() -> None:
    folder = f"/srv/{'x' * 300}"
    far = replace(POOL, directory=folder)
    command, warnings = resuming(Family(), far, SourceInfo("opencode", "opencode", "/o.db"))
    assert command == "opencode -s ses_pool"
    assert warnings == [f"its folder {folder} is gone"]


def test_a_harness_home_elsewhere_is_named_and_its_profile_used(tmp_path: Path) -> None:
    log = replace(LOG, directory=str(tmp_path))
    source = SourceInfo("dsh", "dsh", str(tmp_path / "sessions"))
    command, _ = resuming(Family(), log, source)
    assert command == (
        f"cd {tmp_path} && DSH_HOME={tmp_path} dsh headless --session-id 2faf9891-a1f0 ..."
    )
    (tmp_path / "profiles" / "tui").mkdir(parents=True)
    command, warnings = resuming(Family(), log, source)
    assert command == f"cd {tmp_path} && DSH_HOME={tmp_path} dsh --profile tui --resume {LOG.id}"
    assert warnings == []


def test_the_usual_harness_home_needs_no_name(tmp_path: Path) -> None:
    log = replace(LOG, directory=str(tmp_path))
    source = SourceInfo("dsh", "dsh", str(Path.home() / ".dsh" / "sessions"))
    command, _ = resuming(Family(), log, source)
    assert command == f"cd {tmp_path} && dsh headless --session-id 2faf9891-a1f0 ..."
