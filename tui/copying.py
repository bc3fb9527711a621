"""Text on its way out: into the clipboard, or into a file that never takes the place of another."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from store.errors import StoreError
from store.model import Part, Tool, type_name
from tui.render.words import line_count, many, size
from tui.words import flat

TERMINAL_LIMIT = 100_000
"""Bytes beyond which terminals drop what they are told to put into the clipboard."""
TMUX_TIMEOUT = 5.0
"""Seconds."""

_UNSAFE = re.compile(r"[^\w.]+")


def copied(what: str, text: str) -> str:
    """What was copied and how much of it: `bash output, 212 lines, 8.4 kB`."""
    length = size(len(text.encode("utf-8", "replace")))
    return f"{flat(what)}, {many(line_count(text), 'line')}, {length}"


def named(what: str, part: Part | None) -> str:
    """`text` of a tool's part as `bash output` or `bash error`, its `input` as `bash input`."""
    if part is None or not isinstance(part.content, Tool):
        return what
    tool = part.content
    result = "output" if tool.output is not None else "error" if tool.error else "input"
    if what.startswith("text"):
        return f"{tool.name} {result}{what.removeprefix('text')}"
    return f"{tool.name} {what}" if what == "input" else what


def file_name(part: Part) -> str:
    """A harmless file name for a part: its kind or tool, and the end of its id."""
    kind = part.content.name if isinstance(part.content, Tool) else type_name(part.content)
    return text_name(f"{kind}-{part.id[-8:]}")


def text_name(name: str) -> str:
    """A harmless name for a file of text, as near to this one as can be."""
    return f"{_UNSAFE.sub('-', name).strip('-.') or 'part'}.txt"


def save(text: str, folder: Path, name: str) -> Path:
    """Writes text into a new file of the folder, numbered where the name is taken.

    Raises OUTPUT_FAILED.
    """
    return save_bytes(text.encode("utf-8", "replace"), folder, name)


def save_bytes(data: bytes, folder: Path, name: str) -> Path:
    """Writes bytes into a new file of the folder, numbered where the name is taken.

    Raises OUTPUT_FAILED.
    """
    stem, suffix = Path(name).stem, Path(name).suffix
    for tried in range(1, 1000):
        path = folder / (name if tried == 1 else f"{stem}-{tried}{suffix}")
        try:
            with path.open("xb") as file:
                file.write(data)
        except FileExistsError:
            continue
        except OSError as error:
            raise StoreError(
                "OUTPUT_FAILED", f"{path} cannot be written: {error.strerror}", str(path)
            ) from error
        return path
    raise StoreError("OUTPUT_FAILED", f"{folder} has too many files named {stem}", str(folder))


def edit(text: str, name: str, command: str) -> None:
    """Runs an editor as `edit_file` on a temporary file with this text. Raises OUTPUT_FAILED."""
    try:
        with tempfile.TemporaryDirectory(prefix="backscroll-") as folder:
            edit_file(save(text, Path(folder), name), command)
    except OSError as error:
        raise StoreError("OUTPUT_FAILED", f"no folder for the text: {error}", name) from error


def edit_file(path: Path, command: str) -> None:
    """Runs an editor on a file and waits for its end.

    `command` is that of the settings, else $VISUAL, $EDITOR or $PAGER. Raises OUTPUT_FAILED.
    """
    wanted = (command, *(os.environ.get(key, "") for key in ("VISUAL", "EDITOR", "PAGER")))
    chosen = next((one for one in wanted if one.strip()), "less")
    try:
        with _interrupts_for_the_child():
            subprocess.run([*shlex.split(chosen), str(path)], check=False)
    except (OSError, ValueError) as error:
        raise StoreError("OUTPUT_FAILED", f"{chosen} cannot be run: {error}", chosen) from error


@contextmanager
def _interrupts_for_the_child() -> Iterator[None]:
    """ctrl+c is for the program in front, not for us behind it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # A handler of ours, unlike an ignored signal, is not passed on to the child.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def system_clipboard(text: str) -> str:
    """Puts text into the desktop's clipboard, else into tmux where this runs in it.

    Returns "" for the desktop's, else where it went. Raises what the machine's way of copying
    raises. tmux passes on what it is told itself, while by default it swallows the sequence with
    which a program asks a terminal (`set-clipboard external`).
    """
    import pyperclip

    try:
        pyperclip.copy(text)
    except pyperclip.PyperclipException:
        if not os.environ.get("TMUX"):
            raise
        command = ["tmux", "load-buffer", "-w", "-"]
        subprocess.run(
            command,
            input=text.encode("utf-8", "replace"),
            check=True,
            capture_output=True,
            timeout=TMUX_TIMEOUT,
        )
        return "tmux"
    return ""
