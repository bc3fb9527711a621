"""JSON for programs: a session as `opencode export` prints it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from store.model import Json
from tui.export.conversation import Stored
from tui.jsontext import dump


def as_json(info: dict[str, Json], messages: Iterable[Stored]) -> Iterator[str]:
    """`{info, messages: [{info, parts}]}`, indented by two, one message after the other."""
    yield f'{{\n  "info": {_within(info, 2)},\n  "messages": ['
    separator = "\n    "
    for one in messages:
        yield separator + _within({"info": one.info, "parts": one.parts}, 4)
        separator = ",\n    "
    yield "]\n}\n" if separator == "\n    " else "\n  ]\n}\n"


def _within(value: dict[str, Json], margin: int) -> str:
    """The lines of a value that stands that deep; stored line breaks are escaped, no lines."""
    return dump(value, indent=2).replace("\n", "\n" + " " * margin)
