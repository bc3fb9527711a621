"""What programs put around a text so that a model reads it well, and the text without it.

opencode 1.1 to 1.18 puts files that were read into `<file>` or `<path>`, `<type>`, `<content>`,
with a note where the file ends; its tasks answer in `<task>` and `<task_result>`, its skills in
`<skill_content>`. MiMo Code answers in `<actor_result>`. DeepSeek Harness puts summaries into
`<summary>`. Only what these programs write counts: any other tag belongs to the text.
"""

from __future__ import annotations

import re

from tui.render.row import Marker

_LISTED = ("content", "entries", "file")
_OPEN = re.compile(
    r"\s*(?:(?:task_id|actor_id): [^\n]*\n\s*)?"
    r"(?:<path>[^\n]*</path>\n<type>[^\n]*</type>\n)?"
    r"<(content|entries|file|task|task_result|task_error|actor_result|skill_content|summary"
    r"|system-reminder)(?: [^<>\n]*)?>"
)
_END = re.compile(r"\n*\((?:End of file|\d+ entr(?:y|ies))[^\n]*\)\s*\Z")
_NUMBER = re.compile(r"\s*(\d{1,9})[:|]")
LAST = 12  # lines, counted from the end, among which the last numbered one stands


def inside(text: str) -> str:
    """The text without what a program put around it; as it is where nothing is around it."""
    while found := _OPEN.match(text):
        closing = f"</{found[1]}>"
        end, rest = _closed(text, closing, found[1] in _LISTED)
        held = text[found.end() : end]
        if end < found.end() or f"\n{closing}" in held or ("\n" not in held and closing in held):
            return text
        if found[1] in _LISTED:
            return _END.sub("", held.strip("\n")) + rest
        text = held.strip("\n")
    return text


def seen(text: str, marker: Marker) -> str:
    """What is to be shown of a text: what is inside, unless a match stands only around it."""
    held = inside(text)
    return text if marker.found(text) and not marker.found(held) else held


def _closed(text: str, closing: str, more: bool) -> tuple[int, str]:
    """Where the closing tag stands, -1 for nowhere, and what comes behind it where `more` may."""
    bare = text.rstrip()
    if bare.endswith(closing):
        return len(bare) - len(closing), ""
    end = text.find(f"\n{closing}\n") if more else -1
    return (end, text[end + len(closing) + 1 :]) if end >= 0 else (-1, "")


def lines_read(text: str) -> tuple[int, int, bool] | None:
    """First and last number of the lines of a file that was read, and whether they are all of it.

    None where the text is no file with numbered lines.
    """
    found = _OPEN.match(text)
    if found is None or found[1] not in _LISTED:
        return None
    lines = inside(text).split("\n")
    first = _NUMBER.match(lines[0])
    last = next(filter(None, map(_NUMBER.match, reversed(lines[-LAST:]))), None)
    if first is None or last is None:
        return None
    start = int(first[1])
    return start, int(last[1]), start == 1 and "\n(End of file" in text[-400:]
