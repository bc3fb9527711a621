"""Which sessions are whose parents, over several stores that may have the same ones.

A conversation that several stores have is one node. Stores that disagree on a session have
different ones under the same id: the parent of a session is then the one in its own store.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import apsw

from store.conversations import conversations, rank
from store.sqlite import rows_of

_NODES = """SELECT s.id, s.native, s.source, s.parent, s.created, s.title, s.flags, s.fate,
    s.updated, n.missing_since IS NOT NULL FROM session s JOIN source n ON n.id = s.source"""


class Node(NamedTuple):
    """A session as far as lineage goes."""

    id: int
    native: str
    source: int
    parent: str
    created: int
    title: str
    flags: int
    fate: str
    updated: int
    missing: bool


class Family:
    """The sessions of these sources (None: all), each conversation once: `nodes` by our ids.

    Of what several stores have the one in the store of `own` (an id) stands for it, else the best.
    """

    def __init__(
        self, connection: apsw.Connection, own: int | None, sources: Sequence[int] | None
    ) -> None:
        every = [Node(*row) for row in rows_of(connection, _NODES)]
        every = [node for node in every if sources is None or node.source in sources]
        self.nodes = {node.id: node for node in every}
        self._same: dict[int, int] = {}
        store = self.nodes[own].source if own in self.nodes else None
        for conversation in conversations(connection, sources):
            here = [each.ident for each in conversation if each.source == store]
            first, *others = dict.fromkeys([*here, *(each.ident for each in conversation)])
            self._same |= dict.fromkeys(others, first)
        self._here = {(node.source, node.native): node.id for node in every}
        self._anywhere: dict[str, int] = {}
        for node in sorted(every, key=_rank):
            self._anywhere.setdefault(node.native, node.id)
        for other in self._same:
            del self.nodes[other]

    def parent(self, node: Node) -> Node | None:
        """The parent in a session's own store, else wherever one is; None without any."""
        found = self._here.get((node.source, node.parent), self._anywhere.get(node.parent))
        return None if found is None else self.nodes[self._same.get(found, found)]


def _rank(node: Node) -> tuple[bool, bool, bool, int, int]:
    return rank(node.fate, node.missing, node.flags, node.updated, node.id)
