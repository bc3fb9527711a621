"""Code in the colours of the theme, by Pygments."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from textual.content import Span

from tui.render.row import Spans

if TYPE_CHECKING:
    from pygments.lexer import Lexer

MOST = 16_000  # characters; colouring more would be felt

_STYLES: dict[tuple[str, ...], str] = {
    ("Comment",): "italic $text-muted",
    ("Keyword",): "$accent",
    ("Literal", "String"): "$success",
    ("Literal", "Number"): "$warning",
    ("Name", "Function"): "$primary",
    ("Name", "Class"): "$primary",
    ("Name", "Tag"): "$primary",
    ("Name", "Builtin"): "$secondary",
    ("Name", "Decorator"): "$secondary",
}
"""By the types of Pygments, which are tuples of names; what is below one looks as it does."""


@lru_cache(maxsize=32)
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name  # nothing that is first seen needs it
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=256)
def _style(token: tuple[str, ...]) -> str:
    kinds = (tuple(token[:length]) for length in range(len(token), 0, -1))
    return next((_STYLES[kind] for kind in kinds if kind in _STYLES), "")


def highlight(code: str, language: str) -> list[tuple[str, Spans]]:
    """The lines of clean code, each with its colours; no colours where the language is unknown."""
    lexer = _lexer(language.lower()) if language and len(code) <= MOST else None
    lines = code.split("\n")
    if lexer is None:
        return [(line, ()) for line in lines]
    spans: list[list[Span]] = [[] for _ in lines]
    row = column = 0
    for token, text in lexer.get_tokens(code):
        style = _style(token)
        for place, piece in enumerate(text.split("\n")):
            if place:
                row, column = row + 1, 0
            if style and piece.strip() and row < len(lines):
                spans[row].append(Span(column, column + len(piece), style))
            column += len(piece)
    return [(line, tuple(own)) for line, own in zip(lines, spans, strict=True)]
