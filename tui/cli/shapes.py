"""The answers of the store as the JSON of the command line: pure functions, dataclass to dict.

The keys are a contract that scripts lean on: add freely, rename never.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from store.errors import StoreError
from store.model import (
    Agent,
    Answer,
    Attachment,
    Compaction,
    Content,
    Count,
    Coverage,
    Fault,
    File,
    Forgotten,
    Health,
    Hit,
    Kind,
    Leftover,
    LeftoverPage,
    Lineage,
    Looked,
    Memory,
    Message,
    Part,
    Patch,
    Reasoning,
    Report,
    Retry,
    Session,
    SessionPage,
    Shown,
    SourceInfo,
    Stats,
    Subtask,
    Text,
    Todos,
    Tool,
    Unknown,
    Window,
    type_name,
)

Object = dict[str, Any]

NO_WINDOW: Object = {
    "source": None,
    "session": None,
    "anchor": None,
    "messages": [],
    "more_before": False,
    "more_after": False,
}
"""What `around` answers where there is no store at all."""

NOT_SHOWN: Object = {"source": None, "session": None, "message": None, "parts": []}
"""What `show` answers where there is no store at all."""

NO_LINEAGE: Object = {
    "session": None,
    "parents": [],
    "children": [],
    "forks": [],
    "complete": True,
    "missing": None,
}
"""What `trace` answers where there is no store at all."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OWN_KEYS = frozenset({"status", "input", "output", "error", "attachments", "text"})
_TIME_KEYS = frozenset({"started", "ended"})


def iso(time: int | None) -> str | None:
    """Milliseconds since 1970 as `2026-09-01T10:00:00.000Z`, None beyond the calendar."""
    if time is None:
        return None
    try:
        moment = _EPOCH + timedelta(milliseconds=time)
    except OverflowError:
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + f".{moment.microsecond // 1000:03d}Z"


def error(problem: StoreError) -> Object:
    """What stands on stderr instead of a sentence."""
    return {
        "error": {"code": problem.code, "message": problem.message, "about": problem.about or None}
    }


def fault(one: Fault) -> Object:
    """Something that could not be read."""
    return {"code": one.code, "about": one.about, "message": one.message}


def leftovers(page: LeftoverPage, faults: Iterable[Fault]) -> Object:
    """A page of what is not live, with all faults known by now."""
    return {
        "leftovers": [leftover(each) for each in page.leftovers],
        "total": page.total,
        "more": page.more,
        "cursor": page.cursor,
        "faults": [fault(each) for each in faults],
    }


def leftover(one: Leftover) -> Object:
    """One thing that is not live, like a hit."""
    return {
        **_found(one),
        "type": one.type,
        "copies": [],
        "score": None,
        "cause": one.cause,
        "removed_at": iso(one.removed_at),
        "noticed_at": iso(one.noticed_at),
        "text": one.text,
    }


def memory(one: Memory) -> Object:
    """How far back leftovers of a source can be seen."""
    evidence: dict[str, str | None] = {name: iso(since) for name, since in one.evidence.items()}
    return {"source": one.source, "evidence": evidence, "kept_since": iso(one.kept)}


def versions(parts: Sequence[Part]) -> Object:
    """The texts of one part, the oldest first, the present one last."""
    return {
        "part": parts[-1].id,
        "versions": [
            {"version": each.version or None, **part(each, ""), "words": words(each.content)}
            for each in parts
        ],
    }


def forgotten(one: Forgotten) -> Object:
    """What was forgotten."""
    return {
        "sessions": one.sessions,
        "messages": one.messages,
        "parts": one.parts,
        "index": one.index,
    }


def words(held: Content) -> str:
    """All that a part says; of a tool its input, and its output or error."""
    if not isinstance(held, Tool):
        return text(held) or ""
    given = [f"{held.name} {json.dumps(held.input, ensure_ascii=False)}", held.output, held.error]
    return "\n\n".join(piece for piece in given if piece)


def hit(one: Hit) -> Object:
    """One hit of a search."""
    return {
        **_found(one),
        "copies": [asdict(place) for place in one.copies],
        "score": one.score,
    }


def _found(one: Hit | Leftover) -> Object:
    return {
        "id": one.id,
        "source": one.source,
        "session": one.session,
        "session_title": one.session_title,
        "project": one.project,
        "directory": one.directory,
        "message": one.message,
        "part": one.part,
        "kind": one.kind,
        "tool": one.tool,
        "status": one.status,
        "role": one.role,
        "agent": one.agent,
        "slice": one.slice,
        "model": one.model,
        "time": iso(one.time),
        "fate": one.fate,
        "evidence": one.evidence,
        "version": one.version,
        "flags": list(one.flags),
        "snippet": one.snippet,
        "spans": [list(span) for span in one.spans],
    }


