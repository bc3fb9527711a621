"""Single words of the command line, checked: numbers, paths and text that a store can hold."""

from __future__ import annotations

from pathlib import Path

from store.errors import Code, StoreError


def whole(name: str, text: str, least: int, most: int, code: Code) -> int:
    """The number that an option was given; raises `code` where it is none or out of bounds."""
    if text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most:
        return int(text)
    raise StoreError(
        code, f"{name} takes a whole number from {least} to {most}, not {text!r}", text
    )


def path(name: str, text: str) -> Path:
    """The path that an option was given, `~` resolved; raises INVALID_ARGUMENT."""
    if not text:
        raise StoreError("INVALID_ARGUMENT", f"{name} needs a path")
    try:
        return Path(plain("INVALID_ARGUMENT", text)).expanduser()
    except RuntimeError as error:
        raise StoreError("INVALID_ARGUMENT", f"{name} {text}: {error}", text) from error


def plain(code: Code, text: str) -> str:
    """The text as it is, or `code`.

    Arguments that are not the locale's text carry surrogates; no store can hold those.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        shown = text.encode("utf-8", "backslashreplace").decode()
        raise StoreError(code, f"not readable as text: {shown}", shown) from error
    if "\0" in text:
        raise StoreError(code, "a NUL character cannot be searched for or named", "")
    return text
