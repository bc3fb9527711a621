"""Keeping the vocabulary up with the documents.

After many new documents all tokens are read from the full text (a million in about a second);
after a few, their texts are read and add a piece with their tokens.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator

import apsw

from store.hits import Documents
from store.sqlite import insert_rows, one, rows_of, transaction
from store.tags import MARK
from store.text import tokens
from store.vocabulary import LINE, NOT_HEX, is_hex, line, packed, unpacked

FEW = 2_000
"""New documents up to which their own texts are read."""
PIECES = 8
"""Pieces beyond which the later ones become one."""
SHARE = 10
"""Of how many documents one may be in later pieces, before everything is read anew."""
STEP = 200
TOGETHER = 20_000
"""Tokens that are read at once."""


def catch_up(connection: apsw.Connection, stop: threading.Event) -> None:
    """Brings the vocabulary up to the documents; gives up at once where it is to stop.

    Raises apsw.InterruptError where the connection was told to stop.
    """
    last = _last(connection)
    rows = rows_of(connection, "SELECT coalesce(upto, 0) + 0 FROM vocabulary ORDER BY id")
    first, covered = (rows[0][0], rows[-1][0]) if rows else (0, 0)
    if covered >= last or stop.is_set():
        return
    if not rows or last - covered > FEW or last - first > max(FEW, first // SHARE):
        everything(connection)
        return
    counts = _tokens_of(connection, covered, last, stop)
    if counts is None:
        return
    with transaction(connection):
        if len(rows) > PIECES:
            _gather(connection, counts)
        _put(connection, [_lines(counts)], last)


def _last(connection: apsw.Connection) -> int:
    """The last id that a document has or had: no later one has it again."""
    return int(one(connection, "SELECT coalesce(max(hi), 0) FROM run"))


def _lines(counts: Counter[str]) -> tuple[bytes, bytes]:
    """The lines of some tokens: those with more than hexadecimal digits, and the others."""
    plain = [line(word.encode(), counts[word]) for word in sorted(counts) if not is_hex(word)]
    digits = [line(word.encode(), counts[word]) for word in sorted(counts) if is_hex(word)]
    return b"".join(plain), b"".join(digits)


def _gather(connection: apsw.Connection, counts: Counter[str]) -> None:
    """Takes the tokens of all pieces but the first out of the table, into `counts`."""
    later = "FROM vocabulary WHERE id > (SELECT min(id) FROM vocabulary)"
    for pieces in rows_of(connection, f"SELECT bytes, hex {later}"):
        for piece in pieces:
            for word, documents in unpacked(piece):
                counts[word] += documents
    connection.execute(f"DELETE {later}")


def everything(connection: apsw.Connection) -> None:
    """Reads all tokens from the full text, in place of what is there."""
    with transaction(connection):
        last = _last(connection)
        empty(connection)
        _put(connection, _all_tokens(connection), last)


def empty(connection: apsw.Connection) -> None:
    """Takes all tokens out, where documents went for good; the next `catch_up` reads them anew.

    Nothing tells which tokens only those documents had.
    """
    connection.execute("DELETE FROM vocabulary")
    _changed(connection)


_SOME = f"""
SELECT CAST(coalesce(group_concat(iif(more, line, NULL), ''), '') AS BLOB),
    CAST(coalesce(group_concat(iif(more, NULL, line), ''), '') AS BLOB), max(term)
FROM (SELECT term, {NOT_HEX} more, {LINE} line
    FROM temp.every_token WHERE term > ? ORDER BY term LIMIT ?)
"""
_OURS = MARK.encode()


def _all_tokens(connection: apsw.Connection) -> Iterator[tuple[bytes, bytes]]:
    connection.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.every_token USING fts5vocab('main', 'fts', 'row')"
    )
    last = ""
    while last is not None:
        # Many at once: a row for each of a million tokens would take longer than all the rest.
        plain, digits, last = rows_of(connection, _SOME, (last, TOGETHER))[0]
        if _OURS in plain:
            lines = plain.splitlines(keepends=True)
            plain = b"".join(one for one in lines if not one.startswith(_OURS))
        yield plain, digits


def _tokens_of(
    connection: apsw.Connection, covered: int, last: int, stop: threading.Event
) -> Counter[str] | None:
    """The tokens of the documents behind one, with the number of documents; None where stopped."""
    documents = Documents(connection)
    counts: Counter[str] = Counter()
    for first in range(covered + 1, last + 1, STEP):
        if stop.is_set():
            return None
        for found in documents.found(list(range(first, min(first + STEP, last + 1)))):
            counts.update({token.text for token in tokens(found.body.text)})
    return counts


def _put(connection: apsw.Connection, lines: Iterable[tuple[bytes, bytes]], upto: int) -> None:
    ident = int(one(connection, "SELECT coalesce(max(id), 0) + 1 FROM vocabulary"))
    both = packed(lines)
    sizes = [apsw.zeroblob(sum(map(len, pieces))) for pieces in both]
    insert_rows(connection, "vocabulary", "id, upto, bytes, hex", [(ident, upto, *sizes)])
    # Bit by bit: of a large store they are many megabytes, and would be in memory three times.
    for column, pieces in zip(("bytes", "hex"), both, strict=True):
        with connection.blob_open("main", "vocabulary", column, ident, True) as blob:
            for piece in pieces:
                blob.write(piece)
    _changed(connection)


def _changed(connection: apsw.Connection) -> None:
    """Has whoever holds the vocabulary read it again."""
    connection.execute(
        "INSERT OR REPLACE INTO meta VALUES('vocabulary', coalesce((SELECT value FROM meta"
        " WHERE key = 'vocabulary'), 0) + 1)"
    )
