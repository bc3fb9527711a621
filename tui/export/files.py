"""Exports as files: a safe name, and writing that leaves nothing half done."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, get_args

from store.errors import StoreError
from store.model import Session

Form = Literal["markdown", "json", "trajectory", "text"]
FORMS: tuple[Form, ...] = get_args(Form)
SUFFIXES: dict[Form, str] = {
    "markdown": ".md",
    "json": ".json",
    "trajectory": ".jsonl",
    "text": ".txt",
}
LONGEST_NAME = 100
"""Bytes of a name without its suffix; file systems take 255."""
_ODD = re.compile(r"[^\w.-]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


def safe_name(session: Session, form: Form = "markdown") -> str:
    """A file name from the session's title and the end of its id: `Fix-pool-timeout-a1b2c3d4.md`.

    It has no path, no control characters, no leading dot or dash, and a bounded length.
    """
    title = _ODD.sub("-", unicodedata.normalize("NFC", session.title)).strip("-._")
    ident = _ODD.sub("-", session.id)[-8:].strip("-._")
    room = LONGEST_NAME - len(ident.encode()) - 1
    title = title.encode("utf-8", "replace")[:room].decode("utf-8", "ignore").rstrip("-._")
    name = "-".join(filter(None, (title, ident))) or "session"
    if _RESERVED.fullmatch(name):
        name = f"session-{name}"
    return name + SUFFIXES[form]


def write(path: Path, pieces: Iterable[str], *, force: bool = False) -> int:
    """Writes pieces of text into a file for the user alone, and says how many bytes they are.

    The file appears when it is complete; one that is there is left alone unless `force` says
    otherwise. Raises OUTPUT_FAILED, and what reading the pieces raises.
    """
    if os.path.isdir(path):  # False where a Path would raise
        raise StoreError("OUTPUT_FAILED", f"{path} is a folder; name a file in it", str(path))
    if not force and os.path.lexists(path):
        raise _taken(path)
    try:
        handle, name = tempfile.mkstemp(prefix=".backscroll-", dir=path.parent)
    except OSError as error:
        raise _failed(path, error) from error
    temporary = Path(name)
    try:
        size = _fill(handle, pieces, path)
        _put(temporary, path, force=force)
        return size
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _fill(handle: int, pieces: Iterable[str], path: Path) -> int:
    size = 0
    with open(handle, "wb") as file:
        for piece in pieces:
            data = piece.encode("utf-8", "replace")
            size += len(data)
            try:
                file.write(data)
            except OSError as error:
                raise _failed(path, error) from error
        try:
            file.flush()
            os.fsync(file.fileno())
        except OSError as error:
            raise _failed(path, error) from error
    return size


def _put(temporary: Path, path: Path, *, force: bool) -> None:
    """Gives the file its name; a link refuses where somebody took the name meanwhile."""
    try:
        if force:
            temporary.replace(path)
            return
        try:
            os.link(temporary, path)
        except FileExistsError:
            raise _taken(path) from None
        except OSError:  # a file system without links
            if os.path.lexists(path):
                raise _taken(path) from None
            temporary.replace(path)
    except OSError as error:
        raise _failed(path, error) from error


def _taken(path: Path) -> StoreError:
    words = f"{path} is there already; --force puts the export in its place"
    return StoreError("OUTPUT_FAILED", words, str(path))


def _failed(path: Path, error: OSError) -> StoreError:
    reason = error.strerror or str(error)
    return StoreError("OUTPUT_FAILED", f"cannot write {path}: {reason}", str(path))
