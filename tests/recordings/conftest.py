"""Recorded stores: found through BACKSCROLL_RECORDINGS, copied before they are opened."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
Recording = Callable[[str], Path]


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of the recordings; tests that need it are skipped where it is absent."""
    given = os.environ.get("BACKSCROLL_RECORDINGS")
    folder = Path(given) if given else ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no recordings: {folder} is not a folder (BACKSCROLL_RECORDINGS names it)")
    return folder


@pytest.fixture
def recording(recordings: Path, tmp_path: Path) -> Recording:
    """Copies a recorded store into a folder of its own, side files included; gives its path."""

    def copy(name: str) -> Path:
        return copy_store(recordings / name, tmp_path / "store")

    return copy


def copy_store(original: Path, folder: Path) -> Path:
    """A writable copy of a database and its side files in a new folder."""
    folder.mkdir(parents=True)
    for suffix in ("", "-wal", "-shm"):
        source = original.with_name(original.name + suffix)
        if source.exists():
            shutil.copyfile(source, folder / source.name)
    return folder / original.name
