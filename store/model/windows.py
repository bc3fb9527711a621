"""What is read of a session: a run of its messages, or one of them."""

from __future__ import annotations

from dataclasses import dataclass

from store.model.conversation import Message, Part, Session
from store.model.faults import Fault


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
class Glance:
    """A session from afar: the beginnings of its first prompt and of its last answer."""

    prompt: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """One part whole, or one message with all its parts; `session` is where it stands."""

    session: Session
    message: Message
    parts: tuple[Part, ...]
