"""The words that a field may hold: kinds, fates, causes, flags and their like."""

from __future__ import annotations

from typing import Any, Literal, get_args

Kind = Literal[
    "user_text",
    "assistant_text",
    "reasoning",
    "tool_input",
    "tool_output",
    "tool_error",
    "title",
    "file",
    "patch",
    "todo",
    "subtask",
    "compaction",
    "error",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

Fate = Literal["live", "reverted", "replaced", "removed", "deleted"]
FATES: tuple[Fate, ...] = get_args(Fate)

Evidence = Literal["source", "event_log", "history_fts", "storage_files", "kept"]
EVIDENCES: tuple[Evidence, ...] = get_args(Evidence)

Cause = Literal[
    "revert_pending",
    "revert_committed",
    "message_deleted",
    "part_deleted",
    "session_deleted",
    "edited",
    "unknown",
]
CAUSES: tuple[Cause, ...] = get_args(Cause)

Status = Literal["pending", "running", "completed", "error"]
STATUSES: tuple[Status, ...] = get_args(Status)

Flag = Literal[
    "synthetic",
    "ignored",
    "archived",
    "compacted",
    "interrupted",
    "subagent",
    "fork",
    "imported",
    "shadowed",
    "edited",
    "truncated",
]
FLAGS: tuple[Flag, ...] = get_args(Flag)

Producer = Literal["opencode", "mimocode", "dsh"]
PRODUCERS: tuple[Producer, ...] = get_args(Producer)

Relation = Literal["origin", "fork", "sibling"]

Json = Any
"""A value decoded from JSON: dict, list, str, int, float, bool or None."""
