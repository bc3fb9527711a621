"""Recordings that are no tables of parts: every string of what was said is on the screen or by R.

What a store holds is read here by itself: rows, files and lines as plain JSON.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from store.library import Library
from store.model import Json, Tool
from tests.recordings.conftest import copy_store
from tests.recordings.count_harness import Row, database_rows, file_rows, folder_rows, zip_rows
from tests.recordings.stores import STORES as TABLES
from tests.recordings.test_harness import DAMAGED
from tests.recordings.test_library import open_library
from tests.recordings.test_screen import bare, leaves, on_screen
from tui.render.part import copied
from tui.stored import readable

SAID = frozenset({
    "user/message", "assistant/message", "system/message", "tool/call", "tool/result",
    "assistant/attempt", "todo/write", "compaction/summary", "llm/retry",
})  # fmt: skip
"""Events of DeepSeek Harness in which something is said or done; the others keep its books."""

HOMES = (
    "dsh/v4-runtime-0.2.1rc2/dsh-home-zstd",
    "dsh/v4-runtime-0.2.1rc2/dsh-home-plain",
    "dsh/v4-runtime-0.2.1rc2/dsh-home-resumed",
    "dsh/v0-runtime-0.1.1rc1/plain",
    "dsh/v0-runtime-0.1.1rc1/zstd",
    "dsh/migrated/v0-to-v4",
    "dsh/migrated/v3-to-v4",
)
NO_STORES = (
    "README.md", "-wal", "-shm", "ids.json", "api-main.json", "api-sessions.json",
    "expected-search.json", "trajectory-sample.jsonl",
)  # fmt: skip
UNREADABLE = ["header-cut.session.v4.jsonl.zstd"]
Read = Callable[[Path], list[Json]]


def v2_parts(path: Path) -> list[Json]:
    """What stands in the rows of session_message and of part; 2.x took over no steps."""
    with closing(sqlite3.connect(path)) as db:
        rows = [json.loads(data) for (data,) in db.execute("select data from session_message")]
        parts = [json.loads(data) for (data,) in db.execute("select data from part")]
    said = [one for row in rows for one in (row.get("content") or [row])]
    return said + [part for part in parts if not part["type"].startswith("step-")]


def file_parts(path: Path) -> list[Json]:
    """The part files of opencode before 1.2."""
    return [json.loads(file.read_text()) for file in path.glob("storage/part/*/*.json")]


def exported_parts(path: Path) -> list[Json]:
    """The parts of a session that opencode exported."""
    messages = json.loads(path.read_text())["messages"]
    return [part for message in messages for part in message["parts"]]


def events(read: Callable[[Path], Iterator[list[Row]]]) -> Read:
    """What was said in all logs of a DeepSeek Harness home, database, export or file."""

    def said(path: Path) -> list[Json]:
        told = [row["data"] for rows in read(path) for row in rows if row["type"] in SAID]
        return [one for one in told if one.get("message", {}).get("content") != []]

    return said


STORES: dict[str, Read] = {
    "opencode/v2-session.db": v2_parts,
    "opencode/v2-revert-staged.db": v2_parts,
    "opencode/imitation-2.0.db": v2_parts,
    "opencode/json-1.1/opencode": file_parts,
    "opencode/json-1.1/export-main.json": exported_parts,
    "opencode/basic-export-chinese.json": exported_parts,
    "opencode/basic-export-overview.json": exported_parts,
    **dict.fromkeys(HOMES, events(folder_rows)),
    "dsh/v0-sqlite-src-0.1.1-rc.2/sessions.sqlite": events(database_rows),
    "dsh/imitation-export-v4.zip": events(zip_rows),
    **dict.fromkeys(DAMAGED, events(file_rows)),
}


@pytest.fixture(params=STORES)
def held(
    recordings: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[Library, list[Json]]]:
    """A library over a recording, and what that holds."""
    original = recordings / str(request.param)
    if original.is_dir():
        store = Path(shutil.copytree(original, tmp_path / "store"))
    else:
        store = copy_store(original, tmp_path / "store")
    stored = STORES[str(request.param)](store)
    library = open_library(store, tmp_path)
    yield library, stored
    library.close()


def shown(library: Library) -> Iterator[str]:
    """All there is to see of each part, and the errors of messages."""
    for session in library.sessions(limit=None).sessions:
        for item in library.page(f"{session.source}:{session.id}", 0, 1000).messages:
            yield bare(item.message.error or "")
            for part in item.parts:
                yield on_screen(part)
                yield bare(readable(library.raw(f"{session.source}:{part.id}")))


def strings(value: Json) -> Iterator[str]:
    """Every string longer than three characters."""
    return (text for _, text in leaves(value))


def test_every_string_is_on_the_screen_or_in_the_stored_json(
    held: tuple[Library, list[Json]],
) -> None:
    library, stored = held
    seen = "\n".join(shown(library))
    wanted = {text for value in stored for text in strings(value)}
    assert len(wanted) >= 20
    missing = [
        text
        for text in wanted
        if bare(json.dumps(text, ensure_ascii=False)[1:-1]) not in seen and bare(text) not in seen
    ]
    assert missing == []


def blocks(value: Json) -> Iterator[str]:
    """The blocks of text of each output of opencode 2.x together, each begun on a line."""
    if isinstance(value, list):
        texts = [one["text"] for one in value if isinstance(one, dict) and "text" in one]
        yield "".join(
            text if at == len(texts) - 1 or text.endswith("\n") else f"{text}\n"
            for at, text in enumerate(texts)
        )
    for inner in value.values() if isinstance(value, dict) else value or ():
        if isinstance(inner, dict | list):
            yield from blocks(inner)


def test_copying_an_output_gives_the_stored_bytes(held: tuple[Library, list[Json]]) -> None:
    library, stored = held
    said = {text for value in stored for text in strings(value)} | set(blocks(stored))
    outputs = 0
    for session in library.sessions(limit=None).sessions:
        for item in library.page(f"{session.source}:{session.id}", 0, 1000).messages:
            for part in item.parts:
                if isinstance(part.content, Tool) and len(part.content.output or "") > 3:
                    outputs += 1
                    assert copied(part, "text")[0] in said
    assert outputs or not any('"output"' in json.dumps(value) for value in stored)


def test_no_recording_is_left_out(recordings: Path) -> None:
    covered = {recordings / name for name in (*STORES, *TABLES)}
    others = [
        path
        for path in recordings.rglob("*")
        if path.is_file()
        and not path.name.endswith(NO_STORES)
        and covered.isdisjoint((path, *path.parents))
    ]
    assert [path.name for path in others] == UNREADABLE
