"""Keeping the archive within its limits: live text goes first, since its store has it still.

A live part whose record went is found and opened as before, from its store; only the excerpt in a
list of hits is missing. What its store dropped goes last, the oldest first.
"""

from __future__ import annotations

import json
import time

from store.forget import drop, drop_sessions
from store.index import Writer
from store.records import SESSION, Records, session_of
from store.rules import Rules, matches
from store.sqlite import one, rows_of, transaction
from store.targets import Target

DAY_MS = 86_400_000
MB = 1_000_000
_GONE = "('removed', 'deleted', 'replaced')"


def keep_within(writer: Writer, rules: Rules) -> None:
    """Applies the rules to what the index has."""
    if rules.passes_over:
        _drop_excluded(writer, rules)
    if not rules.archive:
        _drop_kept(writer, "p.evidence = 'kept'", "m.evidence = 'kept'")
    if rules.days:
        oldest = time.time_ns() // 1_000_000 - rules.days * DAY_MS
        _drop_kept(writer, f"p.time < {oldest}", f"m.time < {oldest}")
        _unlink(writer, f"time < {oldest} AND fate NOT IN {_GONE}")
    if rules.megabytes:
        _shrink(writer, rules.megabytes * MB)


def note_rules(writer: Writer, rules: Rules) -> None:
    """Has everything looked at again where what is passed over or masked is another now.

    What is to be masked goes out of index and archive; a store that has it tells it masked.
    """
    told = json.dumps(sorted(rules.exclude))
    if told == (writer.meta("exclude") or "[]"):
        return
    patterns = rules.masks()
    if patterns:
        records = Records(writer.connection)
        rows = rows_of(
            writer.connection,
            "SELECT m.session, p.message, p.id, p.block, p.at, p.length"
            " FROM part p JOIN message m ON m.id = p.message WHERE p.block IS NOT NULL",
        )
        found = [Target(*row[:3]) for row in rows if matches(records.content(*row[3:]), patterns)]
        drop(writer, found, one_row=True)
    with transaction(writer.connection):
        writer.connection.execute("UPDATE source SET state = '', listed = ''")
        writer.connection.execute("UPDATE session SET stamp = NULL")
        writer.set_meta("exclude", told)
        writer.set_meta("wipe", 1)


def _drop_excluded(writer: Writer, rules: Rules) -> None:
    rows = rows_of(
        writer.connection,
        f"SELECT s.id, {SESSION} FROM session s JOIN source n ON n.id = s.source",
    )
    drop(writer, [Target(row[0]) for row in rows if rules.excludes(session_of(row[1:]))])


def _drop_kept(writer: Writer, part: str, message: str) -> None:
    """Drops gone parts and messages of which only we have a copy, or that are too old."""
    parts = rows_of(
        writer.connection,
        "SELECT m.session, p.message, p.id FROM part p JOIN message m ON m.id = p.message"
        f" WHERE p.fate IN {_GONE} AND {part}",
    )
    drop(writer, [Target(*row) for row in parts], one_row=True)
    messages = rows_of(
        writer.connection,
        f"SELECT m.session, m.id FROM message m WHERE m.fate IN {_GONE} AND {message}"
        " AND NOT EXISTS (SELECT 1 FROM part p WHERE p.message = m.id)",
    )
    drop(writer, [Target(*row) for row in messages])
    if parts or messages:
        drop_sessions(writer)


def _unlink(writer: Writer, where: str) -> None:
    """Takes the records of live parts out of the archive."""
    connection = writer.connection
    if one(connection, f"SELECT 1 FROM part WHERE block IS NOT NULL AND {where} LIMIT 1"):
        with transaction(connection):
            connection.execute(f"UPDATE part SET block = NULL WHERE {where}")
            writer.drop_unused_blocks()


def _shrink(writer: Writer, most: int) -> None:
    """Brings the archive below a size: blocks without leftovers first, each time the oldest."""
    connection = writer.connection
    size = int(one(connection, "SELECT coalesce(sum(length(bytes)), 0) FROM block"))
    if size <= most:
        return
    rows = rows_of(
        connection,
        "SELECT b.id, length(b.bytes), max(p.time),"
        f" max(p.fate IN {_GONE}) FROM block b LEFT JOIN part p ON p.block = b.id"
        " GROUP BY b.id ORDER BY 4, 3",
    )
    live: list[int] = []
    gone: list[int] = []
    for block, length, _, has_gone in rows:
        if size <= most:
            break
        (gone if has_gone else live).append(block)
        size -= length
    _unlink(writer, f"block IN ({','.join(map(str, live))})" if live else "0")
    if gone:
        inside = f"block IN ({','.join(map(str, gone))})"
        _unlink(writer, f"{inside} AND fate NOT IN {_GONE}")
        _drop_rows(writer, inside)


def _drop_rows(writer: Writer, where: str) -> None:
    rows = rows_of(
        writer.connection,
        "SELECT m.session, p.message, p.id FROM part p JOIN message m ON m.id = p.message"
        f" WHERE p.{where}",
    )
    drop(writer, [Target(*row) for row in rows], one_row=True)
    drop_sessions(writer)
