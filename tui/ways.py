"""Ways through a session and to its relatives: chapters, its parent's call, its sub-agents.

Everything here asks the door and may take time; workers call it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from store.door import Door
from store.errors import StoreError
from store.model import Compaction, Hit, Part, Session, Text, Tool, Window

AROUND = 5
READ = 50  # messages read at once
MOST_READ = 500
LIMIT = 1000


@dataclass(frozen=True, slots=True)
class Chapter:
    """A prompt of the person (or a compaction): the message's or part's id, when, what, and how
    many calls failed until the next one."""

    ident: str
    time: int
    text: str
    failed: int = 0
    fate: str = "live"
    sign: str = ""


def name_of(session: Session) -> str:
    """The id of a session that no other source's has."""
    return f"{session.source}:{session.id}"


def chapters(door: Door, session: Session) -> list[Chapter]:
    """The prompts of a session in reading order: from the index, else from the messages."""
    here = f"source:{session.source} session:{session.id}"
    prompts = list(_all_hits(door, f"{here} kind:user_text,compaction"))
    if not prompts:
        return _read_chapters(door, session)
    found = [_chapter(hit) for hit in prompts]
    found.sort(key=lambda one: (one.time, one.ident))
    kinds = "kind:tool_input,tool_output,tool_error"
    failed = {hit.part: hit.time for hit in _all_hits(door, f"{here} {kinds} has:error")}
    return _with_failures(found, list(failed.values()))


def _all_hits(door: Door, query: str) -> Iterator[Hit]:
    cursor = None
    while True:
        answer = door.search(query, limit=LIMIT, cursor=cursor)
        yield from answer.hits
        cursor = answer.cursor
        if not answer.more or cursor is None:
            return


def _chapter(hit: Hit) -> Chapter:
    sign = "─" if hit.kind == "compaction" else ""
    return Chapter(hit.part or hit.message or "", hit.time, hit.snippet, 0, hit.fate, sign)


def _with_failures(found: list[Chapter], failures: list[int]) -> list[Chapter]:
    counts: Counter[int] = Counter()
    for time in failures:
        at = sum(chapter.time <= time for chapter in found) - 1
        counts[max(at, 0)] += 1
    return [replace(one, failed=counts[at]) for at, one in enumerate(found)]


def _read_chapters(door: Door, session: Session) -> list[Chapter]:
    """As far as MOST_READ messages tell: a session that the index does not know yet."""
    first = 0
    found: list[Chapter] = []
    while first < MOST_READ:
        window = door.page(name_of(session), first, READ)
        for item in window.messages:
            for part in item.parts:
                if chapter := _part_chapter(part, item.message.role):
                    found.append(chapter)
                elif found and isinstance(part.content, Tool) and part.content.failed:
                    found[-1] = replace(found[-1], failed=found[-1].failed + 1)
        if not window.more_after or not window.messages:
            break
        first += len(window.messages)
    return found


def _part_chapter(part: Part, role: str) -> Chapter | None:
    content = part.content
    if isinstance(content, Compaction):
        return Chapter(part.id, part.time, "compacted", 0, part.fate, "─")
    if isinstance(content, Text) and role == "user" and "synthetic" not in part.flags:
        return Chapter(part.id, part.time, content.text, 0, part.fate)
    return None


# Relatives ---------------------------------------------------------------------------------


def sub_session(part: Part) -> tuple[str, str]:
    """The session that a call of a sub-agent ran in, and its slice where it has one; ("", "")."""
    content = part.content
    if not isinstance(content, Tool):
        return "", ""
    session, actor = content.meta.get("sessionId"), content.meta.get("actorId")
    return (
        session if isinstance(session, str) else "",
        actor if isinstance(actor, str) else "",
    )


def child_window(door: Door, source: str, session: str) -> Window:
    """The beginning of a sub-agent's session."""
    return door.page(_where(door, source, session), 0, 2 * AROUND + 1)


def _where(door: Door, source: str, session: str) -> str:
    """A session's name in a source, or in whichever other one has it."""
    try:
        return name_of(door.page(f"{source}:{session}", 0, 0).session)
    except StoreError as error:
        if error.code != "SESSION_NOT_FOUND":
            raise
    return name_of(door.page(session, 0, 0).session)


def call_of(window: Window, child: str) -> Part | None:
    """The part of a window that began a sub-agent's session."""
    for item in window.messages:
        for part in item.parts:
            if sub_session(part)[0] == child and child != window.session.id:
                return part
    return None


def parent_window(door: Door, session: Session) -> Window:
    """The parent's messages around the call that began this session.

    A parent may be long, so its place is found by time, halving, before anything is read.
    """
    parent = _where(door, session.source, session.parent)
    low, high = 0, door.page(parent, 0, 1).total
    while low < high:
        middle = (low + high) // 2
        found = door.page(parent, middle, 1).messages
        if found and found[0].message.time <= session.created:
            low = middle + 1
        else:
            high = middle
    place = max(low - 1, 0)
    window = door.page(parent, max(place - AROUND, 0), 2 * AROUND + 1)
    call = call_of(window, session.id)
    if call is not None:
        return replace(window, anchor=call.message, part=call.id)
    at = place - window.first
    anchor = window.messages[at].message.id if at < len(window.messages) else ""
    return replace(window, anchor=anchor)


def joined(window: Window, more: Window) -> Window | None:
    """A window and one that is next to it as one; None where they do not fit together any more."""
    if more.total != window.total or more.session.id != window.session.id:
        return None
    known = {item.message.id for item in window.messages}
    new = tuple(item for item in more.messages if item.message.id not in known)
    if more.first < window.first:
        return replace(window, messages=new + window.messages, first=more.first)
    return replace(window, messages=window.messages + new)
