"""The part of the application that speaks of whole sessions: export, resuming, statistics."""

from __future__ import annotations

from abc import abstractmethod
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
from tui.messages import PageRead, Resumable
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
    def known_sources(self) -> tuple[SourceInfo, ...]:
        """The stores that answer."""

    def action_export(self) -> None:
        """Asks for a form, then writes the session into a new file of the current folder."""
        session = self.current_session
        if session is None:
            self.tell("there is no session here to export")
            return
        items = [
            Item(f"{form}{more}", name + words, about)
            for more, words in (("", ""), ("+", " with leftovers"))
            for form, name, about in FORMS
        ]
        self.push_screen(
            Picker("Export the session as", items),
            lambda form: self._export(session, form) if form else None,
        )

    def _export(self, session: Session, form: str) -> None:
        door = self.jobs.door

        def write() -> str:
            path, size = _written(door, session, form.rstrip("+"), form.endswith("+"))
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

            return PageRead("statistics", number, "Statistics", stats(door.stats("")))

        self.jobs.make(self.post_message, "statistics", work)


def _written(door: Door, session: Session, form: str, leftovers: bool) -> tuple[Path, int]:
    from tui.export.conversation import Conversation
    from tui.export.files import FORMS as KNOWN
    from tui.export.files import safe_name, write
    from tui.export.session import pieces

    known = next(one for one in KNOWN if one == form)
    ident = f"{session.source}:{session.id}"
    conversation = Conversation(door, ident, leftovers=leftovers)
    wanted = Path.cwd() / safe_name(session, known)
    for tried in range(1, 1000):
        path = wanted if tried == 1 else wanted.with_stem(f"{wanted.stem}-{tried}")
        if not path.exists():
            return path, write(path, pieces(conversation, known))
    raise StoreError("OUTPUT_FAILED", f"there are too many files named {wanted.stem}", str(wanted))


def page_lines(text: str) -> list[Content]:
    """The lines of a page of plain text."""
    return [Content(line) for line in text.split("\n")]
