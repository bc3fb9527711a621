"""Where our own files live, and the folder under which producers keep theirs."""

from __future__ import annotations

import os
from pathlib import Path


def xdg_data() -> Path:
    """The user's data folder as the producers see it: the XDG one on every system."""
    value = os.environ.get("XDG_DATA_HOME", "")
    return Path(value) if value else Path.home() / ".local" / "share"


def index_path() -> Path:
    """Where our index lies unless the command line says otherwise."""
    value = os.environ.get("BACKSCROLL_INDEX", "")
    if value:
        return Path(value).expanduser()
    import platformdirs  # not needed where the path is given

    return Path(platformdirs.user_data_dir("backscroll", appauthor=False)) / "index.db"
