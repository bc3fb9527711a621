"""Comparing the sessions of a source with the index, and reading what is new, newest first."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import apsw

from store.gone import Left, ended
from store.index import Chunk, KnownSession, SessionEnd, ToDo, Told, known_session, prepare
from store.model import Message, Part, Revert, Tool
from store.reverts import hidden_by
from store.source import WAITING, Outline, Ref, Source, Trace, Traces

CHUNK_BYTES = 2_000_000
"""Stored bytes that are read at once."""
GROUP_PARTS = 2_000
"""Parts whose refs are read at once."""
IDLE_MS = 3_600_000
"""A tool still open in a session without activity for so long will never finish."""


class Comparison:
    """One pass over a source's sessions.

    `complete` turns False where a session could not be read to its end; `unchanged` counts the
    parts of sessions that needed no reading.
    """

    def __init__(
        self,
        source: Source,
        todo: list[ToDo],
        open_reader: Callable[[], apsw.Connection],
        stop: threading.Event,
        lost: Sequence[ToDo] = (),
    ) -> None:
        self._source = source
        self._todo = todo
        self._lost = lost
        self._open_reader = open_reader
        self._stop = stop
        self.complete = True
        self.unchanged = 0

    def chunks(self) -> Iterator[Chunk]:
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
        read = self._source.stamps([session.native for session in group])
        stamps = {one.native: f"{read[one.native]}|{one.revert or ''}" for one in group}
        changed = [session for session in group if stamps[session.native] != session.stamp]
        self.unchanged += sum(one.parts for one in group) - sum(one.parts for one in changed)
        if not changed:
            return
        outlines = self._source.outlines([session.native for session in changed])
        traces = self._source.traces({session.native: session.mark for session in changed})
        for session, outline in zip(changed, outlines, strict=True):
            if self._stop.is_set():
                return
            told = traces.get(session.native) if outline.complete else None
            chunks = self._session(index, session, stamps[session.native], outline)
            yield from chunks if told is None else self._with_left(session, told, chunks)

    def _lost_sessions(self, index: apsw.Connection) -> Iterator[Chunk]:
        """Follows the traces of sessions that are in no list any more."""
        traces = self._source.traces({session.native: session.mark for session in self._lost})
        for session in self._lost:
            if session.native in traces and not self._stop.is_set():
                nothing = Chunk(session.id, known_session(index, session.id), [], [])
                yield from self._with_left(session, traces[session.native], iter([nothing]))

    def _with_left(self, session: ToDo, told: Traces, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        """The chunks of a session, and in front of its last one what is gone, in bounded pieces.

        The mark comes with the last, so that a kill before it repeats and loses nothing.
        """
        last = next(chunks)
        roles = {native: row.role for native, row in last.known.messages.items()}
        roles |= {message.id: message.role for message, _ in last.messages}
        for chunk in chunks:
            yield last
            last = chunk
            roles |= {message.id: message.role for message, _ in last.messages}
        end, last.end = last.end, None
        last.stale = told.stale
        yield last
        pieces = _traces_in_pieces(told.traces, last.known)
        for place, piece in enumerate(pieces):
            chunk = Chunk(session.id, last.known, [], [], left=self._left(session, piece, roles))
            if place == len(pieces) - 1:
                chunk.end, chunk.mark = end, told.mark
            yield chunk

    def _left(self, session: ToDo, traces: Sequence[Trace], roles: dict[str, str]) -> list[Left]:
        named = [Left(trace) for trace in traces if trace.evidence == "kept"]
        wanted = [trace for trace in traces if trace.evidence != "kept"]
        for trace, row in self._source.traced(session.native, wanted) if wanted else ():
            if isinstance(row, Message):
                roles[row.id] = row.role
                named.append(Left(trace, row))
            else:
                role = roles.get(row.message, "")
                named.append(Left(trace, part=prepare(ended(row), trace.ref, role)))
        return named

    def _session(
        self, index: apsw.Connection, session: ToDo, stamp: str, outline: Outline
    ) -> Iterator[Chunk]:
        known = known_session(index, session.id)
        roles = {native: row.role for native, row in known.messages.items()}
        heads = {ref.id: ref for ref in outline.messages if _is_new(known, ref, "")}
        parts = [ref for ref in outline.parts if _is_new(known, ref, ref.parent)]
        newest = _newest(outline)
        unreadable = 0
        last: Message | None = None
        pieces = _pieces(parts)
        for place, piece in enumerate(pieces):
            final = place == len(pieces) - 1
            mine = [heads.pop(ref.parent) for ref in piece if ref.parent in heads]
            mine += heads.values() if final else ()
            bodies = self._source.bodies(outline.session, mine, piece)
            refs = {ref.id: ref for ref in (*mine, *piece)}
            roles |= {message.id: message.role for message in bodies.messages}
            last = next((one for one in bodies.messages if one.id == newest), last)
            prepared = [
                prepare(_judged(part, newest, session), refs[part.id], roles.get(part.message, ""))
                for part in bodies.parts
            ]
            chunk = Chunk(
                session.id,
                known,
                [(message, refs[message.id]) for message in bodies.messages],
                prepared,
                outline.faults + bodies.faults if final else bodies.faults,
                first=place == 0,
            )
            unreadable += len(piece) - len(bodies.parts)
            if final:
                chunk.end = _end(session, outline, known, stamp, last)
                chunk.end.handled -= unreadable
            yield chunk
        self.complete = self.complete and (outline.complete or outline.final)


def _newest(outline: Outline) -> str:
    """The last message that was said; input that waits comes after whatever still runs."""
    said = [ref.id for ref in outline.messages if ref.seq < WAITING]
    return said[-1] if said else ""


def _traces_in_pieces(traces: Sequence[Trace], known: KnownSession) -> list[list[Trace]]:
    """Traces in pieces of bounded size, in their order; always at least one piece."""
    pieces: list[list[Trace]] = [[]]
    size = 0
    for trace in traces:
        ref = trace.ref
        if _is_forgotten(known, ref.parent if trace.is_part else ref.id, ref.id):
            continue
        if size + ref.size > CHUNK_BYTES and pieces[-1]:
            pieces.append([])
            size = 0
        pieces[-1].append(trace)
        size += ref.size
    return pieces


def _is_forgotten(known: KnownSession, message: str, part: str) -> bool:
    gone = known.forgotten
    return bool(gone) and ((message, "") in gone or (message, part) in gone)


def _is_new(known: KnownSession, ref: Ref, parent: str) -> bool:
    if _is_forgotten(known, parent or ref.id, ref.id):
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


def _judged(part: Part, newest: str, session: ToDo) -> Part:
    """A tool that never ended is interrupted, unless it may still be running."""
    if not isinstance(part.content, Tool) or part.content.status not in ("pending", "running"):
        return part
    idle = time.time() * 1000 - session.updated > IDLE_MS
    if (part.message == newest and not idle) or "interrupted" in part.flags:
        return part
    return replace(part, flags=(*part.flags, "interrupted"))


def _end(
    session: ToDo, outline: Outline, known: KnownSession, stamp: str, last: Message | None
) -> SessionEnd:
    """What a session's complete outline says of what the index has; an incomplete one, nothing."""
    end = SessionEnd(None, [], [], [], [], False, False, len(outline.parts))
    if last is not None:
        end.unfinished = last.role == "assistant" and not last.completed and not last.error
    if outline.title is not None:
        end.told = Told(
            outline.title,
            outline.updated or session.updated,
            len(outline.messages),
            len(outline.parts),
        )
    if outline.complete or outline.final:
        end.stamp = stamp
    if not outline.complete:
        return end
    messages = {ref.id for ref in outline.messages}
    parts = {(ref.parent, ref.id) for ref in outline.parts}
    end.gone_messages = [row.id for key, row in known.messages.items() if key not in messages]
    end.gone_parts = [row.id for key, row in known.parts.items() if key not in parts]
    rows = (*known.messages.values(), *known.parts.values())
    end.has_revert = bool(session.revert) or any(row.fate == "reverted" for row in rows)
    if session.revert:
        revert = Revert(*json.loads(session.revert))
        end.reverted_messages, end.reverted_parts = _hidden(outline, revert)
    return end


def _hidden(outline: Outline, revert: Revert) -> tuple[list[str], list[str]]:
    """The messages and parts that a pending revert hides."""
    own = sorted(
        (ref for ref in outline.parts if ref.parent == revert.message),
        key=lambda ref: (ref.created, ref.id),
    )
    messages, tail = hidden_by(
        revert, [ref.id for ref in outline.messages], [ref.id for ref in own]
    )
    parts = [ref.id for ref in outline.parts if ref.parent in messages]
    return list(messages), parts + list(tail)
