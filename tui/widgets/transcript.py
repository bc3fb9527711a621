"""The reading pane: a window of messages as rows, read part by part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message as Event

from store.model import Part
from tui.render.blocks import code_blocks
from tui.render.excerpt import Fold
from tui.render.layout import Choice
from tui.render.part import can_fold, copied_together, usual_fold
from tui.render.row import Row
from tui.widgets.rowview import Gutter
from tui.widgets.windowview import Aim, Position, WindowView

PART_KEYS: list[BindingType] = [
    Binding("y", "copy('text')", "Copy", id="part.copy"),
    Binding("w", "app.save", "Save", tooltip="Save the part to a file", id="part.save"),
    Binding("Y", "copy('whole')", "Copy with heading", id="part.copy_heading", show=False),
    Binding("i", "copy('input')", "Copy input", id="part.copy_input", show=False),
    Binding("o", "app.edit", "Open in the editor", id="part.edit", show=False),
    Binding("b", "blocks", "Copy a block of code", id="part.blocks", show=False),
    Binding(
        "I",
        "app.about",
        "About the part",
        tooltip="Times, tokens, costs",
        id="part.about",
        show=False,
    ),
    Binding("full_stop", "copy('id')", "Copy id", id="part.copy_id", show=False),
]
"""What can be done with a part, in the pane and alone."""


class Transcript(WindowView):
    """Shows a `Window`. It moves, folds and filters by itself; all else it posts as messages."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *PART_KEYS,
        Binding("enter", "open", "Open", tooltip="Open alone", id="context.open"),
        Binding("space", "fold", "Fold", id="context.fold"),
        Binding("z", "fold_all", "Fold all", id="context.fold_all", show=False),
        Binding(
            "left_square_bracket",
            "widen(True)",
            "More before",
            id="context.widen_before",
            show=False,
        ),
        Binding(
            "right_square_bracket",
            "widen(False)",
            "More after",
            id="context.widen_after",
            show=False,
        ),
        Binding("t", "tools_only", "Tool parts only", id="context.tools_only", show=False),
        Binding("exclamation_mark", "errors_only", "Errors only", id="context.errors", show=False),
        Binding("d", "leftovers", "Hide leftovers", id="context.leftovers", show=False),
        Binding("m", "mark_part", "Mark the part", id="part.mark", show=False),
        Binding("M", "unmark", "Unmark all", id="part.unmark", show=False),
        Binding("D", "versions", "Earlier texts", id="context.versions", show=False),
        Binding("R", "raw", "Stored JSON", id="context.raw", show=False),
    ]

    @dataclass
    class Widen(Event):
        """The reader wants more messages, before or after those here."""

        before: bool

    @dataclass
    class End(Event):
        """The reader wants the beginning or the end of the session."""

        bottom: bool

    @dataclass
    class OpenPart(Event):
        """A part is to be shown alone, its first match in view."""

        part: Part
        terms: tuple[str, ...] = ()

    @dataclass
    class Copy(Event):
        """Text for the clipboard; `what` names it in a few words."""

        text: str
        what: str

    @dataclass
    class ShowRaw(Event):
        """The stored JSON of a part is wanted."""

        part: Part

    @dataclass
    class ShowVersions(Event):
        """The earlier texts of a part are wanted."""

        part: Part

    @dataclass
    class Moved(Event):
        """The reader is elsewhere, or more is known of where the reader is."""

        position: Position

    @dataclass
    class CopyBlock(Event):
        """One of several blocks of code is to be chosen and copied: (language, code)."""

        blocks: list[tuple[str, str]]

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.marked: dict[str, Part] = {}

    @property
    def taken(self) -> list[Part]:
        """The parts that copying and saving act on: the marked ones, else the current one."""
        if self.marked:
            return list(self.marked.values())
        return [self.current_part] if self.current_part else []

    def gutter_cells(self, row: Row, place: int) -> Gutter:
        """As for every block, and a sign at marked parts, beside the bar of the current one."""
        bar, rule = super().gutter_cells(row, place)
        if row.part not in self.marked:
            return [bar, rule]
        mark = ("◆", "not dim $warning")
        return [bar, mark] if self.is_current(row, place) else [mark, rule]

    def beyond(self, step: int) -> None:
        """Asks for more messages where the loaded ones end, and goes on there."""
        if self.is_settled and not self._go_on:
            window = self.window
            if window is not None and (window.more_before if step < 0 else window.more_after):
                self._go_on = step
                self.post_message(self.Widen(step < 0))

    def beyond_all(self, bottom: bool) -> None:
        """Asks for the beginning or the end of the session, where that is not loaded."""
        window = self.window
        if window is not None and (window.more_after if bottom else window.more_before):
            self.post_message(self.End(bottom))

    def moved(self) -> None:
        """Tells others where the reader is."""
        super().moved()
        self.post_message(self.Moved(self.position))

    def go_to_row(self, row: int) -> None:
        """Goes to a match, into a folded part where it is in there."""
        super().go_to_row(row)
        found = self.row(row)
        if found is not None and found.role == "inside":
            self.choice = replace(self.choice, folds=self.choice.folds | {found.part: "open"})
            self.lay_out(Aim(found.part, hit=True))

    # Folding and filtering ---------------------------------------------------------------------

    def _fold_of(self, part: Part) -> Fold:
        return self.choice.folds.get(part.id) or usual_fold(part)

    def _set_folds(self, folds: dict[str, Fold]) -> None:
        self.choice = replace(self.choice, folds=self.choice.folds | folds)
        self.lay_out(self.here())

    def action_fold(self) -> None:
        """Folded, then in excerpt, then (where the excerpt hides something) all, and again."""
        block = self.current
        if block is None or block.part is None or not can_fold(block.part):
            return
        state = self._fold_of(block.part)
        if state == "folded":
            self._set_folds({block.id: "open"})
        elif state in ("brief", "open") and self._hides(block.start, block.end):
            self._set_folds({block.id: "whole"})
        else:
            self._set_folds({block.id: "folded"})

    def _hides(self, start: int, end: int) -> bool:
        rows = self.layout_rows.rows if self.layout_rows else []
        return any(row.role == "gap" for row in rows[start:end])

    def action_fold_all(self) -> None:
        """Unfolds every part, or folds them all where none is folded."""
        parts = [block.part for block in self.blocks if block.part and can_fold(block.part)]
        folded = any(self._fold_of(part) == "folded" for part in parts)
        self._set_folds({part.id: "open" if folded else "folded" for part in parts})

    def _choose(self, choice: Choice) -> None:
        self.choice = choice
        self.lay_out(self.here())

    def action_tools_only(self) -> None:
        """Shows tool parts only, or everything again."""
        self._choose(replace(self.choice, tools_only=not self.choice.tools_only))

    def action_errors_only(self) -> None:
        """Shows what failed only, or everything again."""
        self._choose(replace(self.choice, errors_only=not self.choice.errors_only))

    def action_leftovers(self) -> None:
        """Hides what is no longer live, or shows it again."""
        self._choose(replace(self.choice, leftovers=not self.choice.leftovers))

    # What others do ----------------------------------------------------------------------------

    def action_widen(self, before: bool) -> None:
        """Asks for more messages where the session has them."""
        window = self.window
        if window is not None and (window.more_before if before else window.more_after):
            self.post_message(self.Widen(before))

    def action_open(self) -> None:
        """Asks for the current part alone."""
        if self.current_part is not None:
            self.post_message(self.OpenPart(self.current_part, self.choice.terms))

    def action_raw(self) -> None:
        """Asks for the stored JSON of the current part."""
        if self.current_part is not None:
            self.post_message(self.ShowRaw(self.current_part))

    def action_versions(self) -> None:
        """Asks for the earlier texts of the current part."""
        if self.current_part is not None:
            self.post_message(self.ShowVersions(self.current_part))

    def action_copy(self, what: str) -> None:
        """Hands text of the marked parts, else of the current one, to the clipboard.

        Where a message shows no part it is the message's error.
        """
        message = self.current_message
        if not self.taken:
            if message is not None:
                text = message.id if what == "id" else message.error
                self.post_message(self.Copy(text, "id" if what == "id" else "error"))
            return
        text, name = copied_together(self.taken, what)
        if text:
            self.post_message(self.Copy(text, name))

    def action_mark_part(self) -> None:
        """Marks the current part for copying and saving, or no longer, and goes on."""
        part = self.current_part
        if part is None:
            return
        if self.marked.pop(part.id, None) is None:
            self.marked[part.id] = part
        self.action_move(1)
        self.moved()

    def action_unmark(self) -> None:
        """Forgets all marks."""
        self.marked.clear()
        self.moved()

    def action_blocks(self) -> None:
        """Asks for one of the blocks of code in the current part to be copied."""
        if self.current_part is not None:
            self.post_message(self.CopyBlock(code_blocks(self.current_part)))

    def on_click(self, event: events.Click) -> None:
        """A click makes a part current, on a heading or gap it folds; a double click opens."""
        event.prevent_default()
        row = self.row(event.y + self.scroll_offset.y)
        if row is None or self.layout_rows is None or self.text_selection is not None:
            return
        found = self.layout_rows.find(row.part or row.message)
        if found is None:
            return
        again = found == self.block
        self.go(found)
        if event.chain == 2:
            self.action_open()
        elif event.chain == 1 and (
            row.role == "gap" or (row.role in ("heading", "inside") and again)
        ):
            self.action_fold()
