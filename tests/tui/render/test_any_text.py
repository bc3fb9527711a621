"""Whatever a part holds, its rows fit, are harmless, and are made without an exception."""

from __future__ import annotations

import unicodedata
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from store.model import (
    Agent,
    Attachment,
    Checkpoint,
    Compaction,
    Content,
    File,
    Message,
    Patch,
    Reasoning,
    Retry,
    Snapshot,
    StepFinish,
    StepStart,
    Subtask,
    Text,
    Tool,
    Unknown,
    WindowMessage,
)
from tests.tui.samples import NOON, part
from tui.render.lines import sides, take_lines
from tui.render.message import render_message
from tui.render.part import heading, input_text, plain_text
from tui.render.row import Marker, Row

PIECES = st.sampled_from(
    [
        "\x1b[31m",
        "\x1b]0;t\x07",
        "\x9b2J",
        "\r\n",
        "\t",
        "\u202e",
        "\ud800",
        "# ",
        "- ",
        "1. ",
        "> ",
        "```py\n",
        "|a|b|\n|-|-|\n",
        "[x](y)",
        "**",
        "`",
        "&#27;",
        "连接池",
        "👩\u200d🔬",
        "\u0301",
        "\n\n",
        "--- a\n+++ b\n@@ -1,2 +1 @@\n",
        "*** Add File: \x1b[1m\n",
        "[/b]",
        "$x",
        "word ",
        "\0",
    ]
)
ANY = st.lists(PIECES | st.text(max_size=12), max_size=14).map("".join)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY, inner, max_size=4),
    max_leaves=8,
)
FIELDS = st.dictionaries(ANY, JSON, max_size=4)
INPUTS = JSON | st.fixed_dictionaries(
    {},
    optional={
        "command": ANY,
        "filePath": ANY,
        "oldString": ANY,
        "newString": ANY,
        "content": ANY,
        "patchText": ANY,
        "edits": JSON,
        "todos": JSON,
        "prompt": ANY,
        "offset": st.integers(),
        "limit": st.integers(),
    },
)
NAMES = st.sampled_from(["bash", "edit", "write", "apply_patch", "todowrite", "task", "read"]) | ANY
TOOLS = st.builds(
    Tool,
    name=NAMES,
    status=st.sampled_from(["completed", "error", "running"]) | ANY,
    title=ANY,
    input=INPUTS,
    output=st.none() | ANY,
    error=st.none() | ANY,
    diff=ANY,
    spilled=ANY,
    exit=st.none() | st.integers(),
    started=st.none() | st.integers(),
    ended=st.none() | st.integers(),
    attachments=st.tuples(st.builds(Attachment, ANY, ANY)),
)
CONTENTS: st.SearchStrategy[Content] = st.one_of(
    TOOLS,
    st.builds(Text, ANY),
    st.builds(Reasoning, ANY),
    st.builds(File, ANY, ANY, ANY, ANY, ANY),
    st.builds(Patch, ANY, st.tuples(ANY, ANY)),
    st.builds(StepStart, ANY),
    st.builds(StepFinish, ANY, st.floats(allow_nan=False), FIELDS),
    st.builds(Snapshot, ANY),
    st.builds(Compaction, st.booleans(), st.booleans(), ANY),
    st.builds(Subtask, ANY, ANY, ANY, ANY),
    st.builds(Agent, ANY, ANY),
    st.builds(Retry, st.integers(), ANY),
    st.builds(Checkpoint, ANY, st.integers(), ANY),
    st.builds(Unknown, ANY, FIELDS),
)


def harmless(row: Row) -> bool:
    bad = {"Cc", "Cs"}
    return not any(unicodedata.category(c) in bad or c in "\u202e\u2028" for c in row.text)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(CONTENTS, min_size=1, max_size=2),
    st.integers(12, 140),
    st.sampled_from(["folded", "open", "whole"]),
    ANY,
    st.sampled_from(["live", "removed"]),
)
def test_rows_of_any_message(
    contents: list[Content], width: int, fold: Any, text: str, fate: Any
) -> None:
    parts = tuple(part(content, f"p{n}", fate=fate) for n, content in enumerate(contents))
    spoken = Message("m", "s", "assistant", NOON, agent=text, model=text, error=text)
    folds = dict.fromkeys((found.id for found in parts), fold)
    rows = render_message(
        WindowMessage(spoken, parts), width=width, terms=(text, "word"), folds=folds
    )
    assert all(harmless(row) for row in rows)
    assert all(row.indent + cell_len(row.text) <= max(width, 16) for row in rows)


@settings(max_examples=200, deadline=None)
@given(CONTENTS, st.integers(8, 100), ANY)
def test_the_whole_text_of_any_part(content: Content, width: int, term: str) -> None:
    found = part(content)
    assert harmless(Row(heading(found)))
    input_text(found)
    plain_text(found)
    for _, text in sides(found):
        marker = Marker((term,))
        lines = take_lines(text, width, marker)
        rows = [lines.row(place, marker) for place in range(lines.rows)]
        assert all(row is not None and harmless(row) for row in rows)
        assert all(cell_len(row.text) <= width for row in rows if row)
        assert lines.row(lines.rows, marker) is None
