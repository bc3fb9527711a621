"""Producers in a process of their own: alive with the store open, or killed with it open."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.makers.rows import to_json

SCRIPT = Path(__file__).parent / "writer_process.py"
Sql = tuple[str, Sequence[Any]]


class Writer:
    """A live producer. Its write-ahead log is checkpointed only when `checkpoint` says so."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._process = subprocess.Popen(
            [sys.executable, str(SCRIPT), str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._answer()

    def commit(self, *statements: Sql) -> None:
        """Runs statements in one transaction, each a pair of SQL and values."""
        self._order("commit", [[sql, list(values)] for sql, values in statements])

    def say(self, part: str, words: str) -> None:
        """Commits a new text for a part."""
        data = to_json({"type": "text", "text": words})
        self.commit(("update part set data = ? where id = ?", (data, part)))

    def add_texts(self, message: str, session: str, texts: Sequence[str]) -> None:
        """Commits new parts with ids prt_live_0 and on to a message."""
        rows = [
            (f"prt_live_{place}", message, session, 1_796_000_900_000 + place, to_json(data))
            for place, data in enumerate({"type": "text", "text": words} for words in texts)
        ]
        sql = "insert into part values (?1, ?2, ?3, ?4, ?4, ?5)"
        self.commit(*((sql, row) for row in rows))

    def checkpoint(self, mode: str = "passive") -> None:
        """Moves the log into the main file: passive, full, restart or truncate."""
        self._order("checkpoint", mode)

    def close(self) -> None:
        """Closes the store in an orderly way and ends."""
        if self._process.poll() is None:
            self._order("close")
        self._end()

    def kill(self) -> None:
        """Ends at once with SIGKILL; everything stays as it lies."""
        self._process.kill()
        self._end()

    def _end(self) -> None:
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def _order(self, name: str, argument: object = None) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([name, argument]) + "\n")
        self._process.stdin.flush()
        self._answer()

    def _answer(self) -> None:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline().strip()
        if answer != "done":
            raise RuntimeError(f"The writer failed: {answer or 'it ended'}")


@contextmanager
def live_writer(path: Path) -> Iterator[Writer]:
    """A producer that has the store open in write-ahead mode, closed at the end."""
    writer = Writer(path)
    try:
        yield writer
    finally:
        writer.close()


def killed_writer(path: Path, statements: Sequence[Sql], *, shm: bool = True) -> Path:
    """Commits into the write-ahead log alone and dies; `shm=False` also loses the -shm file."""
    writer = Writer(path)
    writer.commit(*statements)
    writer.kill()
    if not shm:
        path.with_name(path.name + "-shm").unlink()
    return path
