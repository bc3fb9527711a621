"""Colours for printed text whose shape is known, for those of its clean lines that are shown.

A paint never changes the text: what a tool printed stands there as it was printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import PurePath

from textual.content import Span

from tui.render.code import highlight
from tui.render.row import Spans

Paint = Callable[[list[str], Iterable[int]], dict[int, Spans]]
"""Takes all lines and the places of some of them; gives the spans of these."""

MUTED = "$text-muted"
MOST = 5000  # lines of code; more are not looked at for colours
_NUMBERED = re.compile(r"(\s*\d+)([:|→]\s?|\s{1,4})")
_TAG = re.compile(r"</?(?:path|type|content|file|entries)>|\(End of file|\(File has more")
_LINE = re.compile(r"(\s+Line \d+:)|((?:[A-Za-z]:)?[^:\s][^:]*):(\d+):")
_HEADER = re.compile(r"(?:/|[A-Za-z]:\\|\.{0,2}/)?[^\s:][^:]*:$")
_SPECIAL = re.compile(r"[\\.^$*+?{}\[\]()]")
_LEVEL = re.compile(
    r"\b(?:(FATAL|CRITICAL|ERROR|ERR|PANIC|SEVERE)|(WARN|WARNING)|(DEBUG|TRACE|VERBOSE))\b"
)
_STAMP = re.compile(
    r"\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]?)?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?"
)
_DIFF = {"+": "$success", "-": "$error", "@": MUTED}


def _by_line(spans_of: Callable[[str], Spans]) -> Paint:
    """The paint of lines each of which tells its colours by itself."""

    def paint(lines: list[str], places: Iterable[int]) -> dict[int, Spans]:
        return {place: spans for place in places if (spans := spans_of(lines[place]))}

    return paint


def language_of(path: str) -> str:
    """The language of a file by its name, as Pygments knows it; "" where it does not."""
    from pygments.lexers import find_lexer_class_for_filename  # nothing first seen needs it

    name = PurePath(path).name
    found = find_lexer_class_for_filename(name) if name else None
    aliases: list[str] = list(found.aliases) if found else []
    return aliases[0] if aliases else ""


def read_paint(path: str) -> Paint:
    """Numbered lines of a file, in the colours of its language."""
    return partial(_numbered, language_of(path))


def _numbered(language: str, lines: list[str], places: Iterable[int]) -> dict[int, Spans]:
    # Colours of code hang on what is above it, so it is looked at as a whole.
    heads: dict[int, int] = {}
    spans: dict[int, Spans] = {}
    for place, line in enumerate(lines[:MOST]):
        if _TAG.match(line):
            spans[place] = (Span(0, len(line), MUTED),)
        elif found := _NUMBERED.match(line):
            heads[place] = found.end()
    code = "\n".join(lines[place][start:] for place, start in heads.items())
    coloured = highlight(code, language)
    for (place, start), (_, own) in zip(heads.items(), coloured, strict=False):
        moved = tuple(Span(s + start, e + start, style) for s, e, style in own)
        spans[place] = (Span(0, start, MUTED), *moved)
    return spans


def grep_paint(pattern: str) -> Paint:
    """Matches under their files: files bold, numbers quiet, what was sought marked in them."""
    words = [word for word in pattern.split("|") if word and not _SPECIAL.search(word)]
    # A pattern of someone else is never run as one: it may take for ever.
    find = re.compile("|".join(map(re.escape, words))) if words else None
    return _by_line(partial(_grep, find))


def _grep(find: re.Pattern[str] | None, line: str) -> Spans:
    found = _LINE.match(line)
    if found is None:
        return (Span(0, len(line), "bold"),) if _HEADER.match(line) else ()
    own = [Span(0, found.end(), MUTED)]
    if found[2]:
        own = [Span(0, found.end(2), "$secondary"), Span(found.end(2), found.end(), MUTED)]
    if find:
        marks = find.finditer(line, found.end())
        own += [Span(mark.start(), mark.end(), "bold $accent") for mark in marks]
    return tuple(own)


def _path(line: str) -> Spans:
    is_path = "/" in line.rstrip("/") and " " not in line.strip()
    return (Span(0, line.rindex("/") + 1, MUTED),) if is_path else ()


def _log(line: str) -> Spans:
    own = []
    if stamp := _STAMP.match(line):
        own.append(Span(0, stamp.end(), MUTED))
    if level := _LEVEL.search(line, 0, 200):
        style = "$error" if level[1] else "$warning" if level[2] else MUTED
        own.append(Span(level.start(), level.end(), style))
    return tuple(own)


def _diff(line: str) -> Spans:
    return (Span(0, len(line), _DIFF[line[0]]),) if line[:1] in _DIFF else ()


paths_paint = _by_line(_path)
"""Paths, one a line: their folders step back."""
log_paint = _by_line(_log)
"""Times step back; errors and warnings are in their colours."""
diff_paint = _by_line(_diff)
"""Lines that came and went in their colours."""


def is_log(lines: list[str]) -> bool:
    """Whether most lines begin with a time or name a level."""
    said = [line for line in lines[:60] if line.strip()]
    known = sum(bool(_STAMP.match(line) or _LEVEL.search(line, 0, 80)) for line in said)
    return len(said) >= 3 and known * 2 > len(said)


def is_diff(text: str) -> bool:
    """Whether a text is a diff as git or diff prints it."""
    return bool(re.search(r"^(?:diff --git |@@ -\d+(?:,\d+)? \+\d)", text[:20_000], re.MULTILINE))
