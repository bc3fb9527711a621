"""Reading: from an id to the messages around it, one of them whole, its JSON, its earlier texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

import apsw

from store.around import LastOrder, Reader, find_part
from store.catchup import CatchUp
from store.connections import Connections, no_index
from store.errors import StoreError
from store.glance import glance
from store.model import Glance, Json, Part, Shown, Window
from store.records import Records
from store.source import Found, Keeper
from store.stores import Stores

WINDOW_MOST = 50


class Reading:
    """Answers from the index and, for what is there still, from the stores.

    What the methods take, give and raise is said at `store.door.Door`.
    """

    def __init__(self, connections: Connections, stores: Stores, catch_up: CatchUp) -> None:
        self._connections = connections
        self._stores = stores
        self._catch_up = catch_up
        self._last_order = LastOrder()

    def around(self, ident: str, *, before: int, after: int, slice_id: str) -> Window:
        """The message of an id and its neighbours."""
        if not (0 <= before <= WINDOW_MOST and 0 <= after <= WINDOW_MOST):
            words = f"a window takes 0 to {WINDOW_MOST} messages on each side"
            raise StoreError("INVALID_WINDOW", words, f"{before}, {after}")
        self._catch_up.ensure_listed()
        with self._connections.reading() as connection:
            name, found = self._stores.resolve(ident, connection, "message")
            part = found.id if found.kind == "part" else ""
            return self._reader(connection).around(
                name,
                found.session,
                self._stores.by_name.get(name),
                found.message,
                part,
                before,
                after,
                slice_id,
            )

    def page(self, session: str, first: int, count: int, *, slice_id: str) -> Window:
        """Messages of a session by place."""
        self._catch_up.ensure_listed()
        with self._connections.reading() as connection:
            name, found = self._stores.resolve(session, connection, "session")
            source = self._stores.by_name.get(name)
            reader = self._reader(connection)
            return reader.page(name, found.session, source, first, count, slice_id)

    def glance(self, session: str) -> Glance:
        """The first prompt and the last answer of a session."""
        with self._connections.reading() as connection:
            name, found = self._stores.resolve(session, connection, "session")
            return glance(connection, name, found.session) if connection else Glance()

    def originals(self, window: Window) -> Mapping[str, Mapping[str, Json]]:
        """The stored JSON of a window, by id."""
        source = self._stores.by_name.get(window.session.source)
        if not isinstance(source, Keeper):
            return {}
        return source.originals(window.session.id, [one.message.id for one in window.messages])

    def show(self, ident: str) -> Shown:
        """A part, or a message with all its parts."""
        self._catch_up.ensure_listed()
        with self._connections.reading() as connection:
            name, found = self._stores.resolve(ident, connection, "part")
            if found.kind == "session":
                words = f"{ident} is a session; give one of its messages or parts"
                raise StoreError("MESSAGE_NOT_FOUND", words, ident)
            source = self._stores.by_name.get(name)
            window = self._reader(connection).around(
                name, found.session, source, found.message, "", 0, 0, ""
            )
        if found.kind == "message" and window.messages:
            return Shown(window.session, window.messages[0].message, window.messages[0].parts)
        held = find_part(window, found.id)
        if held is None:
            raise _unreadable(window, found, ident)
        return Shown(window.session, held[0], (held[1],))

    def raw(self, ident: str) -> str:
        """The stored JSON; for what only the archive has, its record as JSON."""
        self._catch_up.ensure_listed()
        with self._connections.reading() as connection:
            name, found = self._stores.resolve(ident, connection, "part")
        source = self._stores.by_name.get(name)
        told = source.raw(found) if source else None
        if told is not None:
            return told
        shown = self.show(ident)
        return json.dumps([asdict(part.content) for part in shown.parts], ensure_ascii=False)

    def versions(self, ident: str) -> tuple[Part, ...]:
        """A part's texts, the oldest first, the present one last."""
        shown = self.show(ident)
        if len(shown.parts) != 1:
            raise StoreError("PART_NOT_FOUND", f"{ident} is not one part", ident)
        part = shown.parts[0]
        with self._connections.reading() as connection:
            if connection is None:
                return (part,)
            reader = self._reader(connection)
            number, _ = reader.session(shown.session.source, shown.session.id)
            earlier = Records(connection).versions(number, part.message, part.id, part.session)
        return (*earlier, part)

    def _reader(self, connection: apsw.Connection | None) -> Reader:
        if connection is None:
            raise no_index(self._connections.index)
        return Reader(connection, self._last_order, self._stores.answering(connection))


def _unreadable(window: Window, found: Found, ident: str) -> StoreError:
    for fault in window.faults:
        if fault.about == found.id:
            return StoreError("CORRUPT_PART", f"{ident} cannot be read: {fault.message}", ident)
    return StoreError("PART_NOT_FOUND", f"there is no part {ident}", ident)
