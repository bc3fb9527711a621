"""The palette: every action that can be done here, by its words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider

from tui.keys import shown
from tui.render.safe import one_line
from tui.searching import SearchScreen


class Actions(Provider):
    """Offers the actions of all active bindings, with their keys."""

    def _queries(self) -> Iterator[tuple[str, str, partial[Any]]]:
        """Queries that were kept; to be asked again."""
        if isinstance(self.screen, SearchScreen):
            for text in self.screen.queries.kept:
                yield f"Search {one_line(text, 200)}", "kept", partial(self.screen.ask, text)

    def _actions(self) -> Iterator[tuple[str, str, partial[Any]]]:
        seen: set[str] = set()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if not binding.id or binding.id in seen or not active.enabled:
                continue
            seen.add(binding.id)
            run = partial(self.app.run_action, binding.action, active.node)
            yield binding.tooltip or binding.description, shown(binding.key), run

    async def discover(self) -> Hits:
        """All of them, before anything is typed."""
        for words, key, run in self._actions():
            yield DiscoveryHit(words, run, help=f"key: {key}")
        for words, about, run in self._queries():
            yield DiscoveryHit(words, run, help=about)

    async def search(self, query: str) -> Hits:
        """Those whose words match."""
        matcher = self.matcher(query)
        for words, key, run in self._actions():
            score = matcher.match(words)
            if score > 0:
                yield Hit(score, matcher.highlight(words), run, help=f"key: {key}")
        for words, about, run in self._queries():
            score = matcher.match(words)
            if score > 0:
                yield Hit(score, matcher.highlight(words), run, help=about)


class Palette(CommandPalette):
    """The palette, in windows of any size."""

    def _action_command_list(self, action: str) -> None:
        """Leaves a list alone that there is no room for: Textual has measured none of its lines."""
        if self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)
