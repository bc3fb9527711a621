"""Where a session comes from and what came of it, from the index alone.

Parents are what the producers note. Forks of opencode 1.x note nothing: a fork is known by its
history, since the copied messages keep their times while everything else about them is new.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from store.conversations import with_copies
from store.errors import StoreError
from store.family import Family, Node
from store.model import Child, Fork, Lineage, Relation, Session, Text
from store.records import SESSION, Records, session_of
from store.schema import flag_bits
from store.sqlite import one, rows_of

_FORK = re.compile(r" \(fork #\d+\)$")
_FORKED, _IMPORTED = flag_bits(("fork",)), flag_bits(("imported",))
LONGEST_CYCLE = 8
"""Ids that the error about a cycle names."""


def trace(
    connection: apsw.Connection, name: str, native: str, sources: Sequence[int] | None
) -> Lineage:
    """The lineage of a session by its source's name; `sources` may answer (None: all).

    Of what several stores have it tells that of the same store, else the best.

    Raises SESSION_NOT_FOUND, and INVALID_LINEAGE for a session that is its own ancestor.
    """
    own = one(
        connection,
        "SELECT s.id FROM session s JOIN source n ON n.id = s.source"
        " WHERE n.name = ? AND s.native = ?",
        (name, native),
    )
    family = Family(connection, own, sources)
    node = family.nodes.get(own) if own is not None else None
    if node is None:
        about = f"{name}:{native}"
        raise StoreError("SESSION_NOT_FOUND", f"there is no session {about}", about)
    parents, missing = _parents(family, node)
    children = _children(family, node)
    kin = {node.id, *(each.id for each in parents), *(each.id for each, _ in children)}
    forks = _forks(connection, node, [each for each in family.nodes.values() if each.id not in kin])
    sessions = _sessions(connection, [*kin, *(each.id for each, _, _ in forks)], sources)
    return Lineage(
        session=sessions[node.id],
        parents=tuple(sessions[each.id] for each in parents),
        children=tuple(Child(sessions[each.id], depth) for each, depth in children),
        forks=tuple(Fork(sessions[each.id], relation, shared) for each, relation, shared in forks),
        missing=missing,
    )


def _parents(family: Family, node: Node) -> tuple[list[Node], str]:
    """All ancestors, nearest first, and the id of the parent that is nowhere ("": none is)."""
    found: list[Node] = []
    seen = {node.id}
    while node.parent:
        above = family.parent(node)
        if above is None:
            return found, node.parent
        node = above
        if node.id in seen:
            raise _cycle(node, found)
        seen.add(node.id)
        found.append(node)
    return found, ""


def _cycle(node: Node, path: Sequence[Node]) -> StoreError:
    way = [each.native for each in path]
    ring = way[way.index(node.native) :] if node.native in way else [node.native, *way]
    names = [*ring[:LONGEST_CYCLE], *(["..."] if len(ring) > LONGEST_CYCLE else []), ring[0]]
    words = f"{node.native} is its own ancestor: {' < '.join(names)}"
    return StoreError("INVALID_LINEAGE", words, node.native)


def _children(family: Family, root: Node) -> list[tuple[Node, int]]:
    """All descendants with their depth, each right behind its parent's earlier descendants.

    Each session has one parent and no cycle leads through the root, so nothing comes twice.
    """
    below: dict[int, list[Node]] = defaultdict(list)
    for each in family.nodes.values():
        above = family.parent(each)
        if above is not None:
            below[above.id].append(each)
    found: list[tuple[Node, int]] = []
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        if depth:
            found.append((node, depth))
        young = sorted(below[node.id], key=lambda each: (each.created, each.native))
        stack += [(each, depth + 1) for each in reversed(young)]
    return found


def _sessions(
    connection: apsw.Connection, idents: Iterable[int], sources: Sequence[int] | None
) -> dict[int, Session]:
    rows = rows_of(
        connection,
        f"SELECT {SESSION}, s.id FROM session s JOIN source n ON n.id = s.source"
        " WHERE s.id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(idents)),),
    )
    return {row[-1]: with_copies(connection, session_of(row), row[-1], sources) for row in rows}


# Forks ---------------------------------------------------------------------------------------


def _forks(
    connection: apsw.Connection, node: Node, others: Iterable[Node]
) -> list[tuple[Node, Relation, int | None]]:
    """Sessions of the same store with the same beginning: each, what it is to this one, and how
    many messages they share. Two sub-agents of one parent are no forks of each other.
    """
    here = [
        each
        for each in others
        if each.source == node.source
        and not (each.parent and each.parent == node.parent)
        and not (each.flags | node.flags) & _IMPORTED
    ]
    starts = _starts(connection, [node, *here])
    found: list[tuple[Node, Relation, int | None]] = []
    for each in here:
        if node.id in starts and each.id in starts:
            if starts[node.id] != starts[each.id]:
                continue
            shared: int | None = _shared(connection, node, each)
        elif _told_by_title(node, each):
            shared = None
        else:
            continue
        if shared != 0:
            found.append((each, _relation(each, node), shared))
    return sorted(found, key=lambda one: (one[1] != "origin", one[0].created, one[0].native))


def _starts(connection: apsw.Connection, nodes: Sequence[Node]) -> dict[int, int]:
    """When the first message of each session was said, where the index knows one."""
    rows = rows_of(
        connection,
        "SELECT s.value, (SELECT min(time) FROM message WHERE session = s.value)"
        " FROM json_each(?) s",
        (json.dumps([each.id for each in nodes]),),
    )
    return {ident: time for ident, time in rows if time is not None}


def _told_by_title(node: Node, other: Node) -> bool:
    forked = (node.flags | other.flags) & _FORKED
    mine, theirs = (_FORK.sub("", each.title).strip() for each in (node, other))
    return bool(forked and mine) and mine == theirs


def _relation(other: Node, node: Node) -> Relation:
    """What the other is to this one; without the mark of a fork the earlier one is the origin."""
    if other.flags & node.flags & _FORKED:
        return "sibling"
    if other.flags & _FORKED:
        return "fork"
    first = bool(node.flags & _FORKED) or other.created < node.created
    return "origin" if first else "fork"


def _shared(connection: apsw.Connection, node: Node, other: Node) -> int:
    """With how many messages of equal time, role and text both begin."""
    records = Records(connection)
    count = 0
    for mine, theirs in zip(
        _messages(connection, node), _messages(connection, other), strict=False
    ):
        if mine[1:] != theirs[1:]:
            break
        if count == 0 and _said(records, node, mine) != _said(records, other, theirs):
            break
        count += 1
    return count


def _messages(connection: apsw.Connection, node: Node) -> list[tuple[Any, ...]]:
    return rows_of(
        connection,
        "SELECT native, time, role FROM message WHERE session = ? ORDER BY time, native",
        (node.id,),
    )


def _said(records: Records, node: Node, message: tuple[Any, ...]) -> list[str]:
    parts = records.parts(node.id, [message[0]], node.native)
    return [part.content.text for part in parts if isinstance(part.content, Text)]
