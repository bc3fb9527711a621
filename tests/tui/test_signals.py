"""Told to end by the system, the screen leaves the terminal as it was and no demo behind."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tui import copying

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_orderly(tmp_path: Path, number: int) -> None:
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "tui", "--demo"],
        cwd=ROOT,
        env=environment,
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    shown = read_until(leader, b"Sessions")
    assert list(tmp_path.iterdir())
    process.send_signal(number)
    shown = read_until(leader, None)
    assert process.wait(20) == 128 + number
    assert b"\x1b[?1049l" in shown  # the alternate screen is left
    assert b"\x1b[?25h" in shown  # the cursor is there again
    assert list(tmp_path.iterdir()) == []
    os.close(leader)


def read_until(leader: int, wanted: bytes | None) -> bytes:
    """What the program shows until these bytes, or its end."""
    shown = b""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and (wanted is None or wanted not in shown):
        if select.select([leader], [], [], 0.2)[0]:
            try:
                more = os.read(leader, 65536)
            except OSError:
                return shown
            if not more:
                return shown
            shown += more
    assert wanted is None or wanted in shown
    return shown


def test_an_interrupt_is_for_the_editor_in_front(monkeypatch: pytest.MonkeyPatch) -> None:
    assert threading.current_thread() is threading.main_thread()
    script = f"import os, signal; os.kill({os.getpid()}, signal.SIGINT)"
    command = f'{sys.executable} -c "{script}"'
    copying.edit("text", "name.txt", command)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
