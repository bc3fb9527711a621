"""The list of hits: what kind, in which session, when, and the line with the match marked."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content, Span
from textual.message import Message

from store.model import Hit
from tui import words
from tui.widgets.rowlist import RowList
from tui.widgets.sessions import columns

NEAR_END = 15
"""Rows before the end at which the next page is asked for."""
MATCH = "reverse $warning"


@dataclass(frozen=True, slots=True)
class HitGroup:
    """The heading of a session with hits; `more` says that later pages may add to it."""

    source: str
    session: str
    title: str
    project: str
    hits: int
    more: bool
    apart: bool


@dataclass(frozen=True, slots=True)
class HitRow:
    """A hit; `alone` says that no heading names its session."""

    hit: Hit
    alone: bool


ListRow = HitGroup | HitRow


def arrange(hits: Sequence[Hit], *, grouped: bool, more: bool) -> list[ListRow]:
    """Hits as rows, in their order; grouped, each session's under its heading."""
    if not grouped:
        return [HitRow(hit, True) for hit in hits]
    groups: dict[tuple[str, str], list[Hit]] = {}
    for hit in hits:
        groups.setdefault((hit.source, hit.session), []).append(hit)
    rows: list[ListRow] = []
    for (source, session), found in groups.items():
        first = found[0]
        title = words.flat(first.session_title).strip() or "Session without a title"
        rows.append(
            HitGroup(
                source, session, title, words.flat(first.project), len(found), more, bool(rows)
            )
        )
        rows.extend(HitRow(hit, False) for hit in found)
    return rows


def snippet_line(hit: Hit, width: int) -> Content:
    """The part of a snippet around its first match that fits, the matches marked."""
    text, spans = words.flat(hit.snippet), hit.spans
    start = 0
    if spans and spans[0][1] > width - 4:
        start = max(0, spans[0][0] - width // 3)
        blank = text.find(" ", start, spans[0][0])
        start = blank + 1 if blank >= 0 else start
    marks = [Span(first - start, last - start, MATCH) for first, last in spans if first >= start]
    line = Content(text[start:], marks, strip_control_codes=False)
    return Content.assemble(("…", "$text-muted"), line) if start else line


class HitList(RowList[ListRow]):
    """Hits under their sessions, or flat; asks for the next page near its end."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "regroup", "Grouped or flat", id="hits.group"),
    ]

    class Wanted(Message):
        """The cursor nears the end of what is loaded."""

    def __init__(self, *, now: Callable[[], float] = time.time, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._now = now
        self.hits: list[Hit] = []
        self.more = False
        self.grouped = True

    def set_hits(self, hits: Sequence[Hit], *, more: bool, keep: bool = False) -> None:
        """Shows these hits; with `keep` the cursor stays on its hit."""
        self.hits, self.more = list(hits), more
        self.set_rows(arrange(self.hits, grouped=self.grouped, more=more), keep=keep)

    def add_hits(self, hits: Sequence[Hit], *, more: bool) -> None:
        """Adds the next page."""
        self.set_hits([*self.hits, *hits], more=more, keep=True)

    @property
    def hit(self) -> Hit | None:
        """The hit under the cursor."""
        row = self.selected
        return row.hit if isinstance(row, HitRow) else None

    def go(self, at: int) -> None:
        """Moves the cursor; near the end more is asked for."""
        super().go(at)
        if self.more and self.cursor >= len(self.rows) - NEAR_END:
            self.post_message(self.Wanted())

    def action_regroup(self) -> None:
        """Groups the hits by session, or shows them flat by time."""
        self.grouped = not self.grouped
        self.set_hits(self.hits, more=self.more, keep=True)

    def height_of(self, row: ListRow) -> int:
        """Two lines, one for the first heading."""
        return 1 if isinstance(row, HitGroup) and not row.apart else 2

    def can_select(self, row: ListRow) -> bool:
        """Headings cannot be selected."""
        return isinstance(row, HitRow)

    def key_of(self, row: ListRow) -> Hashable:
        """A hit's place and kind."""
        if isinstance(row, HitRow):
            return row.hit.id, row.hit.kind, row.hit.version
        return row.source, row.session

    def paint(self, row: ListRow, width: int, selected: bool) -> list[Content]:
        """A heading, or the two lines of a hit."""
        if isinstance(row, HitGroup):
            plus = "+" if row.more else ""
            title = Content.assemble(" ", (row.title, "bold"), (f"  {row.project}", "$text-muted"))
            heading = columns(title, f"×{row.hits}{plus} ", width)
            return [Content(""), heading] if row.apart else [heading]
        return self._hit_lines(row, width, selected)

    def _hit_lines(self, row: HitRow, width: int, selected: bool) -> list[Content]:
        hit = row.hit
        mark = Content.styled("▌" if selected else " ", "$accent")
        sign = words.hit_signs(hit)
        left = Content.assemble(
            mark,
            " ",
            (words.hit_words(hit), "$secondary"),
            (f" {sign}" if sign else "", hit_style(hit)),
        )
        if row.alone and hit.session_title:
            left = Content.assemble(left, "  ", words.flat(hit.session_title))
        when = words.age(hit.time, self._now())
        more = f"  +{len(hit.copies)} copies" if hit.copies else ""
        snippet = Content.assemble(mark, "   ", snippet_line(hit, width - 6))
        return [columns(left, f"{more}  {when} ", width), snippet]


def hit_style(hit: Hit) -> str:
    """The colour of a hit's sign."""
    if hit.failed or hit.status == "error" or hit.fate != "live":
        return "$error"
    return "$success" if hit.status == "completed" else "$warning"
