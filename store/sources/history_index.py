"""MiMo Code's own index of texts: rows of `history_fts` whose part is gone.

In August 2026 nothing takes a row out when its message or session goes (only a part's own removal
does), so that reverted and deleted text stays there. From September on a trigger removes them, and
long texts lie in several rows, `<part>#<n>`. A row has the text of one kind; of a tool its name,
its input as JSON and its output (in August as a JSON string) or error, one behind the other.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import apsw

from store.model import Content, Message, Part, Reasoning, Text, Tool
from store.read_only import fetch_readable
from store.source import Ref, Trace, Traced, Traces
from store.sources.heads import Columns, Head, as_ms, as_text

NEEDED = {"part_id", "session_id", "message_id", "body", "time_created"}

REMINDER = "<system-reminder>"
"""What MiMo Code puts into the first prompt of every session begins so."""

_PIECE = re.compile(r"#([0-9]{1,9})\Z")
_BASE = (
    "CASE WHEN instr(h.part_id, '#') THEN substr(h.part_id, 1, instr(h.part_id, '#') - 1)"
    " ELSE h.part_id END"
)
_GONE = f"NOT EXISTS (SELECT 1 FROM part p WHERE p.id = {_BASE})"


def has_index(found: Columns) -> bool:
    """Whether the file has the index."""
    return found.get("history_fts", set()) >= NEEDED


def lost(connection: apsw.Connection, found: Columns, listed: Collection[str]) -> list[Head]:
    """Sessions that only the index names, as far as its rows tell."""
    if not has_index(found):
        return []
    rows, _ = fetch_readable(
        connection,
        "SELECT session_id, min(time_created), max(time_created) FROM history_fts"
        " GROUP BY session_id",
    )
    return [
        Head(ident, "", "", first, last)
        for ident, first, last in rows
        if as_text(ident) and ident not in listed
    ]


class HistoryIndex:
    """The index on one connection, beside the tables of sessions and parts."""

    def __init__(self, connection: apsw.Connection, found: Columns) -> None:
        self._connection = connection
        self._kind = "h.kind" if "kind" in found["history_fts"] else "NULL"
        self._tool = "h.tool_name" if "tool_name" in found["history_fts"] else "NULL"
        self._gone: dict[str, list[tuple[Any, ...]]] | None = None

    def traces(self, session: str, mark: str) -> Traces | None:
        """The rows without a part, all of them whenever there are others than at the mark."""
        gone = self._all_gone()
        if gone is None:
            return None
        rows = gone.get(session, [])
        told = hashlib.blake2s(repr(rows).encode(), digest_size=8).hexdigest() if rows else ""
        if told == mark:
            return None
        there = self._there("session", {session})
        if there is None:
            return None
        cause: Any = "unknown" if there else "session_deleted"
        messages: dict[str, list[tuple[Any, ...]]] = {}
        for row in rows:
            messages.setdefault(row[1], []).append(row)
        here = self._there("message", messages)
        if here is None:
            return None
        traces: list[Trace] = []
        for ident, mine in messages.items():
            time = here.get(ident, min(as_ms(row[2]) for row in mine))
            if ident not in here:
                ref = Ref(ident, session, time, time, time, 1, 0)
                traces.append(Trace(ref, False, cause, "history_fts"))
            for part, _, created, size, _ in mine:
                moment = as_ms(created)
                ref = Ref(part, ident, time, moment, moment, size or 0, 0)
                traces.append(Trace(ref, True, cause, "history_fts"))
        return Traces(tuple(traces), told, ("history_fts",) if mark else ())

    def _all_gone(self) -> dict[str, list[tuple[Any, ...]]] | None:
        """The rows without a part by session, None where they cannot all be read.

        All together: the index has no order by session, and each look at it is a look at all.
        """
        if self._gone is None:
            rows, reason = fetch_readable(
                self._connection,
                f"SELECT h.session_id, {_BASE}, h.message_id, min(h.time_created),"
                f" sum(octet_length(h.body)), {self._kind} FROM history_fts h WHERE {_GONE}"
                " GROUP BY 1, 2",
            )
            if reason:
                return None
            self._gone = {}
            for session, *row in rows:
                if as_text(row[0]) and type(row[1]) is str:
                    self._gone.setdefault(session, []).append(tuple(row))
        return self._gone

    def since(self) -> int | None:
        """The time of the oldest row."""
        rows, _ = fetch_readable(self._connection, "SELECT min(time_created) FROM history_fts")
        return as_ms(rows[0][0]) or None if rows else None

    def _there(self, table: str, idents: Collection[str]) -> dict[str, int] | None:
        """Those that are there, with their times; None where that cannot be read."""
        rows, reason = fetch_readable(
            self._connection,
            f"SELECT id, time_created FROM {table} WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(idents)),),
        )
        return None if reason else {ident: as_ms(time) for ident, time in rows}

    def traced(self, session: str, traces: Sequence[Trace]) -> list[Traced]:
        """The rows behind traces, the pieces of a long text joined."""
        rows, _ = fetch_readable(
            self._connection,
            f"SELECT {_BASE}, h.message_id, h.part_id, {self._kind}, {self._tool},"
            f" CAST(h.body AS BLOB) FROM history_fts h WHERE h.session_id = ? AND {_GONE}",
            (session,),
        )
        pieces: dict[str, list[tuple[int, Any, Any, str]]] = {}
        persons = set()
        for base, message, name, kind, tool, body in rows:
            if not isinstance(name, str):
                continue
            piece = _PIECE.search(name)
            number = int(piece[1]) if piece else 0
            pieces.setdefault(base, []).append((number, kind, tool, as_text(body)))
            if kind == "user_text":
                persons.add(message)
        found: list[Traced] = []
        for trace in traces:
            ref = trace.ref
            if not trace.is_part:
                role = "user" if ref.id in persons else "assistant"
                found.append((trace, Message(ref.id, session, role, ref.time, ref.updated)))
            elif mine := sorted(pieces.get(ref.id, ()), key=lambda one: one[0]):
                held = _content(mine[0][1], mine[0][2], "".join(one[3] for one in mine))
                part = Part(ref.id, ref.parent, session, ref.created, ref.updated, held)
                if mine[0][3].startswith(REMINDER):
                    part = replace(part, flags=("synthetic",))
                found.append((trace, part))
        return found


def _content(kind: str | None, tool: str | None, body: str) -> Content:
    if tool:
        return _tool(kind, tool, body)
    return Reasoning(body) if kind == "reasoning" else Text(body)


def _tool(kind: str | None, name: str, body: str) -> Tool:
    """A tool's call out of its row; what cannot be told apart is output."""
    rest = body.removeprefix(name).lstrip()
    try:
        given, end = json.JSONDecoder().raw_decode(rest)
        rest = rest[end:].removeprefix(" ")
    except (ValueError, RecursionError):
        given = None
    if kind == "tool_error":
        return Tool(name=name, status="error", input=given, error=rest)
    if kind == "tool_output":
        with suppress(ValueError, RecursionError):
            told = json.loads(rest)
            rest = told if isinstance(told, str) else rest
    return Tool(name=name, status="completed", input=given, output=rest or None)
