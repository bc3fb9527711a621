"""The part of the application that speaks of whole sessions: export, resuming, statistics."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from store.door import Door
from store.errors import StoreError
from store.model import Session, SourceInfo
from tui.copier import CopyingApp
from tui.export.conversation import Conversation
from tui.export.portion import Portion
from tui.messages import PageRead, Resumable
from tui.render.words import many
from tui.resume import resuming
from tui.widgets.picker import Item, Picker

FORMS = (
    ("markdown", "Markdown", "to read"),
    ("text", "Plain text", "to read anywhere"),
    ("json", "JSON", "as opencode's own export"),
    ("trajectory", "Trajectory", "one JSON object a line"),
)


class SessionApp(CopyingApp):
    """Exports the session that one is on, gives the command that resumes it, counts everything."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "export", "Export", tooltip="Export the session", id="session.export",
                show=False),
        Binding("c", "resume", "Resume", tooltip="Copy the command that resumes the session",
                id="session.resume", show=False),
        Binding("S", "statistics", "Statistics", id="statistics", show=False),
    ]  # fmt: skip

    @property
    @abstractmethod
    def current_session(self) -> Session | None:
        """The session that is read, else the one under the cursor."""

    @property
    @abstractmethod
    def portions(self) -> list[tuple[str, str, Portion]]:
        """What of the current session can be exported alone: a name, how much it is, and it."""

    @property
    @abstractmethod
    def known_sources(self) -> tuple[SourceInfo, ...]:
        """The stores that answer."""

    def action_export(self) -> None:
        """Asks for how much and a form, then writes a new file in the current folder."""
        session = self.current_session
        if session is None:
            self.tell("there is no session here to export")
            return
        portions = self.portions
        if not portions:
            self._ask_form(session, None)
            return
        items = [Item("", "The whole session", many(session.messages, "message"))]
        items += [Item(name, name, about) for name, about, _ in portions]
        found = {name: portion for name, _, portion in portions}
        self.push_screen(
            Picker("Export", items),
            lambda name: None if name is None else self._ask_form(session, found.get(name)),
        )

    def _ask_form(self, session: Session, portion: Portion | None) -> None:
        items = [
            Item(f"{form}{more}", name + words, about)
            for more, words in (("", ""), ("+", " with leftovers"))
            for form, name, about in FORMS
        ]
        self.push_screen(
            Picker("Export as", items),
            lambda form: self._export(session, form, portion) if form else None,
        )

    def _export(self, session: Session, form: str, portion: Portion | None) -> None:
        door = self.jobs.door

        def write() -> str:
            path, size = _written(door, session, form, portion)
            return f"exported {path}, {size:,} bytes"

        self.tell("exporting…")
        self.jobs.tell(self.post_message, "export", write)

    def action_resume(self) -> None:
        """Copies the command line with which the agent goes on with the session."""
        session = self.current_session
        sources = {source.name: source for source in self.known_sources}
        if session is None or session.source not in sources:
            self.tell("there is no session here to resume")
            return
        door, one, source = self.jobs.door, session, sources[session.source]

        def work(number: int) -> Message:
            return Resumable("resume", number, *resuming(door, one, source))

        self.jobs.make(self.post_message, "resume", work)

    @on(Resumable)
    def _resumable(self, event: Resumable) -> None:
        said = "; ".join(event.warnings)
        if event.command:
            self.copy_out(event.command, event.command, f"  ({said})" if said else "")
        else:
            self.tell(said, bad=True)

    def action_statistics(self) -> None:
        """Counts per day, project, tool and model, of what the index holds."""
        door = self.jobs.door

        def work(number: int) -> Message:
            from tui.cli.counts import stats

            return PageRead("statistics", number, "Statistics", partial(stats, door.stats("")))

        self.jobs.make(self.post_message, "statistics", work)


def _written(
    door: Door, session: Session, wanted: str, portion: Portion | None
) -> tuple[Path, int]:
    """Writes one of the forms, with `+` behind it also what is no longer live."""
    from tui.export.files import FORMS as KNOWN
    from tui.export.files import safe_name, write
    from tui.export.session import pieces

    form = next(one for one in KNOWN if one == wanted.rstrip("+"))
    conversation = Conversation(
        door, f"{session.source}:{session.id}", leftovers=wanted.endswith("+"), portion=portion
    )
    first = Path.cwd() / safe_name(session, form)
    if portion is not None:
        first = first.with_stem(f"{first.stem}-excerpt")
    for tried in range(1, 1000):
        path = first if tried == 1 else first.with_stem(f"{first.stem}-{tried}")
        if not path.exists():
            return path, write(path, pieces(conversation, form))
    raise StoreError("OUTPUT_FAILED", f"there are too many files named {first.stem}", str(first))


def page_lines(text: str) -> list[Content]:
    """The lines of a page of plain text."""
    return [Content(line) for line in text.split("\n")]
