"""Where our own files live, and the folder under which producers keep theirs."""

from __future__ import annotations

import os
from pathlib import Path


def data_folders() -> list[Path]:
    """The user's data folders as the producers see them: the XDG one on every system.

    Where the environment names one, stores may lie in the usual one all the same: the producer
    ran without that environment.
    """
    value = os.environ.get("XDG_DATA_HOME", "")
    usual = Path.home() / ".local" / "share"
    return list(dict.fromkeys([Path(value), usual] if value else [usual]))


def index_path() -> Path:
    """Where our index lies unless the command line says otherwise."""
    value = os.environ.get("BACKSCROLL_INDEX", "")
    if value:
        return Path(value).expanduser()
    import platformdirs  # not needed where the path is given

    return Path(platformdirs.user_data_dir("backscroll", appauthor=False)) / "index.db"
