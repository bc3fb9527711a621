"""What the sources read from recorded stores equals an independent count of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from store.model import Part, Reasoning, Text, Tool
from store.sources.mimocode import MimoSource
from store.sources.opencode import OpencodeSource
from store.sources.tables import TableSource
from tests.makers import fingerprint
from tests.recordings.conftest import Recording, copy_store
from tests.recordings.count import Count, TextKind, count_store, leaves
from tests.recordings.stores import STORES


@pytest.fixture(params=STORES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def source(recording: Recording, name: str) -> TableSource:
    path = recording(name)
    return MimoSource(path) if name.startswith("mimo") else OpencodeSource(path)


@pytest.fixture
def counted(recordings: Path, name: str, tmp_path: Path) -> Count:
    return count_store(copy_store(recordings / name, tmp_path / "counted"))


def read_parts(source: TableSource) -> list[Part]:
    """Every part of a store; fails where anything could not be read."""
    sessions = [session.id for session in source.listing("x").sessions]
    parts: list[Part] = []
    for outline in source.outlines(sessions):
        assert outline.complete
        bodies = source.bodies(outline.session, outline.messages, outline.parts)
        assert bodies.faults == ()
        assert len(bodies.messages) == len(outline.messages)
        parts += bodies.parts
    return parts


def texts(part: Part) -> list[tuple[TextKind, str]]:
    """The texts of a part of ours, in the counter's words."""
    match part.content:
        case Text(text):
            return [("text", text)]
        case Reasoning(text):
            return [("reasoning", text)]
        case Tool() as tool:
            found: list[tuple[TextKind, str]] = []
            found += [("tool_input", leaf) for leaf in leaves(tool.input)]
            found += [("tool_output", tool.output)] if tool.output is not None else []
            found += [("tool_error", tool.error)] if tool.error is not None else []
            return found
    return []


def test_sessions_messages_and_parts(source: TableSource, counted: Count) -> None:
    found = {
        session.id: (session.title, session.messages, session.parts)
        for session in source.listing("x").sessions
    }
    assert found == {
        ident: (session.title, session.messages, session.parts)
        for ident, session in counted.sessions.items()
    }


def test_every_text_of_every_part(source: TableSource, counted: Count) -> None:
    parts = read_parts(source)
    assert len(parts) == counted.parts
    found = Counter((part.id, *text) for part in parts for text in texts(part))
    assert found == Counter((said.part, said.kind, said.text) for said in counted.said)


def test_nothing_is_left_beside_the_store(source: TableSource) -> None:
    folder = source.path.parent
    before, changed = fingerprint(folder), folder.stat().st_mtime_ns
    read_parts(source)
    assert fingerprint(folder) == before
    assert folder.stat().st_mtime_ns == changed
