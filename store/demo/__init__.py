"""A small opencode store with believable talks, for people who have no agent to try this with.

`build` makes it; `talks` holds what is said, `tools` and `blocks` the shapes of parts, `play` what
the agent would have done with them, `writer` the SQL.
"""

from __future__ import annotations

import time
from pathlib import Path

SEED = 20_260_814


def build(folder: Path, *, now_ms: int | None = None) -> Path:
    """Writes `opencode.db` (and the folder tool-output) into `folder` and returns its path.

    `folder` must exist and hold no such store. `now_ms` (default: now, milliseconds since 1970 UTC)
    is what the times of the talks are relative to; with it the same store is made every time.
    Raises FileExistsError, or OSError where the folder cannot be written.
    """
    from store.demo.ids import Ids
    from store.demo.ledger import Ledger
    from store.demo.play import play
    from store.demo.talks import PROJECTS, TALKS
    from store.demo.writer import write_store

    path = folder / "opencode.db"
    if path.exists():
        raise FileExistsError(f"There is a store already: {path}")
    now = int(time.time() * 1000) if now_ms is None else now_ms
    ids = Ids(SEED)
    starts = {talk.key: now - talk.ago * 60_000 for talk in TALKS}
    projects = {key: ids.digest() if project.vcs else "global" for key, project in PROJECTS.items()}
    names = {f"project:{key}": ident for key, ident in projects.items()}
    names |= {f"session:{key}": ids.new("ses", start) for key, start in starts.items()}
    names["store"] = str(folder)
    books: dict[str, Ledger] = {}
    for talk in sorted(TALKS, key=lambda talk: -talk.ago):
        origin = books.get(talk.fork)
        project = PROJECTS[talk.project]
        books[talk.key] = play(talk, project, ids, names, starts[talk.key], origin)
    write_store(path, PROJECTS, projects, list(books.values()))
    return path
