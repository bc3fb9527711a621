"""Reading the log files of DeepSeek Harness: JSON lines, plain or in zstd frames.

A compressed log is a run of independent frames, the first holding the header alone. Frames carry
no content size. A frame that is damaged costs its own rows: reading goes on at the next frame.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import IO

import zstandard

from store.errors import StoreError
from store.sources.content import decode
from store.sources.harness_events import (
    LARGEST_ROW,
    Damage,
    Event,
    Header,
    event_of,
    header_of,
)
from store.sqlite import unreadable

MAGIC = bytes.fromhex("28b52ffd")
"""The first bytes of a zstd frame (RFC 8878, section 3.1.1)."""
HEAD = 65_536
STEP = 16_384
"""Bytes read at once: what they expand to stays bounded."""
WINDOW = 128 * 1024 * 1024
TOO_LONG = f"a row is longer than {LARGEST_ROW} bytes"

Line = bytes | Damage


def read_header(path: Path) -> Header | None:
    """The header of a log, from its first bytes; None where it cannot be read.

    Raises SOURCE_NOT_FOUND, SOURCE_UNREADABLE.
    """
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise _cannot(path, error) from None
    if head.startswith(MAGIC):
        try:
            head = (
                zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj().decompress(head)
            )
        except zstandard.ZstdError:
            return None
    line, end, _ = head.partition(b"\n")
    if not end and len(head) >= HEAD:
        return None
    try:
        return header_of(decode(line))
    except ValueError:
        return None


def read_events(path: Path) -> Iterator[Event | Damage]:
    """The events of a log after its header, in order, with what cannot be read between them.

    Raises SOURCE_NOT_FOUND, SOURCE_UNREADABLE.
    """
    try:
        with path.open("rb") as file:
            packed = file.read(len(MAGIC)) == MAGIC
            file.seek(0)
            yield from events_of(_lines(_frames(file) if packed else _chunks(file)))
    except OSError as error:
        raise _cannot(path, error) from None


def events_in(file: IO[bytes]) -> Iterator[Event | Damage]:
    """The events of plain JSON lines, the header left out."""
    return events_of(_lines(_chunks(file)))


def events_of(lines: Iterable[Line]) -> Iterator[Event | Damage]:
    """Lines as events. The header is the first line that can be read, if it is one."""
    first = True
    for line in lines:
        if isinstance(line, Damage):
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


def _chunks(file: IO[bytes]) -> Iterator[Line]:
    while data := file.read(STEP):
        yield data


def _lines(chunks: Iterable[Line]) -> Iterator[Line]:
    """Whole lines out of chunks; a line that a damage cuts, or that is too long, is left out."""
    rest = bytearray()
    skipping = False
    for chunk in chunks:
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


def _frames(file: IO[bytes]) -> Iterator[Line]:
    """What the frames hold, in chunks; after a damaged one reading goes on at the next."""
    start = 0
    number = 0
    while True:
        number += 1
        length = yield from _frame(file, start, number)
        if length is None:
            return
        if length < 0:
            found = _next_frame(file, start + len(MAGIC))
            if found is None:
                return
            start = found
        else:
            start += length


def _frame(file: IO[bytes], start: int, number: int) -> Generator[Line, None, int | None]:
    """One frame from an offset on; gives its length, -1 if it is damaged, None at the end."""
    file.seek(start)
    data = file.read(STEP)
    if not data:
        return None
    if not data.startswith(MAGIC):
        yield Damage(f"frame {number} does not begin as one")
        return -1
    reader = zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()
    read = 0
    while data:
        read += len(data)
        try:
            held = reader.decompress(data)
        except zstandard.ZstdError as error:
            yield Damage(f"frame {number} is damaged: {error}")
            return -1
        if held:
            yield held
        if reader.eof:
            return read - len(reader.unused_data)
        data = file.read(STEP)
    yield Damage("the last frame is cut off")
    return None


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
