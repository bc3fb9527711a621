"""The producers, one file each; the only place that knows their tables and their JSON.

A further producer is one more file and one more line in `PRODUCERS`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from store.errors import StoreError
from store.model import Looked, Producer
from store.read_only import columns, read_source, unreadable
from store.source import Source
from store.sources import harness, harness_places, mimocode, opencode


@dataclass(frozen=True, slots=True)
class _Producer:
    name: Producer
    pattern: str
    places: Callable[[], list[Path]]
    recognises: Callable[[dict[str, set[str]]], bool]
    open: Callable[[Path], Source]
    stores: Callable[[Path], list[Path]] | None = None
    """Stores that are no database, at a path that `places` or a person named."""
    folder: str = ""
    """The name of the folder in which they lie in a place."""
    variable: str = ""
    """The variable of the environment that may name one more database."""


PRODUCERS = (
    _Producer(
        harness.NAME,
        "",
        harness_places.places,
        harness.recognises,
        harness.open_store,
        harness.stores,
        harness.PATTERN,
    ),
    _Producer(
        mimocode.NAME,
        mimocode.PATTERN,
        mimocode.places,
        mimocode.recognises,
        mimocode.MimoSource,
        variable="MIMOCODE_DB",
    ),
    _Producer(
        opencode.NAME,
        opencode.PATTERN,
        opencode.places,
        opencode.recognises,
        opencode.open_store,
        opencode.stores,
        opencode.STORAGE,
        "OPENCODE_DB",
    ),
)
"""The more particular first: the first one that recognises a file opens it."""


def _files(producer: _Producer, place: Path) -> list[Path]:
    try:
        if place.is_file():
            return [place]
        if not producer.pattern:
            return []
        files = [path for path in place.glob(producer.pattern) if path.is_file()]
        return sorted(files, key=lambda path: (len(path.name), path.name))  # the usual one first
    except OSError:
        return []


def _is_named(producer: _Producer, place: Path) -> bool:
    """Whether a place is the one file that a variable of the environment names."""
    named = Path(os.environ.get(producer.variable, "")).name
    return os.path.isfile(place) or (place.name == named != "" and not os.path.isdir(place))


def _others(producer: _Producer, place: Path) -> list[Path]:
    try:
        return producer.stores(place) if producer.stores else []
    except OSError:
        return []


def discover() -> tuple[list[Source], tuple[Looked, ...]]:
    """The stores of this machine, and every place that was looked at."""
    found: dict[Path, Source] = {}
    looked: list[Looked] = []
    for producer in reversed(PRODUCERS):
        for place in producer.places():
            files = _files(producer, place)
            others = _others(producer, place)
            shown = place if _is_named(producer, place) else place / producer.pattern
            if producer.pattern:
                looked.append(Looked(producer.name, str(shown), bool(files)))
            if producer.folder and not _is_named(producer, place):
                looked.append(Looked(producer.name, str(place / producer.folder), bool(others)))
            for path in (*files, *others):
                real = path.resolve()
                found.setdefault(real, producer.open(real))
    return opencode.introduced(list(found.values())), tuple(looked)


def open_given(paths: Sequence[Path]) -> tuple[list[Source], list[StoreError]]:
    """The stores that a person named (files or data folders), and an error for each bad one.

    Errors: SOURCE_NOT_FOUND, SOURCE_UNREADABLE, SOURCE_UNSUPPORTED (says which tables are missing).
    """
    found: dict[Path, Source] = {}
    errors: list[StoreError] = []
    for path in paths:
        try:
            files = _given_files(path)
        except StoreError as error:
            errors.append(error)
            continue
        for file in files:
            try:
                found.setdefault(file, _recognised(file))
            except StoreError as error:
                errors.append(error)
    return opencode.introduced(list(found.values())), errors


def _given_files(path: Path) -> list[Path]:
    try:
        path = path.expanduser()
        there, folder = path.exists(), path.is_dir()
    except RuntimeError:  # the home of a user that there is not
        there = folder = False
    except OSError as error:
        raise unreadable(path, error.strerror or str(error)) from error
    if not there:
        raise StoreError("SOURCE_NOT_FOUND", f"{path} does not exist", str(path))
    if not folder:
        return [path.resolve()]
    files = [
        file
        for place in (path, path / "data")
        for producer in PRODUCERS
        for file in (*_files(producer, place), *_others(producer, place))
    ]
    if not files:
        patterns = ", ".join(one.pattern or one.folder for one in reversed(PRODUCERS))
        words = f"{path} is a folder without a store in it (looked for {patterns})"
        raise StoreError("SOURCE_UNREADABLE", words, str(path))
    return [file.resolve() for file in files]


_OTHER_FILES = (
    (re.compile(rb"PK[\x03\x05]"), "it is a ZIP archive that is damaged, or has no log in it"),
    (
        re.compile(re.escape(bytes.fromhex("28b52ffd"))),
        "it is packed (zstd), and no log can be read at its beginning",
    ),
    (
        re.compile(rb"(\xef\xbb\xbf)?\s*[{\[]"),
        "it is JSON, but begins neither as a log nor as a session that `opencode export` wrote",
    ),
)
"""Files that are no database by how they begin, and what is to be said of those that are no
store either."""


def _other_file(path: Path) -> str:
    """What is wrong with a file that is no database and was not recognised as anything else."""
    try:
        with path.open("rb") as file:
            head = file.read(256)
    except OSError:
        return ""
    return next((words for begins, words in _OTHER_FILES if begins.match(head)), "")


def _recognised(path: Path) -> Source:
    for producer in PRODUCERS:
        if path in _others(producer, path):
            return producer.open(path)
    try:
        tables, _ = read_source(path, columns)
    except StoreError as error:
        reason = "" if error.code != "SOURCE_UNREADABLE" else _other_file(path)
        raise unreadable(path, reason) if reason else error from None
    for producer in PRODUCERS:
        if producer.recognises(tables):
            return producer.open(path)
    names = ", ".join(sorted(tables)[:8]) or "no tables"
    raise StoreError(
        "SOURCE_UNSUPPORTED",
        f"{path} is no store known here: it has {names}; missing: session, message, part",
        str(path),
    )
