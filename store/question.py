"""One call of `search`: what is asked, and the ways to read it, strict ones first."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import Literal

from store.expression import Expression, Reach, build
from store.filters import Condition, Within, bounds
from store.newest import Plan
from store.query import Query, exclusion, match
from store.vocabulary import Vocabulary

SAME_OF_COPIES = ("kind", "tool", "since", "before", "on")
"""Filters that let all copies of a document pass or none."""
Unit = Literal["", "part", "message"]
"""Where all words have to be: in one document, in one part, in one message."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A way to read a query. `pieces`: the parts of a term like `foo.bar` may stand anywhere.
    `synthetic`: text that the agent put in by itself counts too."""

    synthetic: bool
    pieces: bool = False
    unit: Unit = ""

    @property
    def widened(self) -> str | None:
        """What an answer says of it."""
        return self.unit or ("pieces" if self.pieces else None)


def readings(query: Query, any_synthetic: bool) -> list[Reading]:
    """The ways to read a query, in the order in which they are tried.

    `any_synthetic`: whether there is such text at all.
    """
    wanted = [True] if query.wants_synthetic else [False, True][: 1 + any_synthetic]
    ways = [Reading(synthetic) for synthetic in wanted]
    if match(query, pieces=True) != match(query):
        ways += [Reading(synthetic, pieces=True) for synthetic in wanted]
    if len(query.groups) > 1:
        ways += [Reading(synthetic, unit="part") for synthetic in wanted]
        ways += [Reading(synthetic, unit="message") for synthetic in wanted]
    return ways


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. `documents`: about how many there are.

    `within`: the documents that pass the filters on sessions. `narrowed`: whether only
    some sessions may answer. `tags`: the expression for what can pass the filters. `passing`:
    about which share of the documents does. `made`: expressions made so far.
    """

    query: Query
    filters: Condition
    ranked: bool
    limit: int
    cursor: str | None
    fingerprint: str
    vocabulary: Vocabulary
    documents: int
    within: Within
    narrowed: bool
    tags: str = ""
    passing: float = 1.0
    made: dict[tuple[bool, Reach], Expression] = field(default_factory=dict)

    @property
    def folds(self) -> bool:
        """Whether copies pass the filters all or none, so that one may stand for them."""
        same = all(told.key in SAME_OF_COPIES for told in self.query.filters)
        return same and not self.narrowed

    def expression(self, reading: Reading, reach: Reach = "inside") -> Expression:
        """What to ask the full text."""
        key = (reading.pieces, reach)
        if key not in self.made:
            self.made[key] = build(
                self.query,
                self.vocabulary,
                pieces=reading.pieces,
                reach=reach,
                documents=self.documents,
                wanted=inf if self.ranked else self.limit,
            )
        return self.made[key]

    def newest(self, told: Expression, synthetic: bool | None) -> Plan:
        """What to run for an expression, newest first; `synthetic` as in `plan`."""
        match, share = told.match, told.documents / max(1, self.documents)
        if self.tags and match:
            match = f"({match}) AND {self.tags}"
        elif self.tags:
            unwanted = exclusion(self.query)
            match, share = self.tags + (f" NOT {unwanted}" if unwanted else ""), 1.0
        plan = self.plan(match, synthetic=synthetic)
        return replace(plan, words=max(1, told.words), share=min(1.0, share * self.passing))

    def plan(
        self, expression: str | None, *, synthetic: bool | None, without: str | None = None
    ) -> Plan:
        """What to run; `synthetic`: only such text, none of it, or (None) all.

        `without`: an expression whose documents are left out, where there is no other.
        """
        sql, values = self.filters.sql, list(self.filters.values)
        if synthetic is not None:
            sql += f" AND d.synthetic = {int(synthetic)}"
        unwanted = exclusion(self.query) if expression is None else None
        for left_out in filter(None, (unwanted, without)):
            sql += " AND d.id NOT IN (SELECT rowid FROM fts WHERE fts MATCH ?)"
            values.append(left_out)
        if self.folds:
            sql += " AND d.copy_of IS NULL"
        made = Condition(sql, tuple(values))
        since, before = bounds(self.query)
        return Plan(expression, made, since, before, self.within)
