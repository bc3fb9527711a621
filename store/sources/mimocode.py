"""MiMo Code: where its stores lie, how one is recognised, and what it adds to opencode's tables.

August 2026 shape: agent slices in `message.agent_id`, imports in `external_import`.
"""

from __future__ import annotations

import os
from pathlib import Path

from store.model import Producer
from store.paths import xdg_data
from store.sources.old_tables import OldTables
from store.sources.tables import TableSource

NAME: Producer = "mimocode"
PATTERN = "mimocode*.db"


def places() -> list[Path]:
    """Files and folders in which a store may lie on this machine."""
    home = os.environ.get("MIMOCODE_HOME", "")
    folder = Path(home) / "data" if home else xdg_data() / "mimocode"
    named = os.environ.get("MIMOCODE_DB", "")
    if not named or named == ":memory:":
        return [folder]
    return [folder, folder / named]


class MimoSource(TableSource):
    """A store of MiMo Code."""

    def __init__(self, path: Path) -> None:
        super().__init__(NAME, path, OldTables)


def recognises(tables: dict[str, set[str]]) -> bool:
    """Whether tables and columns are MiMo Code's rather than opencode's."""
    own = {"history_fts", "actor_registry", "external_import"} & set(tables)
    return bool(own) or "agent_id" in tables.get("message", set())
