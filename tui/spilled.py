"""The whole of an output that its agent cut, from the file it was written to while that exists."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from tui.render.words import size

MOST = 64_000_000
"""Bytes that are read; more would not be looked at."""


def whole_output(path: str) -> tuple[str, str]:
    """The text of the file, and a word on it; the text is "" where it cannot be read."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would be waited for without end
            return "", f"what should hold the whole output is no file: {path}"
        with Path(path).open("rb") as file:
            data = file.read(MOST + 1)
    except FileNotFoundError:
        return "", f"the file with the whole output is gone: {path}"
    except (OSError, ValueError) as error:
        return "", f"the file with the whole output cannot be read: {error}"
    text = data[:MOST].decode("utf-8", "replace")
    if len(data) > MOST:
        return text, f"the first {size(MOST)} of the whole output, from {path}"
    return text, f"the whole output, {size(len(data))}, from {path}"
