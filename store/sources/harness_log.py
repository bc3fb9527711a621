"""Reading the log files of DeepSeek Harness: JSON lines, plain or in zstd frames.

A compressed log is a run of independent frames, the first holding the header alone. Frames carry
no content size. A frame that is damaged costs its own rows: reading goes on at the next frame.
Logs only grow, by whole frames or lines: a reader may go on where it came to.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import zstandard

from store.errors import StoreError
from store.read_only import unreadable
from store.sources.content import decode
from store.sources.harness_events import (
    LARGEST_ROW,
    Damage,
    Event,
    Header,
    event_of,
    header_of,
)
from store.sources.unpacking import Unpacker

MAGIC = bytes.fromhex("28b52ffd")
"""The first bytes of a zstd frame (RFC 8878, section 3.1.1)."""
HEAD = 65_536
FIRST = 2_048
"""Bytes in which nearly every header fits."""
STEP = 16_384
"""Bytes read at once."""
LARGEST_FRAME = 1024 * 1024 * 1024
"""Unpacked bytes; a frame has what was said in a fifth of a second, or at most all of a log."""
TOO_LONG = f"a row is longer than {LARGEST_ROW} bytes"

TAIL = 32


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a log up to which all rows were given whole.

    `end` is its offset in bytes, `frames` how many frames lie before it, `tail` the last bytes
    before it, by which the same log is known again.
    """

    end: int = 0
    frames: int = 0
    tail: bytes = b""


Line = bytes | Damage | Mark
Row = Event | Damage | Mark


def read_header(path: Path) -> Header | None:
    """The header of a log, from its first bytes; None where it cannot be read.

    Raises SOURCE_NOT_FOUND, SOURCE_UNREADABLE.
    """
    try:
        with path.open("rb", 0) as file:
            head = file.read(FIRST)
            line = _first_line(head, FIRST)
            if line is None and len(head) == FIRST:
                line = _first_line(head + file.read(HEAD - FIRST), HEAD)
    except OSError as error:
        raise _cannot(path, error) from None
    if line is None:
        return None
    try:
        return header_of(decode(line))
    except ValueError:
        return None


def _first_line(head: bytes, most: int) -> bytes | None:
    """The first line of a log by its first bytes, which are `most` or all; None where it is not
    whole, or damaged.
    """
    held = bytearray()
    try:
        for piece in Unpacker().unpack(head) if head.startswith(MAGIC) else (head,):
            held += piece
            if b"\n" in piece or len(held) > HEAD:
                break
    except zstandard.ZstdError:
        return None
    line, end, _ = bytes(held).partition(b"\n")
    return line if end or len(held) < most else None


def read_events(path: Path, since: Mark | None = None) -> Iterator[Row]:
    """The events of a log after its header or from a mark on, in order, with what cannot be read
    between them, and marks from which on reading may go on later.

    Raises SOURCE_NOT_FOUND, SOURCE_UNREADABLE.
    """
    try:
        with path.open("rb", 0) as file:
            yield from events_of(_lines(_contents(file, since or Mark())), headed=since is None)
    except OSError as error:
        raise _cannot(path, error) from None


def goes_on(path: Path, mark: Mark) -> bool:
    """Whether a log still has before a mark what it had."""
    try:
        with path.open("rb", 0) as file:
            file.seek(mark.end - len(mark.tail))
            return bool(mark.tail) and file.read(len(mark.tail)) == mark.tail
    except OSError:
        return False


def holds(path: Path, sought: bytes) -> bool:
    """Whether these bytes stand in a log, as far as it can be read."""
    rest = b""
    try:
        with path.open("rb", 0) as file:
            for piece in _contents(file, Mark()):
                if isinstance(piece, bytes):
                    rest += piece
                    if sought in rest:
                        return True
                    rest = rest[-len(sought) :]
    except OSError:
        return False
    return False


def events_in(file: IO[bytes]) -> Iterator[Row]:
    """The events of plain JSON lines, the header left out."""
    return events_of(_lines(_chunks(file, 0)))


