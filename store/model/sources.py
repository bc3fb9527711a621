"""The stores: where they were looked for, and those that were found."""

from __future__ import annotations

from dataclasses import dataclass

from store.model.choices import Producer
from store.model.faults import Fault


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """A store that was found: how it is named and opened, and what it holds.

    `opened` says how: `immutable` (at rest), `wal` (with its write-ahead log), `files` (not a
    database), `unchanged` (not opened, nothing moved since the last complete comparison),
    `failed`, or `missing`.
    """

    name: str
    producer: Producer
    path: str
    opened: str = ""
    sessions: int = 0
    messages: int = 0
    parts: int = 0
    documents: int = 0
    leftovers: int = 0
    behind: int = 0
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Looked:
    """A place where stores were looked for, and whether one was there."""

    producer: Producer
    path: str
    found: bool
    why: str = ""
