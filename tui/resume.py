"""The command with which an agent goes on with a session, and what to know before.

opencode 1.18 and MiMo Code 0.1.13 take `-s`; DeepSeek Harness only has a command where a profile
for the terminal is installed, or since 0.2.1 (format version 4) for a session that is nobody's
child.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from store.door import Door
from store.errors import StoreError
from store.model import Producer, Session, SourceInfo

_PROGRAMS: dict[Producer, str] = {"opencode": "opencode", "mimocode": "mimo"}
_PROMPT = "..."
"""Where a person writes what to say."""
_HEADLESS_VERSION = "4"


@dataclass(frozen=True, slots=True)
class Place:
    """What the machine has for going on with a session.

    `folder_there`: the session's folder exists. `home` is a DeepSeek Harness home other than the
    usual one, `terminal_profile` whether it has the profile `tui`. `child`: what was asked for is
    a session below this one.
    """

    folder_there: bool = True
    home: str = ""
    terminal_profile: bool = False
    child: bool = False


def resuming(door: Door, session: Session, source: SourceInfo) -> tuple[str, list[str]]:
    """The command for a session of a source, or "", and what is said beside it.

    One goes on with the topmost session above it. Looks at the disk.
    """
    try:
        above = door.trace(f"{session.source}:{session.id}").parents
    except StoreError:
        above = ()
    top = next((one for one in reversed(above) if one.fate == session.fate), session)
    home, profile = _harness(source)
    place = Place(_is_folder(Path(top.directory)), home, profile, top is not session)
    return resume_command(top, source.producer, place), resume_warnings(top, source.producer, place)


def _harness(source: SourceInfo) -> tuple[str, bool]:
    """The home of a DeepSeek Harness store where it is not the usual one, and its profile `tui`."""
    path = Path(source.path)
    if source.producer != "dsh" or path.name != "sessions":
        return "", False
    home = path.parent
    usual = (Path.home() / ".dsh").resolve() == home.resolve()
    return "" if usual else str(home), _is_folder(home / "profiles" / "tui")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a folder that one may not look into, or a name too long
        return False


def resume_command(session: Session, producer: Producer, place: Place) -> str:
    """A line for a POSIX shell that opens the session in its folder; "" where there can be none."""
    if session.fate == "deleted":
        return ""
    ident = shlex.quote(session.id)
    folder = session.directory if place.folder_there else ""
    program = _PROGRAMS.get(producer)
    if program:
        return _in_folder(folder, f"{program} -s {ident}")
    setting = f"DSH_HOME={shlex.quote(place.home)} " if place.home else ""
    if place.terminal_profile:
        return _in_folder(folder, f"{setting}dsh --profile tui --resume {ident}")
    if _headless_takes(session) and folder:
        words = f"{setting}dsh headless --session-id {ident} {shlex.quote(_PROMPT)}"
        return _in_folder(folder, words)
    return f"{setting}dsh web"


def resume_warnings(session: Session, producer: Producer, place: Place) -> list[str]:
    """Sentences on what that command does besides, or why there is none."""
    if session.fate == "deleted":
        return ["the session is deleted; its agent cannot go on with it"]
    warnings = []
    if session.revert:
        warnings.append("a revert is pending: the next prompt deletes the hidden messages for good")
    if place.child:
        warnings.append("this opens the session that it belongs to")
    if not place.folder_there and session.directory:
        warnings.append(f"its folder {session.directory} is gone")
    if producer == "dsh" and not place.terminal_profile:
        if _headless_takes(session) and place.folder_there:
            warnings.append("put what you want to say in the place of the dots")
        else:
            warnings.append(f"then choose {session.title or session.id} on the page")
    return warnings


def _headless_takes(session: Session) -> bool:
    """`dsh headless` (0.2.1) refuses a forked, spawned or folderless session, and older formats."""
    kin = {"subagent", "fork"} & set(session.flags)
    known = session.version == _HEADLESS_VERSION
    return known and bool(session.directory) and not session.parent and not kin


def _in_folder(folder: str, command: str) -> str:
    return f"cd {shlex.quote(folder)} && {command}" if folder else command
