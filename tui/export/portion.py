"""What of a session is exported where it is not all of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from store.model import Part, Window, WindowMessage
from tui.render.words import many


@dataclass(frozen=True, slots=True)
class Portion:
    """Some of a session: messages by id, and where not all of their parts, those by id."""

    messages: frozenset[str]
    parts: frozenset[str] | None = None

    def of(self, one: WindowMessage) -> WindowMessage | None:
        """What of a message belongs to it; None for nothing."""
        if one.message.id not in self.messages:
            return None
        if self.parts is None:
            return one
        return replace(one, parts=tuple(part for part in one.parts if part.id in self.parts))


def portions(window: Window, marked: Iterable[Part]) -> list[tuple[str, str, Portion]]:
    """What can be exported alone, as a name, how much it is, and the portion.

    That is the marked parts, and what is loaded of the session where that is not all of it.
    """
    here = [part for part in marked if part.session == window.session.id]
    found = []
    if here:
        messages, parts = ({part.message for part in here}, {part.id for part in here})
        portion = Portion(frozenset(messages), frozenset(parts))
        found.append(("The marked parts", many(len(here), "part"), portion))
    if window.first or window.more_after:
        loaded = frozenset(one.message.id for one in window.messages)
        found.append(("What is loaded of it", many(len(loaded), "message"), Portion(loaded)))
    return found
