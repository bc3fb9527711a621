"""Recorded stores with seeded faults: a list of faults and the readable rest, never a traceback.

`tests.benchmarks.damage` tries thousands of seeds; those that once failed are kept here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import CODES
from tests.makers.damage import damaged, recorded_stores, visit

KEPT = (1648, 1891, 5124, 5160)
SEEDS = (*KEPT, *range(40))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_damaged_store_is_read_as_far_as_it_goes(
    recordings: Path, tmp_path: Path, seed: int
) -> None:
    _, _, path = damaged(recorded_stores(recordings), seed, tmp_path / "copy")
    assert visit(path, tmp_path / "index.db") in ("read", "faults", *CODES)
