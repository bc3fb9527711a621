"""Unpacking zstd frames of anybody's making: never more at once than memory bears.

A block of four bytes may unpack to 128 KiB (RFC 8878, section 3.1.1.2): what a few bytes come to
is bounded, what a file comes to is not.
"""

from __future__ import annotations

from collections.abc import Iterator

import zstandard

WINDOW = 128 * 1024 * 1024
PIECE = 1_024
"""Packed bytes that are unpacked at once: at most 32 MiB come of them."""
GATHERED = 65_536
"""Unpacked bytes that are handed on together, where little comes of a piece."""


class Unpacker:
    """One frame. `rest` are the bytes that were given behind its end."""

    def __init__(self) -> None:
        self._reader = zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()
        self.rest = b""

    @property
    def ended(self) -> bool:
        """Whether the frame was read to its end."""
        return bool(self._reader.eof)

    def unpack(self, data: bytes) -> Iterator[bytes]:
        """What the next bytes of the frame hold. Raises zstandard.ZstdError where it is damaged."""
        held = bytearray()
        for start in range(0, len(data), PIECE):
            held += self._reader.decompress(data[start : start + PIECE])
            if self.ended:
                self.rest = self._reader.unused_data + data[start + PIECE :]
                break
            if len(held) >= GATHERED:
                yield bytes(held)
                held.clear()
        if held:
            yield bytes(held)


def unpacked(frame: bytes, most: int) -> bytes:
    """A whole frame. Raises zstandard.ZstdError where it is damaged, cut off, or holds more."""
    unpacker = Unpacker()
    held = bytearray()
    for piece in unpacker.unpack(frame):
        held += piece
        if len(held) > most:
            raise zstandard.ZstdError(f"it holds more than {most} bytes")
    if not unpacker.ended:
        raise zstandard.ZstdError("it is cut off")
    return bytes(held)