def events_of(lines: Iterable[Line], *, headed: bool = True) -> Iterator[Row]:
    """Lines as events. The header is the first line that can be read, if it is one."""
    first = headed
    for line in lines:
        if not isinstance(line, bytes):
            yield line
            continue
        try:
            fields = decode(line)
        except ValueError as error:
            yield Damage(f"a row is broken: {error}")
            continue
        if not (first and fields.get("type") == "session"):
            yield event_of(fields, line)
        first = False


def _cannot(path: Path, error: OSError) -> StoreError:
    if isinstance(error, FileNotFoundError):
        return StoreError("SOURCE_NOT_FOUND", f"{path} does not exist", str(path))
    return unreadable(path, error.strerror or str(error))


def _contents(file: IO[bytes], mark: Mark) -> Iterator[Line]:
    """What a log holds from a mark on, in chunks."""
    packed = file.read(len(MAGIC)) == MAGIC
    file.seek(mark.end)
    return _frames(file, mark) if packed else _chunks(file, mark.end)


def _chunks(file: IO[bytes], start: int) -> Iterator[Line]:
    while data := file.read(STEP):
        ended = data.rfind(b"\n") + 1
        if ended:
            yield data[:ended]
            yield Mark(start + ended, 0, data[max(0, ended - TAIL) : ended])
        if ended < len(data):
            yield data[ended:]
        start += len(data)


def _lines(chunks: Iterable[Line]) -> Iterator[Line]:
    """Whole lines out of chunks; a line that a damage cuts, or that is too long, is left out."""
    rest = bytearray()
    skipping = False
    for chunk in chunks:
        if isinstance(chunk, Mark):
            if not rest and not skipping:
                yield chunk
            continue
        if isinstance(chunk, Damage):
            rest.clear()
            skipping = False
            yield chunk
            continue
        *ended, last = chunk.split(b"\n")
        for piece in ended:
            rest += piece
            if rest and not skipping:
                yield bytes(rest) if len(rest) <= LARGEST_ROW else Damage(TOO_LONG)
            rest.clear()
            skipping = False
        if not skipping:
            rest += last
        if len(rest) > LARGEST_ROW:
            rest.clear()
            skipping = True
            yield Damage(TOO_LONG)
    if rest:
        yield bytes(rest)


def _frames(file: IO[bytes], mark: Mark) -> Iterator[Line]:
    """What the frames hold, in chunks; after a damaged one reading goes on at the next."""
    at, number, data = mark.end, mark.frames, b""
    while data := data or file.read(STEP):
        number += 1
        length, data, tail = yield from _frame(file, data, number)
        if length == 0:
            return
        if length > 0:
            at += length
            yield Mark(at, number, tail)
            continue
        found = _next_frame(file, at + len(MAGIC))
        if found is None:
            return
        at = found
        file.seek(at)
        data = b""


def _frame(
    file: IO[bytes], data: bytes, number: int
) -> Generator[Line, None, tuple[int, bytes, bytes]]:
    """One frame that begins with these bytes, the file standing behind them.

    Gives its length (-1: it is damaged, 0: it is cut off), what was read behind it, and its end.
    """
    if len(data) < len(MAGIC):
        data += file.read(STEP)
    if not data.startswith(MAGIC):
        yield Damage(f"frame {number} does not begin as one")
        return -1, b"", b""
    unpacker = Unpacker()
    read = unpacked = 0
    while data:
        read += len(data)
        try:
            for held in unpacker.unpack(data):
                unpacked += len(held)
                if unpacked > LARGEST_FRAME:
                    raise zstandard.ZstdError(f"it unpacks to more than {LARGEST_FRAME} bytes")
                yield held
        except zstandard.ZstdError as error:
            yield Damage(f"frame {number} is damaged: {error}")
            return -1, b"", b""
        if unpacker.ended:
            rest = unpacker.rest
            end = len(data) - len(rest)
            return read - len(rest), rest, data[max(0, end - TAIL) : end]
        data = file.read(STEP)
    yield Damage("the last frame is cut off")
    return 0, b"", b""


def _next_frame(file: IO[bytes], start: int) -> int | None:
    """The offset of the next frame's first bytes."""
    file.seek(start)
    base, data = start, file.read(STEP)
    while data:
        found = data.find(MAGIC)
        if found >= 0:
            return base + found
        keep = data[-len(MAGIC) + 1 :]
        base += len(data) - len(keep)
        more = file.read(STEP)
        data = keep + more if more else b""
    return None
