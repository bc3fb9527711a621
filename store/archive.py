"""Our own copy of every part: records, and the compressed blocks they lie in.

A record is a line of JSON with the small fields and the lengths of the long texts, then the texts
themselves as UTF-8: nothing is escaped, so a text is found in a block by its bytes. A block is a
run of records of about 32 KB, compressed together (single records compress half as well).
Base64 is left out: the bytes of images stay in the source.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

import pydantic_core
import zstandard

from store.model import TYPE_NAMES, Attachment, Content, Todos, Tool, Unknown, type_name

BLOCK_BYTES = 32_768
"""A page of hits opens a block each: 64 KB would take 3 % fewer bytes and a millisecond more."""
LEVEL = 2
"""zstd's level: 1 takes 10 % less time for 3 % more bytes, 3 takes 20 % more for 2 % less."""
SHORT = 48
"""Characters; a longer text lies behind the line."""

_CLASSES: dict[str, type] = {name: kind for kind, name in TYPE_NAMES.items()}
_FIELDS: dict[type, list[tuple[str, Any]]] = {
    kind: [(one.name, getattr(kind(), one.name)) for one in fields(kind)]
    for kind in (*TYPE_NAMES, Unknown)
}
_VALUES: dict[type, Callable[[Any], Any]] = {
    kind: attrgetter(*(name for name, _ in named)) for kind, named in _FIELDS.items()
}
"""Takes all values of a content at once; of one that has a single field the value itself."""
_BASE64 = re.compile(
    r"data:([\w.+/-]{0,100})(?:;[\w.+-]{1,30}=[^;,\n]{0,100}){0,5};base64,[\w+/-]{64,}={0,2}",
    re.ASCII,
)


def without_base64(text: str) -> str:
    """The text with each inline base64 `data:` URL as `[data <mime>]`."""
    if ";base64," not in text:
        return text
    return _BASE64.sub(lambda found: f"[data {found.group(1)}]", text)


def pack(content: Content) -> bytes:
    """A part's content as a record."""
    return packed(content)[0]


def packed(content: Content) -> tuple[bytes, dict[str, bytes]]:
    """A part's content as a record, and its long texts by their names as they are in there."""
    line: dict[str, Any] = {"type": type_name(content)}
    texts: dict[str, bytes] = {}
    kind = type(content)
    values = _VALUES[kind](content)
    named = _FIELDS[kind]
    for (name, default), value in zip(named, values if len(named) > 1 else (values,), strict=True):
        if value == default or name == "type":
            continue
        if isinstance(value, str):
            if len(value) > SHORT:
                texts[name] = without_base64(value).encode("utf-8", "surrogatepass")
                continue
        elif name in ("input", "meta", "fields"):
            texts["=" + name] = without_base64(dump(value)).encode("utf-8", "surrogatepass")
            continue
        line[name] = value
    if texts:
        line[""] = {name: len(text) for name, text in texts.items()}
    return b"".join((_small(line), b"\n", *texts.values())), texts


def _small(line: dict[str, Any]) -> bytes:
    try:
        return pydantic_core.to_json(line)
    except ValueError:  # a lone surrogate
        return json.dumps(line, default=_plain).encode("ascii")


def _plain(value: Any) -> Any:
    if isinstance(value, Attachment):
        return {"mime": value.mime, "filename": value.filename, "bytes": value.bytes}
    raise TypeError(type(value).__name__)


def dump(value: Any) -> str:
    """A JSON value as text, without spaces."""
    try:
        return pydantic_core.to_json(value, inf_nan_mode="null").decode("utf-8")
    except ValueError:
        return json.dumps(value)


def text_of(
    records: bytes, at: int, length: int, kind: str, field: str, most: int
) -> tuple[str, bool] | None:
    """One text of the record there, up to `most` bytes of it, and whether that is all.

    The other texts are left as they are. `kind`: the type's name, `field`: the text's. `records`
    may end within the text. None where the record is of another type, ValueError where the records
    end before the text.
    """
    place = place_of(records, at, length, kind, field)
    if not isinstance(place, tuple):
        return None if place is None else (place, True)
    start, size = place
    if start > len(records):
        raise ValueError("the text is further on")
    end = min(start + size, start + most, len(records))
    if end == start + size:
        return records[start:end].decode("utf-8", "surrogatepass"), True
    end = _before_character(records, end)
    return records[start:end].decode("utf-8", "surrogatepass"), False


