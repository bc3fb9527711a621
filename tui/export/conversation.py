"""The messages of one session page by page, so that a large session needs no more memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from store.door import Door
from store.model import Fault, Json, Session, Window, WindowMessage
from tui.export import shape
from tui.export.portion import Portion

PAGE = 20
"""Messages that are read at once."""

Fields = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Stored:
    """A message and its parts as the JSON of opencode's own export, beside what was read of it."""

    read: WindowMessage
    info: Fields
    parts: tuple[Fields, ...]


class Conversation:
    """One session to be written out; `faults` grows with what could not be read.

    Without `leftovers` it has the live messages and parts only; with a `portion` what is in it.
    """

    def __init__(
        self, door: Door, ident: str, *, leftovers: bool = False, portion: Portion | None = None
    ) -> None:
        self._door = door
        self._leftovers = leftovers
        self._portion = portion
        first = door.page(ident, 0, 0)
        self.session: Session = first.session
        self.faults: dict[Fault, None] = {}
        self._info = door.originals(first).get(self.session.id)

    @property
    def info(self) -> Fields:
        """The session as opencode's export has it."""
        told = dict(self._info) if self._info else shape.session(self.session)
        return _with_fate(told, self.session.fate)

    def messages(self, slice_id: str = "") -> Iterator[WindowMessage]:
        """The messages in reading order; of one agent slice if it is named."""
        for window in self._windows(slice_id):
            yield from self._kept(window.messages)

    def stored(self, slice_id: str = "") -> Iterator[Stored]:
        """The same with their JSON: the stored one, or made from what was kept of it."""
        for window in self._windows(slice_id):
            originals = self._door.originals(window)
            for one in self._kept(window.messages):
                info = dict(originals.get(one.message.id) or shape.message(one.message))
                parts = [
                    _with_fate(dict(originals.get(part.id) or shape.part(part)), part.fate)
                    for part in one.parts
                ]
                yield Stored(one, _with_fate(info, one.message.fate), tuple(parts))

    def _windows(self, slice_id: str) -> Iterator[Window]:
        ident = f"{self.session.source}:{self.session.id}"
        first, total = 0, 1
        while first < total:
            window = self._door.page(ident, first, PAGE, slice_id=slice_id)
            self.faults.update(dict.fromkeys(window.faults))
            yield window
            first, total = first + PAGE, window.total

    def _kept(self, messages: Iterable[WindowMessage]) -> Iterator[WindowMessage]:
        for found in messages:
            one = self._portion.of(found) if self._portion else found
            if one is None:
                continue
            if self._leftovers:
                yield one
            elif one.message.fate == "live":
                parts = tuple(part for part in one.parts if part.fate == "live")
                yield replace(one, parts=parts)


def _with_fate(fields: Fields, fate: str) -> Fields:
    return fields if fate == "live" else {**fields, "fate": fate}
