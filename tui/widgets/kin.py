"""The reading pane's ways to other sessions: parent, sub-agent, slice, relatives, other stores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message

from store.door import Door
from store.model import Session, Window
from tui import ways, words
from tui.messages import JobFailed, RelativesRead
from tui.relatives import Relative, relatives_of
from tui.render.words import many
from tui.ways import name_of
from tui.widgets.follower import FollowingPane
from tui.widgets.pane import BEGINNING
from tui.widgets.picker import Item, Picker


class KinPane(FollowingPane):
    """Goes from the session that is read to those it belongs with."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("A", "slice", "One slice or all", id="context.slice", show=False),
        Binding("circumflex_accent", "parent", "Parent session", id="context.parent", show=False),
        Binding("greater_than_sign", "child", "Into the sub-agent", id="context.child", show=False),
        Binding(
            "r",
            "relatives",
            "Relatives",
            tooltip="Parents, sub-agents, forks, other stores",
            id="context.relatives",
            show=False,
        ),
    ]

    class Said(Message):
        """Something to say in passing."""

        def __init__(self, text: str, *, bad: bool = False) -> None:
            super().__init__()
            self.text = text
            self.bad = bad

    def __init__(self, **more: object) -> None:
        super().__init__(**more)
        self._from: Window | None = None

    def forget_found(self) -> None:
        """Called before another session is shown: what was sought here is not sought there."""

    # Going and not getting there -----------------------------------------------------------

    def _go(self, ident: str, find: Callable[[Door], Window], *, slice_id: str = "") -> None:
        self.forget_found()
        before = self.window
        self.open_found(ident, find, slice_id=slice_id)
        self._from = before

    def leaving(self) -> None:
        """Forgets from where one went before."""
        super().leaving()
        self._from = None

    def shows_another(self) -> None:
        """One is there."""
        super().shows_another()
        self._from = None

    @on(JobFailed)
    def _not_there(self, event: JobFailed) -> None:
        """Stays where one is when the way leads nowhere, and says why."""
        if self.jobs is None or not self.jobs.current(event.topic, event.number):
            return
        if event.topic == "window" and self._from is not None:
            event.prevent_default()
            event.stop()
            self.ident, self._from = "", None
        elif event.topic in ("window", "again"):
            return
        self.post_message(self.Said(event.text, bad=True))

    # The ways ------------------------------------------------------------------------------

    def action_parent(self) -> None:
        """To where this session was begun: the call in its parent."""
        session = self.window.session if self.window else None
        if session is None or not session.parent:
            self.post_message(self.Said("this session has no parent"))
            return
        self._go(f"^{name_of(session)}", partial(_parent, session))

    def action_slice(self) -> None:
        """Shows the slice of the current message alone, or all slices again."""
        message, window = self.transcript.current_message, self.window
        if message is None or window is None:
            return
        wanted = "" if self.slice else message.slice
        part = self.transcript.current_part
        ident = f"{window.session.source}:{part.id if part else message.id}"
        find = partial(_around, ident, slice_id=wanted)
        self.open_found(f"{ident} {wanted}", find, self.terms, slice_id=wanted)

    def action_child(self) -> None:
        """Into the session of the sub-agent that the current part called."""
        part, window = self.transcript.current_part, self.window
        session, actor = ways.sub_session(part) if part else ("", "")
        if part is None or window is None or not session:
            self.post_message(self.Said("this part called no sub-agent whose session is known"))
            return
        if session == window.session.id:
            name = name_of(window.session)
            self._go(f">{name} {actor}", partial(_slice, name, actor), slice_id=actor)
            return
        source = window.session.source
        self._go(f">{source}:{session}", partial(_child, source, session))

    def action_relatives(self) -> None:
        """All sessions that belong with this one, and the other stores that have it, to choose."""
        if self.window is None or self.jobs is None:
            return
        jobs, session = self.jobs, self.window.session

        def work(number: int) -> Message:
            return RelativesRead("relatives", number, relatives_of(jobs.door, session))

        jobs.make(self.post_message, "relatives", work)

    @on(RelativesRead)
    def _relatives_read(self, event: RelativesRead) -> None:
        event.stop()
        if self.jobs is None or not self.jobs.current("relatives", event.number):
            return
        told = event.relatives
        lost = f"its parent {words.flat(told.missing)} is in no store" if told.missing else ""
        if self.window is None or not told.found:
            self.post_message(self.Said(lost or "this session has no relatives"))
            return
        title = f"Relatives   {words.session_title(self.window.session)}"
        items = [_item(one) for one in told.found]
        counted = f"   {many(len(items), 'place')}" + (f"   {lost}" if lost else "")
        self.app.push_screen(Picker(title + counted, items), self._to_relative)

    def _to_relative(self, ident: str | None) -> None:
        if ident:
            self._go(ident, partial(_beginning, ident))


def _item(one: Relative) -> Item:
    return Item(one.ident, one.title, f"{one.bond} · {one.about}")


def _around(ident: str, door: Door, slice_id: str = "") -> Window:
    return door.around(ident, slice_id=slice_id)


def _parent(session: Session, door: Door) -> Window:
    return ways.parent_window(door, session)


def _child(source: str, session: str, door: Door) -> Window:
    return ways.child_window(door, source, session)


def _slice(session: str, actor: str, door: Door) -> Window:
    return door.page(session, 0, BEGINNING, slice_id=actor)


def _beginning(session: str, door: Door) -> Window:
    return door.page(session, 0, BEGINNING)
