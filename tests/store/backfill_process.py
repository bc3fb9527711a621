"""Brings an index up to date in a process that dies as if by SIGKILL at a given statement."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from store import backfill, index
from store.library import Library


def main(store: str, path: str, statements: int) -> None:
    """Dies before so many of the writer's statements are done; small batches make many commits."""
    backfill.BATCH_PARTS = 7
    backfill.MANY_PARTS = 1
    original = index.Writer.__init__
    left = statements

    def counted(cursor: Any, sql: str, values: Any) -> bool:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return True

    def opened(self: index.Writer, connection: Any) -> None:
        original(self, connection)
        connection.exec_trace = counted

    index.Writer.__init__ = opened  # type: ignore[method-assign, assignment]
    Library.open(sources=[Path(store)], index=Path(path)).sync(threading.Event())
    print("done")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
