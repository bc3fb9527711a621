"""A lineage as a tree, for people."""

from __future__ import annotations

from store.model import Fork, Lineage, Session
from tui.cli.text import also_in, moment, title, unusual
from tui.plain import one_line

DEEPEST = 12
"""Levels that are indented; deeper ones say how deep they are."""
_RELATIONS = {"origin": "copied from", "fork": "copied as", "sibling": "copied as well"}


def lineage(one: Lineage) -> str:
    """Ancestors, the session itself marked, descendants below, forks apart."""
    lines = []
    if one.missing:
        lines.append(f"{one_line(one.missing)}  (the parent, which is not here)")
    above = len(one.parents) + bool(one.missing)
    for place, each in enumerate(reversed(one.parents)):
        lines.append(_margin(place + bool(one.missing)) + _session(each))
    lines.append(_margin(above, "> ") + _session(one.session))
    lines += [_margin(above + each.depth) + _session(each.session) for each in one.children]
    if one.forks:
        lines += ["", "shared history", *(f"  {_fork(each)}" for each in one.forks)]
    return "\n".join(lines)


def _margin(depth: int, mark: str = "") -> str:
    deep = f"[{depth}] " if depth > DEEPEST else ""
    return "  " * min(depth, DEEPEST) + deep + mark


def _session(one: Session) -> str:
    said = f"{one.messages:,} messages" if one.messages != 1 else "1 message"
    said = "" if one.unread else said
    ident = one_line(f"{one.source}:{one.id}")
    words = [
        title(one),
        ident,
        moment(one.created),
        said,
        unusual(one.fate, *one.flags, *also_in(one)),
    ]
    return "  ".join(word for word in words if word)


def _fork(one: Fork) -> str:
    if one.shared is None:
        told = "by its title alone"
    else:
        told = "1 message in common" if one.shared == 1 else f"{one.shared:,} messages in common"
    return f"{_RELATIONS[one.relation]}  {_session(one.session)}  {told}"
