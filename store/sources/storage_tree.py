"""Files and folders of opencode's JSON storage, and which sessions a database beside it has."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import apsw

from store.errors import StoreError
from store.read_only import columns, fetch_readable, read_source
from store.sources import content
from store.sources.content import Fields
from store.sources.old_tables import LARGEST_ROW

AGAIN_S = 0.03
"""Seconds after which a file that was met half-written is read once more."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A JSON file: its id is its name, `updated` is in ms."""

    path: str
    id: str
    size: int
    changed: int

    @classmethod
    def at(cls, path: Path) -> Entry | None:
        """The file at a path, None where there is none."""
        try:
            found = path.stat()
        except OSError:
            return None
        return cls(str(path), path.stem, found.st_size, found.st_mtime_ns)

    @property
    def updated(self) -> int:
        """When it was written last, in ms."""
        return self.changed // 1_000_000

    @property
    def state(self) -> str:
        """What tells one state of the file from another."""
        return f"{self.path}:{self.size}:{self.changed}\n"


def entries(folder: Path) -> list[Entry]:
    """The JSON files of a folder by name; none where it cannot be read."""
    return all_entries(folder) or []


def all_entries(folder: Path) -> list[Entry] | None:
    """The same, None where they cannot all be seen.

    opencode 1.1.65 removes files and leaves their folders, so that a folder which is not there
    tells nothing of what was in it.
    """
    found: list[Entry] = []
    try:
        with os.scandir(folder) as listed:
            for one in listed:
                if one.name.endswith(".json"):
                    with suppress(FileNotFoundError):  # it went meanwhile
                        told = one.stat()
                        found.append(Entry(one.path, one.name[:-5], told.st_size, told.st_mtime_ns))
    except OSError:
        return None
    return sorted(found, key=lambda entry: entry.id)


def folders(folder: Path) -> list[Path]:
    """The folders in a folder by name; none where it cannot be read."""
    with suppress(OSError):
        return sorted(path for path in folder.iterdir() if path.is_dir())
    return []


def read_object(entry: Entry) -> tuple[Fields, str]:
    """The JSON object of a file, or why there is none."""
    if entry.size > LARGEST_ROW:
        return {}, f"it is too large to read ({entry.size} bytes)"
    reason = ""
    for pause in (AGAIN_S, 0.0):
        try:
            return content.decode(Path(entry.path).read_bytes()), ""
        except OSError as error:
            return {}, error.strerror or str(error)
        except ValueError as error:
            reason = f"its JSON is broken: {error}"
        time.sleep(pause)
    return {}, reason


def has_sessions(storage: Path) -> bool:
    """Whether a folder is a storage with sessions; 1.2 and later keep one without any."""
    return any(entries(project) for project in folders(storage / "session"))


def spoken_for(databases: Sequence[Path]) -> dict[str, str]:
    """The sessions of these databases and the path of each; of one that cannot be read, none."""
    found: dict[str, str] = {}
    for path in databases:
        with suppress(StoreError):
            for session in read_source(path, _sessions)[0]:
                found.setdefault(session, str(path))
    return found


def _sessions(connection: apsw.Connection) -> set[str]:
    tables = columns(connection)
    return {
        row[0]
        for table in ("session", "session_v2")
        if "id" in tables.get(table, ())
        for row in fetch_readable(connection, f"SELECT id FROM {table}")[0]
    }
