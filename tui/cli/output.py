"""Where the command line writes: answers to stdout, everything else to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from store.errors import StoreError
from store.model import Fault
from tui.cli import shapes
from tui.jsontext import dump
from tui.plain import one_line


class Output:
    """One run's two streams. `json` says whether the answer is one JSON object.

    `settings` is what is wrong with them; it goes with the faults of every answer that has any.
    """

    def __init__(self, *, json: bool = False) -> None:
        self.json = json
        self.settings: tuple[Fault, ...] = ()

    @property
    def colour(self) -> bool:
        """Whether the answer may carry colour: a terminal, and nobody said NO_COLOR."""
        return self.terminal and not os.environ.get("NO_COLOR")

    @property
    def terminal(self) -> bool:
        """Whether the answer goes to a terminal."""
        return is_terminal(sys.stdout)

    @property
    def progress(self) -> bool:
        """Whether progress may be drawn over itself."""
        return is_terminal(sys.stderr)

    def object(self, value: Mapping[str, Any]) -> None:
        """Prints the answer as one JSON object."""
        if self.settings and "faults" in value:
            mine = [shapes.fault(one) for one in self.settings]
            value = {**value, "faults": [*value["faults"], *mine]}
        self.bytes(f"{dump(value)}\n".encode())

    def text(self, text: str) -> None:
        """Prints the answer for people; the text is harmless already."""
        stream = _present(sys.stdout)
        self.bytes(f"{text}\n".encode(stream.encoding or "utf-8", "replace"))

    def bytes(self, data: bytes) -> None:
        """Prints bytes as they are."""
        stream = _present(sys.stdout)
        try:
            stream.buffer.write(data)
            stream.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            about = error.strerror or str(error)
            raise StoreError("OUTPUT_FAILED", f"cannot write to stdout: {about}") from error

    def note(self, text: str) -> None:
        """Says something beside the answer."""
        _tell(f"backscroll: {one_line(text)}\n")

    def faults(self, faults: Iterable[Fault]) -> None:
        """Reports what could not be read: stores one by one, sessions and parts by their number."""
        rows = torn = 0
        for fault in faults:
            if fault.code.startswith("CORRUPT_"):
                rows += 1
            elif fault.code == "SOURCE_CONFLICT":
                torn += 1
            else:
                self.note(f"{fault.code}: {fault.message}")
        if rows:
            what = "1 session or part" if rows == 1 else f"{rows:,} sessions or parts"
            self.note(f"{what} could not be read; `backscroll doctor` lists them")
        if torn:
            what = "1 session" if torn == 1 else f"{torn:,} sessions"
            self.note(f"{what} told differently by two stores; `backscroll doctor` lists them")

    def problem(self, error: StoreError) -> None:
        """Reports the error that ends the run."""
        if self.json:
            _tell(dump(shapes.error(error)) + "\n")
        else:
            self.note(f"{error.code}: {error.message}")

    def draw(self, line: str) -> None:
        """Draws a line of progress over the one before; an empty one wipes it."""
        _tell(f"\r{line}\x1b[K")


def silence() -> None:
    """Keeps the interpreter from complaining about a lost stdout when it flushes at its end."""
    if sys.stdout is None:
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def _present(stream: TextIO | None) -> TextIO:
    if stream is None:
        raise StoreError("OUTPUT_FAILED", "stdout is closed")
    return stream


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person is at this stream."""
    return stream is not None and stream.isatty()


def _tell(text: str) -> None:
    if sys.stderr is None:
        return
    safe = text.encode(sys.stderr.encoding or "utf-8", "replace")
    try:
        sys.stderr.buffer.write(safe)
        sys.stderr.buffer.flush()
    except OSError:
        return  # nobody is there to be told
