"""The words of the program as frozen types: sessions, messages, parts and what parts hold.

A part is where and when (`Part`) around what (`Content`, a union with one class per part type).
Types that we do not know become `Unknown` and keep their fields; nothing is dropped.
All times are milliseconds since 1970 UTC; ids are the producer's own ("native") ids.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Kind = Literal[
    "user_text",
    "assistant_text",
    "reasoning",
    "tool_input",
    "tool_output",
    "tool_error",
    "title",
    "file",
    "patch",
    "todo",
    "subtask",
    "compaction",
    "error",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

Fate = Literal["live", "reverted", "replaced", "removed", "deleted"]
FATES: tuple[Fate, ...] = get_args(Fate)

Evidence = Literal["source", "event_log", "history_fts", "storage_files", "kept"]
EVIDENCES: tuple[Evidence, ...] = get_args(Evidence)

Cause = Literal[
    "revert_pending",
    "revert_committed",
    "message_deleted",
    "part_deleted",
    "session_deleted",
    "edited",
    "unknown",
]
CAUSES: tuple[Cause, ...] = get_args(Cause)

Status = Literal["pending", "running", "completed", "error"]
STATUSES: tuple[Status, ...] = get_args(Status)

Flag = Literal[
    "synthetic",
    "ignored",
    "archived",
    "compacted",
    "interrupted",
    "subagent",
    "fork",
    "imported",
    "shadowed",
    "edited",
    "truncated",
]
FLAGS: tuple[Flag, ...] = get_args(Flag)

Producer = Literal["opencode", "mimocode", "dsh"]
PRODUCERS: tuple[Producer, ...] = get_args(Producer)

Relation = Literal["origin", "fork", "sibling"]

Json = Any
"""A value decoded from JSON: dict, list, str, int, float, bool or None."""


# What a part holds ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Text:
    """Something said, by the person or by the agent."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Reasoning:
    """What the model thought aloud."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that a tool handed back; its bytes stay in the source."""

    mime: str = ""
    filename: str = ""
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Tool:
    """One call of a tool and what came of it.

    `output` is None until the call completed, `error` until it failed. `started` and `ended` are
    ms. `exit` is a command's exit code. `diff` is a unified diff where the tool changed a file.
    `meta` holds what else the producer noted, copies of input and output left out.
    """

    name: str = ""
    call: str = ""
    status: str = ""
    title: str = ""
    input: Json = None
    output: str | None = None
    error: str | None = None
    started: int | None = None
    ended: int | None = None
    exit: int | None = None
    diff: str = ""
    spilled: str = ""
    attachments: tuple[Attachment, ...] = ()
    meta: dict[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class File:
    """A file or image that the person attached. `url` is empty where it held the bytes inline."""

    mime: str = ""
    filename: str = ""
    url: str = ""
    path: str = ""
    text: str = ""
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Patch:
    """The files that one step changed (absolute paths), and the snapshot's hash."""

    hash: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepStart:
    """A model call begins."""

    snapshot: str = ""


@dataclass(frozen=True, slots=True)
class StepFinish:
    """A model call ended: why, what it cost (US dollars) and its tokens by kind."""

    reason: str = ""
    cost: float = 0.0
    tokens: dict[str, Json] = field(default_factory=dict)
    snapshot: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of the work tree, by hash."""

    snapshot: str = ""


@dataclass(frozen=True, slots=True)
class Compaction:
    """Here the agent replaced what was before by a summary (`text` where the part carries it)."""

    auto: bool = False
    overflow: bool = False
    text: str = ""


@dataclass(frozen=True, slots=True)
class Subtask:
    """A command that was handed to a sub-agent."""

    prompt: str = ""
    description: str = ""
    agent: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Agent:
    """The person named an agent in the prompt."""

    name: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Retry:
    """A model call that failed and was tried again."""

    attempt: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """MiMo Code's note that it saved the state of a conversation."""

    directory: str = ""
    number: int = 0
    covered: str = ""


@dataclass(frozen=True, slots=True)
class Todos:
    """The list of things to do as it stood then: (status, what), in order."""

    items: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Unknown:
    """A part of a type that we do not know, with its fields as they are."""

    type: str = ""
    fields: dict[str, Json] = field(default_factory=dict)


Content = (
    Text
    | Reasoning
    | Tool
    | File
    | Patch
    | StepStart
    | StepFinish
    | Snapshot
    | Compaction
    | Subtask
    | Agent
    | Retry
    | Checkpoint
    | Todos
    | Unknown
)

TYPE_NAMES: dict[type, str] = {
    Text: "text",
    Reasoning: "reasoning",
    Tool: "tool",
    File: "file",
    Patch: "patch",
    StepStart: "step-start",
    StepFinish: "step-finish",
    Snapshot: "snapshot",
    Compaction: "compaction",
    Subtask: "subtask",
    Agent: "agent",
    Retry: "retry",
    Checkpoint: "checkpoint",
    Todos: "todo",
}


def type_name(content: Content) -> str:
    """The producer's name of the content's type, as in the stored JSON."""
    return content.type if isinstance(content, Unknown) else TYPE_NAMES[type(content)]


# Where and when ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Part:
    """One block of a message. `size` is the stored row's length in bytes.

    `version` is 0, or from 1 (the oldest) on for a text that it had earlier. `removed_at` (ms) is
    when it went, as far as its store tells, `noticed_at` when we saw that first.
    """

    id: str
    message: str
    session: str
    time: int
    updated: int
    content: Content
    flags: tuple[Flag, ...] = ()
    fate: Fate = "live"
    cause: Cause | None = None
    evidence: Evidence = "source"
    size: int = 0
    version: int = 0
    removed_at: int | None = None
    noticed_at: int | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a speaker, its parts apart. `slice`: the agent slice, `main` by default."""

    id: str
    session: str
    role: str
    time: int
    updated: int = 0
    completed: int | None = None
    agent: str = ""
    slice: str = "main"
    model: str = ""
    parent: str = ""
    error: str = ""
    cost: float = 0.0
    tokens: dict[str, Json] = field(default_factory=dict)
    flags: tuple[Flag, ...] = ()
    fate: Fate = "live"


@dataclass(frozen=True, slots=True)
class Revert:
    """A pending revert: everything from this message (and part) on is hidden by the agent.

    `after`: the message itself stays in sight, only what follows it is hidden.
    """

    message: str
    part: str = ""
    diff: str = ""
    after: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation. `project` is a short name to show, `directory` its folder."""

    source: str
    id: str
    title: str
    directory: str
    project: str
    parent: str = ""
    created: int = 0
    updated: int = 0
    messages: int = 0
    parts: int = 0
    version: str = ""
    fate: Fate = "live"
    flags: tuple[Flag, ...] = ()
    revert: Revert | None = None
    unfinished: bool = False
    faults: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """What could not be read, and why; it stands beside what could."""

    code: str
    about: str
    message: str


# Answers -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WindowMessage:
    """A message with its parts, as a window shows it."""

    message: Message
    parts: tuple[Part, ...]
    matched: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """A run of neighbouring messages of one session.

    `first` is the place of the first message in the session (0-based), `total` how many there are.
    `anchor` is the native id of the message asked for ("" when none was), `part` that of the part.
    """

    session: Session
    messages: tuple[WindowMessage, ...]
    first: int
    total: int
    anchor: str = ""
    part: str = ""
    faults: tuple[Fault, ...] = ()

    @property
    def more_before(self) -> bool:
        """Whether the session has earlier messages than this window."""
        return self.first > 0

    @property
    def more_after(self) -> bool:
        """Whether the session has later messages than this window."""
        return self.first + len(self.messages) < self.total


@dataclass(frozen=True, slots=True)
class Place:
    """Another place where the text of a hit stands."""

    source: str
    session: str
    message: str | None
    part: str | None


@dataclass(frozen=True, slots=True)
class Hit:
    """One document that answers a query. `part` and `message` are None for a title.

    `snippet` is one line of at most 240 code points, `spans` the matched [start, end) in it.
    `terms` are the texts that matched, to be marked where the part is shown whole.
    """

    source: str
    session: str
    session_title: str
    project: str
    directory: str
    message: str | None
    part: str | None
    kind: Kind
    time: int
    tool: str | None = None
    status: str | None = None
    role: str | None = None
    agent: str | None = None
    slice: str | None = None
    model: str | None = None
    fate: Fate = "live"
    evidence: Evidence = "source"
    version: int | None = None
    flags: tuple[Flag, ...] = ()
    copies: tuple[Place, ...] = ()
    snippet: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    score: float | None = None

    @property
    def id(self) -> str:
        """What `around` and `show` take: the part's id, else the message's, else the session's."""
        return f"{self.source}:{self.part or self.message or self.session}"


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what is known is indexed, in parts."""

    indexed: int = 0
    known: int = 0
    skipped: int = 0
    behind: int = 0

    @property
    def complete(self) -> bool:
        """Whether everything known is indexed or accounted for."""
        return self.behind == 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a search. `terms` are what to mark in a part that is shown whole.

    `approximate`: there were too many to order all of them by relevance.
    """

    query: dict[str, Json]
    hits: tuple[Hit, ...]
    total: int | None
    total_at_least: int
    more: bool
    cursor: str | None
    elapsed_ms: float
    coverage: Coverage
    faults: tuple[Fault, ...] = ()
    widened: str | None = None
    synthetic_left_out: int | None = None
    synthetic_shown: bool = False
    approximate: bool = False
    diagnosis: tuple[dict[str, Json], ...] = ()
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facets:
    """What the hits of a query are: values with counts by the key of the filter that picks them.

    `hits`: how many were counted. `exact`: these are all.
    """

    counts: dict[str, tuple[tuple[str, int], ...]]
    hits: int
    exact: bool


@dataclass(frozen=True, slots=True)
class SessionPage:
    """A page of the list of sessions, newest first."""

    sessions: tuple[Session, ...]
    more: bool
    cursor: str | None
    total: int = 0
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """A store that was found: how it is named and opened, and what it holds.

    `opened` says how: `immutable` (at rest), `wal` (with its write-ahead log), `files` (not a
    database), `unchanged` (not opened, nothing moved since the last complete comparison),
    `failed`, or `missing`.
    """

    name: str
    producer: Producer
    path: str
    opened: str = ""
    sessions: int = 0
    messages: int = 0
    parts: int = 0
    documents: int = 0
    leftovers: int = 0
    behind: int = 0
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Looked:
    """A place where stores were looked for, and whether one was there."""

    producer: Producer
    path: str
    found: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a backfill is, in parts over all its sources."""

    source: str
    done: int
    known: int
    documents: int
    finished: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What a backfill did and what is there now."""

    sources: tuple[SourceInfo, ...]
    elapsed_s: float
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """What following brought into the index.

    `sessions` are (source, session); with `everything` any of them may have changed. A `problem`
    says why the index is not up to date now; following goes on, and the next change without one
    says that it is over.
    """

    sessions: tuple[tuple[str, str], ...] = ()
    everything: bool = False
    problem: Fault | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """The state of our own index, for `doctor`."""

    path: str
    bytes: int
    version: int
    documents: int
    archived_parts: int
    archive_bytes: int
    coverage: Coverage
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """One part whole, or one message with all its parts; `session` is where it stands."""

    session: Session
    message: Message
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Child:
    """A session somewhere below another one, `depth` levels (a child has 1)."""

    session: Session
    depth: int


@dataclass(frozen=True, slots=True)
class Fork:
    """A session that shares its beginning with another one, neither being below the other.

    `relation` is what it is to the other: its origin, a fork of it, or a sibling where both are
    forks. `shared` is how many messages they begin with in common; None where the index does not
    know them yet and only the titles tell.
    """

    session: Session
    relation: Relation
    shared: int | None


@dataclass(frozen=True, slots=True)
class Lineage:
    """Where a session comes from and what came of it.

    `parents` are nearest first. `children` are in order of a tree read from top to bottom, those
    of one parent by the time they were made. `missing` is the id of a parent that is nowhere.
    """

    session: Session
    parents: tuple[Session, ...] = ()
    children: tuple[Child, ...] = ()
    forks: tuple[Fork, ...] = ()
    missing: str = ""

    @property
    def complete(self) -> bool:
        """Whether the way up ends at a session without a parent."""
        return not self.missing


@dataclass(frozen=True, slots=True)
class Count:
    """Numbers about one day, project, tool or model, or about all of them.

    `calls` are tool calls, `failed` those that ended in an error. `cost` is in US dollars,
    `tokens` by kind: input, output, reasoning, read and write (of a cache).
    """

    name: str = ""
    sessions: int = 0
    messages: int = 0
    prompts: int = 0
    parts: int = 0
    calls: int = 0
    failed: int = 0
    cost: float = 0.0
    tokens: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stats:
    """What was done when, where and with what.

    `days` are local dates, newest first; the rest has the largest number first. Messages that are
    a copy (in a fork or an import) count once; `copies` says how many were left out.
    """

    query: dict[str, Json]
    total: Count
    days: tuple[Count, ...] = ()
    projects: tuple[Count, ...] = ()
    tools: tuple[Count, ...] = ()
    models: tuple[Count, ...] = ()
    copies: int = 0
    coverage: Coverage = Coverage()
    faults: tuple[Fault, ...] = ()


# What is gone --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Leftover:
    """A part that is not live, or (`part` None) a message without any.

    It has what a hit has; `kind` is None where there is nothing to read. `text` is all it says.
    `removed_at` is None where the evidence has no time; `noticed_at` is when we first missed it.
    """

    source: str
    session: str
    session_title: str
    project: str
    directory: str
    message: str
    part: str | None
    type: str
    kind: Kind | None
    time: int
    fate: Fate
    evidence: Evidence
    cause: Cause
    tool: str | None = None
    status: str | None = None
    role: str | None = None
    agent: str | None = None
    slice: str | None = None
    model: str | None = None
    version: int | None = None
    removed_at: int | None = None
    noticed_at: int | None = None
    flags: tuple[Flag, ...] = ()
    snippet: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    text: str = ""

    @property
    def id(self) -> str:
        """What `around` and `show` take."""
        return f"{self.source}:{self.part or self.message}"


@dataclass(frozen=True, slots=True)
class LeftoverPage:
    """A page of leftovers, newest first; `total` is None where counting would be a guess."""

    leftovers: tuple[Leftover, ...]
    total: int | None
    more: bool
    cursor: str | None
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened to a session: a revert, a deletion, an edit.

    `moment` (ms) is when, as well as it is known: `removed_at`, else when we noticed. `message` is
    the first one concerned, `prompt` what the person had said in it, "" where it was not one's.
    """

    session: Session
    cause: Cause
    fate: Fate
    evidence: tuple[str, ...]
    moment: int
    removed_at: int | None
    noticed_at: int | None
    messages: int
    parts: int
    files: tuple[str, ...]
    message: str
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class HappeningPage:
    """A page of what happened, the latest first."""

    happenings: tuple[Happening, ...]
    more: bool
    cursor: str | None
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What `forget` took out of index and archive; `index` is the file it was taken from."""

    sessions: int
    messages: int
    parts: int
    index: str


@dataclass(frozen=True, slots=True)
class Memory:
    """How far back leftovers of a source can be seen (ms; None: nothing tells).

    `kept` is since when our own archive has been up to date with it, `evidence` has what the store
    itself keeps of what is gone, and since when.
    """

    source: str
    kept: int | None
    evidence: dict[Evidence, int | None] = field(default_factory=dict)
