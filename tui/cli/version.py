"""The version of this program."""

from __future__ import annotations


def version() -> str:
    """The version that is installed; `unknown` where the program runs from its folder alone."""
    from importlib import metadata

    try:
        return metadata.version("backscroll")
    except metadata.PackageNotFoundError:
        return "unknown"
