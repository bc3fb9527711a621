"""A line to type in, in which nothing moves by itself."""

from __future__ import annotations

from typing import Any

from textual.widgets import Input


class Field(Input):
    """An input whose cursor does not blink."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.set_reactive(Input.cursor_blink, False)
