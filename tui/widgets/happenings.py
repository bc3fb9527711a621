"""The list of what happened to sessions: reverts, deletions, edits."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from textual.content import Content

from store.model import Happening
from tui import undone, words
from tui.widgets.rowlist import RowList
from tui.widgets.sessions import columns


class HappeningList(RowList[Happening]):
    """What happened, the latest first: three lines each."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._now = now

    def height_of(self, row: Happening) -> int:
        """The session, what happened, what was said."""
        return 3

    def key_of(self, row: Happening) -> Hashable:
        """What tells it from others."""
        return (row.session.source, row.session.id, row.cause, row.fate, row.moment)

    def paint(self, row: Happening, width: int, selected: bool) -> list[Content]:
        """The session and when; what happened and how much; the prompt that was undone."""
        sign = words.FATE_SIGNS[row.fate]
        title = words.flat(row.session.title).strip() or "Session without a title"
        left = Content.assemble((f"{sign} ", "$warning"), (title, "bold"))
        when = words.moment(row.moment, self._now())
        return [
            columns(left, when, width),
            columns(Content("  " + undone.heading(row)), words.flat(row.session.project), width),
            Content.styled("  " + words.flat(row.prompt or row.said), "$text-muted").truncate(
                width, ellipsis=True, pad=True
            ),
        ]
