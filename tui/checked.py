"""What is wrong with settings beyond what their file alone can tell.

Looked at by the command line, so the screen's modules are imported only where it cannot be helped.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from store.errors import StoreError
from tui.settings import Loaded, problem_at


def no_theme(loaded: Loaded) -> StoreError:
    """INVALID_CONFIG for a theme that there is not."""
    said = f"there is no theme {loaded.settings.theme!r}; T on the screen shows those there are"
    return problem_at(loaded.path, ["theme"], said)


def problems(loaded: Loaded) -> tuple[StoreError, ...]:
    """What is wrong in the file, and whether there is no such theme."""
    return loaded.problems if _has_theme(loaded) else (*loaded.problems, no_theme(loaded))


def all_problems(loaded: Loaded) -> tuple[StoreError, ...]:
    """The same, with the keys and the person's own themes; imports the whole screen for that."""
    return (*problems(loaded), *_of_the_screen(loaded))


def _has_theme(loaded: Loaded) -> bool:
    wanted = loaded.settings.theme
    if any(wanted + ".toml" == file.name for file in files("themes").iterdir()):
        return True
    from textual.theme import BUILTIN_THEMES

    from tui.themes import load_themes

    own, _ = load_themes(loaded.path.parent / "themes")
    return wanted in BUILTIN_THEMES or any(theme.name == wanted for theme in own)


def _of_the_screen(loaded: Loaded) -> Iterator[StoreError]:
    if (loaded.path.parent / "themes").is_dir():
        from tui.themes import load_themes

        yield from load_themes(loaded.path.parent / "themes")[1]
    if loaded.settings.keymap:
        from tui.keys import check_keymap

        for problem in check_keymap(loaded.settings.keymap)[1]:
            said = problem.message.removeprefix("keymap: ")
            yield problem_at(loaded.path, ["keymap", problem.about], said)
