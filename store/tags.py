"""Words of ours beside those of a document in the full text: its session, its kind, its tool.

With them the full text itself picks the documents that a filter wants, and need not find all that
have a common word first. They tell no more than where to look: the filter itself is still asked.
"""

from __future__ import annotations

import zlib
from functools import lru_cache

from store.filters import FEW_SESSIONS
from store.model import KINDS
from store.query import Query
from store.tools import with_renamed

MARK = "\ue000\ue001"
"""Private characters that our words begin with; nobody types them."""


@lru_cache(maxsize=4096)
def tags(session: int, kind: int, tool: str) -> bytes:
    """What a document has before its text: of its session, its kind's number and its tool.

    There their places in the document are the smallest numbers.
    """
    of_tool = f"{MARK}t{_short(tool)} " if tool else ""
    return f"{MARK}s{session} {MARK}k{kind} {of_tool}".encode()


def _short(name: str) -> str:
    return f"{zlib.crc32(name.lower().encode('utf-8', 'replace')):x}"


def wanted(query: Query, sessions: list[int] | None) -> str:
    """The expression for documents that can pass the filters of a query; "" for all.

    `sessions`: those that can answer, None for all.
    """
    some = [[f"s{one}" for one in sessions]] if sessions and len(sessions) <= FEW_SESSIONS else []
    for told in query.filters:
        if told.negated:
            continue
        if told.key == "kind":
            some.append([f"k{number}" for number, kind in enumerate(KINDS) if kind in told.values])
        elif told.key == "tool":
            names = dict.fromkeys(_short(name) for name in with_renamed(told.values))
            some.append([f"t{name}" for name in names])
    return " AND ".join(_any(each) for each in some if 0 < len(each) <= FEW_SESSIONS)


def _any(words: list[str]) -> str:
    return "(" + " OR ".join(f'"{MARK}{word}"' for word in words) + ")"
