"""What the model sees of a log: the surface, folded in log order, and what replaced what.

`append` puts an event on the surface, a replacement takes a run of it away and stands there
instead. What stands is current, what was taken away is shadowed, everything else is log-only. A
rule that is broken is said, and the event is kept as well as it goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from store.model import Json
from store.sources.harness_events import ABSENT, Event, mapping, string, whole

Place = Literal["current", "shadowed", "log-only"]
SHOWN = frozenset(
    {"user/message", "assistant/message", "tool/result", "system/message", "developer/message"}
)
"""Types that stand on the surface; the last two since versions 3 and 4."""


@dataclass(frozen=True, slots=True)
class Trace:
    """How one event is bound to others, by seq. `chain` follows the replacements to the last."""

    place: Place
    replaced_by: int | None
    chain: tuple[int, ...]
    replaced: tuple[int, ...]
    sources: tuple[int, ...]
    derived: tuple[int, ...]


class Surface:
    """The fold of one log. `nodes` are the seqs on the surface, in its order."""

    def __init__(self) -> None:
        self.nodes: list[int] = []
        self.replaced_by: dict[int, int] = {}
        self.broken: list[str] = []
        self._removed: dict[int, tuple[int, ...]] = {}
        self._sources: dict[int, tuple[int, ...]] = {}
        self._types: dict[int, str] = {}
        self._calls: dict[int, str] = {}
        self._next: int | None = 0

    def skip(self) -> None:
        """Rows are missing here: the next one may have any seq."""
        self._next = None

    def add(self, event: Event) -> tuple[int, ...]:
        """Takes the next event; gives the seqs that it replaced. Broken rules go to `broken`."""
        if self._next not in (None, event.seq):
            self._break(event, f"seq {self._next} was to come")
        self._next = event.seq + event.count
        if event.type not in SHOWN:
            if event.surface is not ABSENT or event.sources is not ABSENT:
                self._break(event, f"a {event.type} says something of the surface")
            return ()
        sources = self._cited(event)
        self._types[event.seq] = event.type
        self._calls[event.seq] = call_of(event)
        removed = self._placed(event, sources)
        for seq in removed:
            self.replaced_by[seq] = event.seq
        if removed:
            self._removed[event.seq] = removed
        return removed

    def _break(self, event: Event, why: str) -> None:
        self.broken.append(f"seq {event.seq}: {why}")

    def _cited(self, event: Event) -> frozenset[int]:
        """The events that this one says it was made from, runs `[start, end]` written out."""
        if event.sources is ABSENT:
            return frozenset()
        cited = _written_out(event.sources)
        if cited is None or (not cited and event.type != "assistant/message"):
            self._break(event, "its sources are no list of seqs")
            return frozenset()
        if len(set(cited)) != len(cited) or any(seq >= event.seq for seq in cited):
            self._break(event, "its sources name a seq twice or one yet to come")
        self._sources[event.seq] = tuple(cited)
        return frozenset(cited)

    def _placed(self, event: Event, sources: frozenset[int]) -> tuple[int, ...]:
        op = mapping(event.surface)
        if event.surface == "append" or op.get("op") != "replace":
            if event.surface != "append":
                self._break(event, "it does not say how it stands on the surface")
            self.nodes.append(event.seq)
            return ()
        first, last = (whole(op.get(key, op.get(f"{key}Seq"))) for key in ("start", "end"))
        if first not in self.nodes or last not in self.nodes:
            self._break(event, f"it replaces {first} to {last}, which do not stand there")
            self.nodes.append(event.seq)
            return ()
        start, end = self.nodes.index(first), self.nodes.index(last)
        removed = tuple(self.nodes[start : end + 1])
        if not removed:
            self._break(event, f"it replaces {first} to {last}, which is backwards")
            self.nodes.append(event.seq)
            return ()
        if not sources.issuperset(removed):
            self._break(event, "it does not cite all that it replaces")
        self._check_types(event, start, removed)
        self.nodes[start : end + 1] = [event.seq]
        return removed

    def _check_types(self, event: Event, start: int, removed: tuple[int, ...]) -> None:
        if event.type == "tool/result":
            same = self._types[removed[0]] == event.type
            if len(removed) > 1 or not same or self._calls[removed[0]] != call_of(event):
                self._break(event, "a tool/result replaces one result of the same call only")
        prompt = start == 0 and self._types[removed[0]] == "system/message"
        if prompt and (event.type != "system/message" or len(removed) > 1):
            self._break(event, "the system message is replaced by another one only")

    def place(self, seq: int) -> Place:
        """Where an event stands."""
        if seq in self.replaced_by:
            return "shadowed"
        return "current" if seq in self._types else "log-only"

    def trace(self, seq: int) -> Trace:
        """How an event is bound to others; a seq that is not there is log-only, bound to none."""
        chain: list[int] = []
        after = self.replaced_by.get(seq)
        while after is not None:
            chain.append(after)
            after = self.replaced_by.get(after)
        return Trace(
            place=self.place(seq),
            replaced_by=self.replaced_by.get(seq),
            chain=tuple(chain),
            replaced=self._removed.get(seq, ()),
            sources=self._sources.get(seq, ()),
            derived=tuple(later for later, cited in self._sources.items() if seq in cited),
        )


def _written_out(value: Json) -> list[int] | None:
    """A list of seqs and `[start, end]` runs as seqs; None where it is something else."""
    if not isinstance(value, list):
        return None
    seqs: list[int] = []
    for one in value:
        pair = one if isinstance(one, list) else [one, one]
        ends = [whole(end) for end in pair]
        if len(ends) != 2 or ends[0] is None or ends[1] is None or ends[0] > ends[1]:
            return None
        if ends[1] - ends[0] > 1_000_000:
            return None
        seqs.extend(range(ends[0], ends[1] + 1))
    return seqs


def call_of(event: Event) -> str:
    """The id of the call that a tool/result answers ("" for other events)."""
    message = mapping(event.data.get("message"))
    ident = string(message.get("toolCallId")) or string(
        mapping(message.get("source")).get("callId")
    )
    content = message.get("content")
    if not ident and isinstance(content, list) and content:
        ident = string(mapping(content[0]).get("toolCallId"))
    return ident
