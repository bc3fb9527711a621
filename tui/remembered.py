"""What the screen remembers by itself from run to run: how wide the list is."""

from __future__ import annotations

import json
from pathlib import Path

from store.errors import StoreError

NAME = "screen.json"


def read_width(folder: Path) -> int:
    """The width of the list pane in cells; 0 where none is remembered."""
    try:
        value = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return 0
    width = value.get("list") if isinstance(value, dict) else 0
    return width if isinstance(width, int) and 0 < width < 1000 else 0


def keep_width(folder: Path, width: int) -> None:
    """Remembers the width of the list pane. Raises OUTPUT_FAILED."""
    path = folder / NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written = path.with_suffix(".new")
        written.write_text(json.dumps({"list": width}) + "\n", encoding="utf-8")
        written.replace(path)
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}"
        raise StoreError("OUTPUT_FAILED", message, str(path)) from error
