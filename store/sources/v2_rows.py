"""Where the rows of session_message and of waiting input lie, and how SQL counts their parts."""

from __future__ import annotations

from store.source import WAITING
from store.sources.heads import Columns
from store.sources.old_tables import LARGEST_ROW

_LIST = "coalesce(json_array_length(data, '$.{}'), 0)"
_READABLE = f"octet_length(data) <= {LARGEST_ROW} AND json_valid(data)"
_ASSISTANT, _FILES = _LIST.format("content"), f"{_LIST.format('snapshot.files')} > 0"
_USER = "1 + " + " + ".join(map(_LIST.format, ("files", "agents", "skills")))


def _shape(assistant: str, user: str, other: str, unreadable: str) -> str:
    """An expression by the kind of row; nothing of JSON is asked of what is none."""
    return (
        f"CASE WHEN {_READABLE} THEN CASE WHEN json_type(data) != 'object' THEN {unreadable}"
        f" WHEN type = 'assistant' THEN {assistant} WHEN type = 'user' THEN {user}"
        f" ELSE {other} END ELSE {unreadable} END"
    )


COUNT = _shape(_ASSISTANT, _USER, "1", "-1")
"""How many numbered parts a row has, as `v2_content.places` takes it; -1: it cannot be read."""
PATCH = _shape(_FILES, "0", "0", "0")
PARTS = _shape(f"{_ASSISTANT} + ({_FILES})", _USER, "1", "0")
DATA = f"CAST(CASE WHEN octet_length(data) <= {LARGEST_ROW} THEN data END AS BLOB)"


def tables_of_rows(found: Columns) -> list[tuple[str, str]]:
    """A query for each table with rows, by the table's name: those that were said, and that wait.

    Columns: id, session_id, type, seq, time_created, time_updated, data, and the row's place.
    """
    seq = "seq" if "seq" in found.get("session_message", ()) else "0"
    said = (
        f"SELECT id, session_id, type, {seq} AS seq, time_created, time_updated, data,"
        " rowid AS place FROM session_message r"
    )
    if "session_v2" not in found:
        said += _but_switches(found)
    rows = [("session_message", said)]
    for table, body, number in (
        ("session_input", "prompt", "admitted_seq"),
        ("session_input", "data", "admitted_seq"),
        ("session_inbox", "payload", "enqueued_seq"),
        ("session_pending", "data", "admitted_seq"),
    ):
        have = found.get(table, set())
        if {"id", "session_id", "time_created", body, number} <= have:
            kind = "type" if "type" in have else "'user'"
            where = " WHERE promoted_seq IS NULL" if "promoted_seq" in have else ""
            waiting = (
                f"SELECT id, session_id, {kind} AS type, {number} + {WAITING} AS seq, time_created,"
                f" time_created AS time_updated, {body} AS data, rowid AS place FROM {table}{where}"
            )
            rows.append((table, waiting))
    return rows


def _but_switches(found: Columns) -> str:
    """1.15 to 1.17 noted a change of agent or model of ordinary sessions here too.

    The messages of such a session say it themselves.
    """
    if "session_id" not in found.get("message", ()):
        return ""
    return (
        " WHERE NOT (type IN ('agent-switched', 'model-switched')"
        " AND EXISTS (SELECT 1 FROM message m WHERE m.session_id = r.session_id))"
    )
