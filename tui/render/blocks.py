"""The blocks of code in what was said, each to be copied alone."""

from __future__ import annotations

from store.model import Part, Tool
from tui.render.part import plain_text
from tui.render.safe import one_line

HUGE = 300_000  # characters; nobody writes more as Markdown


def code_blocks(part: Part) -> list[tuple[str, str]]:
    """(language, code) of every fenced or indented block; none in what a shell printed."""
    text = plain_text(part)
    if len(text) > HUGE or (isinstance(part.content, Tool) and "```" not in text):
        return []
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(text)
    return [
        (one_line(token.info, 40).partition(" ")[0], token.content.removesuffix("\n"))
        for token in tokens
        if token.type in ("fence", "code_block") and token.content
    ]
