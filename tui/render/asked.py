"""Questions that the agent asked the person: the choices there were, and what was chosen."""

from __future__ import annotations

from store.model import Json, Tool
from tui.render.excerpt import Look
from tui.render.prose import prose_rows
from tui.render.row import Row, wrapped
from tui.render.safe import one_line

MUTED = "$text-muted"


def questions(tool: Tool) -> list[dict[str, Json]]:
    """The questions of a call; none where its input has another shape."""
    given = tool.input.get("questions") if isinstance(tool.input, dict) else None
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def answers(tool: Tool) -> list[list[str]]:
    """What was answered to each question, as far as the agent noted it."""
    noted = tool.meta.get("answers")
    lists = noted if isinstance(noted, list) else []
    return [
        [str(one) for one in answer] if isinstance(answer, list) else [str(answer)]
        for answer in lists
    ]


def question_rows(tool: Tool, look: Look) -> list[Row]:
    """Each question with its choices, a sign at what was chosen."""
    rows: list[Row] = []
    given = answers(tool)
    for place, one in enumerate(questions(tool)):
        chosen = given[place] if place < len(given) else []
        if rows:
            rows.append(Row("", role="blank"))
        head = _text(one.get("header"))
        if head:
            rows += wrapped(one_line(head, 200), look.width - 4, indent=4, base=MUTED)
        rows += prose_rows(_text(one.get("question")), look.width, look.marker, indent=4)
        rows += _choices(one, chosen, look)
    return rows


def _choices(one: dict[str, Json], chosen: list[str], look: Look) -> list[Row]:
    rows: list[Row] = []
    options = one.get("options")
    labels = []
    for option in options if isinstance(options, list) else []:
        label = _text(option.get("label")) if isinstance(option, dict) else _text(option)
        about = _text(option.get("description")) if isinstance(option, dict) else ""
        labels.append(label)
        rows += _choice(label, about, label in chosen, look)
    for own in chosen:
        if own not in labels:
            rows += _choice(own, "typed", True, look)
    return rows


def _choice(label: str, about: str, chosen: bool, look: Look) -> list[Row]:
    line = f"{'(•)' if chosen else '( )'} {one_line(label, 500)}"
    if about:
        line += f"  {one_line(about, 1000)}"
    base = "bold $success" if chosen else ""
    return wrapped(line, look.width - 6, marker=look.marker, indent=6, base=base)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
