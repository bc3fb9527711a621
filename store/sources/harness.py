"""DeepSeek Harness (dsh): what is a store of its logs, and one such store as a source.

Of a home nothing is opened but its logs and the files that say where else they lie.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from store.errors import StoreError
from store.model import Fault, Flag, Part, Producer, Session
from store.source import Bodies, Found, Listing, NoTraces, Outline, Place, Ref, Wanted
from store.sources.harness_events import Event, Header
from store.sources.harness_folder import ROOT, FolderKeeper, pattern_of
from store.sources.harness_log import MAGIC, read_header
from store.sources.harness_logs import FileKeeper, Keeper, Log
from store.sources.harness_places import configured
from store.sources.harness_reading import Readings
from store.sources.harness_sqlite import TABLES, SqliteKeeper
from store.sources.harness_stream import running
from store.sources.harness_talk import Talk
from store.sources.harness_zip import ZipKeeper, has_logs

NAME: Producer = "dsh"
PATTERN = ROOT
DATABASE = "*.sqlite"
ZIP_MAGIC = b"PK\x03\x04"
SQLITE_MAGIC = b"SQLite format 3\x00"
SQLITE_ID = (68, bytes.fromhex("44534850"))
"""Where a database says whose it is (SQLite file format, section 1.3), and what dsh 0.1 says."""
MOST_SOUGHT = 256 * 1024 * 1024
"""Stored bytes of logs that are looked through for an id that nothing else knows."""
PART_BYTES = 700
"""About what a part takes in a log: how many there are is a guess until it was read."""


def stores(path: Path) -> list[Path]:
    """The stores of dsh at a path that a person named: a home, a folder of sessions, of a project
    or of one session, a folder with its database, or one file.

    The folders of sessions stand for their home.
    """
    if path.is_file():
        return [path] if _is_log_file(path) else []
    homes = [folder for folder in (path / "sessions", *configured(path)) if pattern_of(folder)]
    found = homes or ([path] if pattern_of(path) else [])
    return [*found, *(file for file in sorted(path.glob(DATABASE)) if _is_database(file))]


def _is_log_file(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(64)
    except OSError:
        return False
    if head.startswith(ZIP_MAGIC):
        return has_logs(path)
    if head.startswith(MAGIC):
        return ".jsonl" in path.name or read_header(path) is not None
    return head.startswith(b'{"type":"session"')


def _is_database(path: Path) -> bool:
    at, ours = SQLITE_ID
    try:
        with path.open("rb") as file:
            head = file.read(at + len(ours))
    except OSError:
        return False
    return head.startswith(SQLITE_MAGIC) and head.endswith(ours)


def recognises(tables: dict[str, set[str]]) -> bool:
    """Whether a database is the SQLite store of dsh."""
    return set(tables) >= TABLES


def open_store(path: Path) -> HarnessSource:
    """The source of a folder or file that `stores` named, or of a database."""
    return HarnessSource(path, _keeper(path))


def _keeper(path: Path) -> Keeper:
    if not path.is_file():
        return FolderKeeper(path)
    with path.open("rb") as file:
        head = file.read(len(SQLITE_MAGIC))
    if head == SQLITE_MAGIC:
        return SqliteKeeper(path)
    return ZipKeeper(path) if head.startswith(ZIP_MAGIC) else FileKeeper(path)


class HarnessSource(NoTraces):
    """One store of logs. Those that grow, and the one read last, stay in memory."""

    tells_stamps = False

    producer: Producer = NAME

    def __init__(self, path: Path, keeper: Keeper) -> None:
        self.path = path
        self._keeper = keeper
        self._logs: dict[str, Log] = {}
        self._readings = Readings(keeper)

    def state(self) -> str:
        """The present state of all logs, none of them opened. Raises SOURCE_NOT_FOUND."""
        return self._keeper.state()

    # The list of sessions --------------------------------------------------------------------

    def listing(self, name: str) -> Listing:
        """All sessions from their headers, those written to last first."""
        found = self._keeper.find()
        self._logs = {log.header.id: log for log in found.logs}
        sessions = [_session(name, log) for log in found.logs]
        return Listing(
            tuple(sorted(sessions, key=lambda session: (-session.updated, session.id))),
            found.state,
            found.opened,
            complete=found.complete,
            faults=found.faults,
            stamps={log.header.id: log.stamp for log in found.logs},
        )

    def _log(self, session: str) -> Log | None:
        if not self._logs:
            self._logs = {log.header.id: log for log in self._keeper.find().logs}
        return self._logs.get(session)

    def stamps(self, sessions: Sequence[str]) -> dict[str, str]:
        """The states of the logs' files."""
        logs = {session: self._log(session) for session in sessions}
        return {session: self._keeper.stamp(log) if log else "" for session, log in logs.items()}

    # Reading a log ---------------------------------------------------------------------------

    def _talk(self, session: str) -> Talk:
        """A log as messages and parts. Raises SESSION_NOT_FOUND, and what reading it raises."""
        log = self._log(session)
        stamp = self._keeper.stamp(log) if log else ""
        if log is None or not stamp:
            raise StoreError("SESSION_NOT_FOUND", f"the log of {session} is gone", session)
        here = not log.header.parent or log.header.parent in self._logs
        return self._readings.talk(log, stamp, parent_here=here)

    def outlines(self, sessions: Sequence[str]) -> Iterator[Outline]:
        """What stands in these sessions, one log read at a time."""
        for session in sessions:
            try:
                yield _outline(session, self._talk(session))
            except StoreError as error:
                fault = Fault("CORRUPT_SESSION", session, error.message)
                yield Outline(session, (), (), complete=False, faults=(fault,))

    def bodies(self, session: str, messages: Sequence[Ref], parts: Sequence[Ref]) -> Bodies:
        """Messages and parts by ref; the log was read for the outline just before."""
        talk = self._talk(session)
        heads = {ref.id for ref in messages}
        wanted = {ref.id for ref in parts}
        return Bodies(
            tuple(one for one in talk.messages if one.id in heads),
            tuple(one for one in talk.parts if one.id in wanted),
        )

    def bodies_of(self, wanted: Sequence[Wanted]) -> list[Bodies]:
        """The same for several sessions, one after the other."""
        return [self.bodies(*one) for one in wanted]

    def order(self, session: str) -> list[Place]:
        """All messages of a session in the log's order."""
        return [Place(0, one.time, one.id, one.slice) for one in self._talk(session).messages]

    def window(self, session: str, messages: Sequence[str]) -> Bodies:
        """These messages with all their parts, in the log's order."""
        talk = self._talk(session)
        wanted = set(messages)
        return Bodies(
            tuple(one for one in talk.messages if one.id in wanted),
            tuple(one for one in talk.parts if one.message in wanted),
            talk.faults,
        )

    # By id -----------------------------------------------------------------------------------

    def find(self, beginning: str, limit: int) -> list[Found]:
        """Sessions by their id, else rows of the newest logs that have such an id at all."""
        self._log("")
        sessions = [ident for ident in sorted(self._logs) if ident.startswith(beginning)]
        if sessions:
            return [Found("session", ident, "", ident) for ident in sessions[:limit]]
        found: list[Found] = []
        for log in self._holding(beginning):
            with suppress(StoreError):
                talk = self._talk(log.header.id)
                found += _found(talk, beginning, limit)
            if len(found) >= limit:
                break
        return found

    def _holding(self, beginning: str) -> Iterator[Log]:
        """The logs that may have an id with this beginning, the newest first."""
        native, _, _ = beginning.partition("#")
        sought = f'"{native}'.encode("utf-8", "surrogatepass")
        left = MOST_SOUGHT
        for log in sorted(self._logs.values(), key=lambda log: -log.written):
            named = native == log.header.id
            left -= 0 if named else log.size
            if named or (left >= 0 and self._keeper.holds(log, sought)):
                yield log

    def raw(self, found: Found) -> str | None:
        """The rows of the log behind a message or part, each on a line of its own."""
        log = self._log(found.session)
        seqs = self._talk(found.session).rows.get(found.id, ()) if log else ()
        if log is None or not seqs:
            return None
        wanted = set(seqs)
        lines = [
            event.line.decode("utf-8", "replace")
            for event in self._keeper.events(log)
            if isinstance(event, Event) and event.seq in wanted
        ]
        return "\n".join(lines) or None


