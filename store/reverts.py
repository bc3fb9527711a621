"""What a pending revert hides: the one place of the rule, for the index and for windows."""

from __future__ import annotations

from collections.abc import Sequence

from store.model import Revert


def hidden_by(
    revert: Revert | None, messages: Sequence[str], own: Sequence[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """The messages that are hidden whole, and the parts hidden in a message that stays.

    `messages` are the session's in reading order, `own` the parts of the revert's message in
    theirs. Without a part: the message and all after it, or (`after`) only those after it. With
    one: that part and those after it, and all later messages; the message itself stays.
    """
    if revert is None or revert.message not in messages:
        return frozenset(), frozenset()
    start = messages.index(revert.message)
    if not revert.part:
        return frozenset(messages[start + revert.after :]), frozenset()
    tail = own[own.index(revert.part) :] if revert.part in own else ()
    return frozenset(messages[start + 1 :]), frozenset(tail)
