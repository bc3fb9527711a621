"""The stores that answer: looked for, named as the index names them, and what ails each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

from store import ids, reports, sources
from store.errors import StoreError
from store.index import Writer
from store.model import Fault, Looked, SourceInfo
from store.source import Found, Source
from store.sqlite import rows_of


class Stores:
    """The stores at these places (none given: all of this machine).

    `by_name` and `ids` (the index's own) are empty until they were registered or asked for.
    `opened` says by name how each was opened in this run. `listed`: whether their sessions were
    taken in.
    """

    def __init__(self, given: Sequence[Path]) -> None:
        self.by_name: dict[str, Source] = {}
        self.ids: dict[str, int] = {}
        self.opened: dict[str, str] = {}
        self.listed = False
        self._given = tuple(given)
        self._found: list[Source] = []
        self._places: tuple[Looked, ...] = ()
        self._problems: dict[str, Fault] = {}
        self._refused: tuple[StoreError, ...] = ()

    def places(self) -> tuple[Looked, ...]:
        """Where stores were looked for; looks where nobody did yet."""
        if not self._places and not self._given:
            self._places = sources.discover()[1]
        return self._places

    def look(self) -> None:
        """Looks which stores there are."""
        if self._given:
            found, errors = sources.open_given(self._given)
            self._refused = tuple(errors)
        else:
            found, self._places = sources.discover()
        self._found = found

    def look_again(self) -> bool:
        """Looks whether a store came or went; True where they are to be registered anew."""
        before = self._found
        known = {(one.producer, one.path) for one in before}
        if not (self.by_name and self._are_there()):
            self.look()
            if self._given:  # one that went is still ours to tell of
                there = {(one.producer, one.path) for one in self._found}
                lost = [one for one in before if (one.producer, one.path) not in there]
                self._found = [*self._found, *lost]
        if known == {(one.producer, one.path) for one in self._found} and self.by_name:
            self._found = before
            return False
        return True

    def _are_there(self) -> bool:
        """Whether all files that were given are known stores that are still there."""
        if not self._given or self._refused or any(path.is_dir() for path in self._given):
            return False
        return all(source.path.exists() for source in self._found)

    def register(self, writer: Writer) -> None:
        """Names the stores that were found, and notes those that are not where they were."""
        named: dict[str, Source] = {}
        for source in self._found:
            ident, name = writer.source(source.producer, str(source.path))
            named[name] = source
            self.ids[name] = ident
        self.by_name = named
        self.opened = {name: how for name, how in self.opened.items() if name in named}
        if not self._given:
            writer.mark_missing([self.ids[name] for name in named])

    def in_order(self) -> list[tuple[str, Source]]:
        """Folders of files first: they hand sessions over to a database, before that is read."""
        return sorted(self.by_name.items(), key=lambda one: not one[1].path.is_dir())

    @contextmanager
    def noting(self, name: str, source: Source) -> Iterator[None]:
        """A store that cannot be read is a problem of its own and stops no other."""
        self._problems.pop(name, None)
        try:
            yield
        except StoreError as error:
            if error.code.startswith("INDEX"):
                raise
            self._problems[name] = Fault(error.code, error.about, error.message)
            self.opened[name] = "missing" if error.code == "SOURCE_NOT_FOUND" else "failed"

    def infos(self, connection: apsw.Connection | None) -> tuple[SourceInfo, ...]:
        """What the index knows of those that answer, and those that were refused."""
        known = reports.source_infos(
            connection, self.answering(connection), self.opened, self._problems
        )
        return known + tuple(reports.refused(error) for error in self._refused)

    def faults(self) -> tuple[Fault, ...]:
        """The stores that could not be read, which an answer therefore does not speak of."""
        refused = [Fault(one.code, one.about, one.message) for one in self._refused]
        return (*self._problems.values(), *refused)

    def answering(self, connection: apsw.Connection | None) -> list[int] | None:
        """The ids of the sources that may answer, None for all that the index knows."""
        if not self._given or connection is None:
            return None
        if not self.listed and len(self.by_name) < max(1, len(self._found)):
            self._recognise(connection)
        return [self.ids[name] for name in self.by_name]

    def _recognise(self, connection: apsw.Connection) -> None:
        """Finds the given stores among those that the index knows, without writing to it."""
        self.look()
        known = {
            (producer, path): (ident, name)
            for ident, name, producer, path in rows_of(
                connection, "SELECT id, name, producer, path FROM source"
            )
        }
        for source in self._found:
            ident, name = known.get((source.producer, str(source.path)), (0, ""))
            if name:
                self.ids[name] = ident
                self.by_name[name] = source

    def resolve(
        self, ident: str, connection: apsw.Connection | None, wanted: str
    ) -> tuple[str, Found]:
        """The store's name and what an id names there; `wanted` as `store.ids.resolve` takes it."""
        answering = frozenset(self.by_name) if self._given else None
        try:
            return ids.resolve(ident, connection, self.by_name, answering, wanted)
        except StoreError as error:
            if connection is None or not error.code.endswith("_NOT_FOUND"):
                raise
            torn = reports.torn(connection, self.answering(connection))
            named = ident.partition(":")[0]
            names = [name for name in torn if named == name or named not in self.by_name]
            if not names:
                raise
            words = f"{error.message}; {', '.join(names)} can only be read in part, it may be there"
            raise StoreError(error.code, words, error.about) from None
