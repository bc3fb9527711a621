"""The part of the application that lets text out: copying, saving, handing over to an editor."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path

from textual import on
from textual.app import SuspendNotSupported

from store.door import Door
from store.errors import StoreError
from store.model import Part
from tui import copying
from tui.attached import Attached, attached, has_bytes, has_image
from tui.jobs import Jobs
from tui.keyorder import KeyOrder
from tui.messages import Done, JobFailed
from tui.render.part import copied_together, plain_text
from tui.render.words import line_count, many
from tui.widgets.picker import Item, Picker
from tui.widgets.transcript import Transcript
from tui.words import flat


class CopyingApp(KeyOrder):
    """Copies to the terminal's clipboard and the desktop's, and saves parts to files.

    `clipboard` is the machine's way of copying: it returns where else than in the desktop's
    clipboard the text went, and may raise anything.
    """

    def __init__(self, clipboard: Callable[[str], str | None]) -> None:
        super().__init__()
        self._copy_by = clipboard

    @property
    @abstractmethod
    def jobs(self) -> Jobs:
        """Where things are done that take time."""

    @property
    @abstractmethod
    def taken_parts(self) -> list[Part]:
        """The parts that the person marked, else the one that the person is on."""

    @property
    @abstractmethod
    def shown_file(self) -> Attached | None:
        """The file whose picture is on the screen."""

    @abstractmethod
    def full_id(self, part: Part) -> str:
        """The id of a part that no other source's has."""

    @property
    @abstractmethod
    def editor(self) -> str:
        """The command that the settings name; "" for the environment's."""

    @abstractmethod
    def tell(self, text: str, *, bad: bool = False) -> None:
        """Says something in passing."""

    # Copying -------------------------------------------------------------------------------

    @on(Transcript.Copy)
    def _copy(self, event: Transcript.Copy) -> None:
        taken = self.taken_parts
        self.copy_out(event.text, copying.named(event.what, taken[0] if taken else None))

    def copy_out(self, text: str, what: str, note: str = "") -> None:
        """Puts text into the clipboards and says how much and where; `what` names it.

        `note` is said with it. The terminal never answers, so what only it was asked is `sent`.
        """
        if not text:
            self.tell(f"nothing to copy: {flat(what)} is empty", bad=True)
            return
        said = copying.copied(what, text)
        small = len(text.encode("utf-8", "replace")) <= copying.TERMINAL_LIMIT
        if small:
            self.copy_to_clipboard(text.encode("utf-8", "replace").decode())

        def put() -> str:
            try:
                where = self._copy_by(text)
            except Exception:
                if not small:
                    raise
                return f"sent to the terminal's clipboard: {said}{note}"
            return f"copied {said}{f' · into {where}' if where else ''}{note}"

        self.jobs.tell(self.post_message, "copy", put)

    @on(Transcript.CopyBlock)
    def _copy_block(self, event: Transcript.CopyBlock) -> None:
        blocks = event.blocks
        if not blocks:
            self.tell("there is no block of code in this part")
            return
        if len(blocks) == 1:
            self.copy_out(blocks[0][1], "code")
            return
        items = [
            Item(str(place), code.strip().split("\n")[0], f"{language}  {_lines(code)}")
            for place, (language, code) in enumerate(blocks)
        ]

        def chosen(value: str | None) -> None:
            if value is not None:
                self.copy_out(blocks[int(value)][1], "code")

        self.push_screen(Picker(f"Copy one of {many(len(blocks), 'block')}", items), chosen)

    # Saving --------------------------------------------------------------------------------

    def action_save(self) -> None:
        """Saves the parts into new files of the current folder: their texts, their files' bytes."""
        parts, shown = self.taken_parts, self.shown_file
        if not parts:
            return
        door, idents = self.jobs.door, {part.id: self.full_id(part) for part in parts}

        def write() -> str:
            files = [shown] if shown else _files(door, parts, idents)
            saved = [copying.save_bytes(file.data, Path.cwd(), file.name) for file in files]
            texts = [] if shown else [part for part in parts if not has_bytes(part)]
            if texts:
                name = copying.file_name(texts[0]) if len(texts) == 1 else "parts.txt"
                text = copied_together(texts, "text" if len(texts) == 1 else "whole")[0]
                saved.append(copying.save(text, Path.cwd(), name))
            if not saved:
                raise StoreError("OUTPUT_FAILED", "the bytes are not in the store any more")
            return "saved " + ", ".join(str(path) for path in saved)

        self.jobs.tell(self.post_message, "save", write)

    def action_edit(self) -> None:
        """Opens the parts' text in the editor, as a file of its own that goes when it is left."""
        parts = self.taken_parts
        if not parts:
            return
        text = plain_text(parts[0]) if len(parts) == 1 else copied_together(parts, "whole")[0]
        self.hand_over(lambda: copying.edit(text, copying.file_name(parts[0]), self.editor))

    def hand_over(self, run: Callable[[], None]) -> bool:
        """Lets another program have the terminal while `run` runs it; whether it did."""
        failed = ""
        try:
            with self.suspend():
                try:  # Textual does not take the terminal back from what raises in here
                    run()
                except StoreError as error:
                    failed = error.message
                except Exception as error:
                    failed = f"{type(error).__name__}: {error}"
        except SuspendNotSupported:
            failed = "this terminal cannot hand over to an editor"
        self.refresh()
        if failed:
            self.tell(failed, bad=True)
        return not failed

    @on(Done)
    def _done(self, event: Done) -> None:
        if event.text:
            self.tell(event.text)

    @on(JobFailed)
    def _failed(self, event: JobFailed) -> None:
        if event.topic == "copy":
            self.tell("too large for the terminal's clipboard; w saves it to a file", bad=True)
        else:
            self.tell(event.text, bad=True)


def _files(door: Door, parts: list[Part], idents: dict[str, str]) -> list[Attached]:
    """The files that the parts carry."""
    carriers = [part for part in parts if has_bytes(part) or has_image(part)]
    return [file for part in carriers for file in attached(door.raw(idents[part.id]))]


def _lines(code: str) -> str:
    return many(line_count(code), "line")
