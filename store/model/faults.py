"""What could not be read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """What could not be read, and why; it stands beside what could."""

    code: str
    about: str
    message: str
