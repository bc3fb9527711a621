"""What a person searched for and what they keep: a small file of queries beside the index."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

MOST = 500
"""Queries that are remembered; those that are kept stay for good."""


class Queries:
    """Queries asked before, the latest first, and those that are kept.

    `path` None: nothing is remembered beyond this run. A file that cannot be read or written costs
    the memory alone.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self.asked: list[str] = []
        self.kept: list[str] = []
        if path is not None:
            self._read(path)

    def _read(self, path: Path) -> None:
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            self.asked = _texts(told["asked"])
            self.kept = _texts(told["kept"])
        except (OSError, ValueError, TypeError, LookupError, RecursionError):
            pass

    def add(self, text: str) -> None:
        """Remembers a query that led somewhere."""
        text = text.strip()
        if text and self.asked[:1] != [text]:
            self.asked = [text, *(one for one in self.asked if one != text)][:MOST]
            self._write()

    def keep(self, text: str) -> bool:
        """Keeps a query, or keeps it no more; whether it is kept now."""
        text = text.strip()
        kept = text not in self.kept
        self.kept = [text, *self.kept] if kept else [one for one in self.kept if one != text]
        self._write()
        return kept

    def _write(self) -> None:
        if self._path is None:
            return
        told = json.dumps({"asked": self.asked, "kept": self.kept}, ensure_ascii=True)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            beside = self._path.with_name(f"{self._path.name}.{os.getpid()}")
            with open(os.open(beside, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
                file.write(told)
            beside.replace(self._path)
        except OSError:
            pass


def _texts(told: Sequence[object]) -> list[str]:
    return [one for one in told if isinstance(one, str)]
