"""Following the traces of what is gone from a session, in chunks of bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from store.batch import Chunk, prepare
from store.gone import Left, ended
from store.known import KnownSession, is_forgotten
from store.model import Message
from store.source import Source, Trace, Traces

PIECE_BYTES = 2_000_000
"""Stored bytes that are read at once."""


def followed(
    source: Source, session: str, told: Traces, last: Chunk, roles: Mapping[str, str]
) -> Iterator[Chunk]:
    """The last chunk of a session, and behind it what is gone.

    `roles` are those of the session's messages. The end of the session and the mark come with the
    last piece, so that a kill before it repeats and loses nothing.
    """
    end = last.end
    yield replace(last, end=None, stale=told.stale)
    known = dict(roles)
    pieces = _pieces(told.traces, last.known)
    for place, piece in enumerate(pieces):
        left = _left(source, session, piece, known)
        chunk = Chunk(last.session, last.known, [], [], left=left)
        if place == len(pieces) - 1:
            chunk.end, chunk.mark = end, told.mark
        yield chunk


def _pieces(traces: Sequence[Trace], known: KnownSession) -> list[list[Trace]]:
    """Traces in pieces of bounded size, in their order; always at least one piece."""
    pieces: list[list[Trace]] = [[]]
    size = 0
    for trace in traces:
        ref = trace.ref
        if is_forgotten(known, ref.parent if trace.is_part else ref.id, ref.id):
            continue
        if size + ref.size > PIECE_BYTES and pieces[-1]:
            pieces.append([])
            size = 0
        pieces[-1].append(trace)
        size += ref.size
    return pieces


def _left(
    source: Source, session: str, traces: Sequence[Trace], roles: dict[str, str]
) -> list[Left]:
    left = [Left(trace) for trace in traces if trace.evidence == "kept"]
    wanted = [trace for trace in traces if trace.evidence != "kept"]
    for trace, row in source.traced(session, wanted) if wanted else ():
        if isinstance(row, Message):
            roles[row.id] = row.role
            left.append(Left(trace, row))
        else:
            part = prepare(ended(row), trace.ref, roles.get(row.message, ""))
            left.append(Left(trace, part=part))
    return left
