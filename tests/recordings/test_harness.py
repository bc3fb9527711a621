"""What is read of recorded DeepSeek Harness stores equals an independent count of them."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from store import sources
from store.library import Library
from store.model import Compaction, Message, Part, Reasoning, Text, Todos, Tool
from store.source import Source
from tests.makers import fingerprint
from tests.recordings.count_harness import (
    LogCount,
    Row,
    count_logs,
    database_rows,
    file_rows,
    folder_rows,
    zip_rows,
)

Read = Callable[[Path], Iterator[list[Row]]]
SQLITE = "dsh/v0-sqlite-src-0.1.1-rc.2/sessions.sqlite"
STORES: dict[str, tuple[Read, int]] = {
    "dsh/v4-runtime-0.2.1rc2/dsh-home-zstd": (folder_rows, 9),
    "dsh/v4-runtime-0.2.1rc2/dsh-home-plain": (folder_rows, 2),
    "dsh/v4-runtime-0.2.1rc2/dsh-home-resumed": (folder_rows, 1),
    "dsh/v0-runtime-0.1.1rc1/zstd": (folder_rows, 9),
    "dsh/v0-runtime-0.1.1rc1/plain": (folder_rows, 7),
    "dsh/migrated/v0-to-v4": (folder_rows, 9),
    "dsh/migrated/v3-to-v4": (folder_rows, 5),
    "dsh/imitation-export-v4.zip": (zip_rows, 3),
    SQLITE: (database_rows, 7),
}
DAMAGED = {
    "dsh/damaged/torn-last-frame.session.v4.jsonl.zstd": "cut off",
    "dsh/damaged/bitflip-middle.session.v4.jsonl.zstd": "frame 20 is damaged",
    "dsh/damaged/torn-line.session.jsonl": "a row is broken",
}


def at_rest(original: Path, folder: Path) -> Path:
    """A copy that was last written to long ago, so that no program can be at it."""
    folder.mkdir()
    copy = folder / original.name
    if original.is_dir():
        shutil.copytree(original, copy)
    else:
        for path in original.parent.glob(f"{original.name}*"):
            shutil.copyfile(path, folder / path.name)
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
        os.utime(path, (1_000_000, 1_000_000))
    return copy


def opened(path: Path) -> Source:
    (found,), errors = sources.open_given([path])
    assert errors == []
    return found


@pytest.fixture(params=STORES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def copied(recordings: Path, name: str, tmp_path: Path) -> Path:
    return at_rest(recordings / name, tmp_path / "store")


@pytest.fixture
def counted(recordings: Path, name: str, tmp_path: Path) -> dict[str, LogCount]:
    return count_logs(STORES[name][0](at_rest(recordings / name, tmp_path / "counted")))


def read(source: Source, session: str) -> tuple[tuple[Message, ...], tuple[Part, ...]]:
    (outline,) = source.outlines([session])
    bodies = source.bodies(session, outline.messages, outline.parts)
    assert len(bodies.messages) == len(outline.messages)
    assert len(bodies.parts) == len(outline.parts)
    return bodies.messages, bodies.parts


def said(parts: tuple[Part, ...]) -> Counter[tuple[str, str, str]]:
    """The texts of parts, in the counter's words; parts that a broken stream left are no blocks."""
    found: Counter[tuple[str, str, str]] = Counter()
    for part in parts:
        match part.content:
            case Text(text) | Compaction(text=text) if "#turn-" not in part.message:
                found[part.message, "text", text] += 1
            case Reasoning(text) if "#turn-" not in part.message:
                found[part.message, "reasoning", text] += 1
            case Tool() as tool:
                if tool.output is not None:
                    found[tool.call, "output", tool.output] += 1
                if tool.error is not None:
                    found[tool.call, "error", _alone(tool)] += 1
                if "replaced by" in tool.meta:
                    found[tool.call, "replaced", tool.meta["replaced by"]] += 1
    return found


def _alone(tool: Tool) -> str:
    """The text of an error without the name and code that stand below it in its last lines."""
    assert tool.error is not None
    kept = tool.error.split("\n")
    while kept and (kept[-1].isupper() or kept[-1].endswith("Error")):
        kept.pop()
    return "\n".join(kept)


def check(messages: tuple[Message, ...], parts: tuple[Part, ...], count: LogCount) -> None:
    own = [one.id for one in messages if "#turn-" not in one.id]
    assert own == count.messages
    assert said(parts) == count.said
    calls = [one.content.call for one in parts if isinstance(one.content, Tool)]
    assert calls == count.calls
    assert sum(isinstance(one.content, Todos) for one in parts) == count.todos
    errors = [one.error.split("\n")[0] for one in messages if one.error]
    assert errors == count.errors