def _session(name: str, log: Log) -> Session:
    header = log.header
    return Session(
        source=name,
        id=header.id,
        title="",
        directory=header.cwd,
        project=Path(header.cwd).name or header.cwd,
        parent=header.parent,
        created=header.created or log.written,
        updated=log.written,
        parts=1 + log.size // PART_BYTES,
        version=str(header.version),
        flags=_flags(header),
    )


def _flags(header: Header) -> tuple[Flag, ...]:
    """A child that is no sub-agent is a fork, and so is a sub-agent that began with a copy."""
    if header.origin != "subagent":
        return ("fork",) if header.parent else ()
    return ("subagent", "fork") if header.seeded else ("subagent",)


def _found(talk: Talk, beginning: str, limit: int) -> list[Found]:
    heads = [one for one in talk.messages if one.id.startswith(beginning)]
    parts = [one for one in talk.parts if one.id.startswith(beginning)]
    return [
        *(Found("message", one.id, one.id, one.session) for one in heads[:limit]),
        *(Found("part", one.id, one.message, one.session) for one in parts[:limit]),
    ]


def _outline(session: str, talk: Talk) -> Outline:
    times = {one.id: one.time for one in talk.messages}
    return Outline(
        session,
        tuple(
            Ref(one.id, session, one.time, one.time, one.updated, len(one.error), 0)
            for one in talk.messages
        ),
        tuple(_part_ref(one, times[one.message], talk.created[one.id]) for one in talk.parts),
        complete=talk.whole,
        final=not talk.whole,
        faults=talk.faults,
        title=talk.title,
        updated=talk.updated,
        passing=frozenset([running(session)]),
    )


def _part_ref(part: Part, said: int, created: int) -> Ref:
    return Ref(part.id, part.message, said, created, part.updated, part.size, 0)
