"""Where the program's own small files are."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def config_path() -> Path:
    """Where the settings file is: `BACKSCROLL_CONFIG`, or the user's configuration folder."""
    named = os.environ.get("BACKSCROLL_CONFIG")
    if named:
        return Path(named)
    if sys.platform == "linux":  # as platformdirs has it, without the time to import it
        home = os.environ.get("XDG_CONFIG_HOME", "").strip()
        return Path(home or Path("~/.config").expanduser()) / "backscroll" / "settings.toml"
    import platformdirs

    return platformdirs.user_config_path("backscroll", appauthor=False) / "settings.toml"


def queries_path(index: Path) -> Path:
    """Where the queries asked before are remembered: beside the index."""
    return index.with_name("queries.json")
