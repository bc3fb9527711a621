"""What was said, as Markdown: tokens of markdown-it to wrapped rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from textual.content import Span

from tui.render.code import highlight
from tui.render.row import (
    PROSE_WIDTH,
    Marker,
    Row,
    Spans,
    assemble,
    folded,
    wrapped,
)
from tui.render.safe import clean, one_line
from tui.render.table import table_rows

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

HUGE = 300_000  # more characters than anyone writes as Markdown; shown as plain lines
NESTED = 40  # levels that are parsed at all
DEEP = 12  # levels of lists and quotes that still get an indent of their own

CODE = "$secondary"
MUTED = "$text-muted"
LINK = "underline"


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # the first paint needs no Markdown

    rules = MarkdownIt("commonmark", {"maxNesting": NESTED})
    return rules.enable(["table", "strikethrough"])


def prose_rows(
    text: str, width: int, marker: Marker, *, indent: int = 0, base: str = "", breaks: bool = False
) -> list[Row]:
    """The text as Markdown in rows of at most `width` cells, the indent included.

    `breaks` keeps the line ends inside a paragraph, as a person typed them.
    """
    text = clean(text).strip("\n")
    room = min(max(width - indent, 8), PROSE_WIDTH)
    if len(text) > HUGE:
        return plain_rows(text, room, marker, indent=indent, base=base)
    try:
        tokens = _parser().parse(text)
    except (RecursionError, ValueError, IndexError):
        return plain_rows(text, room, marker, indent=indent, base=base)
    if any(token.level >= NESTED - 3 for token in tokens):  # what is deeper was dropped
        return plain_rows(text, room, marker, indent=indent, base=base)
    rows = _Page(tokens, room, marker, breaks).rows()
    if not rows and text.strip():  # link definitions alone say nothing in Markdown
        return plain_rows(text, room, marker, indent=indent, base=base)
    return [replace(row, indent=indent, base=row.base or base) for row in rows]


def plain_rows(
    text: str, room: int, marker: Marker, *, indent: int = 0, base: str = ""
) -> list[Row]:
    """Lines as they are, broken between words."""
    rows: list[Row] = []
    for line in text.split("\n"):
        rows += wrapped(line, room, marker=marker, indent=indent, base=base)
    return rows


@dataclass(slots=True)
class _Item:
    """An open list item or quote: what its first row begins with, and its other rows."""

    first: str
    rest: str
    begun: bool = False


class _Page:
    """Walks the flat tokens of one text; open lists and quotes stand on a stack of prefixes."""

    def __init__(self, tokens: Sequence[Token], room: int, marker: Marker, breaks: bool) -> None:
        self._tokens = tokens
        self._room = room
        self._marker = marker
        self._breaks = breaks
        self._open: list[_Item] = []
        self._numbers: list[int | None] = []
        self._rows: list[Row] = []
        self._gap = False

    def rows(self) -> list[Row]:
        place = 0
        while place < len(self._tokens):
            place = self._take(place)
        return self._rows

    def _take(self, place: int) -> int:
        token = self._tokens[place]
        match token.type:
            case "heading_open":
                self._heading(token, self._tokens[place + 1])
                return place + 3
            case "inline":
                self._paragraph(token)
            case "paragraph_close":
                self._gap = not token.hidden
            case "bullet_list_open" | "ordered_list_open":
                start = token.attrs.get("start", 1)
                ordered = token.type.startswith("ordered")
                self._numbers.append(int(start) if ordered else None)
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
                self._gap = not self._numbers
            case "list_item_open":
                self._open.append(self._item())
            case "blockquote_open":
                self._open.append(_Item("│ ", "│ "))
            case "list_item_close" | "blockquote_close":
                self._close()
            case "fence" | "code_block":
                self._code(token)
            case "hr":
                self._emit(wrapped("─" * min(self._width(), 24), self._width(), base=MUTED))
                self._gap = True
            case "html_block":
                self._emit(self._lines(token.content.rstrip("\n")))
                self._gap = True
            case "table_open":
                return self._table(place)
        return place + 1

    # Blocks ------------------------------------------------------------------------------

    def _heading(self, token: Token, inline: Token) -> None:
        text, spans = inline_text(inline, self._breaks)
        sign = "#" * int(token.tag[1:]) + " "
        whole = (Span(0, len(sign), MUTED), Span(len(sign), len(sign) + len(text), "bold"))
        moved = tuple(Span(s + len(sign), e + len(sign), style) for s, e, style in spans)
        self._gap = self._gap or bool(self._rows)
        self._emit(wrapped(sign + text, self._width(), whole + moved, marker=self._marker))
        self._gap = True

    def _paragraph(self, token: Token) -> None:
        text, spans = inline_text(token, self._breaks)
        rows: list[Row] = []
        start = 0
        for line in text.split("\n"):
            own = tuple(
                Span(max(s - start, 0), min(e - start, len(line)), style)
                for s, e, style in spans
                if s < start + len(line) and e > start
            )
            rows += wrapped(line, self._width(), own, marker=self._marker)
            start += len(line) + 1
        self._emit(rows)

    def _code(self, token: Token) -> None:
        language = one_line(token.info, 40).partition(" ")[0]
        rows = []
        if language:
            rows += folded(f"  {language}", self._width(), base=MUTED)
        code = token.content.rstrip("\n")
        for line, spans in highlight(code, language):
            moved = tuple(Span(s + 2, e + 2, style) for s, e, style in spans)
            rows += folded("  " + line, self._width(), moved, marker=self._marker)
        self._emit(rows)
        self._gap = True

    def _lines(self, text: str) -> list[Row]:
        return plain_rows(text, self._width(), self._marker)

    def _table(self, place: int) -> int:
        cells: list[list[tuple[str, Spans]]] = []
        while (token := self._tokens[place]).type != "table_close":
            if token.type == "tr_open":
                cells.append([])
            elif token.type == "inline":
                cells[-1].append(inline_text(token, False))
            place += 1
        self._emit(table_rows(cells, self._width(), self._marker))
        self._gap = True
        return place + 1

    # Prefixes ------------------------------------------------------------------------------

    def _item(self) -> _Item:
        number = self._numbers[-1] if self._numbers else None
        if number is None:
            return _Item("• ", "  ")
        self._numbers[-1] = number + 1
        sign = f"{number}. "
        return _Item(sign, " " * len(sign))

    def _close(self) -> None:
        if not self._open[-1].begun:  # an item that holds nothing
            self._emit(wrapped("", self._width()))
        self._open.pop()

    def _width(self) -> int:
        return max(self._room - sum(len(item.rest) for item in self._open[:DEEP]), 8)

    def _emit(self, rows: list[Row]) -> None:
        if self._gap and self._rows:
            prefix = "".join(item.rest for item in self._open[:DEEP] if item.begun)
            self._rows.append(_before(Row("", role="blank"), prefix.rstrip()))
        self._gap = False
        for row in rows:
            shown = self._open[:DEEP]
            prefix = "".join(item.rest if item.begun else item.first for item in shown)
            self._rows.append(_before(row, prefix))
            for item in self._open:
                item.begun = True


def _before(row: Row, prefix: str) -> Row:
    if not prefix:
        return row
    moved = tuple(Span(s + len(prefix), e + len(prefix), style) for s, e, style in row.spans)
    spans = (Span(0, len(prefix), MUTED), *moved)
    return replace(row, text=prefix + row.text, spans=spans)


# Inside a paragraph ----------------------------------------------------------------------

_STYLES = {"strong": "bold", "em": "italic", "s": "strike", "link": LINK}


def inline_text(token: Token, breaks: bool) -> tuple[str, Spans]:
    """The text of an inline token and its styles; a link's target stands behind its text."""
    styles: list[str] = []
    targets: list[tuple[str, int]] = []
    pieces: list[tuple[str, str]] = []
    for child in token.children or ():
        name, _, turn = child.type.rpartition("_")
        if turn == "open" and name in _STYLES:
            styles.append(_STYLES[name])
            if name == "link":
                targets.append((clean(str(child.attrs.get("href", ""))), len(pieces)))
        elif turn == "close" and name in _STYLES:
            styles.pop()
            if name == "link":
                pieces += _target(*targets.pop(), pieces)
        else:
            pieces += _leaf(child, " ".join(styles), breaks)
    return assemble(*pieces)


def _target(url: str, first: int, pieces: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    said = "".join(text for text, _ in pieces[first:])
    if url and url not in (said, f"mailto:{said}"):
        yield f" ({url})", MUTED


def _leaf(child: Token, style: str, breaks: bool) -> Iterator[tuple[str, str]]:
    match child.type:
        case "softbreak":
            yield ("\n" if breaks else " "), ""
        case "hardbreak":
            yield "\n", ""
        case "code_inline":
            yield child.content, f"{style} {CODE}".strip()
        case "image":
            yield f"[image: {clean(child.content)}]", MUTED
            yield f" ({clean(str(child.attrs.get('src', '')))})", MUTED
        case _:
            # Entities are resolved while parsing and may have brought control characters back.
            yield clean(child.content).replace("\n", " "), style
