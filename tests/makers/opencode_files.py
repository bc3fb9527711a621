"""opencode before 1.2: a storage folder of JSON files; and what `opencode export` writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.makers.rows import Talk, message_data, part_data, settle
from tests.makers.specs import BASE, Data, SessionSpec

PROJECT = "4f3c07d1d3ee7049a8b72985ab9262a4760da025"


def opencode_files(storage: Path, *, sessions: Sequence[SessionSpec] = ()) -> Path:
    """Writes the files of these sessions as 1.1.65 did. `columns` go over a session's object.

    Of a message that is `gone` only the part files and the folders stay, as after a committed
    revert.
    """
    _write(storage / "migration", "2")
    projects: dict[str, str] = {}
    for talk in settle(tuple(sessions)):
        folder = talk.session.directory
        outside = folder.startswith("/tmp")
        project = projects.setdefault(folder, "global" if outside else f"{len(projects) + 1:040x}")
        worktree = "/" if outside else folder
        info = {"id": project, "worktree": worktree, "sandboxes": [], "time": {"created": BASE}}
        _object(storage / "project" / f"{project}.json", info)
        session = _session(talk, project)
        _object(storage / "session" / project / f"{session['id']}.json", session)
        for message, parts in _messages(talk):
            gone = message.pop("gone")
            (storage / "message" / session["id"]).mkdir(parents=True, exist_ok=True)
            if not gone:
                _object(storage / "message" / session["id"] / f"{message['id']}.json", message)
            for part in parts:
                _object(storage / "part" / message["id"] / f"{part['id']}.json", part)
    return storage


def exported(path: Path, spec: SessionSpec) -> Path:
    """Writes the file of one exported session."""
    (talk,) = settle((spec,))
    messages = [
        {"info": {key: info[key] for key in info if key != "gone"}, "parts": parts}
        for info, parts in _messages(talk)
    ]
    _object(path, {"info": _session(talk, PROJECT), "messages": messages})
    return path


def _session(talk: Talk, project: str) -> Data:
    spec = talk.session
    info: Data = {
        "id": spec.id,
        "slug": "quiet-pond",
        "version": "1.1.65",
        "projectID": project,
        "directory": spec.directory,
        "title": spec.title,
        "time": {"created": spec.time, "updated": talk.updated},
    }
    if spec.parent:
        info["parentID"] = spec.parent
    return info | spec.columns


def _messages(talk: Talk) -> list[tuple[Data, list[Data]]]:
    found = []
    parent = ""
    for message, parts in talk.messages:
        own: Data = {"id": message.id, "sessionID": talk.session.id, "gone": message.gone}
        own |= json.loads(message_data(message, talk.session.directory, parent))
        parent = message.id if message.role == "user" else parent
        held = [
            {"id": part.id, "sessionID": talk.session.id, "messageID": message.id}
            | json.loads(part_data(part))
            for part in parts
            if not part.gone
        ]
        found.append((own, held))
    return found


def _object(path: Path, value: Any) -> None:
    _write(path, json.dumps(value, ensure_ascii=False, indent=2))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
