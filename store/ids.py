"""What an id names: `[source:]native id`, or a beginning of it that is unique."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence

import apsw

from store.conversations import conversations, rank
from store.errors import Code, StoreError
from store.layout import NAMED
from store.source import Found, Source
from store.sqlite import rows_of
from store.text import has_lone_surrogate

MANY = 5
_WORDS = {"ses": "session", "msg": "message", "prt": "part"}
_CODES: dict[str, Code] = {
    "session": "SESSION_NOT_FOUND",
    "message": "MESSAGE_NOT_FOUND",
    "part": "PART_NOT_FOUND",
}
_NAMED = "(:named IS NULL OR n.name IN (SELECT value FROM json_each(:named)))"
_WHERE = "n.missing_since IS NOT NULL, s.flags, s.updated, s.id"
_BEGIN = f"substr(p.native, 1, {NAMED})"
_SQL = f"""
SELECT n.name, 'session', s.native, '', s.native, s.fate, {_WHERE} FROM session s
    JOIN source n ON n.id = s.source WHERE s.native >= :low AND s.native < :high AND {_NAMED}
UNION ALL
SELECT n.name, 'message', m.native, m.native, s.native, m.fate, {_WHERE} FROM message m
    JOIN session s ON s.id = m.session JOIN source n ON n.id = s.source
    WHERE m.native >= :low AND m.native < :high AND {_NAMED}
UNION ALL
SELECT n.name, 'part', p.native, m.native, s.native, p.fate, {_WHERE} FROM part p
    JOIN message m ON m.id = p.message JOIN session s ON s.id = m.session
    JOIN source n ON n.id = s.source WHERE p.native >= :low AND p.native < :high AND {_NAMED}
    AND {_BEGIN} BETWEEN substr(:low, 1, {NAMED}) AND substr(:low, 1, {NAMED}) || char(0x10ffff)
LIMIT 50
"""


def resolve(
    ident: str,
    index: apsw.Connection | None,
    sources: Mapping[str, Source],
    answering: frozenset[str] | None,
    wanted: str,
) -> tuple[str, Found]:
    """The source's name and the row that an id names.

    `answering` names the sources that may answer (None: all), `wanted` is what is looked for
    where the id itself does not tell. Raises AMBIGUOUS_ID, or the NOT_FOUND of its kind.
    """
    name, native = _split(ident, index, sources)
    if name is not None:
        answering = frozenset([name]) if answering is None else answering & {name}
    if not native or has_lone_surrogate(native):
        raise _missing(ident, wanted)
    found: dict[tuple[str, str], tuple[str, Found]] = {}
    candidates = _candidates(native, index, sources, answering)
    for where, row in candidates:
        found.setdefault((row.kind, row.id), (where, row))
    if "#" not in native:  # a part named by its place is not what a message's beginning means
        found = {key: one for key, one in found.items() if "#" not in key[1]}
    exact = [one for key, one in found.items() if key[1] == native]
    matches = exact or list(found.values())
    if not matches:
        raise _missing(ident, wanted)
    if len(matches) > 1:
        names = ", ".join(sorted({row.id for _, row in matches})[:MANY])
        raise StoreError("AMBIGUOUS_ID", f"{ident} may be {names}; give more of it", ident)
    places = _places(matches[0], candidates)
    if index is not None and len(places) > 1:
        _check_same(index, ident, matches[0][1], places)
    return matches[0]


def _places(match: tuple[str, Found], candidates: Sequence[tuple[str, Found]]) -> list[str]:
    """The stores in which an id is the same row of the same session, by their ids."""
    same = (name for name, row in candidates if row == match[1])
    return list(dict.fromkeys(same))


def _check_same(index: apsw.Connection, ident: str, found: Found, places: Sequence[str]) -> None:
    """Raises AMBIGUOUS_ID where stores have different sessions under one id."""
    told = json.dumps(list(places))
    sql = "SELECT id FROM source WHERE name IN (SELECT value FROM json_each(?))"
    ids = [row[0] for row in rows_of(index, sql, (told,))]
    different = conversations(index, ids, found.session)
    if len(different) > 1:
        names = ", ".join(f"{one[0].name}:{found.id}" for one in different[:MANY])
        words = f"{ident} is different things in different stores: {names}; name the store"
        raise StoreError("AMBIGUOUS_ID", words, ident)


def _split(
    ident: str, index: apsw.Connection | None, sources: Mapping[str, Source]
) -> tuple[str | None, str]:
    head, colon, rest = ident.partition(":")
    known = set(sources)
    if index is not None:
        known |= {row[0] for row in rows_of(index, "SELECT name FROM source")}
    return (head, rest) if colon and head in known else (None, ident)


def _candidates(
    native: str,
    index: apsw.Connection | None,
    sources: Mapping[str, Source],
    answering: frozenset[str] | None,
) -> list[tuple[str, Found]]:
    """What begins so, in the index and in the sources; of one conversation the primary first."""
    found: list[tuple[tuple[int, ...], str, Found]] = []
    if index is not None:
        named = None if answering is None else json.dumps(sorted(answering))
        limits = {"low": native, "high": native + "\U0010ffff", "named": named}
        for name, kind, ident, message, session, *place in rows_of(index, _SQL, limits):
            found.append((rank(*place), name, Found(kind, ident, message, session)))
    if not any(row.id == native for _, _, row in found):
        for where, source in sources.items():
            if answering is None or where in answering:
                with contextlib.suppress(StoreError):
                    found += [((), where, row) for row in source.find(native, MANY)]
    return [(where, row) for _, where, row in sorted(found, key=lambda one: one[0])]


def _missing(ident: str, wanted: str) -> StoreError:
    word = _WORDS.get(ident.rpartition(":")[2][:3], wanted)
    return StoreError(_CODES[word], f"there is no {word} {ident}", ident)
