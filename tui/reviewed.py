"""What the rest of the screen knows of the review of leftovers before it is first opened."""

from __future__ import annotations

from abc import abstractmethod

from textual.message import Message
from textual.screen import Screen

from store.model import Happening, Session


class Reviewed(Screen[Happening]):
    """A screen over the main one that is about a session of its own."""

    class Copy(Message):
        """Text for the clipboard."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Save(Message):
        """Text for a new file; `name` is what it is to be called, not yet a harmless name."""

        def __init__(self, text: str, name: str) -> None:
            super().__init__()
            self.text = text
            self.name = name

    @property
    @abstractmethod
    def session(self) -> Session | None:
        """The session that it is about."""

    @abstractmethod
    def again(self) -> None:
        """Shows what changed in the stores."""
