"""Folders of stores: what is in them to the byte, and folders that cannot be written."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65_534


def fingerprint(folder: Path, *, shm: bool = True) -> dict[str, str]:
    """Every name below the folder with the hash of its bytes; `shm=False` leaves out -shm bytes.

    The names of -shm files count even then.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_dir():
            found[name] = "folder"
        elif name.endswith("-shm") and not shm:
            found[name] = "not looked at"
        else:
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


@contextmanager
def open_folder() -> Iterator[Path]:
    """A new folder that other users may enter too, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@contextmanager
def as_nobody(folder: Path) -> Iterator[None]:
    """Runs what is inside with a folder and files that can be read and not written.

    For root, to whom modes mean nothing, the process is an ordinary user meanwhile.
    """
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        with unprivileged():
            yield
    finally:
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)


@contextmanager
def unprivileged() -> Iterator[None]:
    """Runs what is inside as a user to whom the modes of files mean something."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
