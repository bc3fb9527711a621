"""Code in the colours of the theme, by Pygments."""

from __future__ import annotations

from functools import lru_cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType
from pygments.util import ClassNotFound
from textual.content import Span

from tui.render.row import Spans

MOST = 16_000  # characters; colouring more would be felt

_STYLES = {
    Comment: "italic $text-muted",
    Keyword: "$accent",
    String: "$success",
    Number: "$warning",
    Name.Function: "$primary",
    Name.Class: "$primary",
    Name.Tag: "$primary",
    Name.Builtin: "$secondary",
    Name.Decorator: "$secondary",
}


@lru_cache(maxsize=32)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=256)
def _style(token: _TokenType) -> str:
    kind: _TokenType | None = token
    while kind is not None:
        if kind in _STYLES:
            return _STYLES[kind]
        kind = kind.parent
    return ""


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
