"""Parts that a store tells under another name than before: they are not gone.

An upgrade of opencode to 2 takes messages over into other tables. They keep their ids; a part is
named there by its message's id, `#` and its place, several texts may be one, the summary of a
compaction stands in the compaction itself, and what the program put into a prompt is a message of
its own. An answer that is rewritten there gives its parts other places.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import apsw

from store.archive import unpack
from store.extract import documents
from store.known import Known, KnownSession
from store.model import Agent, Compaction, Content, File, Patch, Reasoning, Text, Tool, Unknown
from store.records import Records
from store.schema import flag_bits
from store.sqlite import rows_of
from store.versions import words_of

if TYPE_CHECKING:
    from store.batch import Prepared

_SYNTHETIC = flag_bits(["synthetic"])


def by_place(message: str, part: str) -> bool:
    """Whether a part's name is its place in its message; others have ids of their own."""
    return part.startswith(f"{message}#")


def carries(new: Content, old: Content) -> bool:
    """Whether a part says all that another said which had another name."""
    if isinstance(old, Text | Compaction) and isinstance(new, Text | Compaction):
        return old.text.strip() in new.text
    if isinstance(old, Reasoning) and isinstance(new, Reasoning):
        return old.text.strip() in new.text
    if isinstance(old, Tool) and isinstance(new, Tool):
        return _same_call(new, old)
    if isinstance(old, File) and isinstance(new, File):
        return (old.filename or old.url, old.mime) == (new.filename or new.url, new.mime)
    if isinstance(old, Patch) and isinstance(new, Patch):
        return all(any(_same_file(one, other) for other in new.files) for one in old.files)
    if isinstance(old, Agent) and isinstance(new, Agent):
        return old.name == new.name
    return type(old) is type(new) and documents(old, "") == documents(new, "")


def _carry_together(news: Iterable[Content | None], old: Content) -> bool:
    """Whether several texts say all of one that was made of them."""
    if not isinstance(old, Text):
        return False
    rest = old.text
    for text in sorted((new.text for new in news if isinstance(new, Text)), key=len, reverse=True):
        rest = rest.replace(text, "", 1)
    return not rest.strip()


def _same_call(new: Tool, old: Tool) -> bool:
    """Whether it is the call, with all that came out of it."""
    same = old.call == new.call if old.call or new.call else old.input == new.input
    output, error = new.output or "", new.error or new.output or ""
    return same and (old.output or "") in output and (old.error or "") in error


def _same_file(one: str, other: str) -> bool:
    """Whether two names may be of one file: one may stand without its folder."""
    shorter, longer = sorted((one, other), key=len)
    return longer == shorter or longer.endswith(f"/{shorter}")


class Row(NamedTuple):
    """A part of the index, by our ids and by names; `place` is that of its record."""

    id: int
    name: str
    message: int
    message_name: str
    parent: str
    type: str
    flags: int
    updated: int
    size: int
    place: tuple[int | None, int, int]

    @property
    def by_place(self) -> bool:
        """Whether it is named by its place."""
        return by_place(self.message_name, self.name)


_ROW = (
    "SELECT p.id, p.native, m.id, m.native, m.parent, p.type, p.flags, p.updated, p.size,"
    " p.block, p.at, p.length FROM message m JOIN part p ON p.message = m.id"
)


class Carried(NamedTuple):
    """What is told elsewhere, and by which part of the same message (None: by another, or it had
    nothing to say).
    """

    part: Row
    carrier: Row | None


