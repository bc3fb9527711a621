"""An answer while it streams (versions 0 and 1): until its message comes, only chunks have it.

What has come so far is shown as a message of its own, `session#running`. It is gone again once
the answer's message is written, or once the stream counts as broken off.
"""

from __future__ import annotations

from typing import Any

from store.model import Message, Part
from store.sources.harness_blocks import Block, content_of, streamed
from store.sources.harness_draft import Draft
from store.sources.harness_events import Event


def running(session: str) -> str:
    """The id of the message that stands for what streams in a session."""
    return f"{session}#running"


class Stream:
    """The chunks of an answer that has no message yet."""

    def __init__(self) -> None:
        self._began = Event(-1, 0, "", {})
        self._items: list[dict[str, Any]] = []

    def add(self, event: Event, item: dict[str, Any]) -> None:
        """A chunk, or a run of them."""
        if not self._items:
            self._began = event
        self._items.append(item)

    def blocks(self) -> list[Block]:
        """The blocks that it has brought so far."""
        return streamed(self._items)

    def shown(
        self, draft: Draft, **more: Any
    ) -> tuple[Message, tuple[Part, ...], dict[str, int]] | None:
        """What it has brought behind a draft, which stays as it is; None where it is nothing.

        A message (with `more` fields), its parts, and what orders these.
        """
        blocks = self.blocks()
        if not blocks:
            return None
        apart = Draft(draft.session, draft.latest)
        ident = apart.message(self._began, running(draft.session), "assistant", (), **more)
        for place, block in enumerate(blocks):
            apart.part(self._began, ident, str(place), content_of(block))
        return apart.messages[ident], tuple(apart.parts.values()), apart.created
