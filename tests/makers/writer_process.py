"""The process of a Writer: one JSON order a line on stdin, `done` or what went wrong on stdout."""

from __future__ import annotations

import json
import sqlite3
import sys
from typing import Any


def obey(db: sqlite3.Connection, name: str, argument: Any) -> None:
    """Does one order."""
    if name == "commit":
        db.execute("begin immediate")
        for sql, values in argument:
            db.execute(sql, values)
        db.execute("commit")
    elif name == "checkpoint":
        busy, _, _ = db.execute(f"pragma wal_checkpoint({argument})").fetchone()
        if busy:
            raise RuntimeError("the checkpoint was blocked")
    else:
        db.close()


def main(path: str) -> None:
    """Holds the store open until it is told to close it."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("pragma journal_mode = wal")
    db.execute("pragma wal_autocheckpoint = 0")
    db.execute("select count(*) from sqlite_master").fetchone()
    print("done", flush=True)
    for line in sys.stdin:
        name, argument = json.loads(line)
        try:
            obey(db, name, argument)
        except (sqlite3.Error, RuntimeError) as error:
            print(repr(error), flush=True)
        else:
            print("done", flush=True)
        if name == "close":
            return


if __name__ == "__main__":
    main(sys.argv[1])
