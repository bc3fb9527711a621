"""The settings file: a commented TOML file, checked key by key; a bad line costs only itself."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import Field, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from store.errors import StoreError
from store.model import KINDS, Kind
from tui.config import config_path

Fold = Literal["auto", "all", "none"]

_AT_LINE = re.compile(r"at line (\d+)")
_MOST_BAD_LINES = 50
_CHECKED: dict[str, Any] = {"extra": "forbid", "strict": True}
"""How pydantic checks a file. It is imported where there is one: most people have none."""


def _about(words: str) -> dict[str, str]:
    """What the template says of a setting."""
    return {"about": words}


@dataclass(frozen=True)
class Archive:
    """backscroll's own copy of what was said, which outlives the agent's."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CHECKED

    on: bool = field(default=True, metadata=_about("keep a copy of every part"))
    days: int = field(default=0, metadata=_about("forget copies older than this; 0 keeps all"))
    megabytes: int = field(default=0, metadata=_about("the most it may take; 0 is without limit"))


@dataclass(frozen=True)
class Settings:
    """Everything a person may set."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CHECKED

    theme: str = field(
        default="dusk", metadata=_about("a theme's name; T on the screen shows them all")
    )
    fold: Fold = field(
        default="auto",
        metadata=_about('what is folded when a conversation opens: "auto", "all" or "none"'),
    )
    editor: str = field(
        default="", metadata=_about("the command that o opens a part with; $EDITOR if empty")
    )
    kinds: list[Kind] = field(
        default_factory=lambda: list(KINDS), metadata=_about("the kinds of text that are indexed")
    )
    exclude: list[str] = field(
        default_factory=list,
        metadata=_about(
            "projects, folders or patterns of folders that are never indexed, "
            'and texts that are masked: "text:<regular expression>"'
        ),
    )
    sources: list[str] = field(
        default_factory=list, metadata=_about("more places to look for stores in")
    )
    keymap: dict[str, str] = field(
        default_factory=dict,
        metadata=_about('other keys, by the id that ? shows: "search" = "slash,f3"'),
    )
    archive: Archive = field(default_factory=Archive, metadata=_about(Archive.__doc__ or ""))


@dataclass(frozen=True)
class Loaded:
    """Settings as they apply, their file (which need not exist) and what was wrong in it."""

    settings: Settings
    path: Path
    problems: tuple[StoreError, ...] = ()


def load(path: Path | None = None) -> Loaded:
    """The settings in force. Never fails: what is wrong comes back as INVALID_CONFIG problems."""
    path = path or config_path()
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Loaded(Settings(), path)
    except (OSError, UnicodeDecodeError) as error:
        problem = StoreError("INVALID_CONFIG", f"{path} cannot be read: {error}", str(path))
        return Loaded(Settings(), path, (problem,))
    table, problems = _parse(text, path)
    settings, more = _validate(table, text, path)
    return Loaded(settings, path, (*problems, *more))


def _parse(text: str, path: Path) -> tuple[dict[str, Any], list[StoreError]]:
    """The file as a table; a line that is no TOML is blanked and the rest read again."""
    lines = text.split("\n")
    problems: list[StoreError] = []
    for _ in range(_MOST_BAD_LINES):
        try:
            return tomllib.loads("\n".join(lines)), problems
        except tomllib.TOMLDecodeError as error:
            place = _AT_LINE.search(str(error))
            line = int(place.group(1)) if place else len(lines)
            while line > 1 and not lines[line - 1].strip():
                line -= 1
            problems.append(_problem(path, line, str(error).split(" (at")[0]))
            lines[line - 1] = ""
    return {}, problems


def _validate(table: dict[str, Any], text: str, path: Path) -> tuple[Settings, list[StoreError]]:
    """The settings of a table; every bad value is reported and falls back to its default."""
    from pydantic import TypeAdapter, ValidationError

    checked = TypeAdapter(Settings)
    problems: list[StoreError] = []
    while True:
        try:
            found = checked.validate_json(json.dumps(table, default=str))
        except ValidationError as error:
            first = error.errors()[0]
            where, said = [str(step) for step in first["loc"]], first["msg"]
            if first["type"] == "unexpected_keyword_argument":
                said = "there is no such setting"
        else:
            below = [name for name in ("days", "megabytes") if getattr(found.archive, name) < 0]
            if not below:
                return found, problems
            where, said = ["archive", below[0]], "Input should be 0 or more"
        problems.append(_problem(path, _line_of(text, where), f"{'.'.join(where)}: {said}"))
        _remove(table, where)


def _remove(table: dict[str, Any], where: list[str]) -> None:
    inner = table.get(where[0])
    if isinstance(inner, dict) and len(where) > 1 and where[1] in inner:
        del inner[where[1]]
    else:
        table.pop(where[0], None)


def _line_of(text: str, where: list[str]) -> int:
    """The line that sets a key: inside its table's section where it has one. 1-based, 0: none."""
    section = ""
    for at, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if bare.startswith("["):
            section = bare.strip("[] ")
            if [section] == where:
                return at
        key = bare.split("=")[0].strip().strip("\"'")
        if "=" in bare and (([key] == where[:1] and not section) or [section, key] == where[:2]):
            return at
    return 0


def problem_at(path: Path, where: list[str], said: str) -> StoreError:
    """INVALID_CONFIG for a value that reads well and cannot be, with the line that sets it."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    return _problem(path, _line_of(text, where), f"{'.'.join(where)}: {said}")


def _problem(path: Path, line: int, said: str) -> StoreError:
    where = f"{path.name} line {line}" if line else path.name
    return StoreError("INVALID_CONFIG", f"{where}: {said}; the rest applies", str(path))


def template() -> str:
    """A settings file in which every setting stands commented out, with its default."""
    lines = ["# Settings of backscroll. Remove the # before a line to set it.", ""]
    tables: list[str] = []
    for one in fields(Settings):
        default = _default(one)
        if is_dataclass(default):
            tables += [f"# {one.metadata['about']}", f"[{one.name}]"]
            for inner in fields(default):
                about = inner.metadata["about"]
                tables += [f"# {about}", f"# {inner.name} = {_toml(_default(inner))}"]
            tables.append("")
        elif one.name == "keymap":
            tables += [f"# {one.metadata['about']}", f"[{one.name}]", ""]
        else:
            lines += [f"# {one.metadata['about']}", f"# {one.name} = {_toml(default)}", ""]
    return "\n".join(lines + tables)


def _default(one: Field[Any]) -> Any:
    return one.default_factory() if callable(one.default_factory) else one.default


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def write_template(path: Path) -> bool:
    """Writes the commented template where no file is; whether it did. Raises OUTPUT_FAILED."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(template())
    except FileExistsError:
        return False
    except OSError as error:
        raise StoreError(
            "OUTPUT_FAILED", f"{path} cannot be written: {error}", str(path)
        ) from error
    return True


def keep_theme(path: Path, name: str) -> None:
    """Sets `theme` in the settings file and leaves every other line alone. Raises OUTPUT_FAILED."""
    write_template(path)
    line = f'theme = "{name}"'
    try:
        text = path.read_text(encoding="utf-8")
        head, bracket, rest = text.partition("\n[")
        head, replaced = re.subn(r"(?m)^(# *)?theme *=.*$", lambda _: line, head, count=1)
        text = (head if replaced else f"{line}\n{head}") + bracket + rest
        written = path.with_suffix(".new")
        written.write_text(text, encoding="utf-8")
        written.replace(path)
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(
            "OUTPUT_FAILED", f"{path} cannot be written: {error}", str(path)
        ) from error
