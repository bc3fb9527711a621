from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.tui.cli.fake import Fake
from tui.__main__ import main


@dataclass(frozen=True)
class Ran:
    """What a run left: its exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Fake:
    """The door that every run in the test opens; no index and no settings of the person's own."""
    fake = Fake()
    module = ModuleType("store.library")
    module.__dict__["Library"] = SimpleNamespace(open=fake.opened)
    monkeypatch.setitem(sys.modules, "store.library", module)
    monkeypatch.setenv("BACKSCROLL_INDEX", str(tmp_path / "index.db"))
    monkeypatch.setenv("BACKSCROLL_CONFIG", str(tmp_path / "settings.toml"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    return fake


@pytest.fixture
def run(door: Fake, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs the program on these arguments with the fake door."""

    def go(*arguments: str) -> Ran:
        code = main(arguments)
        out, err = capfd.readouterr()
        return Ran(code, out, err)

    return go
