"""The part of the application that opens things over the main screen: parts alone, pages.

It also lets out what is taken from the review of leftovers.
"""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path

from textual import on
from textual.await_complete import AwaitComplete
from textual.content import Content
from textual.message import Message

from store.model import Part, StepFinish, Tool
from tui import copying
from tui.about import about_lines
from tui.attached import attached, has_bytes, has_image
from tui.exporter import SessionApp, page_lines
from tui.messages import PageRead, PicturesRead, RawRead, SpilledRead
from tui.picture import Picture, decode
from tui.render.safe import clean
from tui.reviewed import Reviewed
from tui.spilled import whole_output
from tui.stored import readable
from tui.widgets.page import Lines
from tui.widgets.reader import Reader
from tui.widgets.transcript import Transcript
from tui.widgets.viewer import PartViewer

STORED = "stored JSON"


class PartApp(SessionApp):
    """Opens a part alone, its stored JSON, its whole output, and what is known of it."""

    @property
    @abstractmethod
    def transcript(self) -> Transcript:
        """The transcript of the reading pane."""

    @abstractmethod
    def page(self, title: str, lines: Lines, what: str) -> None:
        """Opens a page of text over the screen."""

    def pop_screen(self) -> AwaitComplete:
        """Leaves a screen, and nothing of what it painted: Textual keeps what gone widgets did."""
        for widget in self.screen.walk_children():
            widget.refresh()
        return super().pop_screen()

    @on(Transcript.OpenPart)
    def _open_part(self, event: Transcript.OpenPart) -> None:
        self.push_screen(PartViewer(event.part, event.terms))
        self._read_pictures(event.part)
        content = event.part.content
        if isinstance(content, Tool) and content.spilled:
            path, ident = content.spilled, event.part.id

            def work(number: int) -> Message:
                return SpilledRead("spilled", number, ident, *whole_output(path))

            self.jobs.make(self.post_message, "spilled", work)

    def _read_pictures(self, part: Part) -> None:
        if not has_image(part):
            return
        door, ident = self.jobs.door, self.full_id(part)

        def work(number: int) -> Message:
            files = [one for one in attached(door.raw(ident)) if one.mime.startswith("image/")]
            found = [decode(one) for one in files]
            said = next((one for one in found if isinstance(one, str)), "")
            if not files:
                said = "the bytes of the image are not in the store"
            pictures = [one for one in found if isinstance(one, Picture)]
            return PicturesRead("pictures", number, part, pictures, said)

        self.jobs.make(self.post_message, "pictures", work)

    @on(PicturesRead)
    def _pictures_read(self, event: PicturesRead) -> None:
        viewer = self.screen
        if not isinstance(viewer, PartViewer) or viewer.part.id != event.part.id:
            return
        for place, one in enumerate(event.pictures):
            name = one.file.name if place == 0 else f"{place + 1}: {one.file.name}"
            viewer.add_side(name, one, show=place == 0 and has_bytes(event.part))
        if event.said:
            viewer.say(event.said, bad=True)

    @on(SpilledRead)
    def _spilled_read(self, event: SpilledRead) -> None:
        viewer = self.screen
        if isinstance(viewer, PartViewer) and viewer.part.id == event.part:
            if event.text:
                viewer.add_side("whole output", event.text)
            viewer.say(event.said, bad=not event.text)

    @on(PageRead)
    def _page_read(self, event: PageRead) -> None:
        def lines(width: int) -> list[Content]:
            return page_lines(clean(event.text(width)))

        self.page(event.title, lines, event.title.lower())

    @on(Reader.Said)
    def _said(self, event: Reader.Said) -> None:
        self.tell(event.text, bad=event.bad)

    def action_about(self) -> None:
        """Times, model, tokens and costs of the part that one is on, and of its message."""
        view = self.transcript
        message, part = view.current_message, view.current_part
        window = view.window
        if message is None or window is None:
            return
        parts = [p for one in window.messages if one.message.id == message.id for p in one.parts]
        steps = [p.content for p in parts if isinstance(p.content, StepFinish)]
        self.page("About this part", about_lines(part, message, steps), "what is known of it")

    @on(Transcript.ShowRaw)
    def _show_raw(self, event: Transcript.ShowRaw) -> None:
        door, part, ident = self.jobs.door, event.part, self.full_id(event.part)

        def work(number: int) -> Message:
            return RawRead("raw", number, part, readable(door.raw(ident)))

        self.jobs.make(self.post_message, "raw", work)

    @on(RawRead)
    def _raw_read(self, event: RawRead) -> None:
        viewer = self.screen
        if not isinstance(viewer, PartViewer):
            self.push_screen(PartViewer(event.part, extra=(STORED, event.text)))
        elif viewer.part.id == event.part.id:
            viewer.add_side(STORED, event.text)

    # Leftovers ----------------------------------------------------------------------------

    @on(Reviewed.Save)
    def _save_leftovers(self, event: Reviewed.Save) -> None:
        def write() -> str:
            path = copying.save(event.text, Path.cwd(), copying.text_name(event.name))
            return f"saved {path}"

        self.jobs.tell(self.post_message, "save", write)

    @on(Reviewed.Copy)
    def _copy_leftovers(self, event: Reviewed.Copy) -> None:
        self.copy_out(event.text, "what was undone")