def answer(one: Answer, faults: Iterable[Fault]) -> Object:
    """The answer to a search, with all faults known by now."""
    return {
        "query": one.query,
        "hits": [hit(each) for each in one.hits],
        "total": one.total,
        "total_at_least": one.total_at_least,
        "more": one.more,
        "cursor": one.cursor,
        "elapsed_ms": round(one.elapsed_ms, 3),
        "coverage": coverage(one.coverage),
        "faults": [fault(each) for each in faults],
        "widened": one.widened,
        "synthetic": {"left_out": one.synthetic_left_out, "shown": one.synthetic_shown},
        "approximate": one.approximate,
        "diagnosis": list(one.diagnosis),
    }


def coverage(one: Coverage) -> Object:
    """How much is indexed, in parts."""
    return {
        "indexed": one.indexed,
        "known": one.known,
        "skipped": one.skipped,
        "behind": one.behind,
        "complete": one.complete,
    }


def session(one: Session) -> Object:
    """One session of the list."""
    return {
        "source": one.source,
        "session": one.id,
        "title": one.title,
        "project": one.project,
        "directory": one.directory,
        "parent": one.parent or None,
        "messages": one.messages,
        "parts": one.parts,
        "time_created": iso(one.created),
        "time_updated": iso(one.updated),
        "fate": one.fate,
        "flags": list(one.flags),
        "copies": [],
        "revert": asdict(one.revert) if one.revert else None,
        "faults": one.faults,
    }


def sessions(page: SessionPage, faults: Iterable[Fault]) -> Object:
    """A page of the list of sessions, with all faults known by now."""
    return {
        "sessions": [session(each) for each in page.sessions],
        "total": page.total,
        "more": page.more,
        "cursor": page.cursor,
        "faults": [fault(each) for each in faults],
    }


def window(one: Window, faults: Iterable[Fault]) -> Object:
    """A run of messages around an anchor (null where a session's beginning was asked for)."""
    return {
        "source": one.session.source,
        "session": session(one.session),
        "anchor": one.anchor or None,
        "part": one.part or None,
        "first": one.first,
        "total": one.total,
        "messages": [
            {**message(each.message, each.parts), "matched": each.matched} for each in one.messages
        ],
        "more_before": one.more_before,
        "more_after": one.more_after,
        "faults": [fault(each) for each in faults],
    }


def shown(one: Shown) -> Object:
    """One message with the parts that were asked for."""
    return {
        "source": one.session.source,
        "session": session(one.session),
        **message(one.message, one.parts),
    }


def message(one: Message, parts: Iterable[Part]) -> Object:
    """A message and these parts of it."""
    return {
        "message": one.id,
        "role": one.role,
        "agent": one.agent or None,
        "slice": one.slice,
        "model": one.model or None,
        "time": iso(one.time),
        "fate": one.fate,
        "flags": list(one.flags),
        "error": one.error or None,
        "parts": [part(each, one.role) for each in parts],
    }


def part(one: Part, role: str) -> Object:
    """A part; `fields` is what it holds beyond the keys that all types share."""
    held = one.content
    tool = held if isinstance(held, Tool) else None
    return {
        "part": one.id,
        "type": type_name(held),
        "kinds": list(kinds(held, role)),
        "tool": tool.name if tool else None,
        "status": tool.status if tool else None,
        "time": iso(one.time),
        "fate": one.fate,
        "cause": one.cause,
        "evidence": one.evidence,
        "removed_at": iso(one.removed_at),
        "noticed_at": iso(one.noticed_at),
        "flags": list(one.flags),
        "text": text(held),
        "input": tool.input if tool else None,
        "output": tool.output if tool else None,
        "error": held.error if isinstance(held, Tool | Retry) else None,
        "attachments": [asdict(each) for each in _attachments(held)],
        "fields": _fields(held),
    }


