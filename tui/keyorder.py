"""Keys one after another: each goes to where the one before it led.

Textual hands a key to the widget that has the focus when it comes, although the key before it may
still be on its way and move the focus: of `/quick`, typed fast or on a busy machine, the letters
would be commands of the list.
"""

from __future__ import annotations

from collections import deque

from textual import events
from textual.app import App
from textual.message_pump import MessagePump
from textual.timer import Timer

PATIENCE_S = 1.0
"""A key that led nowhere by then (its widget went away) does not hold up the next one."""


class KeyOrder(App[None]):
    """An app that waits with a key until the one before it has done its work."""

    def __init__(self) -> None:
        super().__init__()
        self._keys_waiting: deque[events.Key] = deque()
        self._key_patience: Timer | None = None
        self._keys_held = False

    def hold_keys(self) -> None:
        """Keeps the keys that follow until what this one asked for is there, but not for long."""
        self._keys_held = self._key_patience is not None

    def release_keys(self) -> None:
        """Lets them in: it is there."""
        if self._keys_held and self._key_patience is not None:
            self._keys_held = False
            self.call_later(self.call_later, self._key_done, self._key_patience)

    async def on_event(self, event: events.Event) -> None:
        """Lets keys in one by one."""
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
        elif self._key_patience is not None:
            self._keys_waiting.append(event)
        else:
            await self._let_key_in(event)

    def is_early(self, event: events.Key) -> bool:
        """Whether what the key is for is not there yet."""
        return False

    def too_early(self) -> None:
        """Called for a key that is dropped because it did not come in time."""

    async def _let_key_in(self, event: events.Key) -> None:
        if self.is_early(event):
            self._keys_waiting.appendleft(event)
            self._key_patience = self.set_timer(PATIENCE_S, self._give_up)
            self._keys_held = True
            return
        target = self.focused or self.screen
        self._key_patience = patience = self.set_timer(PATIENCE_S, self._next_key)
        await super().on_event(event)
        self._follow_key(target, patience)

    def _follow_key(self, pump: MessagePump, patience: Timer) -> None:
        """Goes the way of a key behind it, from the widget up to here."""
        if self._key_patience is not patience:
            return
        above = pump._parent if pump is not self else None
        if above is None or not pump.call_later(self._follow_key, above, patience):
            # Once more behind what the key asked for here, as moving the focus.
            self.call_later(self.call_later, self._key_done, patience)

    async def _key_done(self, patience: Timer) -> None:
        if self._key_patience is patience and not self._keys_held:
            await self._next_key()

    async def _give_up(self) -> None:
        """Drops the key that waits for what does not come."""
        if self._keys_waiting and self.is_early(self._keys_waiting[0]):
            self._keys_waiting.popleft()
            self.too_early()
        await self._next_key()

    async def _next_key(self) -> None:
        if self._key_patience is not None:
            self._key_patience.stop()
        self._key_patience, self._keys_held = None, False
        if self._keys_waiting:
            await self._let_key_in(self._keys_waiting.popleft())
