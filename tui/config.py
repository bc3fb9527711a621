"""Where the settings file is, without reading it."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def config_path() -> Path:
    """Where the settings file is: `BACKSCROLL_CONFIG`, or the user's configuration folder."""
    named = os.environ.get("BACKSCROLL_CONFIG")
    if named:
        return Path(named)
    if sys.platform not in ("darwin", "win32"):  # as platformdirs has it, which takes long to load
        named = os.environ.get("XDG_CONFIG_HOME", "").strip()
        return Path(named or Path.home() / ".config") / "backscroll" / "settings.toml"
    import platformdirs

    return platformdirs.user_config_path("backscroll", appauthor=False) / "settings.toml"
