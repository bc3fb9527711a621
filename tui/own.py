"""Where the program's own small files are."""

from __future__ import annotations

from pathlib import Path


def queries_path(index: Path) -> Path:
    """Where the queries asked before are remembered: beside the index."""
    return index.with_name("queries.json")
