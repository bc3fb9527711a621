"""What a person wants kept and what not: limits of the archive, and what is passed over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from typing import Any, cast

from store.model import Content, Kind, Message, Part, Session
from store.source import Bodies, Source, Trace, Traced, Wanted

TEXT = "text:"
"""An entry of `exclude` that begins so is a regular expression for texts, not a project."""
MASK = "[excluded]"


@dataclass(frozen=True, slots=True)
class Rules:
    """The settings that the store follows.

    `exclude` names projects, folders (with all below), patterns of folders, and (`text:`) regular
    expressions of texts that are masked. Without `archive` what its store dropped is dropped here
    too; `days` and `megabytes` bound what is kept, 0 is no bound.
    """

    exclude: tuple[str, ...] = ()
    archive: bool = True
    days: int = 0
    megabytes: int = 0
    kinds: tuple[Kind, ...] | None = None

    @property
    def passes_over(self) -> bool:
        """Whether there are projects or folders to pass over."""
        return any(not one.startswith(TEXT) for one in self.exclude)

    def excludes(self, session: Session) -> bool:
        """Whether a session is passed over."""
        return any(
            _names(one, session.project, session.directory)
            for one in self.exclude
            if not one.startswith(TEXT)
        )

    def masks(self) -> tuple[re.Pattern[str], ...]:
        """The expressions of texts that are masked; one that is none is left out."""
        found = []
        for one in self.exclude:
            if one.startswith(TEXT):
                try:
                    found.append(re.compile(one.removeprefix(TEXT)))
                except re.error:
                    continue
        return tuple(found)


def _names(entry: str, project: str, directory: str) -> bool:
    folder = entry.rstrip("/") or entry
    inside = directory == folder or directory.startswith(folder + "/")
    return entry == project or inside or fnmatchcase(directory, entry)


def masked(part: Part, patterns: Sequence[re.Pattern[str]]) -> Part:
    """The part with what the patterns match made unreadable."""
    held = part.content
    changed = {
        field.name: fresh
        for field in fields(held)
        if (fresh := _masked(value := getattr(held, field.name), patterns)) != value
    }
    if not changed:
        return part
    content: Content = replace(held, **changed)
    return replace(part, content=content)


def matches(held: Content, patterns: Sequence[re.Pattern[str]]) -> bool:
    """Whether some text of a part matches."""
    return any(
        _masked(value := getattr(held, field.name), patterns) != value for field in fields(held)
    )


def _masked(value: Any, patterns: Sequence[re.Pattern[str]]) -> Any:
    match value:
        case str():
            for pattern in patterns:
                value = pattern.sub(MASK, value)
            return value
        case dict():
            return {key: _masked(inner, patterns) for key, inner in value.items()}
        case list():
            return [_masked(inner, patterns) for inner in value]
        case tuple():
            return tuple(_masked(inner, patterns) for inner in value)
        case _:
            return value


class MaskedSource:
    """A source whose texts are masked before anybody sees them; all else is the source's own."""

    def __init__(self, source: Source, patterns: Sequence[re.Pattern[str]]) -> None:
        self._source = source
        self._patterns = patterns

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def bodies_of(self, wanted: Sequence[Wanted]) -> Iterator[Bodies]:
        """The rows of several sessions."""
        for bodies in self._source.bodies_of(wanted):
            yield replace(
                bodies,
                messages=tuple(self._message(one) for one in bodies.messages),
                parts=tuple(masked(one, self._patterns) for one in bodies.parts),
            )

    def traced(self, session: str, traces: Sequence[Trace]) -> list[Traced]:
        """The rows behind traces."""
        return [
            (trace, masked(row, self._patterns) if isinstance(row, Part) else self._message(row))
            for trace, row in self._source.traced(session, traces)
        ]

    def _message(self, message: Message) -> Message:
        return replace(message, error=_masked(message.error, self._patterns))


def ruled(source: Source, rules: Rules) -> Source:
    """The source as the rules let it be read."""
    patterns = rules.masks()
    return cast(Source, MaskedSource(source, patterns)) if patterns else source
