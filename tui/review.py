"""The review of leftovers: what happened at the left, one of it whole at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Static

from store.model import Session
from tui import undone, words
from tui.jobs import Jobs
from tui.keys import named_keys
from tui.messages import Counted, Done, HappeningsRead, JobFailed, UndoneRead
from tui.places import NARROW
from tui.reviewed import Reviewed
from tui.widgets.field import Field
from tui.widgets.happenings import HappeningList
from tui.widgets.page import Page
from tui.widgets.picker import Item, Picker
from tui.widgets.rowlist import RowList
from tui.widgets.statusline import StatusLine

PAGE = 200
MOST = 1000
"""Rows that are asked for at once, at most."""
NEAR_END = 15
PREVIEW_AFTER = 0.12
HINTS = (
    ("rows.open", "read"),
    ("review.other", "text"),
    ("review.narrow", "narrow"),
    ("review.copy", "copy"),
    ("review.save", "save"),
    ("session.export", "export"),
    ("review.prompt", "copy the prompt"),
    ("review.forget", "forget"),
)
LAST = (("review.back", "back"), ("help", "keys"))
FILTERS = "cause:revert_committed  evidence:event_log  project:  session:  since:7d"


class ReviewScreen(Reviewed):
    """Answers with what is to be read in its conversation, None when left."""

    DEFAULT_CSS = """
    ReviewScreen {
        & #review-title { height: 1; padding: 0 1; background: $panel; text-style: bold; }
        & Input { height: 1; border: none; padding: 0 1; background: $surface; }
        & Input:focus { border: none; }
        & #review-left { width: 40%; }
        & HappeningList { height: 1fr; }
        & Page { width: 1fr; height: 1fr; border-left: solid $panel; }
        &.-narrow {
            & #review-left { width: 1fr; }
            & Page { display: none; border-left: none; padding: 0 1; }
        }
        &.-narrow.-text {
            & #review-left { display: none; }
            & Page { display: block; }
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,h", "leave", "Back", id="review.back"),
        Binding("slash", "narrow", "Narrow by a query", id="review.narrow"),
        Binding("tab", "other", "List or text", id="review.other", show=False),
        Binding("y", "copy", "Copy all of it", id="review.copy"),
        Binding("w", "save", "Save all of it to a file", id="review.save", show=False),
        Binding("Y", "copy_prompt", "Copy the prompt", id="review.prompt", show=False),
        Binding("X", "forget", "Forget for good", id="review.forget", show=False),
    ]

    def __init__(self, jobs: Jobs, now: Callable[[], float]) -> None:
        super().__init__()
        self.jobs = jobs
        self._now = now
        self._query = ""
        self._cursor: str | None = None
        self._shown: undone.Undone | None = None

    def compose(self) -> ComposeResult:
        """A heading, a line to narrow with, the list, the text."""
        yield Static("Leftovers", id="review-title", markup=False)
        yield Field(placeholder=f"/ narrows: words, {FILTERS}")
        with Horizontal():
            with Vertical(id="review-left"):
                yield HappeningList(self._now)
            yield Page()
        yield StatusLine(id="review-keys")

    @property
    def list(self) -> HappeningList:
        """The list of what happened."""
        return self.query_one(HappeningList)

    def on_mount(self) -> None:
        """Asks for the first page."""
        self.query_one(StatusLine).show_keys(
            named_keys(self.app, HINTS), named_keys(self.app, LAST)
        )
        self.list.say("looking for what is left over…")
        self.list.focus()
        self._ask()

    @property
    def session(self) -> Session | None:
        """The session of what is under the cursor."""
        one = self.list.selected
        return one.session if one else None

    def again(self) -> None:
        """Looks anew, for what is left may have changed; the cursor stays where it is."""
        self._ask(again=True)

    def _ask(self, cursor: str | None = None, *, again: bool = False) -> None:
        query = self._query
        limit = min(MOST, max(PAGE, len(self.list.rows))) if again else PAGE

        def work(number: int) -> Message:
            page = self.jobs.door.happenings(query, limit=limit, cursor=cursor)
            return HappeningsRead("happenings", number, page, cursor is None, again)

        self.jobs.make(self.post_message, "happenings", work)

    @on(HappeningsRead)
    def _happened(self, event: HappeningsRead) -> None:
        if not self.jobs.current(event.topic, event.number):
            return
        rows = list(event.page.happenings)
        if not event.first:
            rows = [*self.list.rows, *rows]
        self._cursor = event.page.cursor
        nothing = "nothing passes this query" if self._query else "nothing is left over"
        self.list.say(nothing)
        self.list.set_rows(rows, keep=event.again or not event.first)
        if event.again:
            self._read_one()
        more = "+" if event.page.more else ""
        self.query_one("#review-title", Static).update(f"Leftovers  {len(rows)}{more}")
        if not rows:
            self.query_one(Page).set_lines([])

    @on(JobFailed)
    def _failed(self, event: JobFailed) -> None:
        event.stop()
        self.notify(words.flat(event.text), severity="warning", markup=False)

    # Showing one -----------------------------------------------------------------------------

    @on(RowList.Highlighted)
    def _moved(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._read_one()

    def _read_one(self) -> None:
        one = self.list.selected
        if one is None:
            return
        if self._cursor and self.list.cursor >= len(self.list.rows) - NEAR_END:
            cursor, self._cursor = self._cursor, None
            self._ask(cursor)
        door = self.jobs.door

        def work(number: int) -> Message:
            return UndoneRead("undone", number, undone.read(door, one))

        self.jobs.make(self.post_message, "undone", work)

    @on(UndoneRead)
    def _read(self, event: UndoneRead) -> None:
        if not self.jobs.current(event.topic, event.number):
            return
        before, self._shown = self._shown, event.undone
        self._say()
        key = self.list.key_of
        if before is None or key(before.happening) != key(event.undone.happening):
            self.query_one(Page).scroll_home(animate=False)

    def _say(self) -> None:
        if self._shown is not None:
            page = self.query_one(Page)
            width = max(20, page.scrollable_content_region.width)
            page.set_lines(undone.lines(self._shown, width))

    def on_resize(self, event: events.Resize) -> None:
        """Lays the columns out anew; where it is narrow, list and text take turns."""
        self.set_class(event.size.width < NARROW, "-narrow")
        self.call_after_refresh(self._say)

    # Acting ----------------------------------------------------------------------------------

    @on(RowList.Opened)
    def _opened(self, event: RowList.Opened) -> None:
        event.stop()
        one = self.list.selected
        if one is not None:
            self.dismiss(one)

    @on(Input.Submitted)
    def _narrowed(self, event: Input.Submitted) -> None:
        event.stop()
        self._query = event.value
        self.list.focus()
        self._ask()

    def action_narrow(self) -> None:
        """To the line that narrows."""
        self.query_one(Input).focus()

    def action_other(self) -> None:
        """From the list to the text and back."""
        text = self.list.has_focus
        self.set_class(text, "-text")
        (self.query_one(Page) if text else self.list).focus()

    def action_leave(self) -> None:
        """From the line or the text to the list, else away."""
        if self.list.has_focus:
            self.dismiss(None)
        else:
            self.remove_class("-text")
            self.list.focus()

    def action_copy(self) -> None:
        """Copies all that the happening took."""
        if self._shown is not None:
            self.post_message(self.Copy(undone.whole_text(self._shown)))

    def action_save(self) -> None:
        """Saves all that the happening took to a new file of the current folder."""
        if self._shown is not None:
            name = f"leftovers-{self._shown.happening.session.id[-8:]}"
            self.post_message(self.Save(undone.whole_text(self._shown), name))

    def action_copy_prompt(self) -> None:
        """Copies the prompt that was undone, the text that people want back."""
        if self._shown is not None and self._shown.happening.prompt:
            self.post_message(self.Copy(self._shown.happening.prompt))

    def action_forget(self) -> None:
        """Asks whether what this happening left is to be forgotten, and has it forgotten."""
        if self._shown is None or not self._shown.parts:
            return
        door, shown = self.jobs.door, self._shown
        idents = tuple({part.id: None for part in shown.parts})

        def work(number: int) -> Message:
            told = door.forget(idents, only_count=True)
            if shown.happening.fate == "replaced":  # what is meant is an earlier text
                told = replace(told, present=told.parts - told.copies)
            return Counted("count", number, idents, told)

        self.jobs.make(self.post_message, "count", work)

    @on(Counted)
    def _counted(self, event: Counted) -> None:
        if not self.jobs.current(event.topic, event.number):
            return
        items = [
            Item("", "Keep it"),
            Item("yes", f"Forget {words.forgotten(event.told)}", "for good, in our copy"),
        ]
        self.app.push_screen(Picker("Forget this?", items), partial(self._forget, event.idents))

    def _forget(self, idents: Sequence[str], answer: str | None) -> None:
        if answer != "yes":
            return
        door = self.jobs.door

        def work(number: int) -> Message:
            return Done("forget", number, f"forgot {words.forgotten(door.forget(idents))}")

        self.jobs.make(self.post_message, "forget", work)

    @on(Done)
    def _forgot(self, event: Done) -> None:
        event.stop()
        self.notify(words.flat(event.text), markup=False)
        self._shown = None
        self._ask()
