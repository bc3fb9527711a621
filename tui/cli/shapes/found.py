"""What a search or a review found as JSON: hits and leftovers, and what became of those."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from store.model import Answer, Fault, Forgotten, Hit, Leftover, LeftoverPage, Memory, Part
from tui.cli.shapes.common import Object, coverage, fault, iso
from tui.cli.shapes.content import part, words


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


def hit(one: Hit) -> Object:
    """One hit of a search."""
    return {
        **_found(one),
        "copies": [asdict(place) for place in one.copies],
        "score": one.score,
    }


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
        "versions": one.versions,
        "copies": one.copies,
        "index": one.index,
        "titles": list(one.titles),
    }