def kinds(held: Content, role: str) -> tuple[Kind, ...]:
    """The kinds of document that this content gives; what is empty gives none."""
    match held:
        case Tool():
            given: dict[Kind, bool] = {
                "tool_input": True,
                "tool_output": bool(held.output),
                "tool_error": bool(held.error),
                "file": any(one.filename or one.mime for one in held.attachments),
            }
        case Text():
            given = {"user_text" if role == "user" else "assistant_text": bool(held.text)}
        case Reasoning():
            given = {"reasoning": bool(held.text)}
        case File():
            given = {"file": any((held.filename, held.mime, held.path, held.url, held.text))}
        case Patch():
            given = {"patch": any(held.files)}
        case Subtask():
            given = {
                "subtask": any((held.description, held.prompt, held.agent, held.command)),
            }
        case Agent():
            given = {"subtask": bool(held.name or held.text)}
        case Compaction():
            given = {"compaction": bool(held.text)}
        case Retry():
            given = {"error": bool(held.error)}
        case Todos():
            given = {"todo": bool(held.items)}
        case _:
            given = {}
    return tuple(kind for kind, there in given.items() if there)


def text(held: Content) -> str | None:
    """What the content says in words, None where it has none of its own."""
    match held:
        case Text() | Reasoning():
            return held.text
        case File() | Compaction():
            return held.text or None
        case Subtask():
            return held.prompt
        case Patch():
            return "\n".join(held.files)
        case Todos():
            return "\n".join(f"{status}  {what}" for status, what in held.items)
        case _:
            return None


def lineage(one: Lineage, faults: Iterable[Fault]) -> Object:
    """What a session comes from and what came of it."""
    return {
        "session": session(one.session),
        "parents": [session(each) for each in one.parents],
        "children": [{**session(each.session), "depth": each.depth} for each in one.children],
        "forks": [
            {
                **session(each.session),
                "relation": each.relation,
                "shared": each.shared,
            }
            for each in one.forks
        ],
        "complete": one.complete,
        "missing": one.missing or None,
        "faults": [fault(each) for each in faults],
    }


def stats(one: Stats, faults: Iterable[Fault]) -> Object:
    """Counts of all that passes a query's filters, and by day, project, tool and model."""
    return {
        "query": one.query,
        "total": _counts(one.total),
        "days": [{"day": each.name, **_counts(each)} for each in one.days],
        "projects": [{"project": each.name, **_counts(each)} for each in one.projects],
        "tools": [
            {
                "tool": each.name,
                "sessions": each.sessions,
                "calls": each.calls,
                "failed": each.failed,
                "failure_rate": round(each.failed / each.calls, 4) if each.calls else 0.0,
            }
            for each in one.tools
        ],
        "models": [
            {
                "model": each.name,
                "sessions": each.sessions,
                "messages": each.messages,
                "cost": each.cost,
                "tokens": each.tokens,
            }
            for each in one.models
        ],
        "copies": one.copies,
        "coverage": coverage(one.coverage),
        "faults": [fault(each) for each in faults],
    }


def _counts(one: Count) -> Object:
    return {
        "sessions": one.sessions,
        "messages": one.messages,
        "prompts": one.prompts,
        "parts": one.parts,
        "calls": one.calls,
        "failed": one.failed,
        "cost": one.cost,
        "tokens": one.tokens,
    }


def report(one: Report) -> Object:
    """What bringing the index up to date came to."""
    return {
        "sources": [source(each) for each in one.sources],
        "elapsed_s": round(one.elapsed_s, 3),
        "complete": not one.stopped,
    }


def source(one: SourceInfo) -> Object:
    """A store and what is known of it."""
    return {
        "source": one.name,
        "producer": one.producer,
        "path": one.path,
        "opened": one.opened,
        "sessions": one.sessions,
        "messages": one.messages,
        "parts": one.parts,
        "documents": one.documents,
        "leftovers": one.leftovers,
        "skipped": [fault(each) for each in one.faults],
        "behind": one.behind,
    }


def place(one: Looked) -> Object:
    """A place where a store may be."""
    return {"producer": one.producer, "path": one.path, "found": one.found, "why": one.why}


def health(one: Health) -> Object:
    """The state of our own index."""
    return {
        "path": one.path,
        "bytes": one.bytes,
        "version": one.version,
        "documents": one.documents,
        "archived_parts": one.archived_parts,
        "archive_bytes": one.archive_bytes,
        "coverage": coverage(one.coverage),
        "problem": one.problem or None,
    }


def _attachments(held: Content) -> tuple[Attachment, ...]:
    if isinstance(held, Tool):
        return held.attachments
    if isinstance(held, File):
        return (Attachment(held.mime, held.filename, held.bytes),)
    return ()


def _fields(held: Content) -> Object:
    if isinstance(held, Unknown):
        return held.fields
    return {
        field.name: iso(value) if field.name in _TIME_KEYS else value
        for field in fields(held)
        if field.name not in _OWN_KEYS
        for value in [getattr(held, field.name)]
    }
