"""The words a demo conversation is written in; `play` turns them into rows and events.

In every string `«store»` stands for the store's folder, `«spill»` for the file of a cut output and
`«session:key»` for the id of the talk with that key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Data = dict[str, Any]
"""A JSON object, as stored in a `data` column."""


@dataclass(frozen=True, slots=True)
class Block:
    """One part. `ms` is how long it took, `spill` the whole text of an output that was cut."""

    data: Data
    ms: int = 700
    label: str = ""
    spill: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A message of the person, `after` seconds later. It commits a pending revert, if any."""

    blocks: tuple[Block, ...]
    after: int = 45
    label: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One model call: an assistant message. `files` are those it changed.

    `finish` is empty where the program was killed in the middle; then nothing closes the message.
    """

    blocks: tuple[Block, ...] = ()
    finish: str = "stop"
    files: tuple[str, ...] = ()
    error: Data | None = None
    label: str = ""
    agent: str = ""
    summary: bool = False
    framed: bool = True


@dataclass(frozen=True, slots=True)
class Revert:
    """Undo from the labelled message (and part) on; pending until the next `Ask`."""

    label: str
    part: str = ""
    diff: str = ""


@dataclass(frozen=True, slots=True)
class Drop:
    """Delete the labelled message or part."""

    label: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Replace the text of the labelled part, in place."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Archive:
    """Put the session away."""


Act = Ask | Step | Revert | Drop | Rewrite | Archive


@dataclass(frozen=True, slots=True)
class Project:
    """A git work tree, or with `vcs=False` the one project `global` of everything else."""

    key: str
    worktree: str
    vcs: bool = True


@dataclass(frozen=True, slots=True)
class Talk:
    """One session. `ago` is its age in minutes.

    `parent` is the talk that called it as a sub-agent, `fork` the talk it was forked from, up to
    (without) the message labelled `fork_until`.
    """

    key: str
    title: str
    project: str
    ago: int
    acts: tuple[Act, ...] = ()
    slug: str = "quiet-harbor"
    agent: str = "build"
    model: str = "sonnet-large"
    directory: str = ""
    parent: str = ""
    fork: str = ""
    fork_until: str = ""
