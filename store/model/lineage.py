"""Where a session comes from and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from store.model.choices import Relation
from store.model.conversation import Session


@dataclass(frozen=True, slots=True)
class Child:
    """A session somewhere below another one, `depth` levels (a child has 1)."""

    session: Session
    depth: int


@dataclass(frozen=True, slots=True)
class Fork:
    """A session that shares its beginning with another one, neither being below the other.

    `relation` is what it is to the other: its origin, a fork of it, or a sibling where both are
    forks. `shared` is how many messages they begin with in common; None where the index does not
    know them yet and only the titles tell.
    """

    session: Session
    relation: Relation
    shared: int | None


@dataclass(frozen=True, slots=True)
class Lineage:
    """Where a session comes from and what came of it.

    `parents` are nearest first. `children` are in order of a tree read from top to bottom, those
    of one parent by the time they were made. `missing` is the id of a parent that is nowhere.
    """

    session: Session
    parents: tuple[Session, ...] = ()
    children: tuple[Child, ...] = ()
    forks: tuple[Fork, ...] = ()
    missing: str = ""

    @property
    def complete(self) -> bool:
        """Whether the way up ends at a session without a parent."""
        return not self.missing
