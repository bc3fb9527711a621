"""Where the settings file is, without reading it."""

from __future__ import annotations

import os
from pathlib import Path


def config_path() -> Path:
    """Where the settings file is: `BACKSCROLL_CONFIG`, or the user's configuration folder."""
    named = os.environ.get("BACKSCROLL_CONFIG")
    if named:
        return Path(named)
    import platformdirs  # not needed where the path is given

    return platformdirs.user_config_path("backscroll", appauthor=False) / "settings.toml"
