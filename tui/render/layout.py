"""A window of messages as one run of rows, and where its parts and matches are in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from store.model import Part, Tool, Window, WindowMessage
from tui.render.excerpt import Fold
from tui.render.message import Earlier, Rendered, render_message, without_starts
from tui.render.part import is_error, is_quiet
from tui.render.row import Row


@dataclass(frozen=True, slots=True)
class Choice:
    """What of a window is to be seen, and how."""

    terms: tuple[str, ...] = ()
    folds: dict[str, Fold] = field(default_factory=dict)
    tools_only: bool = False
    errors_only: bool = False
    leftovers: bool = True

    def words(self) -> str:
        """What is left out, for the end of a status: ` · errors only`; "" for nothing."""
        said = [
            (self.tools_only, "tools only"),
            (self.errors_only, "errors only"),
            (not self.leftovers, "leftovers hidden"),
        ]
        return "".join(f" · {words}" for on, words in said if on)


@dataclass(frozen=True, slots=True)
class Block:
    """Where a stop of the reader stands: a part, or (part is None) what a message itself says.

    That is its error, or its heading alone where it shows no part.
    """

    item: WindowMessage
    part: Part | None
    place: int
    start: int
    end: int

    @property
    def id(self) -> str:
        """The part's id, else one that no part has."""
        return self.part.id if self.part else f"{self.item.message.id}#"


@dataclass(frozen=True, slots=True)
class Layout:
    """Rows with the blocks and the matches in them, in reading order; `width` in cells."""

    rows: list[Row]
    blocks: list[Block]
    matches: list[int]
    width: int

    def block_at(self, row: int) -> int:
        """The place of the block that covers a row, else of the nearest one above it."""
        found = 0
        for place, block in enumerate(self.blocks):
            if block.start > row:
                break
            found = place
        return found

    def find(self, ident: str) -> int | None:
        """The place of the block of a part, else of the first one of a message."""
        places = range(len(self.blocks))
        exact = (place for place in places if self.blocks[place].id == ident)
        inside = (place for place in places if self.blocks[place].item.message.id == ident)
        return next(exact, next(inside, None))


def lay_out(window: Window, choice: Choice, width: int, known: Rendered) -> Layout:
    """All rows of a window at a width (cells); `known` keeps rows of the same width and terms."""
    layout = Layout([], [], [], width)
    before = 0
    earlier: Earlier = {}
    for place, item in enumerate(window.messages, window.first):
        seen = _seen(item, choice)
        if seen is None:
            continue
        rows = render_message(
            seen,
            width=width,
            terms=choice.terms,
            folds=choice.folds,
            before=before,
            known=known,
            earlier=earlier,
        )
        layout.blocks.extend(_blocks(seen, place, rows, len(layout.rows)))
        layout.rows.extend(rows)
        before = item.message.time
    layout.matches.extend(place for place, row in enumerate(layout.rows) if row.match)
    return layout


def _seen(item: WindowMessage, choice: Choice) -> WindowMessage | None:
    """The message with what the reader wants to see of it; None where that is nothing."""
    if not choice.leftovers and item.message.fate != "live":
        return None
    parts = tuple(part for part in without_starts(item).parts if _wanted(part, choice))
    filtered = choice.tools_only or choice.errors_only or (not choice.leftovers and item.parts)
    failed = bool(item.message.error) and not choice.tools_only
    if filtered and not parts and not failed:
        return None
    return replace(item, parts=parts)


def _wanted(part: Part, choice: Choice) -> bool:
    if not choice.leftovers and part.fate != "live":
        return False
    if choice.errors_only and not is_error(part):
        return False
    return not choice.tools_only or isinstance(part.content, Tool)


def _blocks(item: WindowMessage, place: int, rows: list[Row], start: int) -> Iterator[Block]:
    runs: dict[str, tuple[int, int]] = {}
    for number, row in enumerate(rows, start):
        if row.part:
            first, _ = runs.get(row.part, (number, number))
            runs[row.part] = (first, number + 1)
    stops = [part for part in item.parts if part.id in runs]
    last = max((end for _, end in runs.values()), default=start)
    if not item.message.error and all(is_quiet(part) for part in stops):
        yield Block(item, None, place, start, start + 1)
    for part in stops:
        yield Block(item, part, place, *runs[part.id])
    if item.message.error:
        yield Block(item, None, place, last, start + len(rows) - 1)


def stops(layout: Layout) -> list[int]:
    """The places of the blocks at which moving from part to part stops."""
    return [
        place
        for place, block in enumerate(layout.blocks)
        if block.part is None or not is_quiet(block.part)
    ]
