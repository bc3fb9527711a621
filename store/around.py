"""Windows: neighbouring messages of a session, from its source; from the archive what is gone.

Order is that of `Place`, in the source and here. What a pending revert hides stands in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import apsw

from store.absent import count_gone
from store.conversations import with_copies
from store.errors import StoreError
from store.judging import judged
from store.model import Fault, Flag, Message, Part, Revert, Session, Window, WindowMessage
from store.records import SESSION, Records, session_of
from store.reverts import hidden_by
from store.source import WAITING, Bodies, Place, SomePlaces, Source
from store.sqlite import rows_of
from store.unread import as_read

EDITED: Flag = "edited"


@dataclass(frozen=True, slots=True)
class _Order:
    """All messages of a session in reading order; `kept` are those that only the archive has.

    `told`: the source was read whole, so that what it did not name is gone; `lost` are messages of
    which only the parts are left there.
    """

    places: tuple[Place, ...]
    kept: frozenset[str]
    lost: frozenset[str]
    told: bool
    faults: tuple[Fault, ...] = ()


class LastOrder:
    """The order of the session that was read last: paging through a long one asks again and again.

    It holds as long as neither the source's files nor the index change.
    """

    def __init__(self) -> None:
        self._key: object = None
        self._order: _Order | None = None

    def get(self, key: object, make: Callable[[], _Order]) -> _Order:
        """The order of that key, made where it is another one than before, or was not whole."""
        if self._order is None or key != self._key or self._order.faults:
            self._order = make()
            self._key = key
        return self._order


class Reader:
    """Reads windows of one session after another; not for two threads at once.

    `answering` are the sources that may be told of as copies (None: all).
    """

    def __init__(
        self,
        index: apsw.Connection,
        last: LastOrder | None = None,
        answering: Sequence[int] | None = None,
    ) -> None:
        self._index = index
        self._answering = answering
        self._last = last or LastOrder()
        self._records = Records(index)

    def session(self, name: str, native: str) -> tuple[int, Session]:
        """A session by its source's name. Raises SESSION_NOT_FOUND."""
        rows = rows_of(
            self._index,
            f"SELECT {SESSION}, s.id FROM session s JOIN source n ON n.id = s.source"
            " WHERE n.name = ? AND s.native = ?",
            (name, native),
        )
        if not rows:
            raise StoreError(
                "SESSION_NOT_FOUND", f"there is no session {name}:{native}", f"{name}:{native}"
            )
        ident: int = rows[0][-1]
        session = with_copies(self._index, session_of(rows[0]), ident, self._answering)
        gone = count_gone(self._index, self._answering, ident).get(ident, 0)
        return ident, replace(session, gone=gone)

    def around(
        self,
        name: str,
        native: str,
        source: Source | None,
        anchor: str,
        part: str,
        before: int,
        after: int,
        slice_id: str,
    ) -> Window:
        """The anchor (a message's id; "": the session's beginning) and its neighbours."""
        ident, session = self.session(name, native)
        session = as_read(session, source)
        order = self._order(ident, session, source)
        natives = _in_slice(order, slice_id, anchor)
        if anchor and anchor not in natives:
            raise StoreError("MESSAGE_NOT_FOUND", f"there is no message {anchor}", anchor)
        place = natives.index(anchor) if anchor else 0
        first = max(0, place - before)
        shown = natives[first : place + after + 1]
        messages, faults = self._messages(ident, session, source, order, shown, anchor)
        return Window(session, messages, first, len(natives), anchor, part, order.faults + faults)

    def page(
        self,
        name: str,
        native: str,
        source: Source | None,
        first: int,
        count: int,
        slice_id: str = "",
    ) -> Window:
        """`count` messages from place `first` (0-based) on, of one agent slice if it is named."""
        ident, session = self.session(name, native)
        session = as_read(session, source)
        order = self._order(ident, session, source)
        natives = _in_slice(order, slice_id, "")
        first = max(0, min(first, len(natives)))
        shown = natives[first : first + max(0, count)]
        messages, faults = self._messages(ident, session, source, order, shown, "")
        return Window(session, messages, first, len(natives), "", "", order.faults + faults)

    def _order(self, ident: int, session: Session, source: Source | None) -> _Order:
        try:
            state = source.state() if source else ""
        except StoreError:
            return self._make_order(ident, session, source)
        key = (ident, session.fate, state, self._index.pragma("data_version"))
        return self._last.get(key, lambda: self._make_order(ident, session, source))

    def _make_order(self, ident: int, session: Session, source: Source | None) -> _Order:
        live: dict[str, Place] = {}
        faults: list[Fault] = []
        told = source is not None and session.fate != "deleted"
        if source is not None and told:
            try:
                found = source.order(session.id)
                live = {place.id: place for place in found}
                told = not isinstance(found, SomePlaces)
            except StoreError as error:
                told = False
                faults.append(Fault(error.code, error.about, error.message))
        kept: list[Place] = []
        lost: set[str] = set()
        for seq, time, native, part, size in rows_of(
            self._index,
            "SELECT seq, time, native, slice, size FROM message WHERE session = ?",
            (ident,),
        ):
            if native not in live:
                if not size:
                    lost.add(native)
                kept.append(Place(seq, time, native, part))
        places = tuple(sorted((*live.values(), *kept)))
        only_kept = frozenset(place.id for place in kept)
        return _Order(places, only_kept, frozenset(lost), told, tuple(faults))

    def _messages(
        self,
        ident: int,
        session: Session,
        source: Source | None,
        order: _Order,
        natives: Sequence[str],
        anchor: str,
    ) -> tuple[tuple[WindowMessage, ...], tuple[Fault, ...]]:
        here = [native for native in natives if native not in order.kept]
        bodies = source.window(session.id, here) if source and here else Bodies()
        messages = {message.id: message for message in bodies.messages}
        parts: dict[str, list[Part]] = {}
        newest = _newest(order)
        for part in bodies.parts:
            open_or_not = judged(part, newest, session.updated)
            parts.setdefault(part.message, []).append(open_or_not)
        unread = {fault.about for fault in bodies.faults}
        self._add_kept(ident, session, natives, order, unread, messages, parts)
        _mark_edited(self._records.edited(ident, natives), parts)
        if session.revert:
            since = self._records.hidden(ident, natives)
            _mark_reverted(session.revert, since, order, messages, parts)
        window = tuple(
            WindowMessage(messages[native], tuple(parts.get(native, ())), native == anchor)
            for native in natives
            if native in messages
        )
        return window, bodies.faults

    def _add_kept(
        self,
        ident: int,
        session: Session,
        natives: Sequence[str],
        order: _Order,
        unread: set[str],
        messages: dict[str, Message],
        parts: dict[str, list[Part]],
    ) -> None:
        """Adds from the archive the messages that are gone, and parts gone from those that stay.

        `unread` names what stands in the source and cannot be read.
        """
        told = order.told and session.id not in unread
        gone = [native for native in natives if native in order.kept]
        for message in self._records.messages(ident, gone, session.id):
            gone_too = told and message.id not in order.lost
            messages[message.id] = _gone(message) if gone_too else message
        known = self._records.part_ids(ident, natives)
        there = {(one.message, one.id) for mine in parts.values() for one in mine}
        missing = [pair for pair in known if pair not in there and pair[1] not in unread]
        if not missing:
            return
        places = {pair: place for place, pair in enumerate(known)}
        for part in self._records.parts(ident, {pair[0] for pair in missing}, session.id):
            if (part.message, part.id) not in there and part.id not in unread:
                gone_too = told and part.message not in order.lost
                parts.setdefault(part.message, []).append(_gone(part) if gone_too else part)
        for mine in parts.values():
            mine.sort(key=lambda one: places.get((one.message, one.id), len(places)))


