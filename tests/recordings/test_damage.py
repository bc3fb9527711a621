"""Recorded stores with seeded faults: a list of faults and the readable rest, never a traceback.

`tests.benchmarks.damage` tries thousands of seeds; those that once failed are kept here.
"""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest

from store.errors import CODES
from store.library import Library
from tests.makers.damage import damaged, recorded_stores, visit

KEPT = (1648, 1891, 5124, 5160)
SEEDS = (*KEPT, *range(40))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_damaged_store_is_read_as_far_as_it_goes(
    recordings: Path, tmp_path: Path, seed: int
) -> None:
    _, _, path = damaged(recorded_stores(recordings), seed, tmp_path / "copy")
    assert visit(path, tmp_path / "index.db") in ("read", "faults", *CODES)


@pytest.mark.parametrize(
    ("name", "share", "opened", "sessions"),
    [
        ("mimo/mimo-allkinds.db", 0.2, "failed", 0),
        ("mimo/mimo-allkinds.db", 0.6, "immutable", 18),  # 4 of them by their messages alone
        ("opencode/basic.db", 0.5, "immutable", 12),
    ],
)
def test_a_store_cut_off_is_read_while_it_has_a_session(
    recordings: Path, tmp_path: Path, name: str, share: float, opened: str, sessions: int
) -> None:
    whole = (recordings / name).read_bytes()
    path = tmp_path / "cut.db"
    path.write_bytes(whole[: int(len(whole) * share)])
    library = Library.open(sources=[path], index=tmp_path / "ours" / "index.db")
    library.sync(Event())
    (source,) = library.sources()
    assert (source.opened, source.sessions) == (opened, sessions)
    assert "SOURCE_UNREADABLE" in [fault.code for fault in source.faults]
    library.close()
