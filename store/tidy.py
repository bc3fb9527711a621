"""Idle work on the index: what many small commits left in small pieces is put together."""

from __future__ import annotations

import threading

from store.index import Writer


def tidy(writer: Writer, stop: threading.Event) -> None:
    """One pass; ends early where `stop` is set."""
