"""Theme files: ours in themes/, a person's own in the settings folder; one theme a file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from textual.theme import Theme

from store.errors import StoreError

DEFAULT = "dusk"


def load_themes(own: Path | None = None) -> tuple[list[Theme], list[StoreError]]:
    """Our themes, then those in the folder `own`; a bad file is a problem, the rest applies."""
    found: list[Theme] = []
    problems: list[StoreError] = []
    for file in _theme_files(files("themes")):  # ours are checked by a test
        found.append(Theme(**tomllib.loads(file.read_text(encoding="utf-8"))))
    for file in _own_files(own):
        from tui.themefile import read_theme

        try:
            found.append(read_theme(file.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            message = f"theme {file.name} is left out: {error}"
            problems.append(StoreError("INVALID_CONFIG", message, str(file)))
    return found, problems


def _theme_files(folder: Traversable) -> Iterable[Traversable]:
    return sorted(
        (file for file in folder.iterdir() if file.name.endswith(".toml")),
        key=lambda file: file.name,
    )


def _own_files(folder: Path | None) -> Iterable[Traversable]:
    return _theme_files(folder) if folder is not None and folder.is_dir() else ()
