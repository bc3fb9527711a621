"""Sessions of opencode as JSON of their own: ids, times and all in one object each.

The files before 1.2 and what `opencode export` prints have the same shapes as the `data` of the
tables, with `id`, `sessionID` and `messageID` inside.
"""

from __future__ import annotations

from typing import Any

from store.model import Message, Part
from store.source import Ref
from store.sources import content
from store.sources.content import Fields, as_object, as_string, moment
from store.sources.heads import Head

_OWN = ("id", "sessionID", "messageID")


def head(info: Fields, project: Fields) -> Head:
    """A session's object as a row of the list; `project` is its project's object."""
    times = as_object(info, "time")
    return Head(
        as_string(info, "id"),
        info.get("title"),
        info.get("directory"),
        times.get("created"),
        times.get("updated"),
        parent=info.get("parentID"),
        version=info.get("version"),
        revert=info.get("revert"),
        archived=times.get("archived"),
        worktree=project.get("worktree"),
        project=project.get("name"),
    )


def message_time(info: Fields) -> int | None:
    """When a message was said."""
    return moment(as_object(info, "time").get("created"))


def message(info: Fields, session: str, ref: Ref) -> Message:
    """A message's object."""
    return content.message(
        info, ident=ref.id, session=session, time=ref.time, updated=ref.updated, slice_id="main"
    )


def part(fields: Fields, session: str, ref: Ref) -> Part:
    """A part's object, without what says where it belongs."""
    held: dict[str, Any] = {key: fields[key] for key in fields if key not in _OWN}
    return content.part(
        held,
        ident=ref.id,
        message=ref.parent,
        session=session,
        time=ref.time,
        updated=ref.updated,
        size=ref.size,
    )
