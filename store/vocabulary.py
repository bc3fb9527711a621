"""The distinct tokens of the full text, to find those that begin with or contain what was typed.

They lie in the table `vocabulary` as compressed pieces and are held in memory as one run of bytes,
a line a token: it is searched at the speed of memory, digits and short tokens included, and takes
3 % of the bytes of the texts there, 1 % on the disk. The last byte of a line says about how many
documents have the token.

Tokens of hexadecimal digits alone (half of all: hashes, ids, numbers) lie apart, as no word with
another letter is inside of them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import islice

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


NOT_HEX = "unhex(iif(length(term) & 1, term || '0', term)) IS NULL"
"""Whether a token has more than hexadecimal digits, in SQL; two of them are read as a byte."""
LINE = (
    f"CAST(term AS TEXT) || CASE WHEN doc < 2 THEN char({COUNT_BASE}, 10)"
    f" WHEN doc < 4 THEN char({COUNT_BASE + 1}, 10)"
    f" ELSE char({COUNT_BASE} + min(CAST(log2(doc) AS INTEGER), 28), 10) END"
)
"""The same of a row of fts5vocab, in SQL."""


def packed(lines: Iterable[tuple[bytes, bytes]]) -> tuple[list[bytes], list[bytes]]:
    """Lines, some at a time, as a piece of the vocabulary: the bytes of both, to be joined."""
    both = (
        zstandard.ZstdCompressor(level=1).compressobj(),
        zstandard.ZstdCompressor(level=1).compressobj(),
    )
    pieces: tuple[list[bytes], list[bytes]] = [], []
    for some in lines:
        for text, compressed, piece in zip(some, both, pieces, strict=True):
            piece.append(compressed.compress(text))
    for piece, compressed in zip(pieces, both, strict=True):
        piece.append(compressed.flush())
    return pieces


def opened(piece: bytes) -> bytes:
    """The lines of a piece. Raises zstandard.ZstdError where it is damaged."""
    return zstandard.ZstdDecompressor().decompressobj().decompress(piece)


def unpacked(piece: bytes) -> Iterator[tuple[str, int]]:
    """The tokens of a piece, and about how many documents have each."""
    for found in opened(piece).splitlines():
        yield found[:-1].decode("utf-8", "replace"), _count(found)


def is_hex(token: str) -> bool:
    """Whether a token has hexadecimal digits alone."""
    return not token.strip("0123456789abcdef")


class Vocabulary:
    """The tokens of documents up to the id `covered`.

    A piece is its tokens that have more than hexadecimal digits, and those that have not; the first
    piece is sorted.
    """

    def __init__(self, pieces: Sequence[tuple[bytes, bytes]] = (), covered: int = 0) -> None:
        """`pieces` as `packed` makes them. Raises zstandard.ZstdError where one is damaged."""
        self.covered = covered
        self._plain = _Lines([plain for plain, _ in pieces])
        self._hex = _Lines([digits for _, digits in pieces])
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

    def _with(self, token: str) -> tuple[_Lines, ...]:
        """Where tokens with this one inside can be."""
        return (self._plain, self._hex) if is_hex(token) else (self._plain,)

    def _begin(self, token: str, most: int) -> Words:
        wanted = token.encode()
        found = (line for some in self._with(token) for line in some.beginning(wanted))
        return _words(islice(found, most + 1), most)

    def exactly(self, token: str) -> int:
        """In about how many documents this token is."""
        wanted = token.encode()
        some = self._hex if is_hex(token) else self._plain
        return sum(_count(found) for found in some.exactly(wanted))

    def containing(self, token: str, most: int) -> Words:
        """The tokens that have this one inside and do not begin with it, `most` of them."""
        kept = self._kept.get((token, most))
        if kept is None:
            shorter = self._kept.get((token[:-1], most))
            if shorter is not None and shorter.whole and len(token) > 3:
                kept = self._narrowed(shorter, token)
            else:
                kept = self._search(token, most)
            self._keep(token, most, kept)
        return kept

    def _search(self, token: str, most: int) -> Words:
        wanted = token.encode()
        found = (
            line
            for some in self._with(token)
            for line in some.containing(wanted)
            if not line.startswith(wanted)
        )
        return _words(islice(found, most + 1), most)

    def _narrowed(self, shorter: Words, token: str) -> Words:
        """As `_search`, among the tokens that have all but its last letter."""
        some = [one for one in shorter.tokens if token in one and not one.startswith(token)]
        return Words(tuple(some), shorter.documents * len(some) // max(1, len(shorter.tokens)))

    def near(self, piece: str) -> Iterator[tuple[str, int]]:
        """Every token with that piece in it, and about how many documents have it."""
        for some in self._with(piece):
            for found in some.containing(piece.encode()):
                yield found[:-1].decode("utf-8", "replace"), _count(found)


class _Lines:
    """Lines of tokens, those of the first piece sorted."""

    def __init__(self, pieces: list[bytes]) -> None:
        # Opened bit by bit: as a whole beside the others each would be in memory twice.
        text, ends = BytesIO(), []
        text.write(b"\n")
        for piece in pieces:
            zstandard.ZstdDecompressor().copy_stream(BytesIO(piece), text)
            ends.append(text.tell())
        self._text, self._end = text.getvalue(), next(iter(ends), 1)

    def containing(self, wanted: bytes) -> Iterator[bytes]:
        """The lines with these bytes in them."""
        return _lines_with(self._text, wanted, 0)

    def beginning(self, wanted: bytes) -> Iterator[bytes]:
        """The lines that begin with these bytes."""
        for found in self._from(wanted):
            if not found.startswith(wanted):
                break
            yield found
        yield from _lines_with(self._text, b"\n" + wanted, self._end - 1)

    def exactly(self, wanted: bytes) -> Iterator[bytes]:
        """The lines of this token."""
        for found in self._from(wanted):
            if found[:-1] == wanted:
                yield found
            break
        for found in _lines_with(self._text, b"\n" + wanted, self._end - 1):
            if found[:-1] == wanted:
                yield found

    def _from(self, wanted: bytes) -> Iterator[bytes]:
        """The lines of the sorted piece from the first one on that is not before a token."""
        text, low, high = self._text, 1, self._end
        while low < high:
            start = text.rfind(b"\n", 0, (low + high) // 2) + 1
            end = text.find(b"\n", start)
            if text[start : end - 1] < wanted:
                low = end + 1
            else:
                high = start
        while low < self._end:
            end = text.find(b"\n", low)
            yield text[low:end]
            low = end + 1


def _lines_with(text: bytes, wanted: bytes, at: int) -> Iterator[bytes]:
    """The lines from a place on with these bytes, or that begin after them."""
    at = text.find(wanted, at)
    while at >= 0:
        end = text.find(b"\n", at + 1)
        yield text[text.rfind(b"\n", 0, at + 1) + 1 : end]
        at = text.find(wanted, end)


def _count(found: bytes) -> int:
    return (3 << (found[-1] - COUNT_BASE)) // 2


def _words(found: Iterable[bytes], most: int) -> Words:
    """What some lines say, at most so many tokens."""
    lines: dict[bytes, int] = {}
    for one_line in found:
        token = one_line[:-1]
        lines[token] = lines.get(token, 0) + _count(one_line)
    tokens = tuple(token.decode("utf-8", "replace") for token in lines)
    return Words(tokens[:most], sum(lines.values()), len(tokens) <= most)


class Vocabularies:
    """The vocabulary of an index through one connection, read again when it has changed."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._version: object = None
        self._held = Vocabulary()

    def get(self) -> Vocabulary:
        """The vocabulary as it is now."""
        version = one(self._connection, "SELECT value FROM meta WHERE key = 'vocabulary'")
        if version != self._version:
            self._held = self._read()
            self._version = version
        return self._held

    def _read(self) -> Vocabulary:
        """The vocabulary of the table; none of it where it is damaged."""
        sql = "SELECT bytes, hex, coalesce(upto, 0) + 0 FROM vocabulary ORDER BY id"
        rows = rows_of(self._connection, sql)
        try:
            covered = max((row[2] for row in rows), default=0)
            return Vocabulary([(row[0], row[1]) for row in rows], covered)
        except (zstandard.ZstdError, TypeError):
            return Vocabulary()
