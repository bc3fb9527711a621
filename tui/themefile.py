"""What a theme file may say, checked by pydantic; imported for a person's own themes alone."""

from __future__ import annotations

import tomllib
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError
from textual.color import Color, ColorParseError
from textual.theme import Theme


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
