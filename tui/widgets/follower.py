"""The reading pane while its session goes on: what is shown is read again, news are counted."""

from __future__ import annotations

from collections.abc import Collection

from store.model import Window
from tui.ways import name_of
from tui.widgets.pane import ReadingPane

GROWTH = 50
"""Messages by which a conversation read to its end grows at most at once."""


class FollowingPane(ReadingPane):
    """Keeps a window as its session is now; the reader stays where the reader is."""

    def __init__(self, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self._before: int | None = None
        self._asked_again: Window | None = None

    def follow(self, sessions: Collection[tuple[str, str]], *, everything: bool) -> None:
        """Reads what is shown once more if its session changed, and at its end what came after."""
        window = self.window
        if window is None or self.jobs is None:
            return
        session = window.session
        if everything or (session.source, session.id) in sessions:
            self._asked_again = window
            length = len(window.messages) + (0 if window.more_after else GROWTH)
            name = name_of(session)
            self.jobs.again(self.post_message, name, window.first, length, self.terms, self.slice)

    def read_again(self, window: Window) -> None:
        """Takes what the session says now, unless the reader went on meanwhile."""
        shown, asked = self.window, self._asked_again
        if shown is None or asked is None or window == shown:
            return
        if shown is not asked:
            key = (shown.session.source, shown.session.id)
            self.follow({key}, everything=False)
            return
        if window.total > shown.total and self._before is None:
            self._before = shown.total
        self.window = window
        self.transcript.extend(window)
        self.head()

    def shows_another(self) -> None:
        """Forgets how much there was of what was shown before."""
        self._before = None

    def new_words(self) -> str:
        """How many messages came since, below what can be seen."""
        if self._before is None or self.window is None:
            return ""
        count = self.window.total - max(self._before, self.transcript.last_place + 1)
        if count <= 0:
            self._before = None
        return f"{count} new below" if count > 0 else ""
