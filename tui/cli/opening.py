"""From options to an open door: which index, which stores, and what is wrong with them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from store.door import Door
from store.errors import CODES, StoreError
from store.model import KINDS, Fault, Looked, SourceInfo
from store.rules import Rules
from tui.cli.arguments import Options

if TYPE_CHECKING:
    from tui.settings import Loaded

_UNREADABLE = ("failed", "missing")


def settings_of(options: Options) -> Loaded | None:
    """The settings that were read; None where there is no file, which saves reading them.

    Raises INVALID_CONFIG where a file was named that there is not.
    """
    from tui.config import config_path

    path = options.config or config_path()
    if not os.path.exists(path):
        if options.config is None:
            return None
        words = f"{path} does not exist; leave --config away for the usual settings"
        raise StoreError("INVALID_CONFIG", words, str(path))
    from tui.settings import load

    return load(path)


def faults_in(problems: Sequence[StoreError]) -> tuple[Fault, ...]:
    """Problems of settings as faults of an answer."""
    return tuple(Fault(one.code, one.about, one.message) for one in problems)


@contextmanager
def opened(options: Options, loaded: Loaded | None) -> Iterator[Door]:
    """The library of these options; closed, and the demo's folder removed, at the end."""
    with ExitStack() as folders:
        if options.demo:
            door = demo_door(folders.enter_context(demo_folder()))
        else:
            from store.library import Library

            index = options.index or _usual_index()
            rules = _rules(loaded)
            door = Library.open(sources=list(options.sources), index=index, rules=rules)
        with closing(door):
            yield door


def _rules(loaded: Loaded | None) -> Rules:
    """What the settings say of the archive."""
    if loaded is None:
        return Rules(kinds=KINDS)
    found = loaded.settings
    return Rules(
        kinds=tuple(found.kinds),
        exclude=tuple(found.exclude),
        archive=found.archive.on,
        days=found.archive.days,
        megabytes=found.archive.megabytes,
    )


@contextmanager
def demo_folder() -> Iterator[Path]:
    """A temporary folder, removed at the end. Raises OUTPUT_FAILED where there can be none."""
    try:
        made = tempfile.TemporaryDirectory(prefix="backscroll-demo-", ignore_cleanup_errors=True)
    except OSError as error:
        raise StoreError("OUTPUT_FAILED", f"no folder for the demo: {error}") from error
    with made as name:
        yield Path(name)


def demo_door(folder: Path) -> Door:
    """Makes the demo's store in this folder, its index beside, and opens it."""
    from store.demo import build
    from store.library import Library

    stores = folder / "store"
    try:
        stores.mkdir()
        store = build(stores)
    except OSError as error:
        raise StoreError("OUTPUT_FAILED", f"the demo cannot be written: {error}") from error
    return Library.open(sources=[store], index=folder / "index.db")


def _usual_index() -> Path:
    from store.paths import index_path

    try:
        return index_path()
    except RuntimeError as error:  # a ~ without a home behind it
        raise StoreError("INVALID_ARGUMENT", f"no place for the index: {error}") from error


def refreshed(door: Door) -> tuple[tuple[SourceInfo, ...], bool]:
    """The stores that answer, looked up now, and whether another program is writing the index."""
    try:
        return door.refresh(), False
    except StoreError as error:
        if error.code != "INDEX_BUSY":
            raise
        return door.sources(), True


def faults_of(sources: Sequence[SourceInfo], more: Sequence[Fault] = ()) -> list[Fault]:
    """All faults of these stores and of an answer, each once."""
    return list(dict.fromkeys([*(fault for one in sources for fault in one.faults), *more]))


def refusal(options: Options, sources: Sequence[SourceInfo]) -> StoreError | None:
    """The error that ends the run when none of the stores can be read, else None.

    Stores that nobody named may still answer from what was kept of them.
    """
    if not sources or any(one.opened not in _UNREADABLE for one in sources):
        return None
    if not options.sources and any(one.sessions for one in sources):
        return None
    told = [fault for one in sources for fault in one.faults if fault.code in CODES]
    if not told:
        words = f"{sources[0].path} is no longer there"
        return StoreError("SOURCE_NOT_FOUND", words, sources[0].path)
    first, *others = dict.fromkeys(told)
    code = next(code for code in CODES if code == first.code)
    words = "; ".join([first.message, *(f"{one.code}: {one.message}" for one in others)])
    return StoreError(code, words, first.about)


def where_looked(places: Sequence[Looked]) -> str:
    """The sentence for a machine without a store."""
    looked = ", ".join(dict.fromkeys(one.path for one in places))
    tail = "`backscroll --demo` shows what it does, --source PATH reads a store elsewhere"
    return f"no store on this machine; looked at: {looked or 'nothing'}; {tail}"
