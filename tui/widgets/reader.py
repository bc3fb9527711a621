"""The reading pane with its ways: outline, finding here, places visited."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual import on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from store.door import Door
from store.model import Hit, Window
from tui import ways, words
from tui.messages import ChaptersRead, FoundHere
from tui.render.words import many, moment
from tui.spots import Trail
from tui.ways import Chapter
from tui.widgets.field import Field
from tui.widgets.follower import GROWTH
from tui.widgets.kin import KinPane
from tui.widgets.pane import BEGINNING, MORE
from tui.widgets.picker import Item, Picker
from tui.widgets.transcript import Transcript

__all__ = ["BEGINNING", "GROWTH", "MORE", "Reader"]
FOUND_LIMIT = 1000


class FindInput(Field):
    """The line to type what to find in this conversation."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back to reading", id="find.leave"),
    ]

    class Left(Message):
        """The person wants back to reading."""

    def action_leave(self) -> None:
        """Back to reading."""
        self.post_message(self.Left())


class Reader(KinPane):
    """Shows a window, and goes wherever the conversation leads."""

    DEFAULT_CSS = """
    Reader {
        & > #find-here { height: 1; border: none; padding: 0 1; background: $panel; display: none; }
        & > #find-here.-shown { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "find", "Find here", tooltip="Find in this conversation", id="context.find"),
        Binding("O", "outline", "Outline", tooltip="Outline: my prompts", id="context.outline"),
        Binding("n", "found(1)", "Next found here", id="context.next_match", show=False),
        Binding("N", "found(-1)", "Previous found here", id="context.previous_match", show=False),
    ]

    def __init__(self, **more: object) -> None:
        super().__init__(**more)
        self.trail = Trail()
        self._read_here = False
        self._sought = ""
        self._hits: list[Hit] = []

    def compose(self) -> ComposeResult:
        """As the pane, and a line to find with."""
        yield from super().compose()
        yield FindInput(id="find-here", placeholder="find in this conversation")

    # Places visited ------------------------------------------------------------------------

    def leaving(self) -> None:
        """Keeps the way back to what was read, not to what was only passed in a list."""
        super().leaving()
        spot = self.here()
        if self._read_here and spot is not None:
            self.trail.leave(spot)
        self._read_here = self.transcript.has_focus

    @on(Transcript.Moved)
    def _reading(self) -> None:
        self._read_here = self._read_here or self.transcript.has_focus

    def visit(self, by: int) -> None:
        """To the place visited before (-1) or after (1)."""
        spot = self.trail.step(self.here() if self._read_here else None, by)
        if spot is None:
            self.post_message(self.Said("no place visited " + ("after" if by > 0 else "before")))
            return
        self._read_here = False
        self.open_spot(spot)
        self._read_here = True
        self.forget_found()

    # Outline -------------------------------------------------------------------------------

    def action_outline(self) -> None:
        """The prompts of the session as chapters, to jump to."""
        if self.window is None or self.jobs is None:
            return
        jobs, session = self.jobs, self.window.session

        def work(number: int) -> Message:
            return ChaptersRead("chapters", number, tuple(ways.chapters(jobs.door, session)))

        jobs.make(self.post_message, "chapters", work)

    @on(ChaptersRead)
    def _chapters_read(self, event: ChaptersRead) -> None:
        event.stop()
        if self.jobs is None or not self.jobs.current("chapters", event.number):
            return
        if self.window is None or not event.chapters:
            self.post_message(self.Said("there is no prompt in this session"))
            return
        items = [_item(place, one) for place, one in enumerate(event.chapters, 1)]
        title = (
            f"Outline   {many(len(items), 'chapter')}   {words.session_title(self.window.session)}"
        )
        self.app.push_screen(Picker(title, items, self._chapter_here(event.chapters)), self._jump)

    def _chapter_here(self, chapters: tuple[Chapter, ...]) -> str:
        known = {one.ident for one in chapters}
        passed = self.transcript.blocks[: self.transcript.block + 1]
        seen = [block.id for block in passed if block.id in known]
        if seen:
            return seen[-1]
        message = self.transcript.current_message
        time = message.time if message else 0
        before = [one.ident for one in chapters if one.time <= time]
        return before[-1] if before else ""

    def _jump(self, ident: str | None) -> None:
        if not ident or self.window is None:
            return
        if self.transcript.jump(ident):
            return
        source = self.window.session.source
        self.open_found(f"{source}:{ident}", partial(_around, f"{source}:{ident}"), self.terms)

    # Finding here --------------------------------------------------------------------------

    @property
    def _line(self) -> FindInput:
        return self.query_one(FindInput)

    def action_find(self) -> None:
        """Opens the line to type what to find in this conversation."""
        if self.window is not None:
            self._line.add_class("-shown")
            self._line.value = self._sought
            self._line.focus()
            self._line.select_all()

    @on(FindInput.Left)
    def _close_line(self) -> None:
        self._line.remove_class("-shown")
        self.transcript.focus()

    @on(Input.Submitted, "#find-here")
    def _find(self, event: Input.Submitted) -> None:
        event.stop()
        self._close_line()
        self._sought = " ".join(event.value.split())
        self._hits = []
        self.terms = (self._sought,) if self._sought else ()
        self.transcript.mark(self.terms, seek=True)
        if self.window is None or self.jobs is None or not self._sought:
            return
        jobs, session = self.jobs, self.window.session
        quoted = self._sought.replace('"', " ")
        query = f'source:{session.source} session:{session.id} "{quoted}"'

        def work(number: int) -> Message:
            answer = jobs.door.search(query, limit=FOUND_LIMIT)
            hits = sorted(answer.hits, key=lambda hit: hit.time)
            return FoundHere("found", number, tuple(hits), answer.more)

        jobs.make(self.post_message, "found", work)

    @on(FoundHere)
    def _found_here(self, event: FoundHere) -> None:
        event.stop()
        if self.jobs is None or not self.jobs.current("found", event.number):
            return
        self._hits = list(event.hits)
        self.transcript.moved()

    def forget_found(self) -> None:
        """What was sought in one conversation is not sought in the next."""
        self._sought, self._hits = "", []

    def found_words(self) -> str:
        """How often what is sought stands in the session."""
        alone = f"slice {words.flat(self.slice)} only" if self.slice else ""
        if not self._sought:
            return alone
        here = self.transcript.layout_rows
        rows = len(here.matches) if here else 0
        elsewhere = f", {many(len(self._hits), 'part')} in all" if self._hits else ""
        return f"“{words.flat(self._sought)}” on {many(rows, 'row')} here{elsewhere}"

    def action_found(self, step: int) -> None:
        """To the next part of the session with what is sought, beyond what is loaded."""
        window = self.window
        if not self._sought or window is None or not window.messages:
            raise SkipAction
        loaded = {item.message.id for item in window.messages}
        edge = window.messages[-1 if step > 0 else 0].message.time
        ahead = [
            hit
            for hit in self._hits
            if hit.message not in loaded and (hit.time >= edge if step > 0 else hit.time <= edge)
        ]
        if not ahead:
            self.post_message(self.Said(f"no more “{words.flat(self._sought)}” this way"))
            return
        hit = ahead[0] if step > 0 else ahead[-1]
        self.open_found(hit.id, partial(_around, hit.id), self.terms)


def _item(place: int, one: Chapter) -> Item:
    text = f"{place:>3}  {one.sign + '  ' if one.sign else ''}{one.text}"
    failed = f"✗ {one.failed}  " if one.failed else ""
    when = moment(one.time)
    fate = words.FATE_SIGNS.get(one.fate, "")  # type: ignore[call-overload]
    return Item(one.ident, text, f"{failed}{fate}  {when:%d %b %H:%M}" if when else failed)


def _around(ident: str, door: Door, slice_id: str = "") -> Window:
    return door.around(ident, slice_id=slice_id)
