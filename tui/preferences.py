"""The part of the application that a person has as they like it: themes, settings, widths."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from store.errors import StoreError
from tui import checked, copying, settings, themes
from tui.opener import PartApp
from tui.places import PaneScreen
from tui.remembered import keep_width
from tui.settings import Loaded
from tui.widgets.themepicker import ThemePicker


class PreferringApp(PartApp):
    """Wears the theme of the settings and keeps what is chosen on the screen.

    `problems` are what is wrong with settings and themes.
    """

    loaded: Loaded
    problems: list[StoreError]

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("T", "theme", "Choose a theme", id="theme", show=False),
        Binding("comma", "settings", "Settings", tooltip="Open the settings file in the editor",
                id="settings", show=False),
    ]  # fmt: skip

    def set_themes(self) -> None:
        """Wears the theme of the settings, the default one where that is not there."""
        found, problems = themes.load_themes(self.loaded.path.parent / "themes")
        self.problems += problems
        for theme in found:
            self.register_theme(theme)
        self._own_themes = [theme.name for theme in found]
        wanted = self.loaded.settings.theme
        if wanted not in self.available_themes:
            self.problems.append(checked.no_theme(self.loaded))
            wanted = themes.DEFAULT
        self.theme = wanted

    @property
    def editor(self) -> str:
        """The editor of the settings."""
        return self.loaded.settings.editor

    def action_theme(self) -> None:
        """Chooses a theme, worn while the cursor is on it."""
        others = sorted(set(self.available_themes) - set(self._own_themes))
        names = [*self._own_themes, *others]
        self.push_screen(ThemePicker(names, self.theme), self._keep_theme)

    def _keep_theme(self, name: str | None) -> None:
        if not name or name == self.loaded.settings.theme:
            return
        path = self.loaded.path

        def write() -> str:
            settings.keep_theme(path, name)
            return f"theme {name}, kept in {path}"

        self.jobs.tell(self.post_message, "theme", write)

    @on(PaneScreen.Resized)
    def _keep_width(self, event: PaneScreen.Resized) -> None:
        folder = self.loaded.path.parent

        def keep() -> str:
            keep_width(folder, event.width)
            return ""

        self.jobs.tell(self.post_message, "width", keep)

    def action_settings(self) -> None:
        """Opens the settings file in the editor, made of its template where there is none."""
        path = self.loaded.path

        def run() -> None:
            settings.write_template(path)
            copying.edit_file(path, self.editor)

        if self.hand_over(run):
            self.tell("changed settings hold from the next start on")
