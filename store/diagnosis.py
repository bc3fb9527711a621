"""Why a query finds nothing, and the ways out: each a query that finds something."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import apsw

from store.model import KINDS, Coverage, Json
from store.nearest import nearest_of, nearest_words
from store.query import CLOSED, DATES, Filter, Query, parse
from store.syntax import Piece, pieces
from store.terms import Term, make
from store.values import values_of
from store.vocabulary import Vocabulary

ENOUGH_S = 1.0
"""Time after which no further check is begun."""
Check = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Asker:
    """What a diagnosis may ask. `count`: how many documents a query finds (and whether that is
    all); `literal`: whether a literal search finds something, None where that was not clear in
    time. `kinds`: those that are indexed."""

    connection: apsw.Connection
    vocabulary: Vocabulary
    count: Callable[[Query], tuple[int, bool]]
    literal: Callable[[str], bool | None]
    coverage: Coverage
    kinds: tuple[str, ...]


def diagnose(asker: Asker, query: Query, now_ms: int) -> tuple[Check, ...]:
    """The checks, each with what it found in words (`message`) and, where there is a way out, the
    query to ask instead (`query`, `literal` where it is to be scanned for)."""
    end = time.perf_counter() + ENOUGH_S
    found: list[Check] = []
    for check in _checks(asker, query, now_ms):
        found.append(check)
        if time.perf_counter() > end:
            break
    return tuple(found)


def _checks(asker: Asker, query: Query, now: int) -> Iterator[Check]:
    missing = [group for group in query.groups if not _occurs(asker, group)]
    for group in missing:
        yield _missing(asker, query, group)
    yield from _filters(asker, query, now)
    if not missing and len(query.groups) > 1:
        yield from _fewer(asker, query, now)
    if query.groups:
        yield from _literally(asker, query)
    if left := [kind for kind in KINDS if kind not in asker.kinds]:
        said = f"these kinds are not indexed: {', '.join(left)}; the settings choose them"
        yield {"check": "kinds", "message": said, "missing": list(left), "query": None}
    if not asker.coverage.complete:
        said = f"{asker.coverage.behind} of {asker.coverage.known} parts are not indexed yet"
        if not asker.coverage.begun:
            said = "nothing is indexed yet"
        yield {
            "check": "coverage",
            "message": said,
            "indexed": asker.coverage.indexed,
            "known": asker.coverage.known,
            "query": None,
        }


def _occurs(asker: Asker, group: tuple[Term, ...]) -> bool:
    return asker.count(Query(groups=(group,)))[0] > 0


def _missing(asker: Asker, query: Query, group: tuple[Term, ...]) -> Check:
    """A word that no document has, and the nearest that occur."""
    term = group[0]
    near = nearest_words(asker.vocabulary, term.tokens[-1]) if term.tokens else []
    said = f"“{term.text}” does not occur anywhere"
    if near:
        said += f"; near it: {', '.join(near)}"
    instead = None
    if near and len(term.tokens) == 1:
        instead = _changed(query.text, _in_place_of((term,), near[0]))
    elif len(query.groups) > 1:
        instead = _changed(query.text, _in_place_of((term,), ""))
    return {
        "check": "word",
        "message": said,
        "word": term.text,
        "nearest": list(near),
        "query": instead,
    }


def _filters(asker: Asker, query: Query, now: int) -> Iterator[Check]:
    """What each filter leaves out: what is found without it, and whether its value occurs."""
    for told in query.filters:
        others = tuple(one for one in query.filters if one is not told)
        count, whole = asker.count(replace(query, filters=others))
        name = f"{'-' if told.negated else ''}{told.key}:{','.join(told.values)}"
        near = _near_values(asker, told)
        if count == 0 and not near:
            continue
        said = f"without {name}: {_number(count, whole)}"
        instead = _changed(query.text, _filter_as(told, ""))
        if near:
            said = f"no {told.key} is “{told.values[0]}”; near it: {', '.join(near)}; {said}"
            swapped = _changed(query.text, _filter_as(told, _typed(told, near[0])))
            if asker.count(parse(swapped, now))[0]:
                instead = swapped
        yield {
            "check": "filter",
            "message": said,
            "filter": name,
            "found": count,
            "nearest": list(near),
            "query": instead,
        }


def _near_values(asker: Asker, told: Filter) -> list[str]:
    if told.key in CLOSED or told.key in DATES or told.negated or told.key == "session":
        return []
    known = [value for value, _ in values_of(asker.connection, told.key)]
    value = told.values[0].lower()
    if any(value in one.lower() for one in known):
        return []
    return nearest_of(value, known)


def _fewer(asker: Asker, query: Query, now: int) -> Iterator[Check]:
    """Every word occurs, not together: what is found with one of them less."""
    for group in query.groups:
        instead = _changed(query.text, _in_place_of(group, ""))
        count, whole = asker.count(parse(instead, now))
        if count:
            said = f"without “{group[0].text}”: {_number(count, whole)}"
            yield {
                "check": "fewer",
                "message": said,
                "word": group[0].text,
                "found": count,
                "query": instead,
            }


def _literally(asker: Asker, query: Query) -> Iterator[Check]:
    """Whether the words and phrases are there as they stand, or all of the typed text is."""
    text, found = query.text, None
    for text in dict.fromkeys((_unquoted(query.text), query.text)):
        found = asker.literal(text)
        if found is not False:
            break
    name = "it" if text == query.text else f"“{text}”"
    said = {
        True: f"as exact text {name} is there",
        False: f"as exact text {name} is nowhere",
        None: f"as exact text {name} has to be looked for",
    }[found]
    yield {
        "check": "literal",
        "message": said,
        "found": found,
        "query": None if found is False else text,
        "literal": found is not False,
    }


def _unquoted(text: str) -> str:
    """A typed query as literal mode takes it: phrases without quotes, nothing that is unwanted."""
    said = [
        text[one.start : one.end] if one.kind in ("filter", "or") else one.text
        for one in pieces(text)
        if one.kind == "filter" or not one.negated
    ]
    return " ".join(said)


def _number(count: int, whole: bool) -> str:
    return f"{'' if whole else 'more than '}{count} {'hit' if count == 1 and whole else 'hits'}"


Change = Callable[[Piece], str | None]
"""What a piece becomes ("": nothing is left of it, None: it stays)."""


def _in_place_of(terms: Sequence[Term], new: str) -> Change:
    def change(piece: Piece) -> str | None:
        if piece.negated or piece.kind not in ("word", "phrase"):
            return None
        return new if make(piece.text, piece.kind == "phrase") in terms else None

    return change


def _filter_as(told: Filter, new: str) -> Change:
    def change(piece: Piece) -> str | None:
        same = (piece.kind, piece.key, piece.negated) == ("filter", told.key, told.negated)
        return new if same else None

    return change


def _typed(told: Filter, value: str) -> str:
    return f'{told.key}:"{value}"' if " " in value else f"{told.key}:{value}"


def _changed(text: str, change: Change) -> str:
    """A typed query with some of its pieces changed."""
    found = pieces(text)
    said = [change(one) for one in found]
    words = [
        text[one.start : one.end] if new is None else new
        for one, new in zip(found, said, strict=True)
        if not (one.kind == "or" and "" in said)
    ]
    return " ".join(word for word in words if word)
