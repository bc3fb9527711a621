"""What happened to sessions, the latest first: reverts, deletions and edits with what they left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import apsw

from store import cursors
from store.filters import JOINS
from store.leftovers import ROWS, leftover_condition, said
from store.model import Content, Happening, HappeningPage, Patch, Tool
from store.query import Query
from store.records import SESSION, Records, session_of
from store.schema import flags_of
from store.sqlite import rows_of

MOST_FILES = 200
"""Files of one happening that are named."""
MOST_WORDS = 300
"""Characters of what was said by which a happening is known that took no prompt."""

_WHEN = "coalesce(p.removed_at, m.removed_at, p.noticed_at, m.noticed_at, d.time)"
_WHOLE = "(p.id IS NULL OR (p.fate, p.cause) IS (m.fate, m.cause))"
"""Whether the message went too, by the same."""
_ONCE = f"CASE coalesce(p.fate, m.fate) WHEN 'reverted' THEN 0 ELSE {_WHEN} END"
"""What happened at once: a pending revert that was moved back is still one, seen at two moments."""


def list_happenings(
    connection: apsw.Connection,
    query: Query,
    *,
    limit: int,
    cursor: str | None,
    sources: Sequence[int] | None,
) -> HappeningPage:
    """What is not live, grouped by session and by what happened, the latest first.

    Raises INVALID_CURSOR.
    """
    told = leftover_condition(connection, query, sources)
    asked = cursors.question("happenings", query.text, sources)
    start = cursors.read(cursor, asked, 1)[0] if cursor else 0
    rows = rows_of(
        connection,
        f"{ROWS} SELECT d.session, coalesce(p.cause, m.cause, 'unknown'), {_ONCE} AS once,"
        " coalesce(p.fate, m.fate), group_concat(DISTINCT coalesce(p.evidence, m.evidence)),"
        f" count(DISTINCT CASE WHEN {_WHOLE} THEN d.message END),"
        " count(d.part), max(coalesce(p.removed_at, m.removed_at)),"
        f" max(coalesce(p.noticed_at, m.noticed_at)), max({_WHEN}) AS moment"
        f" FROM d{JOINS} WHERE {told.sql} GROUP BY 1, 2, 3, 4"
        " ORDER BY moment DESC, d.session DESC LIMIT ? OFFSET ?",
        (*told.values, limit + 1, start),
    )
    shown = rows[:limit]
    records = Records(connection)
    found = tuple(_happening(connection, records, row) for row in shown)
    more = len(rows) > limit
    return HappeningPage(found, more, cursors.make(asked, (start + limit,)) if more else None)


def _happening(connection: apsw.Connection, records: Records, row: tuple[Any, ...]) -> Happening:
    ident, cause, once, fate, evidence, messages, parts, removed, noticed, moment = row
    session = session_of(
        rows_of(
            connection,
            f"SELECT {SESSION} FROM session s JOIN source n ON n.id = s.source WHERE s.id = ?",
            (ident,),
        )[0]
    )
    members = [
        _Member(*member)
        for member in rows_of(
            connection,
            f"{ROWS} SELECT m.native, m.role, p.native, p.type, coalesce(p.flags, 0), p.block,"
            f" p.at, p.length FROM d{JOINS} WHERE d.session = ?"
            " AND coalesce(p.cause, m.cause, 'unknown') = ?"
            f" AND coalesce(p.fate, m.fate) = ? AND {_ONCE} = ?"
            " ORDER BY m.seq, m.time, m.native, p.id IS NULL, p.created, p.native",
            (ident, cause, fate, once),
        )
    ]
    part, prompt, begins = _read_first(members, records)
    files: dict[str, None] = {}
    for member in members:
        held = member.content(records) if member.type in ("patch", "tool") else None
        if isinstance(held, Patch):
            files |= dict.fromkeys(held.files)
        elif isinstance(held, Tool):
            files |= dict.fromkeys(_changed(held.diff))
    if fate == "reverted" and session.revert:
        files |= dict.fromkeys(
            name
            for name in _changed(session.revert.diff)
            if not any(path.endswith("/" + name) for path in files)
        )
    return Happening(
        session=session,
        cause=cause,
        fate=fate,
        evidence=tuple(sorted(evidence.split(","))),
        moment=moment,
        removed_at=removed,
        noticed_at=noticed,
        messages=messages,
        parts=parts,
        files=tuple(files)[:MOST_FILES],
        message=members[0].message,
        part=part,
        prompt=prompt,
        said=begins,
    )


class _Member(NamedTuple):
    """A row of what went together, in reading order; no `part` for what a message has beside."""

    message: str
    role: str
    part: str | None
    type: str | None
    flags: int
    block: int
    at: int
    length: int

    def content(self, records: Records) -> Content:
        return records.content(self.block, self.at, self.length)


def _read_first(members: Sequence[_Member], records: Records) -> tuple[str | None, str, str]:
    """The part to read first; what a person said in it, else how it begins: one line, bounded."""
    parts = [member for member in members if member.part]
    typed = [
        member
        for member in parts
        if member.role == "user"
        and member.type == "text"
        and "synthetic" not in flags_of(member.flags)
    ]
    for member in typed:
        if text := said(member.content(records), member.role)[1]:
            return member.part, text, ""
    for member in parts:
        if text := said(member.content(records), member.role)[1]:
            return member.part, "", " ".join(text[:MOST_WORDS].split())
    return (parts[0].part if parts else None), "", ""


_HEAD = re.compile(r"^\+\+\+ (?:b/)?(.+?)\s*$", re.MULTILINE)


def _changed(diff: str) -> list[str]:
    """The files that a unified diff changes."""
    return [name for name in _HEAD.findall(diff) if name != "/dev/null"]