Row = TypeVar("Row", Message, Part)


def _gone(row: Row) -> Row:
    """A row that its source has no more; the index may not know it yet."""
    if row.fate in ("removed", "deleted"):
        return row
    if isinstance(row, Part):
        return replace(row, fate="removed", evidence="kept")
    return replace(row, fate="removed")


def _newest(order: _Order) -> str:
    """The last message of the source that was said; input that waits comes behind it."""
    said = [
        place.id for place in order.places if place.seq < WAITING and place.id not in order.kept
    ]
    return said[-1] if said else ""


def _in_slice(order: _Order, slice_id: str, anchor: str) -> list[str]:
    """The messages of one agent slice (all for ""), and the anchor whatever its slice."""
    return [
        place.id for place in order.places if slice_id in ("", place.slice) or place.id == anchor
    ]


def _mark_edited(edited: set[tuple[str, str]], parts: dict[str, list[Part]]) -> None:
    """Flags the parts that said something else before."""
    for message in {pair[0] for pair in edited} & parts.keys():
        parts[message] = [
            replace(part, flags=tuple(dict.fromkeys((*part.flags, EDITED))))
            if (part.message, part.id) in edited
            else part
            for part in parts[message]
        ]


def _mark_reverted(
    revert: Revert,
    since: Mapping[tuple[str, str], tuple[int | None, int | None]],
    order: _Order,
    messages: dict[str, Message],
    parts: dict[str, list[Part]],
) -> None:
    """Gives what a pending revert hides its fate, and the times that we know of it."""
    natives = [place.id for place in order.places if place.id not in order.kept]
    own = [part.id for part in parts.get(revert.message, ()) if part.fate == "live"]
    hidden, tail = hidden_by(revert, natives, own)
    for native in list(messages):
        if native in hidden:
            messages[native] = replace(messages[native], fate="reverted")
        for place, part in enumerate(parts.setdefault(native, [])):
            if part.fate == "live" and (native in hidden or part.id in tail):
                made, seen = since.get((native, part.id), (None, None))
                parts[native][place] = replace(
                    part, fate="reverted", cause="revert_pending", removed_at=made, noticed_at=seen
                )


def find_part(window: Window, part: str) -> tuple[Message, Part] | None:
    """A part of a window with its message."""
    for one in window.messages:
        for held in one.parts:
            if held.id == part:
                return one.message, held
    return None
