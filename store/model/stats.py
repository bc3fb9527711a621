"""What was done, in numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

from store.model.choices import Json
from store.model.faults import Fault
from store.model.index import Coverage


@dataclass(frozen=True, slots=True)
class Count:
    """Numbers about one day, project, tool or model, or about all of them.

    `calls` are tool calls, `failed` those that `Tool.failed` tells of. `cost` is in US dollars,
    `tokens` by kind: input, output, reasoning, read and write (of a cache).
    """

    name: str = ""
    sessions: int = 0
    messages: int = 0
    prompts: int = 0
    parts: int = 0
    calls: int = 0
    failed: int = 0
    cost: float = 0.0
    tokens: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stats:
    """What was done when, where and with what.

    `days` are local dates, newest first; the rest has the largest number first. Messages that are
    a copy (in a fork or an import) count once; `copies` says how many were left out. What the
    stores no longer hold counts too; `gone` says how many messages that is. `held` has sessions,
    messages and parts as the stores hold them now, as `SourceInfo` counts them. `held` and `gone`
    are None where other filters than those of sessions narrow the counts.
    """

    query: dict[str, Json]
    total: Count
    days: tuple[Count, ...] = ()
    projects: tuple[Count, ...] = ()
    tools: tuple[Count, ...] = ()
    models: tuple[Count, ...] = ()
    copies: int = 0
    held: Count | None = None
    gone: int | None = None
    coverage: Coverage = field(default_factory=Coverage)
    faults: tuple[Fault, ...] = ()
