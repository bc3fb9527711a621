"""The recordings with the tables session, message and part; test_generations has the others."""

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
    "mimo/imitation-sept-chunks.db",
)
STORES = (*OPENCODE, *MIMOCODE)
