"""Theme files: ours in themes/, a person's own in the settings folder; one theme a file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError
from textual.color import Color, ColorParseError
from textual.theme import Theme

from store.errors import StoreError

DEFAULT = "dusk"


def _a_colour(text: str) -> str:
    try:
        Color.parse(text)
    except ColorParseError as error:
        raise ValueError(f"{text!r} is not a colour") from error
    return text


Colour = Annotated[str, AfterValidator(_a_colour)]


class ThemeFile(BaseModel):
    """What a theme file may say; `variables` are Textual's, by name."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    primary: Colour
    secondary: Colour | None = None
    warning: Colour | None = None
    error: Colour | None = None
    success: Colour | None = None
    accent: Colour | None = None
    foreground: Colour | None = None
    background: Colour | None = None
    surface: Colour | None = None
    panel: Colour | None = None
    boost: Colour | None = None
    dark: bool = True
    ansi: bool = False
    variables: dict[str, str] = {}


def read_theme(text: str) -> Theme:
    """The theme of a file's text; ValueError says in one sentence what is wrong with it."""
    try:
        parsed = ThemeFile.model_validate(tomllib.loads(text))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        raise ValueError(f"{where}: {first['msg']}") from error
    return Theme(**parsed.model_dump())


def load_themes(own: Path | None = None) -> tuple[list[Theme], list[StoreError]]:
    """Our themes, then those in the folder `own`; a bad file is a problem, the rest applies."""
    found: list[Theme] = []
    problems: list[StoreError] = []
    for file in (*_theme_files(files("themes")), *_own_files(own)):
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
