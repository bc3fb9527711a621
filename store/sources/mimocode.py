"""MiMo Code: where its stores lie, how one is recognised, and what it adds to opencode's tables.

Shapes of August and September 2026: agent slices in `message.agent_id`, imports in
`external_import`. Its own index beside the parts (`history_fts`) is not read here.
"""

from __future__ import annotations

import os
from pathlib import Path

from store.model import Producer
from store.paths import data_folders
from store.sources.old_tables import OldTables
from store.sources.tables import TableSource

NAME: Producer = "mimocode"
PATTERN = "mimocode*.db"


def places() -> list[Path]:
    """The folder in which stores lie on this machine, and the file that is named besides."""
    home = os.environ.get("MIMOCODE_HOME", "")
    folders = [Path(home) / "data"] if home else []
    folders += [folder / "mimocode" for folder in data_folders()]
    named = os.environ.get("MIMOCODE_DB", "")
    if not named or named == ":memory:":
        return folders
    return [*folders, folders[0] / named]


class MimoSource(TableSource):
    """A store of MiMo Code."""

    def __init__(self, path: Path) -> None:
        super().__init__(NAME, path, OldTables)


def recognises(tables: dict[str, set[str]]) -> bool:
    """Whether tables and columns are MiMo Code's rather than opencode's."""
    own = {"history_fts", "actor_registry", "external_import"} & set(tables)
    return bool(own) or "agent_id" in tables.get("message", set())
