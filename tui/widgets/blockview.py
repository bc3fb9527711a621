"""A view of blocks, one of them the current one, and how the reader moves among them."""

from __future__ import annotations

from typing import ClassVar

from textual.actions import SkipAction
from textual.binding import Binding, BindingType

from tui.render.layout import Block, Layout, stops
from tui.render.row import Row
from tui.widgets.rowview import Gutter, RowView


class BlockView(RowView):
    """Shows the rows of a layout; keys move from block to block, match to match, page to page.

    A subclass fills `layout` and is told by `moved` when the reader is elsewhere.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Next part", id="context.next_part", show=False),
        Binding("k,up", "move(-1)", "Previous part", id="context.previous_part", show=False),
        Binding("J", "message(1)", "Next message", id="context.next_message", show=False),
        Binding("K", "message(-1)", "Previous message", id="context.previous_message", show=False),
        Binding("n", "match(1)", "Next match", id="context.next_match", show=False),
        Binding("N", "match(-1)", "Previous match", id="context.previous_match", show=False),
        Binding("u", "mine(1)", "Next prompt of mine", id="context.next_mine", show=False),
        Binding("U", "mine(-1)", "Previous prompt of mine", id="context.previous_mine", show=False),
        Binding("g,home", "edge(False)", "Top", id="context.top", show=False),
        Binding("G,end", "edge(True)", "Bottom", id="context.bottom", show=False),
        Binding("ctrl+d", "pages(0.5)", "Half page down", id="context.half_down", show=False),
        Binding("ctrl+u", "pages(-0.5)", "Half page up", id="context.half_up", show=False),
        Binding("pagedown", "pages(1.0)", "Page down", id="context.page_down", show=False),
        Binding("pageup", "pages(-1.0)", "Page up", id="context.page_up", show=False),
    ]

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.layout_rows: Layout | None = None
        self.block = 0
        self.match: int | None = None

    def moved(self) -> None:
        """Called when another block is the current one."""
        self.repaint()

    def beyond(self, step: int) -> None:
        """Called when the reader wants to move past the first or last of the blocks."""

    def beyond_all(self, bottom: bool) -> None:
        """Called when the reader stands at an end of what is loaded and wants to the very end."""

    # Painting --------------------------------------------------------------------------------

    def row(self, place: int) -> Row | None:
        """The row of the layout at a place."""
        rows = self.layout_rows.rows if self.layout_rows else []
        return rows[place] if 0 <= place < len(rows) else None

    def is_current(self, row: Row, place: int) -> bool:
        """Whether the row belongs to the current block."""
        block = self.current
        return block is not None and block.start <= place < block.end

    def gutter_cells(self, row: Row, place: int) -> Gutter:
        """The bar of the current block, and the rule of what is no longer live."""
        bar = ("▌", "not dim $accent") if self.is_current(row, place) else (" ", "")
        rule = ("│", "not dim $error") if row.fate != "live" else (" ", "")
        return [bar, rule]

    # Moving ----------------------------------------------------------------------------------

    @property
    def blocks(self) -> list[Block]:
        """The blocks in reading order."""
        return self.layout_rows.blocks if self.layout_rows else []

    @property
    def current(self) -> Block | None:
        """The block that the reader is at."""
        return self.blocks[self.block] if self.block < len(self.blocks) else None

    def go(self, place: int, *, backwards: bool = False) -> None:
        """Makes a block the current one and brings it into view with the least movement."""
        if not 0 <= place < len(self.blocks):
            return
        self.block, self.match = place, None
        block = self.blocks[place]
        start = block.start - (1 if self._begins_message(place) else 0)
        top, seen = self.scroll_offset.y, self.lines_seen
        if start < top:
            tall = backwards and block.end - start > seen
            self.scroll_rows(block.end - seen if tall else start)
        elif block.end > top + seen:
            self.scroll_rows(min(start, block.end - seen + 1))
        self.moved()

    def _begins_message(self, place: int) -> bool:
        block = self.blocks[place]
        above = self.blocks[place - 1] if place else None
        return block.part is not None and (
            above is None or above.item.message.id != block.item.message.id
        )

    def action_move(self, step: int) -> None:
        """Part by part; a part taller than the screen is read through first."""
        block = self.current
        if block is None or self.layout_rows is None:
            return
        top, seen = self.scroll_offset.y, self.lines_seen
        half = max(seen // 2, 1)
        if not self._is_seen(block):  # scrolled away from with the wheel: go on from what is seen
            places = [p for p in stops(self.layout_rows) if self._is_seen(self.blocks[p])]
            if places:
                self.go(places[0] if step > 0 else places[-1], backwards=step < 0)
        elif step > 0 and block.end > top + seen:
            self.scroll_rows(min(top + half, block.end - seen))
        elif step < 0 and block.start < top:
            self.scroll_rows(max(top - half, block.start))
        elif not self._jump(step, stops(self.layout_rows)):
            self.scroll_rows(self.max_scroll_y if step > 0 else 0)
            self.beyond(step)

    def _is_seen(self, block: Block) -> bool:
        top = self.scroll_offset.y
        return block.start < top + self.lines_seen and block.end > top

    def _jump(self, step: int, places: list[int]) -> bool:
        ahead = [place for place in places if (place - self.block) * step > 0]
        if ahead:
            self.go(ahead[0] if step > 0 else ahead[-1], backwards=step < 0)
        return bool(ahead)

    def _firsts(self) -> list[int]:
        """The first block of each message at which reading stops."""
        seen: dict[str, int] = {}
        for place in stops(self.layout_rows) if self.layout_rows else []:
            seen.setdefault(self.blocks[place].item.message.id, place)
        return list(seen.values())

    def action_message(self, step: int) -> None:
        """Message by message; going back stops at the beginning of the current one first."""
        self._to_message(step, self._firsts())

    def action_mine(self, step: int) -> None:
        """To the next or previous prompt of the person."""
        mine = [p for p in self._firsts() if self.blocks[p].item.message.role == "user"]
        self._to_message(step, mine)

    def _to_message(self, step: int, places: list[int]) -> None:
        """As `_jump`, and what follows is in view too: to be read is not where it begins alone."""
        if not self._jump(step, places):
            self.beyond(step)
            return
        heading = self.blocks[self.block].start - 1
        if heading - self.scroll_offset.y > self.lines_seen // 2:
            self.scroll_rows(heading)

    def action_match(self, step: int) -> None:
        """To the next or previous row that holds a match; beyond the last the key is passed on."""
        block = self.current
        if block is None or self.layout_rows is None:
            return
        here = self.match
        if here is None:
            here = block.start - (step > 0)
        ahead = [row for row in self.layout_rows.matches if (row - here) * step > 0]
        if not ahead:
            raise SkipAction
        self.go_to_row(ahead[0] if step > 0 else ahead[-1])

    def go_to_row(self, row: int) -> None:
        """Brings a row to a third of the height where it is not in view, its block current."""
        if self.layout_rows is None:
            return
        self.block, self.match = self.layout_rows.block_at(row), row
        top, seen = self.scroll_offset.y, self.lines_seen
        if not top + 1 <= row < top + seen - 1:
            self.scroll_rows(max(row - seen // 3, 0))
        self.moved()

    def action_edge(self, bottom: bool) -> None:
        """To the first or last part of what is loaded; once there, of all there is."""
        if self.scroll_offset.y == (self.max_scroll_y if bottom else 0):
            self.beyond_all(bottom)
        places = stops(self.layout_rows) if self.layout_rows else []
        if places:
            self.go(places[-1] if bottom else places[0])
        self.scroll_rows(self.max_scroll_y if bottom else 0)

    def action_pages(self, pages: float) -> None:
        """By screens; the block at the edge that was moved towards becomes the current one."""
        if self.layout_rows is None or not self.blocks:
            return
        seen = self.lines_seen
        target = self.scroll_offset.y + round(pages * (seen - 1))
        if self.scroll_offset.y == (self.max_scroll_y if pages > 0 else 0):
            self.beyond(1 if pages > 0 else -1)
        target = min(max(target, 0), self.max_scroll_y)
        self.scroll_rows(target)
        block = self.current
        if block is None or block.start >= target + seen or block.end <= target:
            self.block = self.layout_rows.block_at(target + 1 if pages > 0 else target + seen - 2)
        if target in (0, self.max_scroll_y):
            places = stops(self.layout_rows)
            self.block = places[-1] if target and pages > 0 else self.block
        self.match = None
        self.moved()
