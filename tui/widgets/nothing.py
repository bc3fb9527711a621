"""The whole screen where this machine has nothing to show: where it looked, and the way on."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tui.widgets.page import Page


class Nothing(Page):
    """Says where stores were looked for, and offers the demo."""

    DEFAULT_CSS = "Nothing { padding: 2 4; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,d", "demo", "Open the demo", id="nothing.demo"),
    ]

    class DemoWanted(Message):
        """The person wants to see the demo."""

    def action_demo(self) -> None:
        """Opens the demo."""
        self.post_message(self.DemoWanted())
