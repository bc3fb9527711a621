"""The recordings that are compared with the program, the two stores of v2 sessions apart."""

from __future__ import annotations

OPENCODE = (
    "opencode/basic.db",
    "opencode/reverted.db",
    "opencode/reverted-2-part-pending.db",
    "opencode/before-delete.db",
    "opencode/deleted.db",
    "opencode/subagents.db",
    "opencode/compacted.db",
    "opencode/crashed/opencode.db",
    "opencode/old-1.2.db",
)
MIMOCODE = (
    "mimo/mimo-allkinds.db",
    "mimo/live-wal/mimocode.db",
    "mimo/imitation-idwrap.db",
)
STORES = (*OPENCODE, *MIMOCODE)
