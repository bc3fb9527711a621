"""The part of a door that speaks of what is gone, for stores in which nothing is."""

from __future__ import annotations

from collections.abc import Sequence

from store.model import Forgotten, HappeningPage, LeftoverPage, Memory, Part


class NothingLeft:
    """Nothing is left over and nothing to be forgotten."""

    def leftovers(
        self, text: str = "", *, limit: int = 100, cursor: str | None = None
    ) -> LeftoverPage:
        return LeftoverPage((), 0, False, None)

    def happenings(
        self, text: str = "", *, limit: int = 100, cursor: str | None = None
    ) -> HappeningPage:
        return HappeningPage((), False, None)

    def memory(self) -> tuple[Memory, ...]:
        return ()

    def versions(self, ident: str) -> tuple[Part, ...]:
        return ()

    def forget(
        self, idents: Sequence[str] = (), query: str = "", *, only_count: bool = False
    ) -> Forgotten:
        return Forgotten(0, 0, 0, "")

    def forget_all(self) -> tuple[str, ...]:
        return ()
