"""Rows that were read and made ready to be written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from store import extract
from store.archive import packed, without_base64
from store.gone import Left
from store.known import KnownSession
from store.model import (
    Content,
    Fault,
    File,
    Kind,
    Message,
    Part,
    Retry,
    Tool,
    type_name,
)
from store.schema import HAS, flag_bits
from store.source import Ref
from store.text import encodable, indexed, is_plain


@dataclass(slots=True)
class Doc:
    """A document before it has an id, its text as `text.indexed` makes it.

    `message` and `part` are our ids.
    """

    kind: Kind
    body: bytes
    time: int
    message: int | None
    part: int | None
    synthetic: bool
    call: str = ""
    tool: str = ""


@dataclass(slots=True)
class Prepared:
    """A part made ready to be written: its row, its record and its documents."""

    message: str
    id: str
    time: int
    size: int
    synthetic: bool
    row: tuple[Any, ...]
    record: bytes
    texts: list[tuple[Kind, bytes]]
    call: str = ""

    @property
    def type(self) -> str:
        """Its type by name."""
        return str(self.row[5])

    @property
    def sort(self) -> tuple[str, str]:
        """Records of one sort are like each other: those of a type, and of a tool."""
        return self.row[5], self.row[6] or ""

    def documents(self, message: int, ident: int) -> list[Doc]:
        """Its documents, by our ids of its message and of itself."""
        tool = self.row[6] or ""
        return [
            Doc(kind, text, self.time, message, ident, self.synthetic, self.call, tool)
            for kind, text in self.texts
        ]


@dataclass(frozen=True, slots=True)
class Told:
    """What the list of sessions could not say of a session, and reading it did."""

    title: str
    updated: int
    messages: int
    parts: int


@dataclass(slots=True)
class SessionEnd:
    """A session was read to its end: what is gone, what a revert hides, and the new stamp.

    Gone rows, and those that are `passed` without being gone, go by our ids, reverted ones by
    native ids; `handled` counts the parts that are there. `reverted_at` (ms) is when the revert was
    made, where its store tells.
    Where `partly`, only the session's last messages were read: it says nothing but `unfinished`.
    """

    stamp: str | None
    gone_messages: list[int]
    gone_parts: list[int]
    reverted_messages: list[str]
    reverted_parts: list[str]
    has_revert: bool
    unfinished: bool
    handled: int
    told: Told | None = None
    partly: bool = False
    reverted_at: int | None = None
    passed_messages: Sequence[int] = ()
    passed_parts: Sequence[int] = ()


@dataclass(slots=True)
class Chunk:
    """Rows of one session that were read and are to be written.

    `first` marks the session's first chunk of a pass, `end` comes with its last. `left` is what
    is gone, `stale` the evidence that does not hold any longer, `mark` (with the last of them) up
    to where traces were followed.
    """

    session: int
    known: KnownSession
    messages: list[tuple[Message, Ref]]
    parts: list[Prepared]
    faults: tuple[Fault, ...] = ()
    first: bool = False
    end: SessionEnd | None = None
    left: Sequence[Left] = ()
    stale: Sequence[str] = ()
    mark: str | None = None

    @property
    def size(self) -> int:
        """The stored bytes of its parts."""
        gone = sum(one.trace.ref.size for one in self.left)
        return sum(part.size for part in self.parts) + gone


def prepare(part: Part, ref: Ref, role: str) -> Prepared:
    """A part's row, record and documents; `role` is its message's."""
    tool = part.content if isinstance(part.content, Tool) else None
    row = (
        part.id,
        part.time,
        ref.created,
        ref.updated,
        ref.size,
        encodable(type_name(part.content)),
        encodable(tool.name) if tool else None,
        encodable(tool.status) if tool else None,
        flag_bits(part.flags),
        has_bits(part.content),
    )
    record, held = packed(part.content)
    texts = [(kind, _indexed(kind, text, held)) for kind, text in extract.texts(part.content, role)]
    return Prepared(
        part.message,
        part.id,
        part.time,
        ref.size,
        "synthetic" in part.flags,
        row,
        record,
        texts,
        tool.call if tool else "",
    )


_ERROR, _IMAGE, _FILE, _DIFF, _OUTPUT = (1 << place for place in range(len(HAS)))


def _indexed(kind: Kind, text: str, held: Mapping[str, bytes]) -> bytes:
    """A text as the full text takes it; that of a record where it is the same."""
    _, name = extract.PLAIN.get(kind, ("", ""))
    record = held.get(name)
    if record is not None and is_plain(record):
        return record
    return indexed(without_base64(text))


def has_bits(content: Content) -> int:
    """What `has:` asks for, as bits in the order of HAS."""
    match content:
        case Tool():
            mimes = [one.mime for one in content.attachments]
            bits = (
                _ERROR * content.failed
                | _FILE * bool(mimes)
                | _DIFF * bool(content.diff)
                | _OUTPUT * bool(content.output)
            )
        case File(mime=mime):
            mimes = [mime]
            bits = _FILE
        case Retry():
            return _ERROR
        case _:
            return 0
    return bits | _IMAGE * any(mime.startswith("image/") for mime in mimes)
