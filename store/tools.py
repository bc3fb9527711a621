"""Tools that a producer renamed: asking for one name finds the other too."""

from __future__ import annotations

from collections.abc import Iterable

RENAMED = (("bash", "shell"), ("task", "subagent"), ("apply_patch", "patch"))
"""Names of opencode 1.x and 2.x; sessions that 2.x took over keep the old ones."""


def with_renamed(names: Iterable[str]) -> tuple[str, ...]:
    """The names, and those that mean the same tool, each once."""
    found: dict[str, None] = {}
    for name in names:
        pair = next((pair for pair in RENAMED if name.lower() in pair), ())
        found |= dict.fromkeys((name, *pair))
    return tuple(found)
