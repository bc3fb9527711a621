"""Theme files: ours are whole, a bad one is reported and left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color

from tests.tui.fake import FakeLibrary
from tests.tui.helpers import shell
from tui.settings import Loaded, Settings
from tui.themefile import read_theme
from tui.themes import load_themes

THEMES = Path(__file__).parents[2] / "themes"


def test_our_themes_are_there_and_one_is_light() -> None:
    themes, problems = load_themes()

    assert problems == []
    assert {theme.name: theme.dark for theme in themes} == {
        "contrast": True,
        "daylight": False,
        "dusk": True,
        "ember": True,
        "harbour": False,
        "mono": True,
        "moss": True,
        "paper": False,
        "sixteen": True,
    }


@pytest.mark.parametrize("file", sorted(THEMES.glob("*.toml")), ids=lambda file: file.stem)
def test_each_of_ours_is_a_valid_theme_file(file: Path) -> None:
    assert read_theme(file.read_text()).name == file.stem


WITH_COLOURS = [
    "contrast", "daylight", "dusk", "ember", "harbour", "mono", "moss", "paper"
]  # fmt: skip


@pytest.mark.parametrize("name", WITH_COLOURS)
def test_text_and_its_muted_form_can_be_read_on_every_ground(name: str) -> None:
    theme = next(theme for theme in load_themes()[0] if theme.name == name)
    cursors = ("block-cursor-blurred-background", "block-cursor-background")
    grounds = [theme.background, theme.panel, *(theme.variables[name] for name in cursors)]
    texts = [theme.foreground, theme.variables["text-muted"]]

    worst = min(contrast(str(text), str(ground)) for text in texts for ground in grounds)

    assert worst >= (5.5 if name in ("contrast", "daylight") else 2.8)


@pytest.mark.parametrize("name", WITH_COLOURS)
def test_every_colour_that_means_something_can_be_read(name: str) -> None:
    theme = next(theme for theme in load_themes()[0] if theme.name == name)
    colours = (
        theme.primary,
        theme.secondary,
        theme.accent,
        theme.success,
        theme.warning,
        theme.error,
    )

    worst = min(contrast(str(colour), str(theme.background)) for colour in colours)

    assert worst >= (7 if name in ("contrast", "daylight") else 4.5)


def contrast(text: str, ground: str) -> float:
    light, dark = sorted((luminance(text), luminance(ground)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for part in Color.parse(colour).normalized
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_a_theme_says_what_is_wrong_with_it() -> None:
    with pytest.raises(ValueError, match=r"primary: .*'no colour'"):
        read_theme('name = "mine"\nprimary = "no colour"\n')
    with pytest.raises(ValueError, match="colour: Extra inputs"):
        read_theme('name = "mine"\nprimary = "#fff"\ncolour = "#fff"\n')


async def test_an_own_theme_is_worn_and_a_bad_one_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "themes"
    folder.mkdir()
    (folder / "mine.toml").write_text('name = "mine"\nprimary = "#336699"\n')
    (folder / "bad.toml").write_text("name = 3\n")
    loaded = Loaded(Settings(theme="mine"), tmp_path / "settings.toml")

    async with shell(FakeLibrary(), loaded=loaded) as sh:
        assert sh.app.theme == "mine"
        assert sh.status.said.startswith("theme bad.toml is left out: ")


async def test_a_theme_that_is_not_there_is_reported() -> None:
    async with shell(FakeLibrary(), settings=Settings(theme="nowhere")) as sh:
        assert sh.app.theme == "dusk"
        assert "there is no theme 'nowhere'" in sh.status.said


async def test_the_picker_wears_a_theme_and_puts_it_back() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("T", "j")
        assert sh.app.theme == "ember"

        await sh.press("escape")
        assert sh.app.theme == "dusk"


async def test_the_chosen_theme_is_kept_in_the_settings(tmp_path: Path) -> None:
    loaded = Loaded(Settings(), tmp_path / "settings.toml")
    async with shell(FakeLibrary(), loaded=loaded) as sh:
        await sh.press("T", "j", "enter")

    assert 'theme = "ember"\n' in (tmp_path / "settings.toml").read_text()
