"""A library of plain lists for tests of the screen; any call can be held back or made to fail."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from threading import Event

from store.door import Sort
from store.errors import StoreError
from store.model import (
    Answer,
    Change,
    Count,
    Coverage,
    Facets,
    Glance,
    Health,
    Hit,
    Json,
    Lineage,
    Looked,
    Message,
    Part,
    Progress,
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
from tests.tui.nothing_left import NothingLeft

NOW = datetime(2026, 11, 28, 14, 14, 0, tzinfo=UTC).timestamp()
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


def ago(ms: int) -> int:
    """A time before the fixed now, in ms."""
    return int(NOW * 1000) - ms


def session(ident: str, title: str, past: int, **more: object) -> Session:
    """A session of the project api that was active `past` ms ago."""
    made = Session("opencode", ident, title, "/home/ada/src/api", "api", updated=ago(past))
    return replace(made, **more)  # type: ignore[arg-type]


SESSIONS = (
    session("ses_pool", "Fix pool timeout under load", 12 * MINUTE, messages=44, unfinished=True),
    session("ses_explore", "explore: who opens connections", 13 * MINUTE, messages=3,
            parent="ses_pool"),
    session("ses_rename", "Rename tables in billing", 2 * HOUR, messages=18,
            revert=Revert("msg_9")),
    session("ses_han", "数据库连接池超时", 5 * HOUR, messages=9),
    session("ses_ci", "Migrate CI to the new runner", 30 * HOUR, messages=1121, project="web",
            directory="/home/ada/src/web"),
    session("ses_none", "", 31 * HOUR, messages=4, faults=2, project="web",
            directory="/home/ada/src/web"),
    session("ses_retry", "Explain the retry backoff", 12 * DAY, messages=6, project="notes",
            directory="/home/ada/notes", flags=("archived",)),
    session("ses_old", "First steps", 400 * DAY, messages=12, project="notes",
            directory="/home/ada/notes"),
)  # fmt: skip

OUTPUT = "\n".join(
    ["============ test session starts ============"]
    + [f"tests/pool/test_start.py::test_start[{n}] PASSED" for n in range(12)]
    + [
        "tests/pool/test_start.py:31: OperationalError",
        "could not connect: connection refused at 10.0.0.7:5432",
    ]
    + [f"retry {n} of 9 in {n * 100} ms" for n in range(1, 10)]
    + ["1 failed, 12 passed in 8.41s"]
)


def part(ident: str, message: str, content: object, session_id: str = "ses_pool") -> Part:
    """A part of a message."""
    return Part(ident, message, session_id, ago(12 * MINUTE), 0, content)  # type: ignore[arg-type]


def turn(number: int, session_id: str = "ses_pool") -> WindowMessage:
    """The message at a place: prompts at the even ones, answers with a tool at the odd ones."""
    ident = f"msg_{session_id}_{number}"
    time = ago(12 * MINUTE) + number * 3000
    if number % 2 == 0:
        message = Message(ident, session_id, "user", time)
        said = "The pool times out when forty workers start together. Find out why."
        parts = [part(f"prt_{session_id}_{number}_a", ident, Text(said), session_id)]
    else:
        message = Message(
            ident, session_id, "assistant", time, completed=time + 3200, agent="build",
            model="openai/gpt-5.2",
        )  # fmt: skip
        tool = Tool(
            "bash", f"call_{number}", "completed", "Run the pool tests",
            {"command": "pytest -x tests/pool"}, OUTPUT, started=time, ended=time + 8400, exit=1,
        )  # fmt: skip
        answer = Text("The pool is created before the number of workers is known.")
        parts = [
            part(f"prt_{session_id}_{number}_a", ident, tool, session_id),
            part(f"prt_{session_id}_{number}_b", ident, answer, session_id),
        ]
    return WindowMessage(message, tuple(parts))


def hit(number: int, **more: object) -> Hit:
    """A hit in the output of the tool in an odd message of the first session."""
    at = number * 2 + 1
    snippet = "could not connect: connection refused at 10.0.0.7:5432"
    made = Hit(
        "opencode", "ses_pool", "Fix pool timeout under load", "api", "/home/ada/src/api",
        f"msg_ses_pool_{at}", f"prt_ses_pool_{at}_a", "tool_output", ago(12 * MINUTE),
        tool="bash", status="completed", failed=True, snippet=snippet, spans=((19, 37),),
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def other_hit(number: int, **more: object) -> Hit:
    """A hit in another session."""
    snippet = "…the retry counts a connection refused as a timeout, which it is not"
    return hit(
        number, session="ses_ci", session_title="Migrate CI to the new runner", project="web",
        message=f"msg_ses_ci_{number * 2}", part=f"prt_ses_ci_{number * 2}_a",
        kind="user_text", tool=None, status=None, failed=False,
        time=ago(30 * HOUR), snippet=snippet, spans=((19, 37),), **more,
    )  # fmt: skip


SOURCE = SourceInfo(
    "opencode", "opencode", "/home/ada/.local/share/opencode/opencode.db", "immutable",
    sessions=8, messages=1217, parts=4980, documents=7011,
)  # fmt: skip
LOOKED = (
    Looked("opencode", "/home/ada/.local/share/opencode", False),
    Looked("mimocode", "/home/ada/.local/share/mimocode", False),
    Looked("dsh", "/home/ada/.dsh", False, "no sessions folder in it"),
)
WHOLE = Coverage(4980, 4980)


@dataclass
class Gate:
    """Holds calls back until it is opened, and tells when one arrived."""

    arrived: Event = field(default_factory=Event)
    opened: Event = field(default_factory=Event)

    def wait(self) -> None:
        """Waits for `opened`."""
        self.arrived.set()
        self.opened.wait(10)


class FakeLibrary(NothingLeft):
    """A Door over lists. `gates` and `errors` are by the name of the call, searches by text too."""

    def __init__(
        self,
        sessions: Sequence[Session] = SESSIONS,
        hits: Sequence[Hit] = (),
        sources: Sequence[SourceInfo] = (SOURCE,),
        looked: Sequence[Looked] = LOOKED,
    ) -> None:
        self.all_sessions = tuple(sessions)
        self.all_hits = tuple(hits)
        self.all_sources = tuple(sources)
        self.looked = tuple(looked)
        self.covered = WHOLE
        self.diagnosis: tuple[dict[str, Json], ...] = ()
        self.counted_facets = Facets({}, 0, True)
        self.all_values: dict[str, list[tuple[str, int]]] = {}
        self.progress: tuple[Progress, ...] = ()
        self.changes: tuple[Change, ...] = ()
        self.glances: dict[str, Glance] = {
            "ses_pool": Glance(
                "The pool times out when forty workers start together. Find out why.",
                "The pool is created before the number of workers is known.",
            )
        }
        self.page_size = 50
        self.gates: dict[str, Gate] = {}
        self.errors: dict[str, Exception] = {}
        self.asked: list[str] = []
        self.slices: list[str] = []
        self.answer_to: dict[str, list[Hit]] = {}
        self.interrupts = 0
        self.closed = False
        self.length = 44

    def hold(self, call: str) -> Gate:
        """Holds the calls of this name back from now on."""
        return self.gates.setdefault(call, Gate())

    def _enter(self, call: str, about: str = "") -> None:
        self.asked.append(f"{call} {about}".strip())
        for name in (call, f"{call} {about}"):
            if name in self.gates:
                self.gates[name].wait()
            if name in self.errors:
                raise self.errors[name]

    def places(self) -> tuple[Looked, ...]:
        return self.looked

    def sources(self) -> tuple[SourceInfo, ...]:
        self._enter("sources")
        return self.all_sources

    def refresh(self) -> tuple[SourceInfo, ...]:
        self._enter("refresh")
        return self.all_sources

    def sync(
        self,
        stop: Event,
        progress: Callable[[Progress], None] | None = None,
        *,
        rebuild: bool = False,
    ) -> Report:
        self.asked.append("sync")
        for one in self.progress:
            if progress is not None:
                progress(one)
        if "sync" in self.gates:
            gate = self.gates["sync"]
            gate.arrived.set()
            while not gate.opened.wait(0.01) and not stop.is_set():
                pass
        if "sync" in self.errors:
            raise self.errors["sync"]
        return Report(self.all_sources, 0.1, stop.is_set())

    def follow(self, stop: Event, told: Callable[[Change], object]) -> None:
        self.asked.append("follow")
        for change in self.changes:
            told(change)
        if "follow" in self.errors:
            raise self.errors["follow"]

    def search(
        self, text: str, *, limit: int = 20, sort: Sort = "newest", cursor: str | None = None
    ) -> Answer:
        before = self.interrupts
        self._enter("search", text)
        if "search" in self.gates and self.interrupts > before:
            raise StoreError("ABORTED", "the search was ended")
        first = int(cursor or 0)
        found = self.answer_to.get(text) or [
            one for one in self.all_hits if text.lower() in one.snippet.lower()
        ]
        page = found[first : first + self.page_size]
        more = first + len(page) < len(found)
        return Answer(
            {}, tuple(page), len(found), len(found), more,
            str(first + len(page)) if more else None, 2.1, self.covered, terms=(text,),
        )  # fmt: skip

    def scan(
        self,
        text: str,
        *,
        limit: int = 20,
        cursor: str | None = None,
        report: Callable[[tuple[Hit, ...], int, int], None] | None = None,
    ) -> Answer:
        self._enter("scan", text)
        found = tuple(one for one in self.all_hits if text.lower() in one.snippet.lower())
        if report is not None:
            report(found[:1], 1, 2)
        return Answer({}, found, len(found), len(found), False, None, 2.1, self.covered)

    def diagnose(self, text: str) -> tuple[dict[str, Json], ...]:
        self._enter("diagnose", text)
        return self.diagnosis

    def facets(self, text: str) -> Facets:
        self._enter("facets", text)
        return self.counted_facets

    def values(self, key: str) -> list[tuple[str, int]]:
        self._enter("values", key)
        return self.all_values.get(key, [])

    def interrupt(self) -> None:
        self.interrupts += 1
        for name, gate in self.gates.items():
            if name.startswith("search") and gate.arrived.is_set():
                gate.opened.set()

    def sessions(
        self, text: str = "", *, limit: int | None = 100, cursor: str | None = None
    ) -> SessionPage:
        self._enter("sessions", "all" if limit is None else "")
        page = self.all_sessions[:limit]
        more = len(page) < len(self.all_sessions)
        return SessionPage(page, more, None, len(self.all_sessions))

    def some_sessions(self, sessions: Collection[str]) -> tuple[Session, ...]:
        self._enter("some_sessions", " ".join(sorted(sessions)))
        return tuple(one for one in self.all_sessions if one.id in sessions)

    def around(self, ident: str, *, before: int = 5, after: int = 5, slice_id: str = "") -> Window:
        self._enter("around", ident)
        self.slices.append(slice_id)
        session_id, at = self._place(ident)
        first = max(0, at - before)
        window = self._window(session_id, first, at + after + 1 - first)
        turns = [replace(one, matched=first + n == at) for n, one in enumerate(window.messages)]
        part_id = ident.split(":")[-1] if "prt_" in ident else ""
        return replace(window, messages=tuple(turns), anchor=f"msg_{session_id}_{at}", part=part_id)

    def page(self, session: str, first: int, count: int, *, slice_id: str = "") -> Window:
        self._enter("page", f"{session} {first} {count}")
        return self._window(session.split(":")[-1], first, count)

    def originals(self, window: Window) -> Mapping[str, Mapping[str, Json]]:
        return {}

    def glance(self, session: str) -> Glance:
        self._enter("glance", session)
        return self.glances.get(session.split(":")[-1], Glance())

    def trace(self, session: str) -> Lineage:
        self._enter("trace", session)
        return Lineage(self._window(session.split(":")[-1], 0, 0).session)

    def stats(self, text: str = "") -> Stats:
        self._enter("stats", text)
        return Stats({}, Count(sessions=len(self.all_sessions)), coverage=self.covered)

    def _place(self, ident: str) -> tuple[str, int]:
        native = ident.split(":")[-1].removeprefix("prt_").removeprefix("msg_")
        words = native.split("_")
        return "_".join(words[:2]), int(words[2]) if len(words) > 2 else 0

    def _window(self, session_id: str, first: int, count: int) -> Window:
        of = next(one for one in self.all_sessions if one.id == session_id)
        total = self.length
        turns = tuple(turn(n, session_id) for n in range(first, min(total, first + count)))
        return Window(of, turns, first, total)

    def show(self, ident: str) -> Shown:
        session_id, at = self._place(ident)
        one = turn(at, session_id)
        return Shown(self._window(session_id, 0, 1).session, one.message, one.parts)

    def raw(self, ident: str) -> str:
        self._enter("raw", ident)
        return '{"type":"tool","tool":"bash"}'

    def coverage(self) -> Coverage:
        return self.covered

    def health(self) -> Health:
        return Health("", 0, 1, 0, 0, 0, self.covered)

    def close(self) -> None:
        self.closed = True
