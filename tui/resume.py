"""The command with which an agent goes on with a session, and what to know before.

opencode 1.18 and MiMo Code 0.1.13 take `-s`; DeepSeek Harness only has a command where a profile
for the terminal is installed, or since 0.2.1 for a session that is nobody's child.
"""

from __future__ import annotations

import shlex

from store.model import Producer, Session

_PROGRAMS: dict[Producer, str] = {"opencode": "opencode", "mimocode": "mimo"}
_PROMPT = "..."
"""Where a person writes what to say."""


def resume_command(
    session: Session,
    producer: Producer,
    *,
    root: str = "",
    folder_there: bool = True,
    home: str = "",
    terminal_profile: bool = False,
) -> str:
    """A line for a POSIX shell that opens the session in its folder; "" where there can be none.

    `root` is the topmost ancestor's id, which is what one goes on with. `home` is a DeepSeek
    Harness home other than the usual one, `terminal_profile` whether it has the profile `tui`.
    """
    if session.fate == "deleted":
        return ""
    ident = shlex.quote(root or session.id)
    folder = session.directory if folder_there else ""
    program = _PROGRAMS.get(producer)
    if program:
        return _in_folder(folder, f"{program} -s {ident}")
    setting = f"DSH_HOME={shlex.quote(home)} " if home else ""
    if terminal_profile:
        return _in_folder(folder, f"{setting}dsh --profile tui --resume {ident}")
    if _headless_takes(session) and folder:
        words = f"{setting}dsh headless --session-id {ident} {shlex.quote(_PROMPT)}"
        return _in_folder(folder, words)
    return f"{setting}dsh web"


def resume_warnings(
    session: Session,
    producer: Producer,
    *,
    root: str = "",
    folder_there: bool = True,
    terminal_profile: bool = False,
) -> list[str]:
    """Sentences on what that command does besides, or why there is none."""
    if session.fate == "deleted":
        return ["the session is deleted; its agent cannot go on with it"]
    warnings = []
    if session.revert:
        warnings.append("a revert is pending: the next prompt deletes the hidden messages for good")
    if root and root != session.id:
        warnings.append("this opens the session that it belongs to")
    if not folder_there and session.directory:
        warnings.append(f"its folder {session.directory} is gone")
    if producer == "dsh" and not terminal_profile:
        if _headless_takes(session) and folder_there:
            warnings.append("put what you want to say in the place of the dots")
        else:
            warnings.append(f"then choose {session.title or session.id} on the page")
    return warnings


def _headless_takes(session: Session) -> bool:
    """A forked, spawned or folderless session is refused by `dsh headless` (0.2.1)."""
    kin = {"subagent", "fork"} & set(session.flags)
    return bool(session.directory) and not session.parent and not kin


def _in_folder(folder: str, command: str) -> str:
    return f"cd {shlex.quote(folder)} && {command}" if folder else command
