"""Where DeepSeek Harness keeps its logs on this machine.

A home is `$DSH_HOME` (blank counts as unset), else `~/.dsh`; its logs are in `sessions` there, or
where the row `session-persistence-jsonl` of a patch file says: `cordis.patch.yml` of the home and
of each of its profiles (0.1 to 0.2). The Python SDK of 0.1 keeps them at `$DSH_SESSION_ROOT`, else
in `.sessions` of the folder it was started in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

PATCH = "cordis.patch.yml"
LARGEST_PATCH = 1_000_000
"""Bytes; a longer file is no patch that a person wrote."""
_ROW = re.compile(r"(\s*)-\s+id:\s*(['\"]?)session-persistence-jsonl\2\s*(?:#.*)?")
_ROOT = re.compile(r"\s+root:\s*(.+?)\s*")
_HOME_CALL = re.compile(r"dshHomePath\(\s*['\"](.*?)['\"]\s*\)")
_VARIABLE = re.compile(r"process\.env\.(\w+)")


def places() -> list[Path]:
    """The folders of sessions on this machine."""
    named = expanded(os.environ.get("DSH_HOME", "").strip())
    home = named or Path.home() / ".dsh"
    root = expanded(os.environ.get("DSH_SESSION_ROOT", "").strip())
    found = [home / "sessions", *configured(home), *([root] if root else []), *_beside()]
    return list(dict.fromkeys(found))


def _beside() -> list[Path]:
    """The folder of sessions where this program was started, if there is one."""
    try:
        beside = Path(".sessions").absolute()
        return [beside] if beside.is_dir() else []
    except OSError:  # that folder is gone
        return []


def expanded(path: str) -> Path | None:
    """A path with its `~` written out; None for "" and for the home of nobody."""
    try:
        return Path(path).expanduser() if path else None
    except RuntimeError:
        return None


def configured(home: Path) -> list[Path]:
    """The folders of sessions that the patch files of a home name, each once."""
    try:
        files = [home / PATCH, *sorted(home.glob(f"profiles/*/{PATCH}"))]
    except OSError:
        return []
    roots = [root for file in files for root in _roots(_text(file))]
    return list(dict.fromkeys(path for root in roots if (path := _path(root, home))))


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > LARGEST_PATCH:
            return ""
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""


def _roots(text: str) -> Iterator[str]:
    """The values of `root` in the rows of that id, as far as lines alone tell."""
    inside: int | None = None
    for line in text.splitlines():
        row, root = _ROW.fullmatch(line), _ROOT.fullmatch(line)
        if row is not None:
            inside = len(row[1])
        elif line.strip() and inside is not None and _indent(line) <= inside:
            inside = None
        elif root is not None and inside is not None:
            yield root[1]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _path(value: str, home: Path) -> Path | None:
    """A value as a folder: bare or quoted text, or one of the two expressions in use."""
    if value.startswith("!!js"):
        if call := _HOME_CALL.search(value):
            return home / call[1]
        variable = _VARIABLE.search(value)
        value = os.environ.get(variable[1], "").strip() if variable else ""
    elif quoted := re.match(r"(['\"])(.*?)\1", value):
        value = quoted[2].replace("\\\\", "\\") if quoted[1] == '"' else quoted[2]
    else:
        value = re.split(r"\s#", value)[0].strip()
    path = expanded(value)
    return path.absolute() if path else None
