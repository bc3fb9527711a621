"""The columns of our rows, in the order in which they are written."""

from __future__ import annotations

from typing import Any

from store.archive import dump
from store.model import Message
from store.schema import flag_bits
from store.source import Ref
from store.text import encodable

MESSAGE_NAMES = (
    "id, session, native, role, agent, slice, model, seq, time, completed, updated, size, parent,"
    " error, cost, tokens, flags"
)
PART_NAMES = (
    "id, message, native, time, created, updated, size, type, tool, status, flags, has, block,"
    " at, length"
)
GONE_NAMES = "fate, cause, evidence, removed_at, noticed_at"
"""What follows for a row that is gone."""


def message_row(ident: int, session: int, message: Message, ref: Ref) -> tuple[Any, ...]:
    """A message's row, in the order of MESSAGE_NAMES."""
    return (
        ident,
        session,
        message.id,
        encodable(message.role),
        encodable(message.agent),
        encodable(message.slice),
        encodable(message.model),
        ref.seq,
        message.time,
        message.completed,
        ref.updated,
        ref.size,
        encodable(message.parent),
        encodable(message.error),
        message.cost,
        dump(message.tokens) if message.tokens else None,
        flag_bits(message.flags),
    )
