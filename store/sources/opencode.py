"""opencode: where its stores lie and how one is recognised. Tables of 1.2 to 2.x.

The data folder is the XDG one on every system; a release channel other than latest, beta and prod
keeps a file of its own, `opencode-<channel>.db` (opencode 1.18.33).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from store.model import Evidence, Producer
from store.paths import data_folders
from store.source import Listing, Source, Trace, Traced, Traces
from store.sources.evidence import Rooms, fetch, gather
from store.sources.generations import generations
from store.sources.opencode_export import OpencodeExport, is_export
from store.sources.opencode_files import OpencodeFiles
from store.sources.orphans import Orphans
from store.sources.storage_tree import has_sessions
from store.sources.tables import Shape, TableSource

NAME: Producer = "opencode"
PATTERN = "opencode*.db"
STORAGE = "storage"


def places() -> list[Path]:
    """Files and folders in which a store may lie on this machine."""
    folders = [folder / "opencode" for folder in data_folders()]
    named = os.environ.get("OPENCODE_DB", "")
    if not named or named == ":memory:":
        return folders
    return [*folders, folders[0] / named]


def stores(path: Path) -> list[Path]:
    """Stores of opencode that are no database: a folder of JSON files, an exported session."""
    if path.is_file():
        return [path] if is_export(path) else []
    return [folder for folder in (path, path / STORAGE) if has_sessions(folder)]


def open_store(path: Path) -> Source:
    """The store at a path that `stores` or a database's name gave."""
    if path.is_dir():
        return OpencodeFiles(path)
    return OpencodeExport(path) if is_export(path) else OpencodeSource(path)


def introduced(sources: Sequence[Source]) -> list[Source]:
    """The same stores; a folder of files knows the databases beside it, which speak for it.

    What only the files have of a session that a database took over, that one tells.
    """
    databases = [one.path for one in sources if isinstance(one, OpencodeSource)]
    storages = {one.path.parent: one.path for one in sources if isinstance(one, OpencodeFiles)}
    for one in sources:
        if isinstance(one, OpencodeSource):
            one.storage = storages.get(one.path.parent)
    return [
        OpencodeFiles(one.path, [path for path in databases if path.parent == one.path.parent])
        if isinstance(one, OpencodeFiles)
        else one
        for one in sources
    ]


class OpencodeSource(TableSource):
    """A store of opencode. `storage` is the folder of files beside it, from before 1.2."""

    def __init__(self, path: Path) -> None:
        super().__init__(NAME, path, generations)
        self.storage: Path | None = None
        self._orphans: Orphans | None = None

    def listing(self, name: str) -> Listing:
        """All sessions, latest activity first."""
        self._orphans = Orphans(self.storage) if self.storage else None
        return super().listing(name)

    def traces(self, marks: Mapping[str, str]) -> dict[str, Traces]:
        """What the file holds of what is gone, and what the old files beside it do."""
        orphans = self._orphans
        return self._read(lambda shape: gather(_with(shape, orphans), marks))

    def traced(self, session: str, traces: Sequence[Trace]) -> list[Traced]:
        """The rows behind traces."""
        orphans = self._orphans
        return self._read(lambda shape: fetch(_with(shape, orphans), session, traces))

    def remembers(self) -> dict[Evidence, int | None]:
        """What the file keeps of what is gone, and what the old files beside it do."""
        told = super().remembers()
        return {**told, "storage_files": None} if self.storage else told


class _Beside:
    """The orphans beside a database, as far as it does not have their messages."""

    def __init__(self, orphans: Orphans, shape: Shape) -> None:
        self._orphans = orphans
        self._shape = shape
        self.since = orphans.since
        self.traced = orphans.traced

    def traces(self, session: str, mark: str) -> Traces | None:
        told = self._orphans.traces(session, mark)
        if told is None or not told.traces:
            return told
        here = {place.id for place in self._shape.order(session)}
        gone = [
            trace
            for trace in told.traces
            if (trace.ref.parent if trace.is_part else trace.ref.id) not in here
        ]
        return replace(told, traces=tuple(gone))


def _with(shape: Shape, orphans: Orphans | None) -> Rooms:
    rooms = shape.rooms()
    return {**rooms, "storage_files": _Beside(orphans, shape)} if orphans else rooms


def recognises(tables: dict[str, set[str]]) -> bool:
    """Whether tables and columns may be opencode's."""
    return bool({"session", "session_v2", "session_message", "message", "part"} & set(tables))
