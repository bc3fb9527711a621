"""opencode: where its stores lie and how one is recognised. Tables of 1.2 to 1.18.

The data folder is the XDG one on every system; a release channel other than latest, beta and prod
keeps a file of its own, `opencode-<channel>.db` (opencode 1.18.33).
"""

from __future__ import annotations

import os
from pathlib import Path

from store.model import Producer
from store.paths import xdg_data
from store.sources.tables import TableSource

NAME: Producer = "opencode"
PATTERN = "opencode*.db"


def places() -> list[Path]:
    """The folder in which stores lie on this machine, and the file that is named besides."""
    folder = xdg_data() / "opencode"
    named = os.environ.get("OPENCODE_DB", "")
    if not named or named == ":memory:":
        return [folder]
    return [folder, folder / named]


class OpencodeSource(TableSource):
    """A store of opencode."""

    def __init__(self, path: Path) -> None:
        super().__init__(NAME, path)


def recognises(tables: dict[str, set[str]]) -> bool:
    """Whether tables and columns may be opencode's."""
    return bool({"session", "message", "part"} & set(tables))
