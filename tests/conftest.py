"""Every test runs as on a machine of nobody: own folders, one timezone, no colour settings."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# Textual reads these when it is imported.
for name in ("NO_COLOR", "TEXTUAL_THEME", "TEXTUAL_COLOR_SYSTEM", "COLORTERM", "TEXTUAL", "TMUX"):
    os.environ.pop(name, None)
os.environ["TEXTUAL_ANIMATIONS"] = "none"
# A shell that starts the tests in its background lets them ignore it, and what they start as well.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples everywhere: a run that failed fails again. HYPOTHESIS_PROFILE=random explores.
settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.register_profile("random", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

ROOT = Path(__file__).parent.parent
KEPT = ("BACKSCROLL_RECORDINGS", "BACKSCROLL_KEYS")
HIDDEN = ("BACKSCROLL_", "OPENCODE_", "MIMOCODE_", "DSH_", "XDG_")


@pytest.fixture(autouse=True)
def _nobody(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Hides the folders, settings and timezone of whoever runs the tests."""
    for name in list(os.environ):
        if name.startswith(HIDDEN) and name not in KEPT:
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name, folder in (
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_DATA_HOME", ".local/share"),
        ("XDG_CACHE_HOME", ".cache"),
        ("XDG_STATE_HOME", ".local/state"),
    ):
        monkeypatch.setenv(name, str(home / folder))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def _pictures_at_top_level() -> None:
    """Keeps accepted pictures under snapshots/, one folder per test file."""
    import pytest_textual_snapshot as plugin  # type: ignore[import-untyped]
    from syrupy.location import PyTestLocation

    class Pictures(plugin.SVGImageExtension):  # type: ignore[misc]
        @classmethod
        def dirname(cls, *, test_location: PyTestLocation) -> str:
            return str(ROOT / "snapshots" / test_location.basename)

    # The plugin's fixture looks the class up by this name when it is called.
    plugin.SVGImageExtension = Pictures


_pictures_at_top_level()
