"""A door of plain lists, and the stories it tells."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any, Self

from store.door import Sort
from store.errors import StoreError
from store.model import (
    Answer,
    Attachment,
    Change,
    Child,
    Count,
    Coverage,
    Facets,
    Fault,
    Fork,
    Glance,
    Health,
    Hit,
    Json,
    Lineage,
    Looked,
    Message,
    Part,
    Place,
    Progress,
    Reasoning,
    Report,
    Revert,
    Session,
    SessionPage,
    Shown,
    SourceInfo,
    Stats,
    Text,
    Tool,
    Window,
    WindowMessage,
)
from store.rules import Rules
from tests.tui.nothing_left import NothingLeft

NOON = 1_788_264_000_123
"""2026-09-01 12:00:00.123 UTC in ms."""

OUTPUT = "collected 31 items\r\n\x1b[31mconnection refused\x1b[0m\ttwo\udc80\n"

SESSION = Session(
    source="opencode",
    id="ses_pool",
    title="Fix pool timeout",
    directory="/src/api",
    project="api",
    created=NOON,
    updated=NOON + 60_000,
    messages=2,
    parts=3,
    flags=("archived",),
    revert=Revert("msg_two"),
)
ASKED = Message("msg_one", "ses_pool", "user", NOON)
ANSWERED = Message("msg_two", "ses_pool", "assistant", NOON + 1, agent="build", model="gpt-5.2")
SAID = Part("prt_said", "msg_one", "ses_pool", NOON, NOON, Text("The pool times out."))
THOUGHT = Part("prt_thought", "msg_two", "ses_pool", NOON, NOON, Reasoning("At the start?"))
BASH = Part(
    "prt_bash",
    "msg_two",
    "ses_pool",
    NOON + 2,
    NOON + 2,
    Tool(
        name="bash",
        call="call_1",
        status="completed",
        title="Run the tests",
        input={"command": "pytest -x"},
        output=OUTPUT,
        started=NOON,
        ended=NOON + 8_400,
        exit=1,
        attachments=(Attachment("image/png", "plot.png", 77),),
    ),
)
HIT = Hit(
    source="opencode",
    session="ses_pool",
    session_title="Fix pool timeout",
    project="api",
    directory="/src/api",
    message="msg_two",
    part="prt_bash",
    kind="tool_output",
    time=NOON,
    tool="bash",
    status="completed",
    role="assistant",
    agent="build",
    slice="main",
    model="gpt-5.2",
    fate="reverted",
    copies=(Place("opencode-2", "ses_copy", "msg_copy", "prt_copy"),),
    snippet="at \x1b[5mconnection refused\x07 by 10.0.0.7",
    spans=((7, 25),),
)
SOURCE = SourceInfo("opencode", "opencode", "/data/opencode.db", "immutable", 1, 2, 3, 5, 1)
BAD = SourceInfo(
    "opencode-2",
    "opencode",
    "/data/torn.db",
    "failed",
    faults=(Fault("SOURCE_UNREADABLE", "/data/torn.db", "/data/torn.db is not a database"),),
)
COMPLETE = Coverage(indexed=3, known=3)
CHILD = replace(SESSION, id="ses_child", title="Look it up", flags=("subagent",), revert=None)
TWIN = replace(SESSION, id="ses_twin", title="Fix pool timeout (fork #1)", revert=None)
LINEAGE = Lineage(
    SESSION,
    children=(Child(CHILD, 1), Child(replace(CHILD, id="ses_deep"), 2)),
    forks=(Fork(TWIN, "fork", 2),),
    missing="ses_gone",
)
COUNTED = Stats(
    query={"text": ""},
    total=Count("", 2, 1200, 7, 3000, 40, 4, 1.25, {"input": 12_345, "read": 800}),
    days=(Count("2026-09-02", 1, 1100, 5, 2900, 32, 4), Count("2026-09-01", 1, 100, 2, 100, 8)),
    projects=(Count("api", 2, 1200, 7, 3000, 40, 4, 1.25),),
    tools=(Count("bash", 2, parts=32, calls=32, failed=4), Count("read", 1, parts=8, calls=8)),
    models=(Count("gpt-5.2", 2, 1193, cost=1.25, tokens={"input": 12_345, "read": 800}),),
    copies=3,
    coverage=COMPLETE,
)


@dataclass
class Fake(NothingLeft):
    """A library whose answers are its attributes; `calls` keeps what was asked."""

    found: tuple[SourceInfo, ...] = (SOURCE,)
    hits: tuple[Hit, ...] = (HIT,)
    listed: tuple[Session, ...] = (SESSION,)
    covered: Coverage = COMPLETE
    documents_of: dict[str, int] = field(default_factory=dict)
    diagnosis: tuple[dict[str, Any], ...] = ()
    refresh_error: StoreError | None = None
    search_error: BaseException | None = None
    syncing: Callable[[Event], None] = lambda _: None
    progress: tuple[Progress, ...] = ()
    calls: list[tuple[str, Any]] = field(default_factory=list)
    closed: bool = False
    stored: str = '{"type":"tool","state":{}}'
    parts: tuple[Part, ...] = (BASH,)
    told: tuple[WindowMessage, ...] = (
        WindowMessage(ASKED, (SAID,)),
        WindowMessage(ANSWERED, (THOUGHT, BASH)),
    )
    unread: tuple[Fault, ...] = ()
    lineage: Lineage = LINEAGE
    counted: Stats = COUNTED

    def opened(self, *, sources: list[Path], index: Path, rules: Rules | None = None) -> Self:
        self.calls.append(("open", (sources, index)))
        return self

    def places(self) -> tuple[Looked, ...]:
        return (Looked("opencode", "/home/me/.local/share/opencode", bool(self.found), "default"),)

    def sources(self) -> tuple[SourceInfo, ...]:
        return self.found

    def refresh(self) -> tuple[SourceInfo, ...]:
        self.calls.append(("refresh", None))
        if self.refresh_error:
            raise self.refresh_error
        return self.found

    def sync(
        self,
        stop: Event,
        progress: Callable[[Progress], None] | None = None,
        *,
        rebuild: bool = False,
    ) -> Report:
        self.calls.append(("sync", rebuild))
        self.syncing(stop)
        for step in self.progress if progress else ():
            assert progress is not None
            progress(step)
        return Report(self.found, 0.25, stopped=stop.is_set())

    def follow(self, stop: Event, told: Callable[[Change], object]) -> None:
        raise AssertionError("no command follows")

    def search(
        self, text: str, *, limit: int = 20, sort: Sort = "newest", cursor: str | None = None
    ) -> Answer:
        self.calls.append(("search", (text, limit, sort, cursor)))
        if self.search_error:
            raise self.search_error
        return Answer(
            query={"text": text},
            hits=self.hits,
            total=len(self.hits),
            total_at_least=len(self.hits),
            more=bool(self.hits),
            cursor="next" if self.hits else None,
            elapsed_ms=2.1,
            coverage=self.covered,
            diagnosis=self.diagnosis,
        )

    def scan(
        self,
        text: str,
        *,
        limit: int = 20,
        cursor: str | None = None,
        report: Callable[[tuple[Hit, ...], int, int], None] | None = None,
    ) -> Answer:
        self.calls.append(("scan", (text, limit, cursor)))
        return Answer({"text": text}, self.hits, 1, 1, False, None, 2.1, self.covered)

    def diagnose(self, text: str) -> tuple[dict[str, Any], ...]:
        return self.diagnosis

    def values(self, key: str) -> list[tuple[str, int]]:
        return []

    def facets(self, text: str) -> Facets:
        return Facets({}, 0, True)

    def interrupt(self) -> None:
        self.calls.append(("interrupt", None))

    def sessions(
        self, text: str = "", *, limit: int | None = 100, cursor: str | None = None
    ) -> SessionPage:
        self.calls.append(("sessions", (text, limit, cursor)))
        unread = sum(one.unread for one in self.listed)
        return SessionPage(self.listed, False, None, len(self.listed), unread=unread)

    def some_sessions(self, sessions: Collection[str]) -> tuple[Session, ...]:
        return tuple(one for one in self.listed if one.id in sessions)

    def around(self, ident: str, *, before: int = 5, after: int = 5, slice_id: str = "") -> Window:
        self.calls.append(("around", (ident, before, after, slice_id)))
        messages = (
            WindowMessage(ASKED, (SAID,)),
            WindowMessage(ANSWERED, (THOUGHT, BASH), matched=True),
        )
        return Window(SESSION, messages, 0, 5, "msg_two", "prt_bash")

    def page(self, session: str, first: int, count: int, *, slice_id: str = "") -> Window:
        self.calls.append(("page", (session, first, count, slice_id)))
        told = self.told[first : first + count]
        return Window(self.listed[0], told, first, len(self.told), faults=self.unread)

    def originals(self, window: Window) -> Mapping[str, Mapping[str, Json]]:
        return {}

    def glance(self, session: str) -> Glance:
        return Glance()

    def trace(self, session: str) -> Lineage:
        self.calls.append(("trace", session))
        return self.lineage

    def stats(self, text: str = "") -> Stats:
        self.calls.append(("stats", text))
        return self.counted

    def show(self, ident: str) -> Shown:
        self.calls.append(("show", ident))
        return Shown(SESSION, ANSWERED, self.parts)

    def raw(self, ident: str) -> str:
        self.calls.append(("raw", ident))
        return self.stored

    def coverage(self) -> Coverage:
        return self.covered

    def health(self) -> Health:
        counts = self.documents_of
        return Health("/data/index.db", 4096, 1, 5, 3, 100, self.covered, documents_of=counts)

    def close(self) -> None:
        self.closed = True


def tool(**changes: Any) -> Part:
    """The bash part with other contents of the tool."""
    assert isinstance(BASH.content, Tool)
    return replace(BASH, content=replace(BASH.content, **changes))
