"""The stores and our own index as JSON."""

from __future__ import annotations

from store.model import Health, Looked, Report, SourceInfo
from tui.cli.shapes.common import Object, coverage, fault


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
