"""Logs that were read, kept for the calls that follow, and to be read on where they grow."""

from __future__ import annotations

from dataclasses import dataclass

from store.sources.harness_events import Damage, Event, Header
from store.sources.harness_fold import Fold
from store.sources.harness_log import Mark
from store.sources.harness_logs import Keeper, Log
from store.sources.harness_talk import Talk

GROWING = 8
"""Logs in use that are kept; of those at rest only the one read last is."""


@dataclass(slots=True)
class _Reading:
    """A log that was read. `fold` has taken what lies before `mark` (None: it cannot go on)."""

    header: Header
    parent_here: bool
    stamp: str
    talk: Talk
    fold: Fold
    mark: Mark | None


class Readings:
    """The logs of one keeper that were read last.

    A reading that goes on belongs to one thread: it is taken out meanwhile.
    """

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._held: dict[str, _Reading] = {}

    def talk(self, log: Log, stamp: str, *, parent_here: bool) -> Talk:
        """A log as it is now, of which only what is new is read. Raises what reading raises."""
        held = self._held.get(log.place)
        if held is not None and held.stamp == stamp:
            return held.talk
        held = self._held.pop(log.place, None)
        if held is None or not self._goes_on(held, log, parent_here):
            fold, mark = Fold(log.header, parent_here=parent_here), None
        else:
            fold, mark = held.fold, held.mark
        told: list[Event | Damage] = []
        for row in self._keeper.events(log, mark):
            if isinstance(row, Mark):
                fold.take(told)
                told.clear()
                mark = row
            else:
                told.append(row)
        ends = log.idle or mark is None
        last = fold if ends or not told else fold.branch()
        last.take(told)
        talk = last.talk(idle=log.idle)
        self._keep(
            log,
            _Reading(log.header, parent_here, stamp, talk, fold, None if ends else mark),
        )
        return talk

    def _goes_on(self, held: _Reading, log: Log, parent_here: bool) -> bool:
        same = (held.header, held.parent_here) == (log.header, parent_here)
        return same and held.mark is not None and self._keeper.goes_on(log, held.mark)

    def _keep(self, log: Log, reading: _Reading) -> None:
        """Keeps a reading, and of the others those that are likely to go on."""
        growing = [(key, one) for key, one in list(self._held.items()) if one.mark is not None]
        self._held = {**dict(growing[-GROWING:]), log.place: reading}