def place_of(
    records: bytes, at: int, length: int, kind: str, field: str
) -> tuple[int, int] | str | None:
    """Where one text of the record there begins, and its bytes; or a short text itself."""
    start = records.index(b"\n", at, at + length) + 1
    values: dict[str, Any] = pydantic_core.from_json(records[at : start - 1])
    if values["type"] != kind:
        return None
    for name, size in values.get("", {}).items():
        if name == field:
            return start, size
        start += size
    text = values.get(field, "")
    return text if isinstance(text, str) else None


def _before_character(text: bytes, at: int) -> int:
    """A place before `at` where a character of UTF-8 text begins; 0 where there is none."""
    at -= 1
    while at > 0 and text[at] & 0xC0 == 0x80:
        at -= 1
    return max(at, 0)


def unpack(record: bytes, without: Sequence[str] = ()) -> Content:
    """The content that `pack` took; long texts of these names are left out."""
    line, _, texts = record.partition(b"\n")
    values: dict[str, Any] = json.loads(line)
    lengths: dict[str, int] = values.pop("", {})
    kind = values.pop("type")
    start = 0
    for name, length in lengths.items():
        start += length
        if name in without:
            continue
        text = texts[start - length : start].decode("utf-8", "surrogatepass")
        if name.startswith("="):
            values[name[1:]] = json.loads(text)
        else:
            values[name] = text
    if kind not in _CLASSES:
        return Unknown(kind, values.get("fields", {}))
    for name in ("files", "attachments"):
        if name in values:
            values[name] = tuple(values[name])
    if _CLASSES[kind] is Tool and "attachments" in values:
        values["attachments"] = tuple(Attachment(**one) for one in values["attachments"])
    if _CLASSES[kind] is Todos:
        values["items"] = tuple((status, what) for status, what in values.get("items", ()))
    content: Content = _CLASSES[kind](**values)
    return content


class Blocks:
    """Collects records into blocks. A record is found by its block, its start and its length."""

    def __init__(self, next_id: int) -> None:
        self._compressor = zstandard.ZstdCompressor(level=LEVEL)
        self._records: list[bytes] = []
        self._size = 0
        self._id = next_id
        self._full: list[tuple[int, bytes]] = []

    def add(self, record: bytes) -> tuple[int, int, int]:
        """Takes a record; returns its block's id, its start and its length in the block."""
        place = (self._id, self._size, len(record))
        self._records.append(record)
        self._size += len(record)
        if self._size >= BLOCK_BYTES:
            self._close()
        return place

    def add_sorted(self, records: Sequence[tuple[Any, bytes]]) -> list[tuple[int, int, int]]:
        """Takes records, each with its sort, and returns their places in the order given.

        Those of one sort come to lie beside each other, where they compress best.
        """
        places = [(0, 0, 0)] * len(records)
        for number in sorted(range(len(records)), key=lambda one: records[one][0]):
            places[number] = self.add(records[number][1])
        return places

    def _close(self) -> None:
        if self._records:
            self._full.append((self._id, self._compressor.compress(b"".join(self._records))))
            self._id += 1
            self._records, self._size = [], 0

    def take(self) -> list[tuple[int, bytes]]:
        """All blocks so far as (id, compressed bytes), the last one closed."""
        self._close()
        full, self._full = self._full, []
        return full


_ASCII = bytes(range(128))
_FOLDS = re.compile(rb"[\xc3-\xcd]|\xc2\xb5|\xe1[\xb8-\xbf]|\xe2\x84[\xaa\xab]")
"""Letters with accents, marks that are dropped, and signs that fold to plain letters."""


def tells(block: bytes) -> bool:
    """Whether the small letters of a block tell what is in its texts: nothing else is folded."""
    if b"\x1b" in block or b"\\u" in block:
        return False
    return block.isascii() or _FOLDS.search(block.translate(None, _ASCII)) is None


def open_block(data: bytes, opener: zstandard.ZstdDecompressor | None = None) -> bytes:
    """The records of a compressed block. Raises zstandard.ZstdError where it is damaged.

    `opener`: one that is used again; not by two threads at once.
    """
    return (opener or zstandard.ZstdDecompressor()).decompress(data)


def open_beginning(data: bytes, most: int, opener: zstandard.ZstdDecompressor) -> bytes:
    """As `open_block`, the first bytes of the records."""
    with opener.stream_reader(data) as reader:
        return reader.read(most)


def opened_size(data: bytes) -> int:
    """The bytes of a block's records, as its head says. Raises zstandard.ZstdError."""
    return zstandard.frame_content_size(data)
