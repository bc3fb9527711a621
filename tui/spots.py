"""Places visited: what was read and how it looked, and the way back and forward through them."""

from __future__ import annotations

from dataclasses import dataclass

from tui.render.layout import Choice
from tui.widgets.windowview import Aim

MOST = 200


@dataclass(frozen=True, slots=True)
class Spot:
    """A window of a session (`source:id`), the filters and folds it had, and where one was.

    `slice` is the one agent slice that was shown, "" for all.
    """

    session: str
    first: int
    length: int
    choice: Choice
    aim: Aim
    slice: str = ""


class Trail:
    """Spots behind and ahead of the one that is shown."""

    def __init__(self) -> None:
        self._behind: list[Spot] = []
        self._ahead: list[Spot] = []

    def leave(self, here: Spot) -> None:
        """Notes a spot that is left for a new one; what was ahead is forgotten."""
        if not self._behind or self._behind[-1] != here:
            self._behind = [*self._behind[1 - MOST :], here]
        self._ahead = []

    def step(self, here: Spot | None, by: int) -> Spot | None:
        """The spot behind (-1) or ahead (1), None at the end; `here` is kept at the other side."""
        taken, kept = (self._ahead, self._behind) if by > 0 else (self._behind, self._ahead)
        if not taken:
            return None
        if here is not None:
            kept.append(here)
        return taken.pop()
