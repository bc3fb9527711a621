"""The program: `backscroll` and `python -m tui`."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command of these arguments (default: the process's own), or opens the screen.

    Returns the exit code: 0, 1 when nothing was found, 2 for wrong usage or an error, 130 when
    the person ended it.
    """
    from tui.cli.run import run

    return run(sys.argv[1:] if argv is None else list(argv))


if __name__ == "__main__":
    sys.exit(main())