class Carriers:
    """Looks through the parts of a session for what tells the same, on a writer's connection.

    Only what is there counts, unless `gone`; what a look did not find is not there.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        session: int,
        missing: Sequence[int] = (),
        *,
        gone: bool = False,
    ) -> None:
        self._connection = connection
        self._session = session
        self._missing = frozenset(missing)
        self._there = (
            "p.version = 0" if gone else "p.version = 0 AND p.fate IN ('live', 'reverted')"
        )
        self._records = Records(connection)
        self._synthetic: dict[bool, set[str]] = {}

    def found(self, known: KnownSession) -> list[Carried]:
        """Which of the missing parts are told elsewhere."""
        rows = self._rows("p.id IN (SELECT value FROM json_each(?))", json.dumps([*self._missing]))
        found: list[Carried] = []
        for message in dict.fromkeys(row.message for row in rows):
            mine = [row for row in rows if row.message == message]
            found += self._of_message(mine, self._others("m.id = ?", message), known)
        return found

    def _of_message(
        self, mine: Sequence[Row], there: Sequence[Row], known: KnownSession
    ) -> Iterator[Carried]:
        if not there:  # its message went too
            yield from self._of_lost_message(mine)
            return
        fresh = [row for row in there if _is_new(row, known)]
        for row in mine:
            others = [one for one in there if one.by_place != row.by_place]
            carrier = self._carrier(row, others) or self._moved(row, fresh)
            if carrier or (others and (self._is_silent(row) or self._is_elsewhere(row))):
                yield Carried(row, carrier)

    def _of_lost_message(self, mine: Sequence[Row]) -> Iterator[Carried]:
        """Of a message that went itself: its parts where others of the session have its texts."""
        said = [row for row in mine if not self._is_silent(row)]
        told = [row for row in said if self._is_elsewhere(row)]
        if told:
            yield from (Carried(row, None) for row in mine if row not in said or row in told)

    def _carrier(self, row: Row, others: Iterable[Row]) -> Row | None:
        """The first of these that says what a row said."""
        old = self._content(row)
        if old is None:
            return None
        told = list(others)
        for one in told:
            if self._carries(one, old):
                return one
        return told[0] if told and _carry_together(map(self._content, told), old) else None

    def _moved(self, row: Row, fresh: Iterable[Row]) -> Row | None:
        """The first of these that have another text than before and say what a row said."""
        words = words_of(self._content(row) or Unknown())
        if words is None:
            return None
        return next((o for o in fresh if words_of(self._content(o) or Unknown()) == words), None)

    def _is_silent(self, row: Row) -> bool:
        """Whether a part has nothing to say: a step, or one without a record."""
        old = self._content(row)
        return old is None or not documents(old, "")

    # In other messages -----------------------------------------------------------------------

    def _is_elsewhere(self, row: Row) -> bool:
        """Whether a part of another message, named in the other way, has this text now.

        So it is with the summary of a compaction, which is its answer's or its own, and with what
        the program put into a prompt, which is a part of it or a message.
        """
        old = self._content(row)
        if row.flags & _SYNTHETIC and isinstance(old, Text):
            return old.text.strip() in self._synthetic_texts(not row.by_place)
        where, value = "p.type = 'compaction' AND m.native = ?", row.parent
        if row.type == "compaction":
            where, value = "p.type = 'text' AND m.parent = ?", row.message_name
        others = self._others(where, value) if value else []
        return (
            self._carrier(row, (one for one in others if one.by_place != row.by_place)) is not None
        )

    def _synthetic_texts(self, named_by_place: bool) -> set[str]:
        """What the program put in, in messages whose parts are named so."""
        if named_by_place not in self._synthetic:
            rows = self._others("p.type = 'text' AND p.flags & ?", _SYNTHETIC)
            held = (self._content(row) for row in rows if row.by_place == named_by_place)
            texts = {one.text.strip() for one in held if isinstance(one, Text)}
            self._synthetic[named_by_place] = texts
        return self._synthetic[named_by_place]

    # Parts that a store tells of -------------------------------------------------------------

    def instead(self, part: Prepared) -> list[Row] | None:
        """The rows of a message that say what a part of another name says.

        None where nothing does, though it has something to say.
        """
        others = self._named_otherwise(part)
        content = unpack(part.record)
        if others and not documents(content, ""):
            return []
        if part.synthetic and isinstance(content, Text):
            texts = self._synthetic_texts(not by_place(part.message, part.id))
            if others and content.text.strip() in texts:
                return []
        return [row for row in others if self._carries(row, content)] or None

    def told_before(self, part: Prepared) -> bool:
        """Whether one part of its message, named in the other way, said all that this one says."""
        new = unpack(part.record)
        held = [self._content(row) for row in self._named_otherwise(part)]
        told = any(old is not None and carries(old, new) for old in held)
        return told or not documents(new, "") or _carry_together(held, new)

    def summarised(self, parent: str) -> bool:
        """Whether a message is a compaction that has the summary of its answer."""
        rows = self._others("p.type = 'compaction' AND m.native = ?", parent)
        return any(row.by_place and not self._is_silent(row) for row in rows)

    # Rows ------------------------------------------------------------------------------------

    def _named_otherwise(self, part: Prepared) -> list[Row]:
        mine = by_place(part.message, part.id)
        return [one for one in self._others("m.native = ?", part.message) if one.by_place != mine]

    def _carries(self, one: Row, old: Content) -> bool:
        new = self._content(one)
        return new is not None and carries(new, old)

    def _content(self, row: Row) -> Content | None:
        block, at, length = row.place
        return None if block is None else self._records.content(block, at, length)

    def _others(self, where: str, value: object) -> list[Row]:
        return [row for row in self._rows(where, value) if row.id not in self._missing]

    def _rows(self, where: str, value: object) -> list[Row]:
        sql = f"{_ROW} WHERE m.session = ? AND {self._there} AND {where} ORDER BY p.created, p.id"
        rows = rows_of(self._connection, sql, (self._session, value))
        return [Row._make((*row[:9], row[9:])) for row in rows]


def _is_new(row: Row, known: KnownSession) -> bool:
    """Whether a part came or changed since this was known."""
    before: Known | None = known.parts.get((row.message_name, row.name))
    return before is None or (before.updated, before.size) != (row.updated, row.size)
