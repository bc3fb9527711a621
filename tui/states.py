"""What the screen says in each of its states; pure functions from what is known to words."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from textual.content import Content

from store.model import Looked, Progress, SessionPage, SourceInfo
from tui import words
from tui.render.words import many

NARROW = 36
"""Cells that a list has at least."""
READING = "reading the list of sessions…"
LOOKING = "looking for stores…"
STALE = "sessions not up to date"
PRODUCERS = {"opencode": "opencode", "mimocode": "MiMo Code", "dsh": "DeepSeek Harness"}
PICK = "Nothing is open. Move through the list, or type / and search."


def faults_of(sources: Sequence[SourceInfo]) -> int:
    """How many things could not be read."""
    return sum(len(source.faults) for source in sources)


def unreadable(source: SourceInfo) -> bool:
    """Whether nothing of a source can be read now."""
    return source.opened in ("failed", "missing")


def twice(page: SessionPage) -> tuple[int, int]:
    """The messages and parts of conversations in all stores but the first that have them."""
    copies = [one for session in page.sessions for one in session.copies if one.fate == "live"]
    return sum(one.messages for one in copies), sum(one.parts for one in copies)


def header(
    sources: Sequence[SourceInfo], twice: tuple[int, int], catching_up: bool, width: int
) -> Content:
    """The first line: name, sources, counts, whether all is up to date.

    `twice` are the messages and parts that the sources count more than once.
    """
    names: list[str | tuple[str, str]] = []
    for source in sources:
        style = "$warning" if unreadable(source) else "$text-muted"
        names += [(("⚠ " if unreadable(source) else "") + source.name, style), "  "]
    left = Content.assemble((" backscroll", "bold $accent"), "   ", *names)
    counts = _counts(sources, twice, catching_up)
    room = width - left.cell_length - 1
    for dropped in ("parts", "messages"):
        if Content.assemble(*counts.values()).cell_length > room:
            counts.pop(dropped, None)
    tail = Content.assemble(*counts.values())
    return left.truncate(max(0, width - tail.cell_length), ellipsis=True, pad=True) + tail


def _counts(
    sources: Sequence[SourceInfo], twice: tuple[int, int], catching_up: bool
) -> dict[str, Content]:
    if not sources:
        return {}
    messages = max(0, sum(source.messages for source in sources) - twice[0])
    parts = max(0, sum(source.parts for source in sources) - twice[1])
    faults = faults_of(sources)
    return {
        "messages": Content.styled(f"{many(messages, 'message')} · ", "$text-muted"),
        "parts": Content.styled(f"{many(parts, 'part')} · ", "$text-muted"),
        "faults": Content.styled(f"⚠ {many(faults, 'fault')} · " if faults else "", "$warning"),
        "state": _state(sources, catching_up),
    }


def _state(sources: Sequence[SourceInfo], catching_up: bool) -> Content:
    if all(map(unreadable, sources)):
        return Content.styled("cannot be read ", "$warning")
    if catching_up:
        return Content.styled("catching up ", "$text-muted")
    return Content.styled("up to date ", "$success")


def progress(now: Progress, width: int) -> str:
    """The state of a backfill, for the status line."""
    share = words.percent(now.done, now.known)
    if width < 100:
        return f"indexing {share} %"
    done, known = words.number(now.done), words.number(now.known)
    return f"indexing {share} % · {done} of {known} parts · newest first"


def indexed(sources: Sequence[SourceInfo]) -> str:
    """The state when nothing runs, for the status line."""
    known = sum(source.parts for source in sources)
    behind = sum(source.behind for source in sources)
    share = words.percent(known - behind, known)
    faults = faults_of(sources)
    if not known and sources and all(map(unreadable, sources)):
        return f"nothing indexed · {many(faults, 'fault')} · F lists"
    return f"indexed {share} % · {many(faults, 'fault')}" + (" · F lists" if faults else "")


def is_well(sources: Sequence[SourceInfo]) -> bool:
    """Whether that state says no more than that all is well."""
    return not faults_of(sources) and not any(source.behind for source in sources)


def failed(text: str) -> list[Content]:
    """A list that could not be read."""
    return [
        Content.styled("This could not be read.", "bold"),
        Content(""),
        Content.styled(words.flat(text), "$warning"),
        Content(""),
        hint("f5", "try again"),
        hint("F", "sources and faults"),
    ]


def hint(key: str, word: str) -> Content:
    """A key and what it does."""
    return Content.assemble((f"{key:<6}", "bold $accent"), (word, "$text-muted"))


def no_sessions(sources: Sequence[SourceInfo]) -> list[Content]:
    """The list of sessions when there is none: the stores hold none, or cannot be read."""
    if sources and all(map(unreadable, sources)):
        faults = [fault for source in sources for fault in source.faults]
        return [
            Content.styled("Nothing can be read.", "bold"),
            Content(""),
            *(
                Content.styled(line, "$warning")
                for fault in faults[:5]
                for line in textwrap.wrap(words.flat(fault.message), NARROW)
            ),
            Content(""),
            hint("f5", "try again"),
            hint("F", "sources and faults"),
        ]
    return [
        Content.styled("No sessions.", "bold"),
        Content(""),
        Content("The stores are there, but nothing"),
        Content("was said in them yet."),
        Content(""),
        hint("f5", "look again"),
        hint("F", "where it looked"),
    ]


def nothing_here(looked: Sequence[Looked], home: str, *, demo: bool) -> list[Content]:
    """The whole screen when this machine has no store: where it looked, and the way on."""
    lines = [
        Content.styled("No conversations on this machine yet", "bold"),
        Content(""),
        Content("backscroll reads what coding agents keep. It looked for them here:"),
        Content(""),
    ]
    for place in looked:
        lines.append(
            Content.assemble(
                (f"  {PRODUCERS[place.producer]:<18}", "$secondary"),
                words.home_short(place.path, home),
                (f"   {words.flat(place.why or 'not there')}", "$text-muted"),
            )
        )
    lines.append(Content(""))
    if demo:
        lines.append(hint("enter", "try it with the built-in demo"))
    lines += [
        hint("f5", "look again"),
        hint("q", "quit"),
        Content(""),
        Content.styled("A store somewhere else:  backscroll --source PATH", "$text-muted"),
    ]
    return lines


def sources_page(
    sources: Sequence[SourceInfo], looked: Sequence[Looked], problems: Sequence[str], home: str
) -> list[Content]:
    """Every source: how it was opened, what it holds, and each thing that could not be read."""
    lines: list[Content] = []
    for source in sources:
        sign = ("⚠ ", "$warning") if source.faults or unreadable(source) else ("✓ ", "$success")
        lines += [
            Content.assemble(sign, (source.name, "bold"), f"  {PRODUCERS[source.producer]}"),
            Content(f"  {words.home_short(source.path, home)}"),
            Content.styled(f"  {_holds(source)}", "$text-muted"),
        ]
        lines += [
            Content.assemble(
                ("  ⚠ ", "$warning"),
                f"{fault.code}  ",
                (
                    ""
                    if fault.about in fault.message
                    else f"{words.home_short(fault.about, home)}  ",
                    "$text-muted",
                ),
                words.flat(fault.message),
            )
            for fault in source.faults
        ]
        lines.append(Content(""))
    lines += [Content.assemble(("⚠ ", "$warning"), words.flat(problem)) for problem in problems]
    missing = [place for place in looked if not place.found]
    if missing:
        lines.append(Content.styled("Also looked here, in vain", "bold"))
    for place in missing:
        path = words.home_short(place.path, home)
        lines.append(Content.styled(f"  {PRODUCERS[place.producer]:<18}{path}", "$text-muted"))
    return lines


def _holds(source: SourceInfo) -> str:
    said = [
        many(source.sessions, "session"),
        many(source.messages, "message"),
        many(source.parts, "part"),
    ]
    if source.leftovers:
        said.append(many(source.leftovers, "leftover"))
    if source.behind:
        said.append(f"{words.number(source.behind)} parts not indexed yet")
    if source.opened:
        said.append(f"opened: {source.opened}")
    return " · ".join(said)
