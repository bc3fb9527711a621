"""What an id names: `[source:]native id`, or a beginning of it that is unique."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import apsw

from store.errors import Code, StoreError
from store.schema import flag_bits
from store.source import Found, Source
from store.sqlite import rows_of

MANY = 5
_IMPORTED = flag_bits(("imported",))
_KINDS: dict[str, tuple[str, Code]] = {
    "ses": ("session", "SESSION_NOT_FOUND"),
    "msg": ("message", "MESSAGE_NOT_FOUND"),
    "prt": ("part", "PART_NOT_FOUND"),
}
_SQL = """
SELECT n.name, 'session', s.native, '', s.native, s.flags FROM session s
    JOIN source n ON n.id = s.source WHERE s.native >= :low AND s.native < :high
UNION ALL
SELECT n.name, 'message', m.native, m.native, s.native, s.flags FROM message m
    JOIN session s ON s.id = m.session JOIN source n ON n.id = s.source
    WHERE m.native >= :low AND m.native < :high
UNION ALL
SELECT n.name, 'part', p.native, m.native, s.native, s.flags FROM part p
    JOIN message m ON m.id = p.message JOIN session s ON s.id = m.session
    JOIN source n ON n.id = s.source WHERE p.native >= :low AND p.native < :high
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
    if not native:
        raise _missing(ident, wanted)
    found: dict[tuple[str, str], tuple[int, str, Found]] = {}
    for place, (where, row) in enumerate(_candidates(native, index, sources, name)):
        if answering is not None and where not in answering:
            continue
        if name is None or where == name:
            found.setdefault((row.kind, row.id), (place, where, row))
    if "#" not in native:  # a part named by its place is not what a message's beginning means
        found = {key: one for key, one in found.items() if "#" not in key[1]}
    exact = [one for key, one in found.items() if key[1] == native]
    matches = exact or list(found.values())
    if not matches:
        raise _missing(ident, wanted)
    if len(matches) > 1:
        names = ", ".join(sorted({one[2].id for one in matches})[:MANY])
        raise StoreError("AMBIGUOUS_ID", f"{ident} may be {names}; give more of it", ident)
    return matches[0][1], matches[0][2]


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
    name: str | None,
) -> list[tuple[str, Found]]:
    """What begins so, in the index and in the sources; imported copies last."""
    found: list[tuple[bool, str, Found]] = []
    if index is not None:
        limits = {"low": native, "high": native + "\U0010ffff"}
        from_index = rows_of(index, _SQL, limits)
        found += [(bool(row[5] & _IMPORTED), row[0], Found(*row[1:5])) for row in from_index]
    if not any(row.id == native for _, _, row in found):
        for where, source in sources.items():
            if name is None or where == name:
                with contextlib.suppress(StoreError):
                    found += [(False, where, row) for row in source.find(native, MANY)]
    return [(where, row) for _, where, row in sorted(found, key=lambda one: one[0])]


def _missing(ident: str, wanted: str) -> StoreError:
    usual = next(kind for kind in _KINDS.values() if kind[0] == wanted)
    word, code = _KINDS.get(ident.rpartition(":")[2][:3], usual)
    return StoreError(code, f"there is no {word} {ident}", ident)
