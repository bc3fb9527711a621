"""Comparing the sessions of a source with the index, and reading what is new, newest first."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass

import apsw

from store.batch import Chunk, prepare
from store.ending import session_end
from store.judging import judged
from store.known import KnownSession, ToDo, is_forgotten, known_session
from store.model import Message, Part, Revert, Tool
from store.source import WAITING, Bodies, Glancing, Outline, Ref, Source, Traces, Wanted
from store.traced import followed

CHUNK_BYTES = 2_000_000
"""Stored bytes that are read at once."""
GROUP_PARTS = 2_000
"""Parts whose refs are read at once; a session with more is long."""
ENDING = 100
"""Messages at the end of a long session that are looked at while it is followed."""


class Comparison:
    """One pass over a source's sessions; with `endings` of the long ones only the end is read.

    Of those that are `lost`, and of those where something is, only the traces are looked at.
    `complete` turns False where a session could not be read to its end; `unchanged` counts the
    parts of sessions that needed no reading; `partly` are the sessions read at the end alone.
    """

    def __init__(
        self,
        source: Source,
        todo: list[ToDo],
        open_reader: Callable[[], apsw.Connection],
        stop: threading.Event,
        *,
        lost: Sequence[ToDo] = (),
        endings: bool = False,
    ) -> None:
        self._source = source
        self._endings = endings
        self._todo = todo
        self._lost = {session.native: session for session in lost}
        self._open_reader = open_reader
        self._stop = stop
        self.complete = True
        self.unchanged = 0
        self.partly: set[str] = set()

    def chunks(self) -> Generator[Chunk, None, None]:
        """What is new, in chunks of bounded size, the newest session first."""
        index = self._open_reader()
        try:
            for group in self._groups():
                yield from self._group(index, group)
                if self._stop.is_set():
                    return
            yield from self._lost_sessions(index)
        finally:
            index.close()

    def _lost_sessions(self, index: apsw.Connection) -> Iterator[Chunk]:
        """What is left of sessions that are in no list any more, or that did not change."""
        if not self._lost:
            return
        traces = self._source.traces({name: one.mark for name, one in self._lost.items()})
        for native, told in traces.items():
            if self._stop.is_set():
                return
            known = known_session(index, self._lost[native].id)
            nothing = Chunk(self._lost[native].id, known, [], [])
            roles = {name: row.role for name, row in known.messages.items()}
            yield from followed(self._source, native, told, nothing, roles)

    def _groups(self) -> Iterator[list[ToDo]]:
        """Sessions in groups of bounded size; the newest alone, to be there at once."""
        group: list[ToDo] = []
        size = 0
        for place, session in enumerate(self._todo):
            group.append(session)
            size += session.parts + 1
            if place == 0 or size >= GROUP_PARTS:
                yield group
                group, size = [], 0
        if group:
            yield group

    def _group(self, index: apsw.Connection, group: list[ToDo]) -> Iterator[Chunk]:
        if self._endings and isinstance(self._source, Glancing):
            whole = [session for session in group if session.parts <= GROUP_PARTS]
            for session in group:
                if session.parts > GROUP_PARTS:
                    outline = self._source.ending(session.native, ENDING)
                    if outline is None:
                        whole.append(session)
                        continue
                    self.partly.add(session.native)
                    reading = _SessionReading(index, session, outline, "", partly=True)
                    yield from self._read(list(reading.pieces()))
            group = whole
        known = [
            session.native
            for session in group
            if session.stamp is not None or not self._source.tells_stamps
        ]
        stamps = dict(self._source.stamps(known)) if known else {}
        changed = [
            session
            for session in group
            if session.native not in stamps or _full_stamp(session, stamps) != session.stamp
        ]
        self.unchanged += sum(one.parts for one in group) - sum(one.parts for one in changed)
        if not changed:
            return
        waiting: list[_Piece] = []
        size = 0
        outlines = self._source.outlines([session.native for session in changed])
        traces = self._source.traces({session.native: session.mark for session in changed})
        made = self._revert_times(changed)
        for session, outline in zip(changed, outlines, strict=True):
            self._lost.pop(session.native, None)
            stamps.setdefault(session.native, outline.stamp)
            reading = _SessionReading(index, session, outline, _full_stamp(session, stamps))
            reading.told = traces.get(session.native) if outline.complete else None
            reading.reverted_at = made.get(session.native)
            for piece in reading.pieces():
                waiting.append(piece)
                size += piece.size
                if size >= CHUNK_BYTES:
                    yield from self._read(waiting)
                    waiting, size = [], 0
                if self._stop.is_set():
                    return
            self.complete = self.complete and (outline.complete or outline.final)
        yield from self._read(waiting)

    def _revert_times(self, sessions: Sequence[ToDo]) -> dict[str, int]:
        pending = {
            session.native: Revert(*json.loads(session.revert))
            for session in sessions
            if session.revert
        }
        return self._source.revert_times(pending) if pending else {}

    def _read(self, pieces: Sequence[_Piece]) -> Iterator[Chunk]:
        """The chunks of pieces that are read together."""
        wanted = [Wanted(one.reading.outline.session, one.messages, one.parts) for one in pieces]
        for piece, bodies in zip(pieces, self._source.bodies_of(wanted), strict=True):
            reading = piece.reading
            chunk = reading.chunk(piece, bodies)
            if reading.told is None or not piece.last:
                yield chunk
            else:
                session = reading.outline.session
                yield from followed(self._source, session, reading.told, chunk, reading.roles)


@dataclass(slots=True)
class _Piece:
    """Rows of one session that are read at once; `last` of its session."""

    reading: _SessionReading
    messages: list[Ref]
    parts: list[Ref]
    first: bool
    last: bool

    @property
    def size(self) -> int:
        return sum(ref.size for ref in self.parts)


class _SessionReading:
    """What is new in one session, or `partly` in its last messages, read piece by piece."""

    def __init__(
        self,
        index: apsw.Connection,
        session: ToDo,
        outline: Outline,
        stamp: str,
        *,
        partly: bool = False,
    ) -> None:
        self.outline = outline
        self.told: Traces | None = None
        self.reverted_at: int | None = None
        self._session = session
        self._stamp = stamp
        self._partly = partly
        only = [ref.id for ref in outline.messages] if partly else None
        self._known = known_session(index, session.id, only)
        self.roles = {native: row.role for native, row in self._known.messages.items()}
        self._newest = _newest(outline)
        self._unreadable = 0
        self._last: Message | None = None

    def pieces(self) -> Iterator[_Piece]:
        """The new rows in pieces of bounded size, the newest first; one at least."""
        heads = {ref.id: ref for ref in self.outline.messages if _is_new(self._known, ref, "")}
        parts = [ref for ref in self.outline.parts if _is_new(self._known, ref, ref.parent)]
        pieces = _pieces(parts)
        for place, piece in enumerate(pieces):
            last = place == len(pieces) - 1
            mine = [heads.pop(ref.parent) for ref in piece if ref.parent in heads]
            mine += heads.values() if last else ()
            yield _Piece(self, mine, piece, place == 0, last)

    def chunk(self, piece: _Piece, bodies: Bodies) -> Chunk:
        """What is to be written of a piece."""
        refs = {ref.id: ref for ref in (*piece.messages, *piece.parts)}
        roles = self.roles
        roles |= {message.id: message.role for message in bodies.messages}
        for message in bodies.messages:
            if message.id == self._newest:
                self._last = message
        self._unreadable += len(piece.parts) - len(bodies.parts)
        chunk = Chunk(
            self._session.id,
            self._known,
            [(message, refs[message.id]) for message in bodies.messages],
            [
                prepare(self._judged(part), refs[part.id], roles.get(part.message, ""))
                for part in bodies.parts
            ],
            self.outline.faults + bodies.faults if piece.last else bodies.faults,
            first=piece.first and not self._partly,
        )
        if piece.last:
            chunk.end = session_end(
                self._session, self.outline, self._known, self._stamp, self._last
            )
            chunk.end.handled -= self._unreadable
            chunk.end.partly = self._partly
            chunk.end.reverted_at = self.reverted_at
        return chunk

    def _judged(self, part: Part) -> Part:
        if isinstance(part.content, Tool):
            return judged(part, self._newest, self._session.updated)
        return part


def _full_stamp(session: ToDo, stamps: Mapping[str, str]) -> str:
    """What the index notes of a session that is up to date: the source's stamp, and the revert."""
    return f"{stamps[session.native]}|{session.revert or ''}"


def _newest(outline: Outline) -> str:
    """The last message that was said; input that waits comes after whatever still runs."""
    said = [ref.id for ref in outline.messages if ref.seq < WAITING]
    return said[-1] if said else ""


def _is_new(known: KnownSession, ref: Ref, parent: str) -> bool:
    if is_forgotten(known, parent or ref.id, ref.id):
        return False
    row = known.parts.get((parent, ref.id)) if parent else known.messages.get(ref.id)
    return row is None or row.differs(ref)


def _pieces(parts: list[Ref]) -> list[list[Ref]]:
    """Parts in pieces of bounded size, the newest piece first, each in reading order."""
    pieces: list[list[Ref]] = [[]]
    size = 0
    for ref in sorted(parts, key=_reading_order, reverse=True):
        if size + ref.size > CHUNK_BYTES and pieces[-1]:
            pieces.append([])
            size = 0
        pieces[-1].append(ref)
        size += ref.size
    for piece in pieces:
        piece.reverse()
    return pieces


def _reading_order(ref: Ref) -> tuple[int, str, int, str]:
    return (ref.time, ref.parent, ref.created, ref.id)