def test_every_session_message_and_text(
    name: str, copied: Path, counted: dict[str, LogCount]
) -> None:
    source = opened(copied)
    listing = source.listing("dsh")
    assert sorted(one.id for one in listing.sessions) == sorted(counted)
    assert (len(counted), listing.faults) == (STORES[name][1], ())
    for session, count in counted.items():
        (outline,) = source.outlines([session])
        assert (outline.title, outline.complete, outline.faults) == (count.title, True, ())
        check(*read(source, session), count)


@pytest.mark.parametrize("name", DAMAGED)
def test_what_decodes_of_a_damaged_log(recordings: Path, name: str, tmp_path: Path) -> None:
    path = at_rest(recordings / name, tmp_path / "store")
    ((session, count),) = count_logs(file_rows(path)).items()
    source = opened(path)
    assert [one.id for one in source.listing("dsh").sessions] == [session]
    (outline,) = source.outlines([session])
    assert [one.code for one in outline.faults] == ["CORRUPT_SESSION"]
    assert DAMAGED[name] in outline.faults[0].message
    check(*read(source, session), count)


def test_a_log_of_half_a_header_is_a_fault_alone(recordings: Path, tmp_path: Path) -> None:
    name = "dsh/damaged/header-cut.session.v4.jsonl.zstd"
    library = Library.open(
        sources=[at_rest(recordings / name, tmp_path / "store")], index=tmp_path / "index.db"
    )
    (info,) = library.sync(Event()).sources
    library.close()
    assert (info.sessions, info.messages, info.parts) == (1, 0, 0)
    assert {fault.code for fault in info.faults} == {"CORRUPT_SESSION"}


def test_a_visit_leaves_no_trace(copied: Path, tmp_path: Path) -> None:
    before, changed = fingerprint(copied.parent), copied.parent.stat().st_mtime_ns
    library = Library.open(sources=[copied], index=tmp_path / "index.db")
    library.sync(Event())
    for session in library.sessions().sessions:
        library.page(f"{session.source}:{session.id}", 0, 50)
    library.close()
    assert fingerprint(copied.parent) == before
    assert copied.parent.stat().st_mtime_ns == changed


# Particular logs -----------------------------------------------------------------------------


@pytest.fixture
def library(recordings: Path, tmp_path: Path) -> Iterator[Library]:
    """A library over the recorded home of version 4."""
    home = recordings / "dsh/v4-runtime-0.2.1rc2/dsh-home-zstd"
    made = Library.open(
        sources=[at_rest(home, tmp_path / "store")], index=tmp_path / "index" / "index.db"
    )
    made.sync(Event())
    yield made
    made.close()


def test_lineage(library: Library) -> None:
    parents = {one.id: (one.parent, one.flags) for one in library.sessions().sessions}
    children = {ident: told for ident, told in parents.items() if told[0]}
    assert children == {
        "0ad55b29-e495-4b78-a5b8-2da45adf9676": ("session-delegation-parent", ("subagent",)),
        "7b037c2c-539f-45a2-b60f-1daa2aa86046": (
            "session-delegation-parent",
            ("subagent", "fork"),
        ),
    }


def test_a_call_leads_to_the_session_that_it_started(library: Library) -> None:
    (hit,) = library.search("fork tool:subagent_fork kind:tool_input").hits
    (part,) = library.show(hit.id).parts
    assert isinstance(part.content, Tool)
    assert part.content.meta["sessionId"] == "7b037c2c-539f-45a2-b60f-1daa2aa86046"


def test_the_inherited_beginning_is_found_in_the_parent_alone(library: Library) -> None:
    hits = library.search('"The subagent reported its count."').hits
    assert [hit.session for hit in hits] == ["session-delegation-parent"]


def test_a_killed_call_is_interrupted(library: Library) -> None:
    (hit,) = library.search("finished tool:bash is:interrupted kind:tool_input").hits
    assert (hit.session, hit.status) == ("session-killed-in-tool", "running")


def test_a_pruned_output_is_found_whole(library: Library) -> None:
    (hit,) = library.search("needle-450 kind:tool_output session:session-compaction").hits
    assert hit.flags == ("shadowed",)


def test_how_turns_ended(library: Library) -> None:
    hits = library.search("kind:error session:session-errors").hits
    assert sorted(hit.snippet for hit in hits) == [
        "SERVER: stub overloaded",
        "error stub rejected this request INVALID_REQUEST 400",
        "max-tokens",
    ]


def test_a_stream_that_was_killed_is_found_in_version_0(recordings: Path, tmp_path: Path) -> None:
    home = at_rest(recordings / "dsh/v0-runtime-0.1.1rc1/zstd", tmp_path / "store")
    library = Library.open(sources=[home], index=tmp_path / "index.db")
    library.sync(Event())
    thinking = library.search('"thinking slowly"').hits
    library.close()
    assert [(hit.session, hit.kind, hit.flags) for hit in thinking] == [
        ("session-killed-in-stream", "reasoning", ("interrupted",))
    ]
