"""The tables of our own index as SQL: what is kept, what is derived, and what brings older ones
to this layout.

`store.schema` has the versions, and says which of them may be dropped.
"""

from __future__ import annotations

import re

NAMED = 12
"""Characters of a part's native id by which it is found; few parts of a store share them."""

MESSAGE = """
CREATE TABLE message(
    id INTEGER PRIMARY KEY, session INTEGER NOT NULL, native TEXT NOT NULL, role TEXT NOT NULL,
    agent TEXT NOT NULL, slice TEXT NOT NULL, model TEXT NOT NULL,
    seq INTEGER NOT NULL DEFAULT 0, time INTEGER NOT NULL,
    completed INTEGER, updated INTEGER NOT NULL, size INTEGER NOT NULL, parent TEXT NOT NULL,
    error TEXT NOT NULL, cost REAL NOT NULL, tokens TEXT, flags INTEGER NOT NULL DEFAULT 0,
    fate TEXT NOT NULL DEFAULT 'live', cause TEXT, noticed_at INTEGER,
    evidence TEXT NOT NULL DEFAULT 'source', removed_at INTEGER);
"""
PART = """
CREATE TABLE part(
    id INTEGER PRIMARY KEY, message INTEGER NOT NULL, native TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 0, time INTEGER NOT NULL, created INTEGER NOT NULL,
    updated INTEGER NOT NULL, size INTEGER NOT NULL, type TEXT NOT NULL, tool TEXT, status TEXT,
    flags INTEGER NOT NULL DEFAULT 0, has INTEGER NOT NULL DEFAULT 0,
    fate TEXT NOT NULL DEFAULT 'live', cause TEXT,
    evidence TEXT NOT NULL DEFAULT 'source', removed_at INTEGER, noticed_at INTEGER,
    block INTEGER, at INTEGER, length INTEGER);
"""
LATE = {
    "message_native": "CREATE INDEX IF NOT EXISTS message_native ON message(native, session)",
    "part_named": f"CREATE INDEX IF NOT EXISTS part_named ON part(substr(native, 1, {NAMED}))",
    "part_block": "CREATE INDEX IF NOT EXISTS part_block ON part(block, time)",
}
"""What a new index can do without while it is filled: made at once they take half the room."""
INDEXES = """
CREATE INDEX message_session ON message(session, time);
CREATE INDEX message_gone ON message(session) WHERE fate != 'live';
CREATE INDEX part_message ON part(message);
CREATE INDEX part_gone ON part(message) WHERE fate != 'live';
""" + ";\n".join(LATE.values())

KEPT = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE source(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, producer TEXT NOT NULL,
    path TEXT NOT NULL, listed TEXT NOT NULL DEFAULT '', state TEXT NOT NULL DEFAULT '',
    opened TEXT NOT NULL DEFAULT '', compared_at INTEGER, missing_since INTEGER, since INTEGER,
    UNIQUE(producer, path));
CREATE TABLE session(
    id INTEGER PRIMARY KEY, source INTEGER NOT NULL, native TEXT NOT NULL,
    parent TEXT NOT NULL DEFAULT '', project TEXT NOT NULL DEFAULT '',
    directory TEXT NOT NULL DEFAULT '', title TEXT NOT NULL DEFAULT '',
    version TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL, updated INTEGER NOT NULL,
    messages INTEGER NOT NULL DEFAULT 0, parts INTEGER NOT NULL DEFAULT 0,
    done INTEGER NOT NULL DEFAULT 0, fate TEXT NOT NULL DEFAULT 'live',
    flags INTEGER NOT NULL DEFAULT 0, revert TEXT,
    unfinished INTEGER NOT NULL DEFAULT 0, stamp TEXT, noticed_at INTEGER,
    traced TEXT NOT NULL DEFAULT '',
    UNIQUE(native, source));
CREATE INDEX session_updated ON session(updated);
CREATE TABLE block(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE fault(
    source INTEGER NOT NULL, session INTEGER, about TEXT NOT NULL, code TEXT NOT NULL,
    message TEXT NOT NULL, PRIMARY KEY(source, about)) WITHOUT ROWID;
"""
FORGOTTEN = """
CREATE TABLE forgotten(
    source INTEGER NOT NULL, session TEXT NOT NULL, message TEXT NOT NULL DEFAULT '',
    part TEXT NOT NULL DEFAULT '', PRIMARY KEY(source, session, message, part)) WITHOUT ROWID;
"""
"""What a person had forgotten, by native ids: all of a session, of a message, or one part."""


def _anew(table: str, made: str) -> str:
    """Gives a table its present layout; its indexes go."""
    names = re.findall(r"(\w+) (?:INTEGER|TEXT|REAL)", made)
    named = ", ".join(names)
    return (
        f"ALTER TABLE {table} RENAME TO earlier; {made}"
        f"INSERT INTO {table}({named}) SELECT {named} FROM earlier; DROP TABLE earlier;"
    )


MIGRATIONS = {
    2: "ALTER TABLE message ADD COLUMN seq INTEGER NOT NULL DEFAULT 0",
    3: "ALTER TABLE source ADD COLUMN since INTEGER; UPDATE source SET since = compared_at;"
    "ALTER TABLE session ADD COLUMN traced TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE message ADD COLUMN evidence TEXT NOT NULL DEFAULT 'source';"
    "ALTER TABLE message ADD COLUMN removed_at INTEGER;"
    "UPDATE message SET evidence = 'kept' WHERE fate IN ('removed', 'deleted');"
    "UPDATE session SET stamp = NULL; UPDATE source SET state = '', listed = '';" + FORGOTTEN,
    4: _anew("message", MESSAGE) + _anew("part", PART) + INDEXES,
}
"""What brings the kept tables of the version before to this one."""

DERIVED = """
CREATE TABLE doc(
    id INTEGER PRIMARY KEY, session INTEGER NOT NULL, message INTEGER, part INTEGER,
    kind INTEGER NOT NULL, time INTEGER NOT NULL, copy_of INTEGER,
    synthetic INTEGER NOT NULL DEFAULT 0);
CREATE INDEX doc_session ON doc(session, part);
CREATE INDEX doc_synthetic ON doc(session) WHERE synthetic = 1;
CREATE INDEX doc_copy ON doc(copy_of) WHERE copy_of IS NOT NULL;
CREATE TABLE fold(
    time INTEGER NOT NULL, hash INTEGER NOT NULL, doc INTEGER NOT NULL,
    PRIMARY KEY(time, hash)) WITHOUT ROWID;
CREATE VIRTUAL TABLE fts USING fts5(
    body, content='', contentless_delete=1, detail=full,
    tokenize="unicode61 remove_diacritics 2");
CREATE TABLE run(
    lo INTEGER PRIMARY KEY, hi INTEGER NOT NULL, tmin INTEGER NOT NULL, tmax INTEGER NOT NULL);
CREATE INDEX run_time ON run(tmax);
CREATE TABLE vocabulary(id INTEGER PRIMARY KEY, upto INTEGER NOT NULL, bytes BLOB NOT NULL,
    hex BLOB NOT NULL);
"""
DERIVED_NAMES = ("doc", "fold", "fts", "run", "vocabulary")
