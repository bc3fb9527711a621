"""The answers of the store as the JSON of the command line: pure functions, dataclass to dict.

The keys are a contract that scripts lean on: add freely, rename never.
"""

from tui.cli.shapes.common import Object, coverage, error, fault, iso
from tui.cli.shapes.content import kinds, part, text, words
from tui.cli.shapes.conversation import (
    NO_WINDOW,
    NOT_SHOWN,
    message,
    session,
    sessions,
    shown,
    window,
)
from tui.cli.shapes.found import answer, forgotten, hit, leftover, leftovers, memory, versions
from tui.cli.shapes.overviews import NO_LINEAGE, lineage, stats
from tui.cli.shapes.state import health, place, report, source

__all__ = [
    "NOT_SHOWN",
    "NO_LINEAGE",
    "NO_WINDOW",
    "Object",
    "answer",
    "coverage",
    "error",
    "fault",
    "forgotten",
    "health",
    "hit",
    "iso",
    "kinds",
    "leftover",
    "leftovers",
    "lineage",
    "memory",
    "message",
    "part",
    "place",
    "report",
    "session",
    "sessions",
    "shown",
    "source",
    "stats",
    "text",
    "versions",
    "window",
    "words",
]
