"""Rows of the list of sessions, the same for every generation of the tables."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from store.model import Flag, Revert, Session
from store.read_only import fetch_readable
from store.sources.content import YEAR_10000, moment
from store.sources.scans import Scans

Columns = dict[str, set[str]]

NEEDED = {"id", "title", "directory", "time_created", "time_updated"}
_ALSO = ("parent_id", "version", "revert", "time_archived", "fork_session_id")


@dataclass(slots=True)
class Head:
    """What a store says of one session, its values unchecked; counts are added by the reader."""

    id: Any
    title: Any
    directory: Any
    created: Any
    updated: Any
    parent: Any = None
    version: Any = None
    revert: Any = None
    archived: Any = None
    fork: Any = None
    worktree: Any = None
    project: Any = None
    messages: int = 0
    parts: int = 0
    keeps_target: bool = False
    """Whether a pending revert leaves the message that it names in sight."""


def read_heads(
    connection: apsw.Connection,
    found: Columns,
    table: str,
    only: Sequence[str] | None = None,
) -> tuple[dict[str, Head], str]:
    """The rows of `session` or `session_v2` by id, and why reading ended early ("").

    `only` names the sessions to read; None reads all.
    """
    have = [as_bytes(f"s.{name}") if name in found[table] else "NULL" for name in _ALSO]
    project, join = "NULL, NULL", ""
    joins = {"id", "worktree", "name"} <= found.get("project", set())
    if joins and "project_id" in found[table]:
        project = f"{as_bytes('p.worktree')}, {as_bytes('p.name')}"
        join = "LEFT JOIN project p ON p.id = s.project_id"
    own = (
        f"SELECT s.id, {as_bytes('s.title')}, {as_bytes('s.directory')}, s.time_created,"
        f" s.time_updated, {', '.join(have)}"
    )
    select = f"{own}, {project} FROM {table} s {join}"
    rows, reason = fetch_readable(connection, f"{select}{among('s.id', only)}", named(only))
    if reason:
        rows += _rest(connection, table, (select, f"{own}, NULL, NULL FROM {table} s"), only)
    return {row[0]: Head(*row) for row in rows if isinstance(row[0], str) and row[0]}, reason


def _rest(
    connection: apsw.Connection, table: str, selects: Sequence[str], only: Sequence[str] | None
) -> list[tuple[Any, ...]]:
    """The rows of a damaged list one by one, each as the first query gives it that can."""
    held = Scans(connection).by_value(table, "id")
    wanted = held if only is None else [ident.encode() for ident in only]
    rows: list[tuple[Any, ...]] = []
    for place in (place for ident in wanted for place in held.get(ident, ())):
        for select in selects:
            row, _ = fetch_readable(connection, f"{select} WHERE s.rowid = ?", (place,))
            if row:
                rows += row
                break
    return rows


def among(column: str, only: Sequence[str] | None) -> str:
    """A condition that keeps rows of some sessions, "" for all; its value is `named`."""
    return "" if only is None else f" WHERE {column} IN (SELECT value FROM json_each(?))"


def named(only: Sequence[str] | None) -> tuple[str, ...]:
    """The value that `among` asks for."""
    return () if only is None else (json.dumps(list(only)),)


def session(name: str, head: Head, imported: Collection[str]) -> Session:
    """A row as a Session of the source `name`."""
    worktree, project = as_text(head.worktree), as_text(head.project)
    directory, title, parent = as_text(head.directory), as_text(head.title), as_text(head.parent)
    flags: list[Flag] = []
    if head.archived:
        flags.append("archived")
    if parent:
        flags.append("subagent")
    if head.fork or (not parent and is_fork(title)):
        flags.append("fork")
    if head.id in imported:
        flags.append("imported")
    return Session(
        source=name,
        id=head.id,
        title=title,
        directory=directory,
        project=project or project_name(worktree, directory),
        parent=parent,
        created=as_ms(head.created),
        updated=as_ms(head.updated),
        messages=head.messages,
        parts=head.parts,
        version=as_text(head.version),
        flags=tuple(flags),
        revert=_revert(head.revert, head.keeps_target),
    )


def project_name(worktree: str, directory: str) -> str:
    """A short name; everything outside git shares one project with the worktree `/`."""
    home = worktree if worktree not in ("", "/") else directory
    return Path(home).name or home


def is_fork(title: str) -> bool:
    """opencode 1.x leaves no other trace of a fork than `(fork #N)` at the title's end."""
    head, _, number = title.rpartition(" (fork #")
    return bool(head) and number.endswith(")") and number[:-1].isdigit()


def _revert(value: Any, keeps_target: bool) -> Revert | None:
    """The pending revert of a session from its object, which a table has as a text."""
    try:
        fields = value if isinstance(value, dict) else json.loads(as_text(value) or "null")
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or not isinstance(fields.get("messageID"), str):
        return None
    part, diff = as_text(fields.get("partID")), as_text(fields.get("diff"))
    return Revert(fields["messageID"], part, diff, keeps_target)


def as_ms(value: Any) -> int:
    """A time in ms; 0 for what is none."""
    if type(value) is int and 0 <= value < YEAR_10000:  # nearly always, and asked very often
        return value
    return moment(value) or 0


def as_bytes(column: str) -> str:
    """Selects a text as bytes, since the text of a damaged row may be none."""
    return f"CAST({column} AS BLOB)"


def as_text(value: Any) -> str:
    """A text, or the bytes of one: what is no text in them must not hide the whole row."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""
