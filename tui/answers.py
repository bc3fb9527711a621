"""What the screen says of the answer to a search; pure functions from what is known to words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from store.model import Answer, Facets, Json
from tui import words
from tui.render.words import many
from tui.states import hint

WIDENED = {
    "pieces": "nowhere just so; found with the pieces apart",
    "part": "nothing has all of it in one text; found in the same part",
    "message": "nothing has all of it in one part; found in the same message",
}


def found(answer: Answer, sort: str, width: int) -> str:
    """What stands at the right of the search bar."""
    so_far = ""
    if not answer.coverage.complete:
        share = words.percent(answer.coverage.indexed, max(1, answer.coverage.known))
        so_far = f" · of {share} % so far, newest first"
    if not answer.hits:
        return "nothing found" + so_far
    total = answer.total if answer.total is not None else answer.total_at_least
    hits = many(total, "hit")
    if answer.total is None:
        hits = f"more than {words.number(len(answer.hits))} hits"
    if width < 100:
        return hits + (" so far" if so_far else "")
    order = "newest" if sort == "newest" else "by relevance"
    return f"{hits}{so_far or f' · {order}'} · {answer.elapsed_ms:.1f} ms"


def remarks(answer: Answer) -> str:
    """What a person should know of how the answer came about; "" where all is as asked."""
    said = []
    if answer.widened:
        said.append(WIDENED[answer.widened])
    if answer.approximate:
        said.append("too many to order them all; this is about the order")
    if answer.synthetic_shown:
        said.append("only text that the agent put in by itself matches")
    if answer.faults:
        said.append(answer.faults[0].message)
    return " · ".join(said)


@dataclass(frozen=True, slots=True)
class Way:
    """A way out of a query that finds nothing: what to ask instead, as words or literally."""

    query: str
    literal: bool


def ways(checks: Sequence[dict[str, Json]]) -> list[Way]:
    """The ways out that a diagnosis proposes."""
    return [
        Way(str(check["query"]), bool(check.get("literal")))
        for check in checks
        if check.get("query") is not None
    ]


def facets(found: Facets, width: int) -> list[str]:
    """What the hits are, the commonest of each, in lines broken between two of them."""
    lines: list[str] = []
    for values in found.counts.values():
        for value, count in values[:2]:
            one = f"{words.flat(value)} {words.number(count)}"
            if not lines:
                lines.append(("i  " if found.exact else "i  about: ") + one)
            elif cell_len(f"{lines[-1]} · {one}") <= width:
                lines[-1] += f" · {one}"
            else:
                lines.append(f"   {one}")
    return lines


def scanned(looked: int, of: int) -> str:
    """How far a literal search is."""
    return f"{words.percent(looked, of)} % looked at"


def no_hits(answer: Answer, text: str) -> list[Content]:
    """What a person can do when nothing was found."""
    lines = [Content.styled("Nothing found.", "bold"), Content("")]
    number = 0
    for check in answer.diagnosis:
        lines.append(Content(words.flat(_check(check))))
        if check.get("query") is not None and number < 9:
            number += 1
            what = "look for exactly" if check.get("literal") else "ask"
            lines.append(hint(f"  {number}", words.flat(f"{what} {check['query'] or 'nothing'}")))
    if " " in text.strip() and not answer.diagnosis:
        lines.append(Content("Fewer words or filters find more."))
    if not answer.coverage.complete:
        share = words.percent(answer.coverage.indexed, max(1, answer.coverage.known))
        lines.append(Content(f"Only {share} % is indexed so far; more may turn up."))
    if answer.synthetic_left_out:
        lines.append(Content(f"is:synthetic shows {answer.synthetic_left_out} more."))
    if len(lines) > 2:
        lines.append(Content(""))
    return [*lines, hint("/", "change the query"), hint("esc", "back to the sessions")]


def _check(check: dict[str, object]) -> str:
    said = check.get("message") or check.get("text")
    if said:
        return str(said)
    return "  ".join(f"{key}: {value}" for key, value in check.items())
