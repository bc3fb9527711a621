"""What the index knows of its sources and of itself, counted."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import apsw

from store.conversations import conflicts
from store.errors import StoreError
from store.leftovers import count_leftovers
from store.model import Answer, Coverage, Fault, Health, SourceInfo
from store.query import Query
from store.salvage import BESIDE, saved_at
from store.schema import VERSION
from store.search import coverage
from store.sqlite import one, rows_of


def source_infos(
    connection: apsw.Connection | None,
    answering: Sequence[int] | None,
    opened: Mapping[str, str],
    problems: Mapping[str, Fault],
) -> tuple[SourceInfo, ...]:
    """The sources with their counts; `opened` and `problems` are from this run, by name.

    Counts are of what the source holds now; what is gone counts as leftovers only.
    """
    if connection is None:
        return ()
    infos = []
    disagreeing = conflicts(connection, answering)
    for ident, name, producer, path, how, missing in rows_of(
        connection,
        "SELECT id, name, producer, path, opened, missing_since FROM source ORDER BY id",
    ):
        if answering is not None and ident not in answering:
            continue
        sessions, messages, parts = rows_of(
            connection,
            "SELECT count(*), coalesce(sum(messages), 0), coalesce(sum(parts), 0) FROM session"
            " WHERE source = ? AND fate = 'live'",
            (ident,),
        )[0]
        faults = [
            Fault(code, about, message)
            for code, about, message in rows_of(
                connection,
                "SELECT code, about, message FROM fault WHERE source = ? ORDER BY about",
                (ident,),
            )
        ]
        faults += disagreeing.get(name, ())
        if name in problems:
            faults.insert(0, problems[name])
        state = opened.get(name) or ("missing" if missing else how)
        infos.append(
            SourceInfo(
                name=name,
                producer=producer,
                path=path,
                opened=state,
                sessions=sessions,
                messages=messages,
                parts=parts,
                leftovers=count_leftovers(connection, ident, answering),
                behind=coverage(connection, [ident]).behind,
                faults=tuple(faults),
            )
        )
    return tuple(infos)


def with_documents(
    connection: apsw.Connection | None, infos: tuple[SourceInfo, ...]
) -> tuple[SourceInfo, ...]:
    """The same with the number of documents of each, which takes a look at all of them."""
    if connection is None:
        return infos
    counts = _documents_of(connection)
    return tuple(replace(info, documents=counts.get(info.name, 0)) for info in infos)


def _documents_of(connection: apsw.Connection) -> dict[str, int]:
    return dict(
        rows_of(
            connection,
            "SELECT n.name, sum(d.number) FROM (SELECT session, count(*) AS number FROM doc"
            " GROUP BY session) d JOIN session s ON s.id = d.session"
            " JOIN source n ON n.id = s.source GROUP BY n.id",
        )
    )


def torn(connection: apsw.Connection, answering: Sequence[int] | None) -> list[str]:
    """The names of the sources (None: all) of which something could not be read, rows apart."""
    rows = rows_of(
        connection,
        "SELECT DISTINCT n.id, n.name FROM fault f JOIN source n ON n.id = f.source"
        " WHERE f.code IN ('SOURCE_UNREADABLE', 'CORRUPT_SESSION') ORDER BY n.id",
    )
    return [name for ident, name in rows if answering is None or ident in answering]


def refused(error: StoreError) -> SourceInfo:
    """A store that was named and cannot be used."""
    fault = Fault(error.code, error.about, error.message)
    name = Path(error.about).name or error.about
    return SourceInfo(name, "opencode", error.about, opened="failed", faults=(fault,))


def health(
    path: Path, connection: apsw.Connection | None, answering: Sequence[int] | None
) -> Health:
    """The state of the index file."""
    if connection is None:
        return Health(
            str(path), 0, VERSION, 0, 0, 0, Coverage(begun=False), "there is no index yet"
        )
    size = sum(
        file.stat().st_size for file in (path, path.with_name(path.name + "-wal")) if file.exists()
    )
    return Health(
        path=str(path),
        bytes=size,
        version=int(connection.pragma("user_version")),
        documents=int(one(connection, "SELECT count(*) FROM doc")),
        archived_parts=int(one(connection, "SELECT count(*) FROM part")),
        archive_bytes=int(one(connection, "SELECT coalesce(sum(length(bytes)), 0) FROM block")),
        coverage=coverage(connection, answering),
        problem=_saved(path, saved_at(connection)),
        documents_of=_documents_of(connection),
    )


def _saved(path: Path, moment: int) -> str:
    if not moment:
        return ""
    day = time.strftime("%Y-%m-%d", time.localtime(moment / 1000))
    kept = f"the damaged file is kept as {path.name}{BESIDE}*"
    return f"saved on {day} from a damaged index, as far as that could be read; {kept}"


def nothing(query: Query) -> Answer:
    """The answer where there is no index yet."""
    unread = Coverage(begun=False)
    return Answer(query.as_json(), (), 0, 0, False, None, 0.0, unread, terms=query.terms())
