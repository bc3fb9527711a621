"""Where the store and the index of a test lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.shelf import one_talk


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return one_talk(tmp_path / "opencode.db")


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "ours" / "index.db"
