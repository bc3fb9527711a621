"""The distinct tokens of the full text, to find those that begin with or contain what was typed.

They lie in the table `vocabulary` as compressed pieces and are held in memory as one run of bytes,
a line a token: it is searched at the speed of memory, digits and short tokens included, and takes
3 % of the bytes of the texts there, 1 % on the disk. The last byte of a line says about how many
documents have the token.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import apsw
import zstandard

from store.sqlite import one, rows_of

COUNT_BASE = 11
"""The byte of a count of one document: above the line's end, below every letter and digit."""
KEPT = 200
"""Answers that are kept: each key typed asks for the words of the query again."""


@dataclass(frozen=True, slots=True)
class Words:
    """Tokens, and in about how many documents they are (one that has several counts for each).

    `whole`: there are no more of them.
    """

    tokens: tuple[str, ...] = ()
    documents: int = 0
    whole: bool = True


def line(token: bytes, documents: int) -> bytes:
    """A token's line, as pieces of the vocabulary have it."""
    size = min(max(documents, 1).bit_length() - 1, 28)
    return token + bytes((COUNT_BASE + size,)) + b"\n"


LINE = f"CAST(term AS TEXT) || char({COUNT_BASE} + min(CAST(log2(max(doc, 1)) AS INTEGER), 28), 10)"
"""The same of a row of fts5vocab, in SQL."""


def packed(lines: Iterable[bytes]) -> bytes:
    """Lines, one by one or many together, as a piece of the vocabulary."""
    compressor = zstandard.ZstdCompressor(level=1).compressobj()
    pieces = [compressor.compress(some) for some in lines]
    return b"".join((*pieces, compressor.flush()))


def opened(piece: bytes) -> bytes:
    """The lines of a piece. Raises zstandard.ZstdError where it is damaged."""
    return zstandard.ZstdDecompressor().decompressobj().decompress(piece)


def unpacked(piece: bytes) -> Iterator[tuple[str, int]]:
    """The tokens of a piece, and about how many documents have each."""
    for found in opened(piece).splitlines():
        yield found[:-1].decode("utf-8", "replace"), _count(found)


class Vocabulary:
    """The tokens of documents up to the id `covered`; the first piece is sorted."""

    def __init__(self, pieces: list[bytes], covered: int = 0) -> None:
        self.covered = covered
        self._sorted = pieces[0] if pieces else b""
        self._all = b"\n" + b"".join(pieces)
        self._extra = b"\n" + b"".join(pieces[1:])
        self._kept: OrderedDict[tuple[str, int], Words] = OrderedDict()

    def beginning(self, token: str, most: int) -> Words:
        """The tokens that are or begin with this one, `most` of them."""
        kept = self._kept.get(("^" + token, most))
        if kept is None:
            kept = self._keep("^" + token, most, self._begin(token, most))
        return kept

    def _keep(self, token: str, most: int, words: Words) -> Words:
        self._kept[token, most] = words
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return words

    def _begin(self, token: str, most: int) -> Words:
        wanted = token.encode()
        lines: dict[bytes, int] = {}
        for found in self._from(wanted):
            if not found.startswith(wanted) or len(lines) > most:
                break
            _add(lines, found)
        for found in _lines_with(self._extra, b"\n" + wanted):
            if len(lines) > most:
                break
            _add(lines, found)
        return _words(lines, most)

    def exactly(self, token: str) -> int:
        """In about how many documents this token is."""
        wanted = token.encode()
        count = 0
        for found in self._from(wanted):
            count += _count(found) if found[:-1] == wanted else 0
            break
        for found in _lines_with(self._extra, b"\n" + wanted):
            count += _count(found) if found[:-1] == wanted else 0
        return count

    def containing(self, token: str, most: int) -> Words:
        """The tokens that have this one inside and do not begin with it, `most` of them."""
        kept = self._kept.get((token, most))
        if kept is None:
            shorter = self._kept.get((token[:-1], most))
            if shorter is not None and shorter.whole and len(token) > 3:
                kept = self._narrowed(shorter, token, most)
            else:
                kept = self._search(token, most)
            self._keep(token, most, kept)
        return kept

    def _search(self, token: str, most: int) -> Words:
        wanted = token.encode()
        lines: dict[bytes, int] = {}
        for found in _lines_with(self._all, wanted):
            if not found.startswith(wanted):
                _add(lines, found)
                if len(lines) > most:
                    break
        return _words(lines, most)

    def _narrowed(self, shorter: Words, token: str, most: int) -> Words:
        """As `_search`, among the tokens that have all but its last letter."""
        some = [one for one in shorter.tokens if token in one and not one.startswith(token)]
        return Words(tuple(some), shorter.documents * len(some) // max(1, len(shorter.tokens)))

    def near(self, piece: str) -> Iterator[tuple[str, int]]:
        """Every token with that piece in it, and about how many documents have it."""
        for found in _lines_with(self._all, piece.encode()):
            yield found[:-1].decode("utf-8", "replace"), _count(found)

    def _from(self, wanted: bytes) -> Iterator[bytes]:
        """The lines of the sorted piece from the first one on that is not before a token."""
        text, low, high = self._sorted, 0, len(self._sorted)
        while low < high:
            start = text.rfind(b"\n", 0, (low + high) // 2) + 1
            end = text.find(b"\n", start)
            if text[start : end - 1] < wanted:
                low = end + 1
            else:
                high = start
        while low < len(text):
            end = text.find(b"\n", low)
            yield text[low:end]
            low = end + 1


def _lines_with(text: bytes, wanted: bytes) -> Iterator[bytes]:
    """The lines with these bytes in them, which may begin with the end of the line before."""
    at = text.find(wanted)
    while at >= 0:
        end = text.find(b"\n", at + 1)
        yield text[text.rfind(b"\n", 0, at + 1) + 1 : end]
        at = text.find(wanted, end)


def _add(lines: dict[bytes, int], found: bytes) -> None:
    token = found[:-1]
    lines[token] = lines.get(token, 0) + _count(found)


def _count(found: bytes) -> int:
    return (3 << (found[-1] - COUNT_BASE)) // 2


def _words(lines: dict[bytes, int], most: int) -> Words:
    tokens = tuple(token.decode("utf-8", "replace") for token in lines)
    return Words(tokens[:most], sum(lines.values()), len(tokens) <= most)


class Vocabularies:
    """The vocabulary of an index through one connection, read again when it has changed."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._version: object = None
        self._held = Vocabulary([])

    def get(self) -> Vocabulary:
        """The vocabulary as it is now."""
        version = one(self._connection, "SELECT value FROM meta WHERE key = 'vocabulary'")
        if version != self._version:
            self._held = self._read()
            self._version = version
        return self._held

    def _read(self) -> Vocabulary:
        """The vocabulary of the table; none of it where it is damaged."""
        sql = "SELECT bytes, coalesce(upto, 0) + 0 FROM vocabulary ORDER BY id"
        rows = rows_of(self._connection, sql)
        try:
            pieces = [opened(row[0]) for row in rows]
        except (zstandard.ZstdError, TypeError):
            return Vocabulary([])
        return Vocabulary(pieces, max((row[1] for row in rows), default=0))
