"""Our index laid bare: every value of every table, compressed ones opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import zstandard

from store.sqlite import open_index

FRAME = b"\x28\xb5\x2f\xfd"
"""How a frame of zstd begins (RFC 8878, section 3.1.1)."""


def tables_with(index: Path, words: str) -> set[str]:
    """The tables, and `file` for the bytes around them, that hold 16 bytes on end of these words.

    Neighbours share their beginnings in the full text: its tokens are looked at one by one too.
    """
    told = words.encode()
    pieces = {told[at : at + 16] for at in range(len(told) - 15)}
    assert pieces, "too short to tell"
    raw = (("file", path.read_bytes()) for path in sorted(index.parent.iterdir()))
    held = [*raw, *_values(index)]
    return {where for where, value in held if any(piece in value for piece in pieces)}


def _values(index: Path) -> Iterator[tuple[str, bytes]]:
    with closing(open_index(index, write=False)) as db:
        db.execute("CREATE VIRTUAL TABLE temp.every_token USING fts5vocab('main', 'fts', 'row')")
        for (token,) in db.execute("SELECT term FROM temp.every_token"):
            yield "fts", str(token).encode()
        names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'fts'"
        for (table,) in db.execute(names).fetchall():
            for row in db.execute(f'SELECT * FROM "{table}"'):
                for value in row:
                    yield str(table), _opened(value)


def _opened(value: apsw.SQLiteValue) -> bytes:
    if not isinstance(value, bytes):
        return str(value).encode("utf-8", "surrogatepass")
    if not value.startswith(FRAME):
        return value
    return zstandard.ZstdDecompressor().decompressobj().decompress(value)
