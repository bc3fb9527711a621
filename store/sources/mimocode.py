"""MiMo Code: where its stores lie, how one is recognised, and what it adds to opencode's tables.

August 2026 shape: agent slices in `message.agent_id`, imports in `external_import`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import apsw

from store.model import Producer
from store.paths import xdg_data
from store.sources.tables import _MESSAGE_COLUMNS, TableSource
from store.sqlite import columns, fetch_readable

NAME: Producer = "mimocode"
PATTERN = "mimocode*.db"


def places() -> list[Path]:
    """The folder in which stores lie on this machine, and the file that is named besides."""
    home = os.environ.get("MIMOCODE_HOME", "")
    folder = Path(home) / "data" if home else xdg_data() / "mimocode"
    named = os.environ.get("MIMOCODE_DB", "")
    if not named or named == ":memory:":
        return [folder]
    return [folder, folder / named]


class MimoSource(TableSource):
    """A store of MiMo Code."""

    def __init__(self, path: Path) -> None:
        super().__init__(NAME, path)

    def _slice_column(self, connection: apsw.Connection) -> str:
        there = "agent_id" in columns(connection)["message"]
        return "CAST(agent_id AS BLOB)" if there else "'main'"

    def _message_columns(self, connection: apsw.Connection) -> str:
        return _MESSAGE_COLUMNS.format(slice=self._slice_column(connection))

    def _imported(self, connection: apsw.Connection, found: dict[str, set[str]]) -> set[Any]:
        sessions: set[Any] = set()
        for table in ("external_import", "claude_import"):
            if "session_id" in found.get(table, set()):
                rows, _ = fetch_readable(connection, f"SELECT session_id FROM {table}")
                sessions |= {row[0] for row in rows}
        return sessions


def recognises(tables: dict[str, set[str]]) -> bool:
    """Whether tables and columns are MiMo Code's rather than opencode's."""
    own = {"history_fts", "actor_registry", "external_import"} & set(tables)
    return bool(own) or "agent_id" in tables.get("message", set())
