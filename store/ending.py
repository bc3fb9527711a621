"""What reading a session to its end says of the rows that the index has of it."""

from __future__ import annotations

import json

from store.batch import SessionEnd, Told
from store.known import Known, KnownSession, ToDo
from store.model import Message, Revert
from store.reverts import hidden_by
from store.source import Outline
from store.unread import UNFINISHED


def session_end(
    session: ToDo, outline: Outline, known: KnownSession, stamp: str, last: Message | None
) -> SessionEnd:
    """What a session's complete outline says of what the index has; an incomplete one, nothing."""
    end = SessionEnd(UNFINISHED, [], [], [], [], False, False, len(outline.parts))
    if last is not None:
        end.unfinished = last.role == "assistant" and not last.completed and not last.error
    if outline.title is not None:
        end.told = Told(
            outline.title,
            outline.updated or session.updated,
            len(outline.messages),
            len(outline.parts),
        )
    if outline.complete or outline.final:
        end.stamp = stamp
    messages, parts = _absent(outline, known)
    end.passed_messages = [row.id for key, row in messages.items() if key in outline.passing]
    end.passed_parts = [row.id for key, row in parts.items() if key[0] in outline.passing]
    if not outline.complete:
        return end
    end.gone_messages = [row.id for key, row in messages.items() if key not in outline.passing]
    end.gone_parts = [row.id for key, row in parts.items() if key[0] not in outline.passing]
    rows = (*known.messages.values(), *known.parts.values())
    end.has_revert = bool(session.revert) or any(row.fate == "reverted" for row in rows)
    if session.revert:
        revert = Revert(*json.loads(session.revert))
        end.reverted_messages, end.reverted_parts = _hidden(outline, revert)
        end.reverted_parts += [
            part
            for (message, part), row in known.parts.items()
            if message in outline.unseen and row.fate == "reverted"
        ]
    return end


def _absent(
    outline: Outline, known: KnownSession
) -> tuple[dict[str, Known], dict[tuple[str, str], Known]]:
    """The messages and parts that the index has, and an outline has not."""
    messages = {ref.id for ref in outline.messages}
    parts = {(ref.parent, ref.id) for ref in outline.parts}
    parts |= {key for key in known.parts if key[0] in outline.unseen}
    return (
        {key: row for key, row in known.messages.items() if key not in messages},
        {key: row for key, row in known.parts.items() if key not in parts},
    )


def _hidden(outline: Outline, revert: Revert) -> tuple[list[str], list[str]]:
    """The messages and parts that a pending revert hides."""
    own = sorted(
        (ref for ref in outline.parts if ref.parent == revert.message),
        key=lambda ref: (ref.created, ref.id),
    )
    messages, tail = hidden_by(
        revert, [ref.id for ref in outline.messages], [ref.id for ref in own]
    )
    parts = [ref.id for ref in outline.parts if ref.parent in messages]
    return list(messages), parts + list(tail)
