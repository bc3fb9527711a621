"""Where a session comes from, and counts, as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from store.model import Count, Fault, Lineage, Stats
from tui.cli.shapes.common import Object, coverage, fault
from tui.cli.shapes.conversation import session

NO_LINEAGE: Object = {
    "session": None,
    "parents": [],
    "children": [],
    "forks": [],
    "complete": True,
    "missing": None,
}
"""What `trace` answers where there is no store at all."""


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
        "gone": one.gone,
        "held": one.held
        and {
            "sessions": one.held.sessions,
            "messages": one.held.messages,
            "parts": one.held.parts,
        },
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
