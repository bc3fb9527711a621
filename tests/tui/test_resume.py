"""The command that resumes a session, per producer, and what is said beside it."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from store.model import Producer, Revert, Session
from tui.resume import resume_command, resume_warnings

POOL = Session("opencode", "ses_pool", "Fix pool", "/home/ada/my src/api", "api")
LOG = Session("dsh", "2faf9891-a1f0", "Fix pool", "/src", "api")
REVERT = "a revert is pending: the next prompt deletes the hidden messages for good"


@pytest.mark.parametrize(
    ("producer", "command"),
    [
        ("opencode", "cd '/home/ada/my src/api' && opencode -s ses_pool"),
        ("mimocode", "cd '/home/ada/my src/api' && mimo -s ses_pool"),
    ],
)
def test_opencode_and_mimocode(producer: Producer, command: str) -> None:
    assert resume_command(POOL, producer) == command
    assert resume_warnings(POOL, producer) == []


@pytest.mark.parametrize("folder", ["/a'; rm -rf ~; '", "/a\n$(id)", "/a`id`", '/"$HOME"'])
def test_a_folder_is_one_word(folder: str) -> None:
    command = resume_command(replace(POOL, directory=folder, id="ses;id"), "opencode")
    assert shlex.split(command) == ["cd", folder, "&&", "opencode", "-s", "ses;id"]


def test_a_folder_that_is_gone_is_left_out_and_told() -> None:
    assert resume_command(POOL, "opencode", folder_there=False) == "opencode -s ses_pool"
    told = resume_warnings(POOL, "opencode", folder_there=False)
    assert told == ["its folder /home/ada/my src/api is gone"]


def test_a_pending_revert_warns() -> None:
    assert resume_warnings(replace(POOL, revert=Revert("msg_1")), "opencode") == [REVERT]


def test_a_child_opens_its_root() -> None:
    child = replace(POOL, id="ses_child", parent="ses_pool")
    assert resume_command(child, "mimocode", root="ses_pool").endswith("mimo -s ses_pool")
    told = resume_warnings(child, "mimocode", root="ses_pool")
    assert told == ["this opens the session that it belongs to"]


def test_a_deleted_session_has_no_command() -> None:
    gone = replace(POOL, fate="deleted")
    assert resume_command(gone, "opencode") == ""
    assert resume_warnings(gone, "opencode") == [
        "the session is deleted; its agent cannot go on with it"
    ]


def test_the_harness_with_a_terminal_profile() -> None:
    command = resume_command(LOG, "dsh", terminal_profile=True, home="/opt/my dsh")
    assert command == ("cd /src && DSH_HOME='/opt/my dsh' dsh --profile tui --resume 2faf9891-a1f0")
    assert resume_warnings(LOG, "dsh", terminal_profile=True) == []


def test_the_harness_without_one() -> None:
    assert resume_command(LOG, "dsh") == "cd /src && dsh headless --session-id 2faf9891-a1f0 ..."
    assert resume_warnings(LOG, "dsh") == ["put what you want to say in the place of the dots"]


@pytest.mark.parametrize(
    "session",
    [replace(LOG, parent="root"), replace(LOG, flags=("fork",)), replace(LOG, directory="")],
)
def test_what_the_harness_refuses_is_chosen_on_its_page(session: Session) -> None:
    assert resume_command(session, "dsh", home="/d") == "DSH_HOME=/d dsh web"
    assert resume_warnings(session, "dsh") == ["then choose Fix pool on the page"]
