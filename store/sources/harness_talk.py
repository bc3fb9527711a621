"""One log as what was said in it: what reading a log comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from store.model import Fault, Message, Part
from store.sources.harness_draft import with_flags

Row = TypeVar("Row", Message, Part)


@dataclass(frozen=True, slots=True)
class Talk:
    """One log as messages and parts, both in reading order.

    `created` orders the parts of a message, `rows` has the seqs of the events behind each id.
    `whole`: nothing of the log was unreadable.
    """

    title: str
    updated: int
    messages: tuple[Message, ...]
    parts: tuple[Part, ...]
    created: dict[str, int]
    rows: dict[str, tuple[int, ...]]
    faults: tuple[Fault, ...]
    whole: bool


def marked(one: Row, inherited: set[str]) -> Row:
    """A message or part, flagged as a fork's copy where it is among the inherited."""
    return replace(one, flags=with_flags(one.flags, ("fork",))) if one.id in inherited else one


def several(reasons: Sequence[str]) -> str:
    """The first of several reasons, and how many more there are."""
    more = len(reasons) - 1
    return reasons[0] + (f" (and {more} more)" if more else "")
