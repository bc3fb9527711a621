"""The part of the application that lets text out: copying and saving."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path

from textual import on
from textual.app import App, SuspendNotSupported

from store.errors import StoreError
from store.model import Part
from tui import copying
from tui.jobs import Jobs
from tui.messages import Done, JobFailed
from tui.render.part import plain_text
from tui.widgets.transcript import Transcript
from tui.words import flat


class CopyingApp(App[None]):
    """Copies to the terminal's clipboard and the desktop's, and saves parts to files.

    `clipboard` is the desktop's way of copying; it may raise anything.
    """

    def __init__(self, clipboard: Callable[[str], None]) -> None:
        super().__init__()
        self._clipboard_of_desktop = clipboard

    @property
    @abstractmethod
    def jobs(self) -> Jobs:
        """Where things are done that take time."""

    @property
    @abstractmethod
    def current_part(self) -> Part | None:
        """The part that the person is on."""

    @property
    @abstractmethod
    def editor(self) -> str:
        """The command that the settings name; "" for the environment's."""

    @abstractmethod
    def tell(self, text: str, *, bad: bool = False) -> None:
        """Says something in passing."""

    @on(Transcript.Copy)
    def _copy(self, event: Transcript.Copy) -> None:
        text, what = event.text, copying.named(event.what, self.current_part)
        said = copying.copied(what, text)
        if not text:
            self.tell(f"nothing to copy: {flat(what)} is empty", bad=True)
            return
        small = len(text.encode("utf-8", "replace")) <= copying.TERMINAL_LIMIT
        if small:
            self.copy_to_clipboard(text.encode("utf-8", "replace").decode())
            self.tell(said)

        def put() -> str:
            self._clipboard_of_desktop(text)
            return said

        self.jobs.tell(self.post_message, "copied" if small else "copy", put)

    def action_save(self) -> None:
        """Saves the text of the part into a new file of the current folder."""
        part = self.current_part
        if part is None:
            return

        def write() -> str:
            path = copying.save(plain_text(part), Path.cwd(), copying.file_name(part))
            return f"saved {path}"

        self.jobs.tell(self.post_message, "save", write)

    def action_edit(self) -> None:
        """Opens the part's text in the editor, as a file of its own that goes when it is left."""
        part = self.current_part
        if part is None:
            return
        try:
            with self.suspend():
                copying.edit(plain_text(part), copying.file_name(part), self.editor)
        except SuspendNotSupported:
            self.tell("this terminal cannot hand over to an editor", bad=True)
        except StoreError as error:
            self.tell(error.message, bad=True)
        self.refresh()

    @on(Done)
    def _done(self, event: Done) -> None:
        if event.topic != "copied":
            self.tell(event.text)

    @on(JobFailed)
    def _failed(self, event: JobFailed) -> None:
        if event.topic == "copy":
            self.tell("too large for the terminal's clipboard; w saves it to a file", bad=True)
        elif event.topic != "copied":
            self.tell(event.text, bad=True)
