"""Hits and sessions for people: aligned lines, the match marked where colour is welcome."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import datetime

from store.model import Answer, Copy, Coverage, Hit, Session, SessionPage
from tui.cli.tables import table
from tui.plain import cut, one_line, pad, width

MATCH, DIM, PLAIN = "\x1b[7m", "\x1b[2m", "\x1b[0m"

_KIND_WORDS = {
    "user_text": "you",
    "assistant_text": "agent",
    "reasoning": "thinking",
    "tool_input": "input",
    "tool_output": "output",
    "tool_error": "error",
}
_WIDENED = {
    "pieces": "a term stands nowhere as written; these hold its pieces",
    "part": "no text holds every word; these parts do",
    "message": "no text holds every word; these messages do",
}
_TITLE = 40
_LEAST_TITLE = 16
_UNTITLED = "(no title)"


def moment(time: int) -> str:
    """Milliseconds since 1970 as local date and time, blank where the calendar has none."""
    try:
        return f"{datetime.fromtimestamp(time / 1000):%Y-%m-%d %H:%M}"
    except (OverflowError, ValueError, OSError):
        return " " * 16


def hits(answer: Answer, *, colour: bool) -> str:
    """Two lines a hit: when, what, in which session and its id; then the text."""
    labels = [hit_label(one) for one in answer.hits]
    label_cells = max(map(width, labels))
    id_cells = max(width(one.id) for one in answer.hits)
    room = shutil.get_terminal_size((120, 24)).columns - 16 - label_cells - id_cells - 6
    title_cells = min(_TITLE, max(room, _LEAST_TITLE))
    lines = []
    for one, label in zip(answer.hits, labels, strict=True):
        title = pad(cut(one_line(one.session_title) or _UNTITLED, title_cells), title_cells)
        ident = one_line(one.id)
        notes = hit_notes(one)
        if colour:
            ident = f"{DIM}{ident}{PLAIN}"
        head = [moment(one.time), pad(label, label_cells), title, ident]
        lines.append("  ".join(head + ([notes] if notes else [])))
        lines.append("    " + marked(one, colour=colour))
    return "\n".join(lines)


def hit_label(one: Hit) -> str:
    """What a hit is: `you`, `bash output`."""
    return kind_label(one.kind, one.tool)


def kind_label(kind: str, tool: str | None) -> str:
    """A kind of text, and the tool that it is of."""
    word = _KIND_WORDS.get(kind, kind)
    return f"{one_line(tool)} {word}" if tool else word


def hit_notes(one: Hit) -> str:
    """What is unusual about a hit, in words."""
    copies = [_count(len(one.copies), "copy", "copies")] if one.copies else []
    return unusual(one.fate, *one.flags, *copies)


def unusual(fate: str, *more: str) -> str:
    """A fate other than live, and flags and the like, in brackets; "" where all is as usual."""
    words = more if fate == "live" else (fate, *more)
    return f"({', '.join(words)})" if words else ""


def marked(one: Hit, *, colour: bool) -> str:
    """The snippet, its matches in reverse video."""
    text = one_line(one.snippet)
    if not colour:
        return text
    pieces, at = [], 0
    for start, end in sorted(one.spans):
        start = max(start, at)
        if end > start:
            pieces += [text[at:start], MATCH, text[start:end], PLAIN]
            at = end
    return "".join([*pieces, text[at:]])


def remarks(answer: Answer) -> list[str]:
    """What to say beside the hits, or instead of them."""
    if not answer.hits:
        return ["nothing found", *(_check(one) for one in answer.diagnosis)]
    shown = len(answer.hits)
    total = answer.total if answer.total is not None else answer.total_at_least
    least = "" if answer.total is not None else "at least "
    lines = [f"{shown:,} of {least}" if answer.more else least]
    lines[0] += _count(max(total, shown), "hit", "hits")
    if answer.more and answer.cursor:
        lines[0] += f"; the next with --cursor {answer.cursor}"
    if answer.widened:
        lines.append(_WIDENED.get(answer.widened, f"widened to {answer.widened}"))
    if answer.approximate:
        lines.append("too many to order them all by relevance; this is about the order")
    if answer.synthetic_shown:
        lines.append("text that the agent put in by itself is among them")
    elif answer.synthetic_left_out:
        count = _count(answer.synthetic_left_out, "hit", "hits")
        lines.append(f"{count} left out that the agent put in by itself; is:synthetic shows them")
    return lines


def so_far(coverage: Coverage) -> str:
    """That the index is not complete, in numbers."""
    if not coverage.begun:
        return "nothing is indexed yet; `backscroll index` does that"
    known = max(coverage.known, 1)
    percent = min(99, coverage.indexed * 100 // known)
    return (
        f"indexed {coverage.indexed:,} of {coverage.known:,} parts so far ({percent} %), newest "
        "first; `backscroll index` does the rest"
    )


def sessions(found: Sequence[Session]) -> str:
    """A line a session: last activity, messages, title, project, id, what is unusual."""
    rows = [
        [
            "?" if one.unread else moment(one.updated),
            "?" if one.unread else f"{one.messages:,}",
            cut(title(one), 60),
            cut(one_line(one.project), 30),
            f"{one.source}:{one.id}",
            _session_notes(one),
        ]
        for one in found
    ]
    return table(rows, frozenset({1}))


def title(one: Session) -> str:
    """What a session is called, on one line."""
    return "(not read yet)" if one.unread else one_line(one.title) or _UNTITLED


def unread(page: SessionPage) -> str:
    """How many sessions nobody has read yet, and what that means."""
    return (
        f"{_count(page.unread, 'session is', 'sessions are')} not read yet: titles, counts and the"
        " time of the last message are not known; `backscroll index` reads them"
    )


def of_sessions(page: SessionPage) -> str:
    """How many sessions of how many, and how to get the next."""
    shown = len(page.sessions)
    if not page.more or not page.cursor:
        return _count(shown, "session", "sessions")
    total = _count(max(page.total, shown), "session", "sessions")
    return f"{shown:,} of {total}; the next with --cursor {page.cursor}"


def _session_notes(one: Session) -> str:
    there = {
        "pending revert": one.revert is not None,
        f"{one.gone:,} gone": one.gone > 0 and one.fate == "live",
        "unfinished": one.unfinished,
        _count(one.faults, "fault", "faults"): one.faults > 0,
    }
    said = (word for word, true in there.items() if true)
    return unusual(one.fate, *one.flags, *said, *also_in(one))


def also_in(one: Session) -> list[str]:
    """The other stores that have a session, in words."""
    return [f"also in {_place(each, one)}" for each in one.copies]


def _place(copy: Copy, session: Session) -> str:
    """A store that has a session too, and what it has more of it."""
    more = copy.messages - session.messages
    return copy.source + (f" with {_count(more, 'message', 'messages')} more" if more > 0 else "")


def _check(found: dict[str, object]) -> str:
    """What a check found, and the search that would find something."""
    said = one_line(str(found.get("message", "")))
    if found.get("query"):
        literal = "--literal " if found.get("literal") else ""
        said += f"; try: {literal}{one_line(str(found['query']))}"
    return said


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
