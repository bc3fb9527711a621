"""Our own index: how far it is, how it is brought up to date, and how it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from store.model.faults import Fault
from store.model.sources import SourceInfo


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what is known is indexed, in parts.

    `begun` is False where none of the stores was taken in yet: what they have is not known.
    """

    indexed: int = 0
    known: int = 0
    skipped: int = 0
    behind: int = 0
    begun: bool = True

    @property
    def complete(self) -> bool:
        """Whether everything known is indexed or accounted for."""
        return self.begun and self.behind == 0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a backfill is, in parts over all its sources."""

    source: str
    done: int
    known: int
    documents: int
    finished: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What a backfill did and what is there now."""

    sources: tuple[SourceInfo, ...]
    elapsed_s: float
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """What following brought into the index.

    `sessions` are (source, session); with `everything` any of them may have changed. A `problem`
    says why the index is not up to date now; following goes on, and the next change without one
    says that it is over.
    """

    sessions: tuple[tuple[str, str], ...] = ()
    everything: bool = False
    problem: Fault | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """The state of our own index, for `doctor`; `documents_of` counts by the names of sources."""

    path: str
    bytes: int
    version: int
    documents: int
    archived_parts: int
    archive_bytes: int
    coverage: Coverage
    problem: str = ""
    documents_of: Mapping[str, int] = field(default_factory=dict)
