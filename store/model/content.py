"""What a part holds: a union with one class per part type.

Types that we do not know become `Unknown` and keep their fields; nothing is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from store.model.choices import Json


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

    @property
    def failed(self) -> bool:
        """Whether it came to nothing: by an error, by an exit code, or as there is no such tool.

        The last ends as a completed call of the tool `invalid` (opencode 1.2 to 1.18).
        """
        unknown = self.name == "invalid" and self.status == "completed"
        return self.status == "error" or bool(self.error) or bool(self.exit) or unknown


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
