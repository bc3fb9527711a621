"""The line that tells the truth: the keys that matter here, and how far things are."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from tui.words import flat

SAID_FOR = 6.0
"""Seconds that a passing word stays."""


class StatusLine(Widget):
    """Keys at the left, state at the right; a passing word takes the place of the keys."""

    DEFAULT_CSS = "StatusLine { height: 1; background: $panel; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._keys: list[tuple[str, str]] = []
        self._last: list[tuple[str, str]] = []
        self._idle = False
        self._said = ""
        self._style = ""
        self._fades: Timer | None = None
        self.state = ""

    def show_keys(
        self, keys: Iterable[tuple[str, str]], last: Iterable[tuple[str, str]] = ()
    ) -> None:
        """The keys that do something now, with their words, the most wanted ones first.

        Those in `last` stand at the end and are named before any other.
        """
        self._keys, self._last = list(keys), list(last)
        self.refresh()

    def show_state(self, text: str, *, idle: bool = False) -> None:
        """What stands at the right; where it is only that all is well it gives way to keys."""
        self.state, self._idle = flat(text), idle
        self.refresh()

    @property
    def said(self) -> str:
        """The passing word, while it stays."""
        return self._said

    def say(self, text: str, *, bad: bool = False) -> None:
        """A passing word: what was just done, or what went wrong."""
        if self._fades is not None:
            self._fades.stop()
        self._said, self._style = flat(text), "$error" if bad else "$success"
        self._fades = self.set_timer(SAID_FOR, self._fade)
        self.refresh()

    def hush(self) -> None:
        """Takes the passing word away: what it was about is no longer shown."""
        if self._fades is not None:
            self._fades.stop()
        self._fade()

    def _fade(self) -> None:
        self._said = ""
        self.refresh()

    def render(self) -> Content:
        """The line, cut to what there is room for; the state goes first where it is tight."""
        width = self.size.width
        needed = 12 if self._said or not self._idle else _cells([*self._keys, *self._last]) + 1
        fits = self.state and cell_len(self.state) + needed <= width
        state = f" {self.state} " if fits else ""
        room = max(0, width - cell_len(state))
        left = Content.styled(f" {self._said}", self._style) if self._said else self._hints(room)
        return left.truncate(room, ellipsis=True, pad=True) + Content.styled(state, "$text-muted")

    def _hints(self, room: int) -> Content:
        named: list[tuple[str, str]] = []
        for one in self._keys:
            if _cells([*named, one, *self._last]) > room:
                break
            named.append(one)
        pieces: list[str | tuple[str, str]] = [" "]
        for key, word in [*named, *self._last]:
            pieces += [(key, "bold $accent"), (f" {word}", "$text-muted"), "   "]
        return Content.assemble(*pieces[:-1])


def _cells(keys: list[tuple[str, str]]) -> int:
    """What keys and their words take: a blank before the first, three between them."""
    return sum(cell_len(key) + cell_len(word) + 4 for key, word in keys) - 2
