"""Which kinds of text are indexed; a change indexes exactly what it must."""

from __future__ import annotations

import json

import apsw

from store.model import KINDS, Kind
from store.sqlite import one


def kinds_of(connection: apsw.Connection) -> tuple[Kind, ...]:
    """The kinds that the index has documents of."""
    told = one(connection, "SELECT value FROM meta WHERE key = 'kinds'")
    if told is None:
        return KINDS
    chosen = json.loads(told)
    return tuple(kind for kind in KINDS if kind in chosen)
