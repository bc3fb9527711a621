"""What `opencode export` prints of a session: its row as an object, stored JSON with the ids in it.

Shape of 1.18.33, compared with what it printed. Message and part are the stored object followed by
the ids, which are columns only. A session's columns become camel case and groups; what is null or
has no column in older stores is left out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import apsw

from store.model import Json
from store.read_only import columns
from store.sources import content
from store.sources.scans import Scans

LARGEST_ROW = 32 * 1024 * 1024
"""Bytes; a longer row is left out instead of filling the memory."""

Fields = dict[str, Json]

_PLAIN = (
    ("id", "id"),
    ("slug", "slug"),
    ("projectID", "project_id"),
    ("workspaceID", "workspace_id"),
    ("directory", "directory"),
    ("path", "path"),
    ("parentID", "parent_id"),
    ("title", "title"),
    ("agent", "agent"),
    ("model", "model"),
    ("version", "version"),
)
_SUMMARY = ("additions", "deletions", "files", "diffs")
_TIMES = ("created", "updated", "compacting", "archived")
_JSON = frozenset({"model", "metadata", "revert", "permission", "summary_diffs"})


def read(
    connection: apsw.Connection, session: str, messages: Sequence[str]
) -> dict[str, dict[str, Json]]:
    """The session's info, these messages and their parts, each under its id."""
    found: dict[str, Fields] = {}
    if not {"session", "message", "part"} <= columns(connection).keys():
        return found
    info = _info(connection, session)
    if info:
        found[session] = info
    scans = Scans(connection)
    data = f"CAST(CASE WHEN octet_length(data) <= {LARGEST_ROW} THEN data END AS BLOB)"
    rows, _ = scans.rows(f"SELECT id, session_id, {data} FROM message", "id", messages)
    for ident, owner, stored in rows:
        _add(found, stored, {"id": ident, "sessionID": owner})
    select = f"SELECT id, session_id, message_id, {data} FROM part"
    rows, _ = scans.rows(select, "message_id", messages)
    for ident, owner, message, stored in rows:
        _add(found, stored, {"id": ident, "sessionID": owner, "messageID": message})
    return found


def _add(found: dict[str, Fields], stored: bytes | None, ids: Fields) -> None:
    try:
        fields = content.decode(bytes(stored)) if stored else None
    except ValueError:
        return
    if fields is not None:
        found[ids["id"]] = {**fields, **ids}


def _info(connection: apsw.Connection, session: str) -> Fields | None:
    names = sorted(columns(connection)["session"])
    picked = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    rows, _ = Scans(connection).rows(f"SELECT {picked} FROM session", "id", [session])
    if not rows:
        return None
    row = {
        name: _decoded(value) if name in _JSON else value
        for name, value in zip(names, rows[0], strict=True)
        if isinstance(value, str | int | float)
    }
    info: Fields = {key: row[name] for key, name in _PLAIN if name in row}
    _put(info, "summary", _group(row, "summary_", _SUMMARY))
    _put(info, "cost", row.get("cost"))
    _put(info, "tokens", _tokens(row))
    if "share_url" in row:
        info["share"] = {"url": row["share_url"]}
    for name in ("metadata", "revert", "permission"):
        _put(info, name, row.get(name))
    _put(info, "time", _group(row, "time_", _TIMES))
    return info


def _tokens(row: Fields) -> Fields | None:
    tokens = _group(row, "tokens_", ("input", "output", "reasoning"))
    cache = _group(row, "tokens_cache_", ("read", "write"))
    return {**tokens, "cache": cache} if tokens and cache else tokens


def _group(row: Fields, prefix: str, names: Sequence[str]) -> Fields | None:
    """The columns of that prefix as one object, None where all of them are null."""
    return {name: row[prefix + name] for name in names if prefix + name in row} or None


def _put(info: Fields, key: str, value: Any) -> None:
    if value is not None:
        info[key] = value


def _decoded(value: Any) -> Json:
    """A column that holds JSON; as it is where it does not."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
