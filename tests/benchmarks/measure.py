"""What all benchmarks share: timing, processes of their own, percentiles, tables."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds: of processor time (of all threads, user and system) and on the clock."""

    cpu: float
    wall: float


def timed(work: Callable[[], T]) -> tuple[Cost, T]:
    """What a call costs, and what it returns."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return Cost(time.process_time() - cpu, time.perf_counter() - wall), result


def peak_bytes() -> int:
    """The most memory that this process has held at once."""
    # Linux hands the parent's peak on to a child in ru_maxrss, but not in VmHWM.
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def in_own_process(module: str, *arguments: object) -> dict[str, Any]:
    """Runs `python -m module --only ...` and returns the JSON object that it printed."""
    command = [sys.executable, "-m", module, "--only", *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` (0 to 1) of the values do not exceed."""
    ordered = sorted(values)
    place = -(-len(ordered) * share // 1)
    return ordered[max(0, int(place) - 1)]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under their head, the first column to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = []
    for row in (head, *rows):
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        cells[0] = row[0].ljust(widths[0])
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
