"""Typed text -> Query, and what the index and the text of a document have to say about it.

Every query is safe: what FTS5 is given is made of quoted strings only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from typing import Literal

from store import dates
from store.errors import StoreError
from store.model import CAUSES, EVIDENCES, FATES, FLAGS, KINDS, STATUSES, Json
from store.syntax import Piece, pieces
from store.terms import Term, make, occurs
from store.text import folded, has_lone_surrogate, spaced

CLOSED: dict[str, tuple[str, ...]] = {
    "kind": KINDS,
    "status": STATUSES,
    "is": (*FATES, *FLAGS, "leftover"),
    "has": ("error", "image", "file", "diff", "output"),
    "cause": CAUSES,
    "evidence": EVIDENCES,
}
"""The keys with a closed set of values."""
DATES = ("since", "before", "on")

Look = Literal["word", "phrase", "not", "or", "key", "value", "wrong"]
"""What a stretch of a typed query is, for a search bar to colour."""


@dataclass(frozen=True, slots=True)
class Filter:
    """`key:value,value`: one of the values holds, or none of them where it is negated.

    Repeated keys are one filter. `times` has a span of time for each value of a date.
    """

    key: str
    values: tuple[str, ...]
    negated: bool = False
    times: tuple[dates.Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """What was asked: of every group one term, none of the excluded (whole words), all filters."""

    text: str = ""
    groups: tuple[tuple[Term, ...], ...] = ()
    excluded: tuple[Term, ...] = ()
    filters: tuple[Filter, ...] = ()

    @property
    def needs_verification(self) -> bool:
        """Whether documents from the index have to pass `verify` with their text."""
        return any(t.literal for group in self.groups for t in group) or any(
            t.literal for t in self.excluded
        )

    @property
    def wants_synthetic(self) -> bool:
        """Whether text that the agent put in by itself is asked for."""
        return any(
            f.key == "is" and not f.negated and "synthetic" in f.values for f in self.filters
        )

    def terms(self) -> tuple[str, ...]:
        """The texts to mark where a document is shown, each once."""
        return tuple(dict.fromkeys(t.core for group in self.groups for t in group))

    def as_json(self) -> dict[str, Json]:
        """The query as an answer repeats it."""
        return {
            "text": self.text,
            "groups": [[_term_json(t) for t in group] for group in self.groups],
            "excluded": [_term_json(t) for t in self.excluded],
            "filters": [_filter_json(f) for f in self.filters],
        }


def parse(text: str, now_ms: int, tz: tzinfo | None = None) -> Query:
    """Reads a typed query.

    `now_ms` is what relative dates count from; `tz` is the zone of dates without an offset, None
    for the machine's. Raises INVALID_QUERY for NUL and half characters, and INVALID_FILTER for a
    value that a known key cannot have; all other text is a query.
    """
    check(text)
    found = pieces(text)
    groups: list[tuple[Term, ...]] = []
    excluded: list[Term] = []
    filters: dict[tuple[str, bool], Filter] = {}
    joins = False
    for piece in found:
        if piece.kind == "or":
            joins = True
            continue
        if piece.kind == "filter":
            _add_filter(filters, _filter(piece, now_ms, tz))
            continue
        term = make(piece.text, piece.kind == "phrase")
        if piece.negated:
            excluded.append(term)
        elif joins:
            groups[-1] = (*groups[-1], term)
        else:
            groups.append((term,))
        joins = False
    return Query(text, tuple(groups), tuple(excluded), tuple(filters.values()))


def filters_of(text: str, now_ms: int) -> tuple[tuple[Filter, ...], str]:
    """The filters of a typed text that can be, and all that is left without them.

    Raises INVALID_QUERY as `parse`.
    """
    check(text)
    filters: dict[tuple[str, bool], Filter] = {}
    left: list[str] = []
    at = 0
    for piece in pieces(text):
        if piece.kind == "filter" and not _wrong(piece):
            _add_filter(filters, _filter(piece, now_ms, None))
            left.append(text[at : piece.start])
            at = piece.end
    return tuple(filters.values()), "".join([*left, text[at:]])


def check(text: str) -> None:
    """Raises INVALID_QUERY for what no text is: NUL and half characters."""
    if "\0" in text or has_lone_surrogate(text):
        raise StoreError("INVALID_QUERY", "the query has a NUL or bytes that are no text", text)


def match(query: Query, *, pieces: bool = False) -> str | None:
    """The FTS5 expression that finds the query's documents, None where no term is in the index.

    With `pieces` the parts of a term like `foo.bar` may stand anywhere. Groups with a term that
    the index cannot find are left to `verify`, and so are excluded terms with punctuation.
    """
    groups = [
        _either([_wanted(t, pieces) for t in group])
        for group in query.groups
        if all(t.tokens for t in group)
    ]
    if not groups:
        return None
    wanted = " AND ".join(groups)
    unwanted = exclusion(query)
    return f"({wanted}) NOT {unwanted}" if unwanted else wanted


def exclusion(query: Query) -> str | None:
    """The FTS5 expression of documents to leave out, for a query that `match` has nothing for."""
    unwanted = [_quoted(t) for t in query.excluded if not t.literal]
    return _either(unwanted) if unwanted else None


def verify(query: Query, body: str) -> bool:
    """Whether a document's text holds what the index cannot tell; True where it can tell all.

    Case and accents are ignored, and any white space matches any. Where `match` has
    nothing to say a document passes that has a term of every group and no excluded one.
    """
    if not query.needs_verification:
        return True
    text = folded(body)
    for group in query.groups:
        if any(t.literal for t in group) and not any(occurs(text, t) for t in group):
            return False
    return not any(t.literal and occurs(text, t, whole=True) for t in query.excluded)


def highlight(text: str) -> list[tuple[int, int, Look]]:
    """The pieces of a typed query as [start, end) and what they are; never an error."""
    found: list[tuple[int, int, Look]] = []
    for piece in pieces(text):
        if piece.kind == "filter":
            colon = text.index(":", piece.start) + 1
            found.append((piece.start, colon, "not" if piece.negated else "key"))
            found.append((colon, piece.end, "wrong" if _wrong(piece) else "value"))
        else:
            found.append((piece.start, piece.end, "not" if piece.negated else piece.kind))
    return found


def _wanted(term: Term, pieces: bool) -> str:
    *parts, last = term.pieces() if pieces else (term,)
    return _all([*map(_quoted, parts), _quoted(last) + ("*" if last.prefix else "")])


def _quoted(term: Term) -> str:
    return '"' + spaced(term.core).replace('"', '""') + '"'


def _either(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def _all(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({' AND '.join(parts)})"


# Filters -------------------------------------------------------------------------------------


def _filter(piece: Piece, now: int, tz: tzinfo | None) -> Filter:
    """The filter of a piece; raises INVALID_FILTER."""
    key, values = piece.key, piece.values
    if key in CLOSED:
        values = tuple(v.lower() for v in values)
        for value in values:
            if value not in CLOSED[key]:
                raise _invalid(key, value, ", ".join(CLOSED[key]))
    if key not in DATES:
        return Filter(key, tuple(dict.fromkeys(values)), piece.negated)
    times = []
    for value in values:
        span = dates.span(key, value, now, tz)
        if span is None:
            raise _invalid(key, value, f"a date like {dates.VALID}")
        times.append(span)
    return Filter(key, values, piece.negated, tuple(times))


def _invalid(key: str, value: str, valid: str) -> StoreError:
    return StoreError("INVALID_FILTER", f"{key}: cannot be '{value}', it takes {valid}", value)


def _add_filter(filters: dict[tuple[str, bool], Filter], new: Filter) -> None:
    """Adds a filter to those of its key."""
    place = (new.key, new.negated)
    if old := filters.get(place):
        values = (*old.values, *new.values)
        if not new.times:
            values = tuple(dict.fromkeys(values))
        new = Filter(new.key, values, new.negated, (*old.times, *new.times))
    filters[place] = new


def _wrong(piece: Piece) -> bool:
    try:
        _filter(piece, 0, None)
    except StoreError:
        return True
    return False


def _term_json(term: Term) -> Json:
    return {"text": term.text, "phrase": term.phrase}


def _filter_json(item: Filter) -> Json:
    found: dict[str, Json] = {
        "key": item.key,
        "values": list(item.values),
        "negated": item.negated,
    }
    if item.times:
        found["times"] = [
            {"from": _moment(first), "to": _moment(last)} for first, last in item.times
        ]
    return found


def _moment(ms: int | None) -> str | None:
    return None if ms is None else dates.iso(ms)
