"""A query as it is typed: its colours, and how what stands at the cursor may go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from store.query import Look, highlight
from store.syntax import KEYS
from tui.widgets.field import Harmless

STYLES: dict[Look, str] = {
    "word": "",
    "phrase": "green",
    "not": "red",
    "or": "bold magenta",
    "key": "bold cyan",
    "value": "cyan",
    "wrong": "underline red",
}
"""How each piece of a query looks, in colours of the terminal: the field takes no others."""
MOST = 8
"""Proposals that are shown."""


class Colours(Harmless):
    """Colours a query as it is understood."""

    def highlight(self, text: Text) -> None:
        """Colours a text in place."""
        for start, end, look in highlight(text.plain):
            if STYLES[look]:
                text.stylize(STYLES[look], start, end)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What stands before the cursor: the beginning of a key (`key` ""), or of a value of a key."""

    start: int
    key: str
    typed: str


def unfinished(text: str, cursor: int) -> Unfinished | None:
    """What could be completed at the cursor; None where there is nothing."""
    start = max(text.rfind(" ", 0, cursor), text.rfind("\t", 0, cursor)) + 1
    word = text[start:cursor]
    bare = word.removeprefix("-")
    start += len(word) - len(bare)
    key, colon, value = bare.partition(":")
    if colon and key in KEYS:
        typed = value.rpartition(",")[2]
        return Unfinished(cursor - len(typed), key, typed.removeprefix('"'))
    if len(bare) > 1 and any(one.startswith(bare) for one in KEYS):
        return Unfinished(start, "", bare)
    return None


def proposals(
    at: Unfinished, values: Sequence[tuple[str, int]], typed_before: str = ""
) -> list[tuple[str, int]]:
    """The keys or values that go on from what was typed, with their counts."""
    if not at.key:
        return [(f"{key}:", 0) for key in KEYS if key.startswith(at.typed)][:MOST]
    sought = at.typed.casefold()
    begin = [one for one in values if one[0].casefold().startswith(sought)]
    inside = [one for one in values if sought in one[0].casefold() and one not in begin]
    return [one for one in (*begin, *inside) if one[0] != typed_before][:MOST]


def completed(text: str, cursor: int, at: Unfinished, value: str) -> tuple[str, int]:
    """The query with a proposal in place of what was typed, and the cursor behind it."""
    if at.key and any(sign in value for sign in ' ,"'):
        value = '"' + value.replace('"', "") + '"'
    after = "" if not at.key or text[cursor:].startswith(" ") else " "
    new = text[: at.start] + value + after
    return new + text[cursor:], len(new)
